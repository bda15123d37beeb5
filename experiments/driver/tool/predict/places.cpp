// Columns that rows stand in the order of: numbers or dates.
#include <algorithm>
#include <cmath>
#include <limits>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {
namespace {

/// The order of days and months in the dates of a table: that of a column of the model.
DateOrder order_of(const Columns& columns, const std::string& name) {
  DateOrder order = DateOrder::day_first;  // reads ISO dates, too
  for (const Column& column : columns.attributes)
    if (column.kind == ColumnKind::date) {
      order = column.order;
      if (column.name == name) return order;
    }
  return order;
}

}  // namespace

bool says_missing(const std::string& cell, const Columns& columns) {
  return columns.marks ? cell.empty() || std::ranges::count(*columns.marks, cell) > 0 : is_missing_mark(cell);
}

double Places::of(const std::string& cell, std::size_t line) {
  const auto known = std::ranges::find(columns_.attributes, column_, &Column::name);
  const bool is_known = known != columns_.attributes.end();
  const Notation notation = is_known && known->written ? *known->written : Notation{};
  const std::optional<double> number = read_written(cell, notation);
  const std::optional<DateTime> date = number ? std::nullopt : parse_date(cell, order_of(columns_, column_));
  if (!number && !date && says_missing(cell, columns_)) return std::numeric_limits<double>::quiet_NaN();
  if (!dates_) dates_ = date.has_value();
  if ((!number && !date) || *dates_ != date.has_value())
    user_error("{} {}: found {} on line {}; expected a column of numbers, or one of dates", option_,
               show_text(column_), show_text(cell), line);
  return date ? date->seconds : *number;
}

std::string Places::text(double place) const {
  if (!dates()) return five_digits(place);
  const auto part = [&](DatePart which) { return static_cast<int>(part_of_date(which, place)); };
  const std::string day =
      fmt::format("{:04}-{:02}-{:02}", part(DatePart::year), part(DatePart::month), part(DatePart::day));
  if (std::fmod(place, 86400.0) == 0.0) return day;
  return fmt::format("{} {:02}:{:02}", day, part(DatePart::hour), part(DatePart::minute));
}

}  // namespace lacp
