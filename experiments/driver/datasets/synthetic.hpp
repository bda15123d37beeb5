#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/random.hpp"

namespace lacp {

struct Dataset;

/// A synthetic set (Section 3.1): y = w·(1, x, x²) + σ(x) ξ, x uniform on [low, high], w ~ N(0, I₃), ξ ~ N(0,
/// 1).
struct SyntheticParameters {
  std::string profile;  ///< the name of σ: cos, squared, inverse or linear
  double rho = 0.1;     ///< ρ ≥ 0 of the profile
  double low = -1;
  double high = 1;
  std::size_t samples = 1000;
};

/// Names of the four noise profiles of Section 3.1.
std::vector<std::string> noise_profiles();

/// σ(x), the factor of ξ in Section 3.1's equations:
///   cos      ρ + 2 cos(π|x|/2) 1(|x| < 0.5)
///   squared  ρ + 2 x² 1(|x| > 0.5)
///   inverse  ρ + 2 / (ρ + |x|) 1(|x| > 0.5)
///   linear   ρ + (2 − |x|) 1(|x| < 0.5)
/// UserError for any other profile.
double noise_profile(std::string_view profile, double rho, double x);

/// A fresh draw: w, then all x, then all ξ come from the stream. Rows of X are 1, x and x²; Dataset::truth
/// holds w·(1, x, x²) and Dataset::sigma the noise level of each observation.
Dataset generate_synthetic(const std::string& name, const SyntheticParameters& parameters, Stream& stream);

}  // namespace lacp
