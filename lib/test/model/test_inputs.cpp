// Attributes mapped by their ranks to the shape of a bell.
#include "lacp/base/sums.hpp"
#include "lacp/model/inputs.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

/// One attribute.
arma::mat mapped(const arma::mat& x) { return BellMap::fit(x).map(x); }

}  // namespace

TEST_CASE("a map keeps the order, and makes a bell of any distribution") {
  Stream stream(1);
  for (const std::size_t n : {100u, 3000u, 50'000u}) {
    const arma::mat x = gaussian(1, n, stream), heavy = arma::exp(3.0 * x);
    const BellMap map = BellMap::fit(heavy);
    CHECK(map.sound());
    CHECK(map.knots.front().size() <= BellMap::most_knots);
    CHECK(map.knots.front().size() >= std::min<std::size_t>(n, 250));
    const arma::mat bell = map.map(heavy);
    CHECK(mean_of(bell) == near(0.0, 0.05));
    CHECK(deviation_of(bell) == near(1.0, 0.1));
    CHECK(arma::abs(bell).max() < 6.0);
    // The farthest are still told apart.
    const std::vector<BellMap::Knot>& knots = map.knots.front();
    CHECK(knots.back().to > knots[knots.size() - 2].to);
    const arma::mat in_order = map.map(arma::sort(heavy, "ascend", 1));
    CHECK(arma::all(arma::vectorise(arma::diff(in_order, 1, 1)) >= 0.0));
    // Ranks know nothing of the shape before; between knots lines do, a little.
    CHECK(arma::abs(bell - mapped(x)).max() < (n > BellMap::most_knots ? 0.5 : 1e-5));
  }
}

TEST_CASE("equal values have their middle rank, and one value alone is mapped to 0") {
  const arma::mat x = {{2.0, 1.0, 1.0, 5.0, 1.0, 1.0, 2.0, 1.0}};
  const arma::mat z = mapped(x);
  const auto logit = [](double rank) { return 0.55 * std::log(rank / (1.0 - rank)); };
  CHECK(z(1) == near(logit(2.5 / 8.0), 1e-6));
  CHECK(z(0) == near(logit(6.0 / 8.0), 1e-6));
  CHECK(z(3) == near(logit(7.5 / 8.0), 1e-6));
  CHECK(z(4) == z(1));
  CHECK(arma::all(arma::vectorise(mapped(arma::mat(1, 9, arma::fill::value(3.0)))) == 0.0));
  // More than half of very many values are equal.
  Stream stream(2);
  arma::mat often = gaussian(1, 4000, stream);
  for (arma::uword n = 0; n < 2400; ++n) often(n) = 0.25;
  const BellMap map = BellMap::fit(often);
  CHECK(map.sound());
  const arma::uvec below = arma::find(often < 0.25);
  CHECK(map.map(often)(0) == near(logit((static_cast<double>(below.n_elem) + 1200.0) / 4000.0), 1e-6));
}

TEST_CASE("beyond the values of the fit a map is constant, and between two of them it is linear") {
  const BellMap map = BellMap::fit(arma::mat{{0.0, 1.0, 3.0}});
  const arma::mat at = map.map(arma::mat{{0.0, 1.0, 3.0, -1e300, 1e300, 0.5, 2.0}});
  CHECK(at(3) == at(0));
  CHECK(at(4) == at(2));
  CHECK(at(5) == near(0.5 * (at(0) + at(1)), 1e-7));
  CHECK(at(6) == near(0.5 * (at(1) + at(2)), 1e-7));
}

TEST_CASE("knots that no fit makes are known") {
  using Knots = std::vector<BellMap::Knot>;
  const auto sound = [](const Knots& knots) { return BellMap{{{{0.0f, 0.0f}}, knots}}.sound(); };
  CHECK(sound({{0.0f, -1.0f}, {1.0f, -1.0f}, {2.0f, 1.0f}}));
  CHECK(!sound({}));
  CHECK(!sound({{0.0f, 0.0f}, {0.0f, 1.0f}}));
  CHECK(!sound({{0.0f, 1.0f}, {1.0f, 0.0f}}));
  CHECK(!sound({{0.0f, 1.0f}, {std::numeric_limits<float>::infinity(), 2.0f}}));
  CHECK(!sound({{std::numeric_limits<float>::quiet_NaN(), 1.0f}}));
}
