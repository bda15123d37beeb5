#include "tool/time_order.hpp"

#include <algorithm>

namespace lacp {

TimeOrder::TimeOrder(const Columns& columns) {
  for (const Column& column : columns.attributes)
    if (column.kind == ColumnKind::date) dates_.push_back({.column = &column});
}

void TimeOrder::add(const CsvSource& table, const std::vector<std::size_t>& lines) {
  for (Dates& dates : dates_)
    for (const std::string& cell : read_column(table, column_named(table, dates.column->name, ""), lines)) {
      const auto date = parse_date(cell, dates.column->order);
      if (!date) {
        dates.missing = true;
        continue;
      }
      dates.rose = dates.rose || (dates.any && date->seconds > dates.last);
      dates.fell = dates.fell || (dates.any && date->seconds < dates.last);
      dates.last = date->seconds;
      dates.any = true;
    }
}

std::string TimeOrder::column() const {
  const auto found = std::ranges::find_if(dates_, &Dates::is_order);
  return found == dates_.end() ? "" : found->column->name;
}

bool TimeOrder::falls() const {
  const auto found = std::ranges::find_if(dates_, &Dates::is_order);
  return found != dates_.end() && found->fell;
}

}  // namespace lacp
