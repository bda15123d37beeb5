#pragma once

#include <string>
#include <vector>

#include "report/analysis/pairs.hpp"

namespace lacp {

struct Promise;

/// What is asked of an experiment.
enum class Question {
  validity,    ///< The intervals are marginally valid.
  efficiency,  ///< Trained intervals are smaller than those of `fixed`.
  classes,     ///< The choice of the class is not crucial.
  error_fit,   ///< ERC fitted to the residuals is unstable.
  adaptivity,  ///< Points with large errors are covered more often than by `fixed`.
  all_levels,  ///< Training for all levels costs nothing at a single one.
};

/// How a case speaks: by its 95 % interval, or its p-value after Holm's correction over the cases.
enum class Finding { supports, open, against };

/// One data set, method and level.
struct Case {
  std::string dataset, method;
  Level level;
  PairedInterval value;
  double promised = 0.0;  ///< validity alone
  double p_holm = 0.0;
  Finding finding = Finding::open;
};

enum class Answer { nothing, holds, holds_with_exceptions, not_refuted, undecided, does_not_hold };
const char* words_of(Answer answer);

/// The name in claims.csv, the claim itself, and when a case is for it.
struct QuestionWords {
  const char *name, *claim, *supports;
};
const QuestionWords& words_of(Question question);

struct Claim {
  Question question;
  std::string experiment;
  std::vector<Case> cases;

  std::size_t count(Finding finding) const;

  /// `holds` if all cases support it; `does_not_hold` if more than half speak against it; with exceptions if
  /// more than half support it and some speak against it; `not_refuted` if none does; else `undecided`.
  Answer answer() const;
};

/// By how much a case must keep away from the opposite: validity may lie this much below its promise, sizes
/// may differ by this share, and a spread over runs must be this many times that of `fixed`.
inline constexpr double validity_margin = 0.02, size_margin = 0.1, spread_factor = 2.0;

/// The answers of an experiment, and that of one which was trained for one level beside `base`, which was
/// trained for all. Without a case where the experiment cannot tell.
std::vector<Claim> claims_about(const Results& results);
Claim claim_all_levels(const Results& base, const Results& single);

/// claim, experiment, dataset, method, alpha, value, lower, upper, promised, runs, p, p_holm, finding.
std::string claims_csv(const std::vector<Claim>& claims);

/// The coverage that the method of the cell promises for exchangeable points, as its calibration is: for one
/// quantile by the ceiling rule ⌈(N+1)(1−α)⌉ / (N+1), a little more than 1 − α. A cell without its number of
/// calibration points promises 1 − α.
Promise promised_validity(const Experiment& experiment, const Cell& cell, const Level& level);

}  // namespace lacp
