#pragma once

#include <limits>
#include <string>
#include <vector>

#include "common/frame.hpp"
#include "report/analysis/results.hpp"

namespace lacp {

struct Promise;

/// A claim of the paper, or a question it leaves open, answered from one experiment or by comparing two: its
/// numbers, and how its cases speak. report/claims.cpp puts it into words.
struct Claim {
  std::string id = {};
  /// As claims.csv has them: claim, experiment, dataset, method, alpha, quantity, value, lower, upper, runs,
  /// p (the interval and p are empty where there is none), p_holm (Holm's correction over the claim's
  /// numbers), finding ("smaller", "larger", "undecided", ...).
  Frame numbers = Frame({"claim", "experiment", "dataset", "method", "alpha", "quantity", "value", "lower",
                         "upper", "runs", "p", "p_holm", "finding"});
  Frame beside = {};  ///< more numbers for its table
  /// Cases that can tell, those that speak for the claim, and those that speak against it.
  std::size_t cases = 0, in_favour = 0, against = 0;
  /// A case speaks for the claim unless it is significantly against it: too few runs would find for any.
  bool unless_refuted = false;

  std::string title = {};    ///< heading in the report
  std::string summary = {};  ///< one or two sentences made from the numbers; "" if the experiment cannot tell
  std::string shown = {};    ///< the numbers that show it, short enough for a cell of a table
  std::string detail = {};   ///< markdown table, may be ""

  /// "holds" if all cases speak for it, "holds with exceptions" if more than half of them do, "does not hold"
  /// if more than half speak against it, else "undecided"; "no case to judge" without a case. A claim that
  /// holds unless it is refuted is undecided with fewer runs than the paper's.
  std::string answer() const;

  void add(const Results& results, const std::string& dataset, const std::string& method,
           const std::string& alpha, const std::string& quantity, const PairedInterval& value,
           const char* finding);
};

bool is_significant(const Row& number);

// Numbers and cases of the claims; without a number where the experiment cannot tell.

/// (1) The intervals are marginally valid.
Claim judge_validity(const Results& results);
/// (2) All trained classes are more efficient (smaller) than `fixed`.
Claim judge_efficiency(const Results& results);
/// (3) The choice of the class is not crucial, and for linear, exp and sigma it is an identity.
Claim judge_class(const Results& results);
/// (4) ERC fitted to the residuals is unstable. Behind the ratios stand the spreads; `beside`: spread (std /
/// mean over runs), that of `fixed`, and the largest ratio of a run, by case.
Claim judge_error_fit(const Results& results);
/// `mixture` is smaller than the single classes.
Claim judge_mixture(const Results& results);
/// The intervals adapt: coverage and size against the local error.
Claim judge_adaptivity(const Results& results);
/// (5) ℓ_all against ℓ_α: each of `singles` was trained for one level, `base` for all.
Claim judge_single_levels(const Results& base, const std::vector<const Results*>& singles);
/// What more data for the KNN and other inputs change: sizes of `a` relative to those of `b`, data set by
/// data set, by the names that the published table has for them.
Claim judge_protocols(const Results& a, const Results& b);

/// Ratios that were judged.
struct Tally {
  std::size_t total = 0, smaller = 0, larger = 0;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
};
Tally tally(const Frame& numbers);

/// The method, trained by the size objective, that is compared with `fixed` for adaptivity.
std::string adaptive_method(const Results& results);

/// What is shown of adaptivity, from the easiest tenth to the rank correlation: its name, and the metric.
const std::vector<std::pair<std::string, Quantity>>& adaptivity_quantities();

/// The coverage that the method of the cell promises for exchangeable points, as its calibration is: for one
/// quantile by the ceiling rule ⌈(N+1)(1−α)⌉ / (N+1), a little more than 1 − α. A cell without its number of
/// calibration points promises 1 − α.
Promise promised_validity(const Experiment& experiment, const Cell& cell, const Level& level);

}  // namespace lacp
