#include "tool/shares.hpp"

#include <algorithm>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::vector<Level> read_shares(const char* option, const std::vector<std::string>& texts) {
  std::vector<Level> shares;
  for (const std::string& text : texts) {
    const std::string whole = text.substr(0, text.find('.'));  // 95 and 99.5 are percent
    const bool percent = whole.size() == 2 && whole[0] > '0' && parse_integer(whole);
    try {
      shares.push_back(
          Level::parse(percent ? "0." + whole + text.substr(std::min(text.size(), std::size_t{3})) : text));
    } catch (const UserError&) {
      user_error("{} {}: expected decimals between 0 and 1 with at most 9 digits, such as 0.95", option,
                 text);
    }
    if (std::ranges::count(shares, shares.back()) > 1)
      user_error("{}: {} is given twice", option, shares.back().text());
  }
  return shares;
}

std::vector<Level> covering_levels(const std::vector<std::string>& coverage) {
  std::vector<Level> levels;
  for (const Level& covered : read_shares("--coverage", coverage)) {
    levels.push_back(covered.complement());
    if (covered.value() < 0.5)
      user_error(
          "--coverage {0}: expected 0.5 or more; for intervals that miss {0} of new rows, say --coverage {1}",
          covered.text(), levels.back().text());
  }
  return levels;
}

}  // namespace lacp
