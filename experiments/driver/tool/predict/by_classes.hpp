#pragma once

#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "common/frame.hpp"
#include "tool/table_stream.hpp"

// `lacp evaluate --by`: which group a row is in, and which coverage is to be expected of a group.
namespace lacp {

/// What is to be read for --by COLUMN, or --by missing: a column of that name wins.
void ask_for_groups(const std::string& by, StreamOptions& options);

/// With --by missing: whether the table has a column of that name.
bool has_column(const TableIntervals& rows, const TableOptions& options);

/// Of the row with this number: its text in the column, or which cells are missing.
std::string group_of(const TableIntervals& rows, arma::uword n, const TableOptions& options);

/// What became of rows joins what became of others; both have sums of y − first.
template <class Scores>
void join_scores(Scores& all, const Scores& more) {
  if (all.rows == 0) {
    all = more;
    return;
  }
  const double shift = more.first - all.first, n = static_cast<double>(more.rows);
  all.squares += more.squares + 2.0 * shift * more.targets + n * shift * shift;
  all.targets += more.targets + n * shift;
  all.rows += more.rows;
  all.absolute += more.absolute;
  all.errors += more.errors;
  all.distribution.crps += more.distribution.crps;
  for (std::size_t i = 0; i < all.distribution.pit.size(); ++i)
    all.distribution.pit[i] += more.distribution.pit[i];
  for (const auto& [place, rows] : more.classes) all.classes[place] += rows;
  for (std::size_t l = 0; l < all.levels.size(); ++l) {
    auto& level = all.levels[l];
    const auto& other = more.levels[l];
    level.rows.insert(level.rows.end(), other.rows.begin(), other.rows.end());
    level.covered += other.covered;
    level.below += other.below;
    level.above += other.above;
    level.infinite += other.infinite;
    level.empty += other.empty;
    level.sizes += other.sizes;
    level.winkler += other.winkler;
  }
}

/// Sets of missing cells that few rows have become one group, until no more groups are left than can be
/// shown.
template <class Scores>
void join_rare(std::map<std::string, Scores>& groups, std::size_t most) {
  constexpr std::size_t few = 30;
  const std::string others = "other patterns";
  std::multimap<std::size_t, std::string> by_rows;
  for (const auto& [name, scores] : groups) by_rows.emplace(scores.rows, name);
  std::size_t left = groups.size();
  Scores joined;
  std::vector<std::string> gone;
  for (const auto& [rows, name] : by_rows) {
    if (rows >= few && left < most) break;
    join_scores(joined, groups.at(name));
    gone.push_back(name);
    --left;
  }
  if (gone.size() < 2) return;
  for (const std::string& name : gone) groups.erase(name);
  groups.emplace(others, std::move(joined));
}

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
