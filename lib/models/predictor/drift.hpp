#pragma once

#include <armadillo>
#include <cstddef>
#include <limits>

// Whether new rows come from the source of those that calibrate: a rank test of their scores.
namespace lacp {

/// Rows of two samples that one model has scored.
struct ScoredRows {
  /// How unusual y is at x, and on which side of the prediction it lies: −1, 0 or 1.
  arma::vec score, side;
  std::size_t old = 0;  ///< the first of them, which calibrate; the others are new
};

struct DriftTest {
  std::size_t old_rows = 0, new_rows = 0;
  /// If both samples are of one source, it is at most t with probability t; by χ² it is .002 for t = .001
  /// of ten new rows. NaN: too few rows.
  double p = std::numeric_limits<double>::quiet_NaN();
  /// Normal deviates: above 0 new rows lie higher, and farther from what was predicted.
  double level = 0.0, spread = 0.0;
  /// Shares of the old rows with the largest scores, as many as a level leaves outside, above and below f;
  /// half of that level each where each side has a quantile of its own.
  double above = 0.0, below = 0.0;
  bool of_fit = true;  ///< the old rows are all of the fit, none of an update
};

/// Two rank sums of the new rows, that of their scores, which sees errors that grow or shrink, and that of
/// the ranks of the scores with the sign of the side, which sees a shift: as Lepage (1971) joins tests of
/// Wilcoxon and of Ansari and Bradley. Their squared distance from what is expected, in units of their
/// covariance if all orders are equally likely (ties by their mean rank), is χ² with two degrees of freedom.
/// Needs ten rows of either sample. `outside`: the share of the rows that a level leaves outside.
DriftTest rank_test(const ScoredRows& rows, double outside = 0.1);

/// How well predictions explain y: R², what it would be if they were moved by their mean error, and the
/// deviation of the errors from that.
struct Explained {
  double r2, moved, deviation;
};
Explained explained(const arma::vec& f, const arma::vec& y);

}  // namespace lacp
