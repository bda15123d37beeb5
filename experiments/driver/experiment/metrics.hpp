#pragma once

#include <armadillo>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/conformal/intervals.hpp"

namespace lacp {

/// Intervals on scored points, and what happened there.
struct ScoredIntervals {
  arma::mat X;    ///< scaled attributes of the points (worst-slab coverage looks for slabs in them)
  arma::vec f;    ///< predictions
  arma::vec y;    ///< what happened
  Bounds bounds;  ///< f − below ≤ y ≤ f + above
  /// Half-width that each point would have at one q̂ for all. Under leave-one-out that of `bounds` is not
  /// that: q̂ drops where the point's own score is large. None: that of `bounds`.
  arma::vec rank_width = {};
  arma::vec local_error;  ///< an estimate of the local mean absolute error that no interval has seen
  double unit = 1.0;      ///< sizes and scores are told in these
};

/// One number about a set of intervals.
struct MetricValue {
  std::string metric;
  std::size_t bin = 0;  ///< from 1 where a metric has several values (deciles), else 0
  double value = 0.0;
};

/// All metrics at one level:
/// - size_mean, size_median: of the intervals that are not empty ("size" of Table 1 is the half-width);
///   nan if all are
/// - validity: share of points inside their interval, with its ends as they are handed out (infinite ones
///   included, empty ones never)
/// - infinite, empty: share of such intervals
/// - stratified_coverage: lowest coverage among the quarters of points ordered by rank_width, empty intervals
///   first (Angelopoulos et al., 2021)
/// - worst_slab_coverage: lowest coverage over random slabs with at least a tenth of the points; the slab is
///   chosen on one half and measured on the other (Cauchois et al., 2021; Romano et al., 2020)
/// - coverage_by_error, size_by_error: per decile of the local error, bins 1 to 10; the mean of the finite
///   sizes, left out where there is none
/// - size_error_correlation: Spearman's, of rank_width with |f − y|
/// - winkler: winkler_score
/// - ert, ert_error: excess risk of target coverage, with its sign (excess_risk), and its standard error,
///   if there is a stream for its folds
std::vector<MetricValue> measure(const ScoredIntervals& intervals, const Level& level, Stream& stream,
                                 Stream* folds = nullptr);

/// Worst-slab coverage (Cauchois, Gupta and Duchi, 2021): the lowest coverage over slabs {x : a ≤ vᵀx ≤ b}
/// that hold at least a tenth of the points, v over random directions. As in Romano, Sesia and Candès (2020),
/// the worst slab is chosen on one random half and its coverage measured on the other, so that the minimum is
/// not an artefact of noise. Their code tries 1000 directions and chooses on a quarter; 1000 instead of 50
/// take 20 times as long (0.85 s instead of 0.04 s for 2,500 points of CASP at one level) and find slabs that
/// are worse by 0.02 (CASP, 9 attributes) to 0.1 (community, 100 attributes, 200 points).
inline constexpr std::size_t slab_directions = 50;
double worst_slab_coverage(const arma::mat& X, const arma::vec& covered, Stream& stream);

/// Excess risk of target coverage (Braun et al., 2025, arXiv:2512.11779), with the Brier score: how much
/// better than the constant 1 − α a classifier predicts from x whether a point is covered.
struct ExcessRisk {
  double value = 0.0;  ///< mean Brier score of 1 − α minus that of the classifier; may be below 0
  double error = 0.0;  ///< standard error of that mean over the points
};

/// With the best classifier this is E (P(covered | x) − (1 − α))²: 0 exactly where coverage is 1 − α at
/// every x. Ours is small boosted trees with squared loss, fitted on four fifths of the points and measured
/// on the other fifth, in turn, so that the value is a lower bound but for noise. It keeps its sign: cut at
/// 0, a mean over runs would be too large where there is nothing to find. The stream draws the fifths.
/// `covered`: 1 or 0 for each column of X. NaN with fewer than 50 points, too few to learn from.
ExcessRisk excess_risk(const arma::mat& X, const arma::vec& covered, double alpha, Stream& stream);

}  // namespace lacp
