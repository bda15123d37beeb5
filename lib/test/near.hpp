#pragma once

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <ostream>

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// A number and how far from it is still right: CHECK(x == near(0.9, 0.02)). doctest's Approx(v).epsilon(e)
/// allows e·(1 + |v|), which for numbers around one is twice what it says, and for small ones far more.
struct Near {
  double value, bound;
};

inline Near near(double value, double bound) { return {value, bound}; }

/// The same with the bound as a share of the number.
inline Near near_share(double value, double part) { return {value, part * std::abs(value)}; }

inline bool operator==(double x, const Near& near) { return std::abs(x - near.value) <= near.bound; }

inline std::ostream& operator<<(std::ostream& out, const Near& near) {
  return out << near.value << " ± " << near.bound;
}

/// The slope of f in `x`, which f depends on, by a central difference.
template <class F>
double slope_of(double& x, const F& f, double h = 1e-6) {
  const double kept = x;
  x = kept + h;
  const double up = f();
  x = kept - h;
  const double down = f();
  x = kept;
  return (up - down) / (2.0 * h);
}

/// How often a simulation draws: a quarter as often as `all`, unless all are asked for, as by the extended
/// tests.
inline std::size_t seeds(std::size_t all) { return std::getenv("LACP_ALL_SEEDS") != nullptr ? all : all / 4; }

/// The standard error of a coverage of p: rows that calibrated, over all fits, and new rows are binomial.
inline double coverage_error(double p, std::size_t calibrating, std::size_t fresh) {
  return std::sqrt(p * (1.0 - p) *
                   (1.0 / static_cast<double>(calibrating) + 1.0 / static_cast<double>(fresh)));
}

/// P(S ≤ k) for S ~ Bin(n, p), summed in the logarithm.
inline double binomial_cdf(std::size_t k, std::size_t n, double p) {
  double sum = 0.0;
  for (std::size_t i = 0; i <= k; ++i) {
    const double in = static_cast<double>(i), nn = static_cast<double>(n);
    sum += std::exp(std::lgamma(nn + 1) - std::lgamma(in + 1) - std::lgamma(nn - in + 1) + in * std::log(p) +
                    (nn - in) * std::log1p(-p));
  }
  return sum;
}

/// 0 if `covered` of `draws` lies in the two-sided band of Bin(draws, p) that is left with probability 1e-6;
/// −1 below it, +1 above it.
inline int side_of_band(std::size_t covered, std::size_t draws, double p) {
  constexpr double outside = 1e-6;
  if (p == 1.0) return covered == draws ? 0 : -1;
  if (binomial_cdf(covered, draws, p) <= outside / 2) return -1;
  const double at_least = covered == 0 ? 1.0 : 1.0 - binomial_cdf(covered - 1, draws, p);
  return at_least <= outside / 2 ? 1 : 0;
}
