// Columns that rows stand in the order of: numbers or dates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "tool/predict/predict.hpp"

namespace lacp {
bool says_missing(const std::string& cell, const Columns& columns) {
  return columns.marks ? cell.empty() || std::ranges::count(*columns.marks, cell) > 0 : is_missing_mark(cell);
}

Place Places::read(const std::string& cell, std::size_t line) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto known = std::ranges::find(columns_.attributes, column_, &Column::name);
  const bool is_known = known != columns_.attributes.end();
  const Notation notation = is_known && known->written ? *known->written : Notation{};
  const std::optional<double> number = read_written(cell, notation);
  const bool has_order = is_known && known->kind == ColumnKind::date;
  const auto date_by = [&](DateOrder order) {
    return number ? std::nullopt : parse_date(cell, has_order ? known->order : order);
  };
  const std::optional<DateTime> day_first = date_by(DateOrder::day_first),
                                month_first = date_by(DateOrder::month_first);
  const bool is_date = day_first || month_first;
  if (!number && !is_date && says_missing(cell, columns_)) return {none, none};
  if (!dates_) dates_ = is_date;
  if ((!number && !is_date) || *dates_ != is_date)
    user_error("{} {}: found {} on line {}; expected a column of numbers, or one of dates", option_,
               show_text(column_), show_text(cell), line);
  if (number) return {*number, *number};
  const Place place{day_first ? day_first->seconds : none, month_first ? month_first->seconds : none};
  Example* example = nullptr;
  if (!month_first)
    example = &only_day_first_;
  else if (!day_first)
    example = &only_month_first_;
  else if (place.day_first != place.month_first)
    example = &either_;
  if (example != nullptr && example->line == 0) *example = {cell, line};
  return place;
}

void Places::decide() {
  if (only_day_first_.line > 0 && only_month_first_.line > 0)
    user_error(
        "{} {}: {} on line {} has the day first, {} on line {} the month; expected dates of one order, or as 2020-01-31",
        option_, show_text(column_), show_text(only_day_first_.cell), only_day_first_.line,
        show_text(only_month_first_.cell), only_month_first_.line);
  day_first_ = only_month_first_.line == 0;
  const bool decided = only_day_first_.line > 0 || only_month_first_.line > 0;
  const bool points = either_.cell.find('.') != std::string::npos;
  if (decided || either_.line == 0 || points) return;
  for (const Column& column : columns_.attributes) {
    if (column.kind != ColumnKind::date || column.order == DateOrder::iso) continue;
    day_first_ = column.order == DateOrder::day_first;
    return;
  }
  user_error(
      "{} {}: {} on line {} may have the day first or the month, and no cell says which; expected dates as 2020-01-31",
      option_, show_text(column_), show_text(either_.cell), either_.line);
}

std::vector<std::string> Places::texts(const std::vector<double>& places) const {
  const std::set<double> different(places.begin(), places.end());
  const auto as_text = [&](double place, int detail) {
    if (!dates()) return detail == 0 ? five_digits(place) : fmt::format("{:.{}g}", place, 5 + detail);
    const auto part = [&](DatePart which) { return static_cast<int>(part_of_date(which, place)); };
    std::string text =
        fmt::format("{:04}-{:02}-{:02}", part(DatePart::year), part(DatePart::month), part(DatePart::day));
    const bool at_midnight = std::fmod(place, 86400.0) == 0.0;
    if (detail > 0 || !at_midnight)
      text += fmt::format(" {:02}:{:02}", part(DatePart::hour), part(DatePart::minute));
    if (detail > 1) text += fmt::format(":{:02}", part(DatePart::second));
    return text;
  };
  constexpr int most = 12;
  std::vector<std::string> texts;
  for (int detail = 0; detail <= most; ++detail) {
    texts.clear();
    for (const double place : places) texts.push_back(as_text(place, detail));
    if (std::set<std::string>(texts.begin(), texts.end()).size() == different.size()) break;
  }
  return texts;
}

}  // namespace lacp
