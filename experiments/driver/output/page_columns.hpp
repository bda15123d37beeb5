#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "output/json.hpp"
#include "output/report.hpp"

namespace lacp {

/// Names in the order in which they were first seen, and the place of each.
struct Names {
  std::vector<std::string> all;

  std::size_t place(const std::string& name) {
    const auto found = static_cast<std::size_t>(std::ranges::find(all, name) - all.begin());
    if (found == all.size()) all.push_back(name);
    return found;
  }
};

/// A column of numbers: one for each element of a range.
template <class Range, class Value>
std::string column(const Range& range, const Value& value, int digits = 10) {
  return json_list(
      range, [&](const auto& element) { return json_number(static_cast<double>(value(element)), digits); });
}

constexpr int few_digits = 5;    // of numbers that are shown with three decimals
constexpr int drawn_digits = 4;  // of numbers that are only drawn

/// table.csv by columns, for the page.
std::string table_columns(const std::vector<TableEntry>& entries, Names& datasets, Names& methods,
                          Names& levels);

/// What was measured: a column of means and one of deviations for every metric, or bin of one, by rows of the
/// table.
std::string metric_columns(const ReportedExperiment& e);

}  // namespace lacp
