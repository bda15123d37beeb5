#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"

namespace lacp {

/// One number behind a claim, as claims.csv has it.
struct ClaimNumber {
  std::string experiment, dataset, method, alpha;
  std::string quantity;  ///< what `value` is
  PairedInterval value;  ///< its interval and its p are NaN where there is none
  std::string finding;   ///< "smaller", "larger", "undecided", ...
  double p_holm = std::numeric_limits<double>::quiet_NaN();  ///< Holm's correction over the claim's numbers

  bool significant() const { return p_holm < error_rate; }
};

/// A claim of the paper, or a question it leaves open, answered from one experiment or by comparing two.
struct Claim {
  std::string id;       ///< key in claims.csv
  std::string title;    ///< heading in the report
  std::string summary;  ///< one or two sentences made from the numbers; "" if the experiment cannot tell
  std::string detail;   ///< markdown table, may be ""
  std::vector<ClaimNumber> numbers;
  std::string shown{};  ///< the numbers that show it, short enough for a cell of a table
  /// Cases that can tell, those that speak for the claim, and those that speak against it.
  std::size_t cases = 0, in_favour = 0, against = 0;
  /// A case speaks for the claim unless it is significantly against it: too few runs would find for any.
  bool unless_refuted = false;

  /// "holds" if all cases speak for it, "holds with exceptions" if more than half of them do, "does not hold"
  /// if more than half speak against it, else "undecided"; "cannot be told" without a case. A claim that
  /// holds unless it is refuted is undecided with fewer runs than the paper's.
  std::string answer() const;
};

/// (1) The intervals are marginally valid.
Claim claim_validity(const Results& results);
/// (2) All trained classes are more efficient (smaller) than `fixed`.
Claim claim_efficiency(const Results& results);
/// (3) The choice of the class is not crucial, and for linear, exp and sigma it is an identity.
Claim claim_class(const Results& results);
/// (4) ERC fitted to the residuals is unstable.
Claim claim_error_fit(const Results& results);
/// `mixture` is smaller than the single classes.
Claim claim_mixture(const Results& results);
/// The intervals adapt: coverage and size against the local error.
Claim claim_adaptivity(const Results& results);

/// All claims about one experiment, in this order.
std::vector<Claim> claims_about(const Results& results);

/// (5) ℓ_all against ℓ_α: each of `singles` was trained for one level, `base` for all.
Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles);
/// What more data for the KNN and other inputs change: sizes of `a` relative to those of `b`, data set by
/// data set, by the names that the published table has for them.
Claim claim_protocols(const Results& a, const Results& b);

/// claims.csv.
TextTable claims_csv(const std::vector<Claim>& claims);

/// Methods of the experiment that are trained by the size objective.
std::vector<std::string> size_trained(const Results& results);

/// Holm's correction over all numbers of the claim that have a p-value. It holds for dependent tests too.
void correct(Claim& claim);

/// "−12.3 %" for a ratio of 0.877, and with its interval "−12.3 % [−15.0, −9.4]", bold if significant.
std::string percent(double ratio);
std::string percent(const PairedInterval& ratio, bool significant);

}  // namespace lacp
