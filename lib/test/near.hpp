#pragma once

#include <cmath>
#include <ostream>

/// A number and how far from it is still right: CHECK(x == near(0.9, 0.02)). doctest's Approx(v).epsilon(e)
/// allows e·(1 + |v|), which for numbers around one is twice what it says, and for small ones far more.
struct Near {
  double value, bound;
};

inline Near near(double value, double bound) { return {value, bound}; }

/// The same with the bound as a share of the number.
inline Near near_share(double value, double share) { return {value, share * std::abs(value)}; }

inline bool operator==(double x, const Near& near) { return std::abs(x - near.value) <= near.bound; }

inline std::ostream& operator<<(std::ostream& out, const Near& near) {
  return out << near.value << " ± " << near.bound;
}
