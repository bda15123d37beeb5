#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/date.hpp"

namespace lacp {

/// How the numbers of a column are written where they are not plain, as spreadsheets have them: "1.200,50 €",
/// "(8,123.45)", "12 %", "25.4 kg", "+5". k, K, M, bn, mn, million, billion, Tsd, Mio and Mrd multiply:
/// "5.2k" is 5200.
struct Notation {
  /// Or ','. The other, a blank or an apostrophe may stand between groups of three digits.
  char decimal = '.';
  /// May stand before or behind a number, and is not used; "%" stands at every number. "day" is "days".
  std::string unit = {};
  /// Other than none: times of day and durations are numbers of seconds, as plain numbers are then.
  TimeParts clock = TimeParts::none;
  bool limits = false;  ///< "<0.5", a value of which a limit is known, is that limit

  bool operator==(const Notation&) const = default;
};

/// The number, if the cell is one in this notation and finite. Parentheses make it negative.
std::optional<double> read_written(std::string_view cell, const Notation& notation);

/// What stands around the digits of a cell: "€", "sq ft", "". Not looked into: it may be no unit.
std::string unit_in(std::string_view cell);

/// Whether a unit is a usual currency: nobody mixes a number of it with one of something else.
bool is_currency(std::string_view unit);

/// What the cells of a column tell about how its numbers are written.
class NotationGuess {
 public:
  enum class Cell {
    text,
    number,    ///< in some notation: with either decimal mark and a usual currency or "%"
    measured,  ///< a number with something else behind it that may be a unit: "25.4 kg", "12 Oak"
    limit,     ///< "<0.5", ">100"
    clock,     ///< "3:34:12", "6:15"
  };
  Cell add(std::string_view cell, std::size_t line = 0);

  std::size_t numbers = 0;  ///< cells that are numbers
  std::size_t plain = 0;    ///< of these: as programs write them
  /// The number in the last cell that is one and plain, or the same with either decimal mark.
  double last = 0;

  /// Once all cells were added, `known` of them: if nearly all are numbers and most have the same thing
  /// behind them, that is a unit, and these cells are numbers too; times are if nearly all cells are times or
  /// plain, limits if some are numbers and nearly all others limits. Whether that is so of any.
  bool settle(std::size_t known);

  /// What cells tell about the decimal mark.
  struct Marks {
    std::size_t points = 0, commas = 0;  ///< cells that are numbers with this decimal mark alone
    std::string point, comma, either;    ///< the first of each
    std::size_t bare = 0;                ///< plain numbers without a mark
    double largest_bare = 0;             ///< of these, without its sign
    void add(std::string_view cell, bool is_point, bool is_comma, bool has_mark);
  };
  struct Unit {
    std::string text;
    std::size_t cells = 0, line = 0;  ///< that have it, and the line of the first
    Marks marks = {};                 ///< of cells that are no numbers yet
  };
  /// The units of a column that has several, the most frequent first; else none.
  std::vector<Unit> mixed_units() const;

  /// Numbers without a unit in a column that has one, and the first of them; none if each has it.
  std::optional<Unit> without_unit() const {
    return unit().empty() || bare_.cells == 0 ? std::nullopt : std::optional(bare_);
  }

  /// The decimal mark that more cells demand; 0 if none does: "1,234", "12".
  char decimal() const;
  /// The unit at most of the cells that have one.
  std::string unit() const;
  /// What two parts of a time are, once times are numbers; none: they are not, or there are none.
  TimeParts clock() const { return clock_; }
  /// Cells such as "<0.5", once they are numbers, and the first of them.
  std::size_t limits() const { return limits_settled_ ? limits_ : 0; }
  const std::string& limit() const { return limit_; }
  /// A cell that shows the decimal mark, or that could have either; "" if all are without marks.
  const std::string& example() const;
  /// Of "1,234": the only mark is a comma.
  bool ambiguous_comma() const { return decimal() == 0 && marks_.either.find(',') != std::string::npos; }
  /// Of "1.234": the only mark is a point, always before three digits.
  bool ambiguous_point() const { return decimal() == 0 && marks_.either.find('.') != std::string::npos; }
  /// Whether "1.234" stands beside "430", and no number of four digits is without a point: these are
  /// thousands. Of decimals cut short there would be some with one digit or two.
  bool thousands_points() const {
    return ambiguous_point() && marks_.bare > 0 && marks_.largest_bare >= 100.0 &&
           marks_.largest_bare < 1000.0;
  }

 private:
  void add_bare(std::string_view cell, std::size_t line);

  Unit bare_;                                          ///< numbers without a unit
  Marks marks_;                                        ///< of numbers
  std::map<std::string, Unit, std::less<>> units_;     ///< of numbers
  std::map<std::string, Unit, std::less<>> measures_;  ///< of other cells, by the unit without its s
  bool settled_ = false, limits_settled_ = false;
  std::size_t limits_ = 0, clocks_ = 0;
  std::string limit_;
  bool three_parts_ = false, two_parts_ = false, minutes_ = false;  ///< has a time; two can be minutes alone
  TimeParts clock_ = TimeParts::none;

  bool settle_unit(std::size_t known);
  bool settle_clock(std::size_t known);
  bool settle_limits(std::size_t known);
};

}  // namespace lacp
