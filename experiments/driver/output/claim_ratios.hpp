#pragma once

#include <functional>

#include "output/claims.hpp"
#include "output/sizes.hpp"

namespace lacp {

// What the claims about relative sizes share.

/// Adds the ratios that at least two runs give.
void add_ratios(Claim& claim, const Results& results, const std::vector<std::string>& methods,
                const std::vector<Level>& levels, const SizeBase& base, const std::string& quantity);

/// Holm's correction over the claim's numbers; then each ratio gets its finding: "smaller" or "larger" than 1
/// if that is significant, else "undecided".
void judge_ratios(Claim& claim);

/// The same for one number, which is corrected already.
void judge_ratio(ClaimNumber& number);

struct Tally {
  std::size_t total = 0, smaller = 0, larger = 0;
  double least = std::numeric_limits<double>::infinity(), most = 0.0;  ///< ratios
};

/// The judged ratios of a claim that belong to a group.
Tally tally(const Claim& claim, const std::function<bool(const ClaimNumber&)>& belongs);

/// The ratios of a claim as markdown. `row` gives the leading fields of a number's row, which `header` names,
/// and `column` the name of its column.
std::string ratio_table(const Claim& claim, std::vector<std::string> header,
                        const std::function<std::vector<std::string>(const ClaimNumber&)>& row,
                        const std::function<std::string(const ClaimNumber&)>& column);

}  // namespace lacp
