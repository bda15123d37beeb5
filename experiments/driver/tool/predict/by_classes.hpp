#pragma once

#include <map>
#include <string>

#include "tool/predict/evaluate.hpp"

// `lacp evaluate --by`: which group a row is in, and which coverage is to be expected of a group.
namespace lacp {

/// What is to be read for --by COLUMN, or --by missing: a column of that name wins.
void ask_for_groups(const std::string& by, StreamOptions& options);

/// With --by missing: whether the table has a column of that name.
bool has_column(const TableIntervals& rows, const TableOptions& options);

/// Of the row with this number: its text in the column, or which cells are missing.
std::string group_of(const TableIntervals& rows, arma::uword n, const TableOptions& options);

/// Sets of missing cells that few rows have become one group, until no more groups are left than can be
/// shown.
void join_rare(std::map<std::string, Scores>& groups, std::size_t most);

/// The range of coverage to be expected, and on which side of it a coverage lies: "below", "above" or "".
struct Expected {
  double low, high;
  std::string outside;
};
Expected expected_coverage(const TableModel& model, const std::map<std::size_t, std::size_t>& classes,
                           const Level& level, double coverage);

/// Names the groups outside their range, and says what helps; "" if there are none.
std::string outside_text(const Frame& groups, const TableModel& model, const std::string& by);

}  // namespace lacp
