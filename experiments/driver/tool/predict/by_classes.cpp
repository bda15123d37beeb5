#include "tool/predict/by_classes.hpp"

#include <algorithm>
#include <limits>

#include "common/message.hpp"
#include "common/process.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/gaps.hpp"
#include "tool/class_coverage.hpp"

namespace lacp {
namespace {

/// What became of rows joins what became of others; both have sums of y − first.
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
    LevelScore& level = all.levels[l];
    const LevelScore& other = more.levels[l];
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

}  // namespace

void ask_for_groups(const std::string& by, StreamOptions& options) {
  if (by.empty()) return;
  options.gaps = by == by_missing;
  if (options.gaps)
    options.keep_if_there = {by};
  else
    options.keep = {by};
}

bool has_column(const TableIntervals& rows, const TableOptions& options) {
  return !rows.kept.empty() && rows.kept.front().size() > options.keep.size();
}

std::string group_of(const TableIntervals& rows, arma::uword n, const TableOptions& options) {
  if (!options.gaps) return rows.kept[n].front();
  return has_column(rows, options) ? rows.kept[n].back() : rows.gaps[n];
}

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

Expected expected_coverage(const TableModel& model, const std::map<std::size_t, std::size_t>& classes,
                           const Level& level, double coverage) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const auto range = expected_in(model, classes, level);
  if (!range) return {unknown, unknown, ""};
  const auto [low, high] = *range;
  const char* side = coverage < low ? "below" : "";
  if (coverage > high) side = "above";
  return {low, high, side};
}

std::string outside_text(const Frame& groups, const TableModel& model, const std::string& by) {
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const Row& row : groups)
    if (!row["outside"].empty())
      texts.push_back(fmt::format("{} {:.3f} where {:.3f} to {:.3f} was to be expected (level {})",
                                  show_text(row["group"]), row.number("coverage"), row.number("expected_low"),
                                  row.number("expected_high"), row["level"]));
  const std::size_t all = texts.size();
  if (all == 0) return "";
  texts.resize(std::min(all, most));
  std::string text = fmt::format(
      "{} of {} of groups {} outside the range to be expected (*), as one of twenty does by chance: {}{}",
      all, counted(groups.rows.size(), "coverage"), all == 1 ? "lies" : "lie", join(texts, ", "),
      all > most ? fmt::format(", and {} more", all - most) : "");
  if (model.by() != by)
    text += fmt::format("; `lacp fit --by {}` calibrates each by its own rows", shell_quoted(by));
  return text;
}

}  // namespace lacp
