#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "near.hpp"

using lacp::Dataset;
using lacp::DatasetDescription;
using lacp::Stream;

namespace {

const std::filesystem::path folder = std::filesystem::path(LACP_SOURCE_DIR) / "datasets";

DatasetDescription describe(const std::string& name, std::size_t samples) {
  DatasetDescription description = lacp::Catalog(folder).find(name);
  description.synthetic->samples = samples;
  return description;
}

const std::vector<std::string> profiles = {"cos", "squared", "inverse", "linear"};

/// The paper's four equations, written a second time.
double paper_sigma(const std::string& name, double x, double rho = 0.1) {
  const double pi = std::acos(-1.0);
  const double inside = std::fabs(x) < 0.5 ? 1 : 0, outside = std::fabs(x) > 0.5 ? 1 : 0;
  if (name == "cos") return rho + 2 * std::cos(pi / 2 * std::fabs(x)) * inside;
  if (name == "squared") return rho + 2 * x * x * outside;
  if (name == "inverse") return rho + 2 / (rho + std::fabs(x)) * outside;
  return rho + (2 - std::fabs(x)) * inside;
}

/// w of f_true = w0 + w1 x + w2 x², from three observations (Newton's divided differences).
std::array<double, 3> weights_of(const Dataset& data, std::size_t a, std::size_t b, std::size_t c) {
  const double xa = data.X(1, a), xb = data.X(1, b), xc = data.X(1, c);
  const double ab = (data.truth(b) - data.truth(a)) / (xb - xa),
               bc = (data.truth(c) - data.truth(b)) / (xc - xb);
  const double w2 = (bc - ab) / (xc - xa), w1 = ab - w2 * (xa + xb);
  return {data.truth(a) - w1 * xa - w2 * xa * xa, w1, w2};
}

}  // namespace

TEST_CASE("the noise of each set has the variance of its equation, and x is uniform") {
  constexpr std::size_t samples = 200000;
  for (const std::string& name : profiles) {
    CAPTURE(name);
    Stream stream(1);
    const Dataset data = lacp::generate_synthetic(describe(name, samples), stream);
    for (std::size_t n = 0; n < samples; ++n)
      REQUIRE(data.sigma(n) == near(paper_sigma(name, data.X(1, n)), 1e-12));
    // Five standard deviations of the mean of squares that are χ² of one degree, and of counts in ten bins.
    const arma::vec xi = (data.y - data.truth) / data.sigma, x = data.X.row(1).t();
    CHECK(std::abs(arma::mean(xi % xi) - 1) < 5 * std::sqrt(2.0 / samples));
    const arma::uvec counts = arma::hist(x, arma::linspace(-0.9, 0.9, 10));
    for (const arma::uword count : counts)
      CHECK(std::abs(static_cast<double>(count) - samples / 10.0) < 5 * std::sqrt(samples / 10.0));
  }
}

TEST_CASE("the true regression is a quadratic with standard normal weights") {
  constexpr int draws = 2000;
  std::array<double, 3> sum{}, sum_of_squares{};
  Stream stream(3);
  for (int draw = 0; draw < draws; ++draw) {
    const Dataset data = lacp::generate_synthetic(describe("linear", 50), stream);
    // The outermost and the middle points make the interpolation well conditioned.
    const arma::uvec order = arma::sort_index(data.X.row(1));
    const auto w = weights_of(data, order(0), order(25), order(49));
    for (std::size_t n = 0; n < 50; ++n) {
      const double x = data.X(1, n);
      REQUIRE(data.X(0, n) == 1);
      REQUIRE(data.X(2, n) == x * x);
      REQUIRE(data.truth(n) == near(w[0] + w[1] * x + w[2] * x * x, 1e-9));
    }
    for (std::size_t i = 0; i < 3; ++i) sum[i] += w[i], sum_of_squares[i] += w[i] * w[i];
  }
  for (std::size_t i = 0; i < 3; ++i) {  // five standard deviations of a mean of `draws` terms
    CHECK(std::abs(sum[i] / draws) < 5 / std::sqrt(draws));
    CHECK(std::abs(sum_of_squares[i] / draws - 1) < 5 * std::sqrt(2.0 / draws));
  }
}

TEST_CASE("low, high and rho of the description are used, and part of the fingerprint") {
  DatasetDescription description = describe("inverse", 5000);
  description.synthetic->low = -1, description.synthetic->high = 3, description.synthetic->rho = 0;
  Stream stream(2);
  const Dataset data = lacp::generate_synthetic(description, stream);
  CHECK(data.fingerprint != lacp::generate_synthetic(describe("inverse", 5000), stream).fingerprint);
  CHECK(data.X.row(1).min() < -0.99);
  CHECK(data.X.row(1).max() > 2.99);
  CHECK(data.y.is_finite());
  for (std::size_t n = 0; n < 5000; ++n)
    REQUIRE(data.sigma(n) == near(paper_sigma("inverse", data.X(1, n), 0), 1e-12));
}
