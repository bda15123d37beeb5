#include <algorithm>
#include <array>
#include <cmath>

#include "datasets/load.hpp"
#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
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
  SyntheticParameters parameters;
  std::vector<std::string> names;
  for (const Profile& profile : profiles) names.emplace_back(profile.name);
  parameters.profile = map.get<std::string>("profile");
  map.one_of("profile", parameters.profile, names);
  parameters.rho = map.get<double>("rho", parameters.rho);
  if (!(parameters.rho >= 0))
    map.fail("rho", fmt::format("found {}; expected a number, zero or more", parameters.rho));
  parameters.low = map.get<double>("low", parameters.low);
  parameters.high = map.get<double>("high", parameters.high);
  if (!(parameters.high > parameters.low) || !std::isfinite(parameters.high - parameters.low))
    map.fail("high", fmt::format("found {}; expected a finite number above low, {}", parameters.high,
                                 parameters.low));
  parameters.samples = map.get<std::size_t>("samples", parameters.samples);
  constexpr std::size_t most_samples = 100'000'000;
  if (parameters.samples == 0 || parameters.samples > most_samples)
    map.fail("samples", fmt::format("found {}; expected 1 to {}", parameters.samples, most_samples));
  map.finish();
  return parameters;
}

Dataset generate_synthetic(const DatasetDescription& description, Stream& stream) {
  const SyntheticParameters& parameters = *description.synthetic;
  const auto* profile = std::ranges::find(profiles, parameters.profile, &Profile::name);
  Dataset data;
  data.name = description.name;
  data.attributes = {"1", "x", "x^2"};
  data.fingerprint =
      sha256(fmt::format("synthetic profile={} rho={} low={} high={} samples={}", parameters.profile,
                         parameters.rho, parameters.low, parameters.high, parameters.samples));
  data.X.set_size(3, parameters.samples);
  data.y.set_size(parameters.samples);
  data.sigma.set_size(parameters.samples);
  data.truth.set_size(parameters.samples);

  std::array<double, 3> w{};
  for (double& weight : w) weight = stream.normal();
  for (std::size_t n = 0; n < parameters.samples; ++n) {
    const double x = stream.uniform(parameters.low, parameters.high);
    data.X(0, n) = 1, data.X(1, n) = x, data.X(2, n) = x * x;
    data.truth(n) = w[0] + w[1] * x + w[2] * (x * x);
    data.sigma(n) = profile->sigma(parameters.rho, std::abs(x));
  }
  for (std::size_t n = 0; n < parameters.samples; ++n)
    data.y(n) = data.truth(n) + data.sigma(n) * stream.normal();
  return data;
}

}  // namespace lacp
