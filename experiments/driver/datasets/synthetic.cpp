#include "datasets/synthetic.hpp"

#include <array>
#include <cmath>

#include "datasets/load.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

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

std::vector<std::string> noise_profiles() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles) names.emplace_back(profile.name);
  return names;
}

double noise_profile(std::string_view name, double rho, double x) {
  for (const Profile& profile : profiles)
    if (profile.name == name) return profile.sigma(rho, std::abs(x));
  const std::vector<std::string> known = noise_profiles();
  user_error("there is no noise profile '{}'{}; expected one of {}", name, did_you_mean(name, known),
             join(known, ", "));
}

Dataset generate_synthetic(const std::string& name, const SyntheticParameters& parameters, Stream& stream) {
  Dataset data;
  data.name = name;
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
    data.sigma(n) = noise_profile(parameters.profile, parameters.rho, x);
  }
  for (std::size_t n = 0; n < parameters.samples; ++n)
    data.y(n) = data.truth(n) + data.sigma(n) * stream.normal();
  return data;
}

}  // namespace lacp
