#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace lacp {

/// How the numbers of a column are written where they are not plain, as spreadsheets have them: "1.200,50 €",
/// "(8,123.45)", "12 %", "+5".
struct Notation {
  char decimal =
      '.';  ///< or ','. The other, a blank or an apostrophe may stand between groups of three digits
  std::string unit =
      {};  ///< may stand before or behind a number, and is not used; "%" stands at every number

  bool operator==(const Notation&) const = default;
};

/// The number, if the cell is one in this notation and finite. Parentheses make it negative.
std::optional<double> read_written(std::string_view cell, const Notation& notation);

/// "a decimal comma and '€'".
std::string notation_text(const Notation& notation);

/// What the cells of a column tell about how its numbers are written.
class NotationGuess {
 public:
  /// Whether the cell is a number in some notation: with either decimal mark and a usual currency or "%".
  bool add(std::string_view cell);

  std::size_t numbers = 0;  ///< cells that are numbers
  std::size_t plain = 0;    ///< of these: as programs write them
  double last = 0;          ///< the number in the last plain cell

  /// The decimal mark that more cells demand; 0 if none does: "1,234", "12".
  char decimal() const;
  /// The unit at most of the cells that have one.
  std::string unit() const;
  /// A cell that shows the decimal mark, or that could have either; "" if all are without marks.
  const std::string& example() const;
  /// Of "1,234": the only mark is a comma.
  bool ambiguous_comma() const { return decimal() == 0 && either_.find(',') != std::string::npos; }

 private:
  std::size_t points_ = 0, commas_ = 0;  ///< cells that are numbers with this decimal mark alone
  std::string point_, comma_, either_;   ///< the first of each
  std::map<std::string, std::size_t, std::less<>> units_;
};

}  // namespace lacp
