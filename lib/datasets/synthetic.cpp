#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "common/yaml.hpp"
#include "datasets/load.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sha256.hpp"

namespace lacp {
namespace {

/// σ(x), the factor of ξ in Section 3.1's equations:
///   cos      ρ + 2 cos(π|x|/2) 1(|x| < 0.5)
///   squared  ρ + 2 x² 1(|x| > 0.5)
///   inverse  ρ + 2 / (ρ + |x|) 1(|x| > 0.5)
///   linear   ρ + (2 − |x|) 1(|x| < 0.5)
struct Profile {
  std::string_view name;
  double (*sigma)(double rho, double size);  ///< in terms of |x|
};

constexpr std::array profiles{
    Profile{"cos", [](double rho, double a) { return rho + (a < 0.5 ? 2 * math::cos_pi(0.5 * a) : 0); }},
    Profile{"squared", [](double rho, double a) { return rho + (a > 0.5 ? 2 * a * a : 0); }},
    Profile{"inverse", [](double rho, double a) { return rho + (a > 0.5 ? 2 / (rho + a) : 0); }},
    Profile{"linear", [](double rho, double a) { return rho + (a < 0.5 ? 2 - a : 0); }},
};

}  // namespace

SyntheticParameters read_synthetic(const YamlMap& map) {
  SyntheticParameters p;
  std::vector<std::string> names;
  for (const Profile& profile : profiles) names.emplace_back(profile.name);
  p.profile = map.get<std::string>("profile");
  map.one_of("profile", p.profile, names);
  p.rho = map.get<double>("rho", p.rho);
  if (!(p.rho >= 0)) map.fail("rho", fmt::format("found {}; expected a number, zero or more", p.rho));
  p.low = map.get<double>("low", p.low);
  p.high = map.get<double>("high", p.high);
  if (!(p.high > p.low) || !std::isfinite(p.high - p.low))
    map.fail("high", fmt::format("found {}; expected a finite number above low, {}", p.high, p.low));
  p.samples = map.get<std::size_t>("samples", p.samples);
  constexpr std::size_t most_samples = 100'000'000;
  if (p.samples == 0 || p.samples > most_samples)
    map.fail("samples", fmt::format("found {}; expected 1 to {}", p.samples, most_samples));
  map.finish();
  return p;
}

Dataset generate_synthetic(const DatasetDescription& description, Stream& stream) {
  const SyntheticParameters& p = *description.synthetic;
  const auto* profile = std::ranges::find(profiles, p.profile, &Profile::name);
  Dataset data;
  data.name = description.name;
  data.attributes = {"1", "x", "x^2"};
  data.fingerprint = sha256(fmt::format("synthetic profile={} rho={} low={} high={} samples={}", p.profile,
                                        p.rho, p.low, p.high, p.samples));
  data.X.set_size(3, p.samples);
  for (arma::vec* numbers : {&data.y, &data.sigma, &data.truth}) numbers->set_size(p.samples);
  std::array<double, 3> w{};
  for (double& weight : w) weight = stream.normal();
  for (std::size_t n = 0; n < p.samples; ++n) {
    const double x = stream.uniform(p.low, p.high);
    data.X(0, n) = 1;
    data.X(1, n) = x;
    data.X(2, n) = x * x;
    data.truth(n) = w[0] + w[1] * x + w[2] * (x * x);
    data.sigma(n) = profile->sigma(p.rho, std::abs(x));
  }
  for (std::size_t n = 0; n < p.samples; ++n) data.y(n) = data.truth(n) + data.sigma(n) * stream.normal();
  return data;
}

}  // namespace lacp
