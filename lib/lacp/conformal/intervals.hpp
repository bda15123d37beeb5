#pragma once

#include <armadillo>
#include <cmath>
#include <limits>
#include <vector>

#include "lacp/base/level.hpp"

namespace lacp {

/// A half-width that stands for an empty interval: q̂ lies below the codomain of φ_x (Section 2.5.4).
inline constexpr double empty_interval = -1.0;

/// Intervals f − below ≤ y ≤ f + above around centres f, which may lie outside. An empty interval has
/// `empty_interval` on both sides, an infinite one +inf.
struct Bounds {
  arma::vec below, above;

  /// f ± half_width.
  static Bounds symmetric(const arma::vec& half_width) { return {half_width, half_width}; }

  /// Whether the n-th holds no y.
  bool is_empty(arma::uword n) const { return below(n) + above(n) < 0.0; }

  /// Half the width of each; `empty_interval` for those that are empty.
  arma::vec half_width() const;
};

/// What the ends of `forest` are made of: 1 − mix parts of quantiles of the errors, by a forest of such
/// leaves, and mix parts of quantiles of y itself, by another.
struct ForestEnds {
  std::size_t leaf_of_errors = 20, leaf_of_targets = 5;  ///< rows, at least, of those that grew a tree
  double mix = 0.5;                                      ///< 0 or 1: there is one forest alone
  double power = 1.0;  ///< quantiles for the coverage (1 − α)^power are what is calibrated for 1 − α

  bool operator==(const ForestEnds&) const = default;
};

/// Which ends intervals have; the other one is infinite.
enum class Ends { both, lower, upper };

/// What is asked of a model, all of it at once.
struct Questions {
  std::vector<Level> levels = {};             ///< α of intervals
  std::vector<Level> lower = {}, upper = {};  ///< α of single ends: y lies beyond with probability α or less

  /// With the single ends that quantiles τ are: below ½ lower ends at level τ, from there on upper ends at
  /// level 1 − τ.
  Questions with_quantiles(const std::vector<Level>& taus) const;

  const std::vector<Level>& at(Ends ends) const;
  bool operator==(const Questions&) const = default;
};

/// Single ends of every point, a row for each level that was asked for.
struct SingleEnds {
  Questions asked = {};
  arma::mat lower = {}, upper = {};

  /// Those of intervals around f at the levels that were asked for.
  void set(Ends ends, const arma::vec& f, const std::vector<Bounds>& bounds);

  arma::rowvec at(Ends ends, const Level& level) const;

  /// Quantiles τ, in the order of `taus`, that increase with τ: where two cross, the one farther from the
  /// median is moved outward, which keeps what it promises.
  arma::mat quantiles(const std::vector<Level>& taus) const;
};

/// How far an end of an interval is moved outward; see lower_end.
inline double rounding(double f, double end) {
  constexpr double unit = std::numeric_limits<double>::epsilon();
  return unit * (4.0 * std::abs(f) + 64.0 * std::abs(end));
}

/// The ends of f − below ≤ y ≤ f + above, rounded outward. A score and the end that it leads to are rounded
/// on different ways, exp(½·2 log|f − y|) for one, so that an end may fall short of the y that it came from
/// by some units in the last place: where targets are discrete, all rows with that y would lie outside. The
/// rounding of f − y and y/unit is of the order of ε|f|, that of exponents as large as e^±32 of 64ε|end|.
inline double lower_end(double f, double below) { return (f - below) - rounding(f, below); }
inline double upper_end(double f, double above) { return (f + above) + rounding(f, above); }

/// The whole number nearest to x, the larger of two.
inline double whole_near(double x) { return std::floor(x + 0.5); }

/// log A = log (f − y)² from |f − y|; −inf where it is zero.
arma::vec log_scores(arma::vec error);

/// The q̂ of split conformal prediction: the rank-th smallest of the calibration scores, which are in
/// increasing order; +inf if the rank exceeds N. Ties need no care here: equal scores only raise coverage, as
/// long as the ends are rounded outward (lower_end).
double quantile(const arma::vec& sorted, const Level& level, QuantileRule rule = QuantileRule::ceiling);

/// q̂ for each of n points from the other n − 1 scores, in O(n log n): one left out moves it by a place at
/// most.
arma::vec leave_one_out(const arma::vec& scores, const Level& level,
                        QuantileRule rule = QuantileRule::ceiling);

/// The half-widths of the intervals that are not empty: wherever sizes are taken, empty ones have none.
arma::vec sizes_of(const arma::vec& half_width);

/// Whether an interval with its ends as they are handed out holds y; an empty one holds none.
inline bool covers(const Bounds& bounds, arma::uword n, double f, double y) {
  return lower_end(f, bounds.below(n)) <= y && y <= upper_end(f, bounds.above(n)) && !bounds.is_empty(n);
}

/// Mean of the half-widths of intervals that are not empty, which have no size: +inf as soon as one is, since
/// it is never averaged away; nan if all are empty.
double mean_size(const arma::vec& half_width);

/// The mean Winkler score of intervals, width + (2/α)·(distance outside) (Winkler, 1972; Gneiting and
/// Raftery, 2007): infinite as soon as one interval is; an empty one counts as the point f. The second is for
/// f ± half_width, with error = |f − y|.
double winkler_score(const Bounds& bounds, const arma::vec& f, const arma::vec& y, const Level& level);
double winkler_score(const arma::vec& half_width, const arma::vec& error, const Level& level);

/// That of f − q₁·s ≤ y ≤ f + q₂·s with either q by leave-one-out on these rows, whose errors are y − f.
double winkler_of_sides(const arma::vec& errors, const arma::vec& s, const Level& level, QuantileRule rule);

}  // namespace lacp
