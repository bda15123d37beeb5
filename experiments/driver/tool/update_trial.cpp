// `lacp update --dry-run`: what an update would have done for the newest rows.
#include <algorithm>
#include <cmath>
#include <map>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "tool/update.hpp"

namespace lacp {
namespace {

/// Of rows, at each level.
struct TrialScores {
  std::vector<double> coverage, winkler;
};

TrialScores scores_of(const TableModel& model, const arma::mat& X, const arma::vec& y, std::size_t jobs) {
  std::vector<arma::uword> too_far;
  const TableIntervals found = model.predict(X, &too_far, jobs);
  TrialScores scores;
  for (std::size_t l = 0; l < model.levels().size(); ++l) {
    double covered = 0.0, winkler = 0.0, rows = 0.0;
    for (arma::uword n = 0; n < y.n_elem; ++n) {
      if (std::isnan(found.f(n))) continue;
      const bool empty = std::isnan(found.lower(l, n));
      const double low = empty ? found.f(n) : found.lower(l, n),
                   high = empty ? found.f(n) : found.upper(l, n);
      const double truth = model.columns().log_target ? math::expm1(y(n)) : y(n);
      rows += 1.0;
      covered += !empty && low <= truth && truth <= high ? 1.0 : 0.0;
      winkler += (high - low) + 2.0 / model.levels()[l].value() * std::max({low - truth, truth - high, 0.0});
    }
    scores.coverage.push_back(covered / rows);
    scores.winkler.push_back(winkler / rows);
  }
  return scores;
}

/// Whether each row is of the newest fifth, of rows or of groups by their first row: of these at least 100,
/// or half of fewer.
std::vector<bool> newest(const LabelledRows& rows) {
  const std::vector<std::size_t> unit = unit_numbers(rows);
  const std::size_t units = unit.empty() ? 0 : std::ranges::max(unit) + 1,
                    held = std::max(units / 5, std::min<std::size_t>(100, units / 2));
  std::vector<bool> is_newest;
  for (const std::size_t number : unit) is_newest.push_back(number >= units - held);
  return is_newest;
}

/// Why a Winkler score is infinite.
void explain_infinite(const TableModel& model, const TrialScores& scores, const char* whose) {
  for (std::size_t l = 0; l < model.levels().size(); ++l) {
    if (!std::isinf(scores.winkler[l])) continue;
    const Level& level = model.levels()[l];
    const std::size_t needed = model.predictor().rows_needed(level),
                      rows = model.predictor().calibration_size();
    const std::string found = rows < needed
                                  ? counted(rows, "row") + (rows == 1 ? " calibrates" : " calibrate")
                                  : "some classes have fewer";
    show("inf: {} has infinite intervals at coverage {}, which needs {} that calibrate; {}\n", whose,
         level.complement().text(), counted(needed, "row"), found);
  }
}

}  // namespace

std::vector<std::size_t> unit_numbers(const LabelledRows& rows) {
  std::vector<std::size_t> unit;
  std::map<std::string, std::size_t> known;
  std::size_t units = 0;
  for (arma::uword n = 0; n < rows.y.n_elem; ++n) {
    const std::string group = rows.groups.empty() ? "" : rows.groups[n];
    const auto place = group.empty() ? known.end() : known.find(group);
    unit.push_back(place == known.end() ? units : place->second);
    if (place != known.end()) continue;
    if (!group.empty()) known.emplace(group, units);
    ++units;
  }
  return unit;
}

int try_update(const TableModel& model, const LabelledRows& rows, const LocalPredictor::NewRows& how) {
  constexpr std::size_t fewest = 20;
  if (rows.y.n_elem < fewest)
    user_error("--dry-run: {} with a target; expected at least {}: the newest show what the others do",
               counted(rows.y.n_elem, "row"), fewest);
  const std::vector<bool> is_newest = newest(rows);
  std::vector<arma::uword> before, last;
  std::vector<std::string> groups;
  for (arma::uword n = 0; n < is_newest.size(); ++n) {
    (is_newest[n] ? last : before).push_back(n);
    if (!is_newest[n] && !rows.groups.empty()) groups.push_back(rows.groups[n]);
  }
  if (before.empty() || last.empty())
    user_error("--dry-run: all rows are of one group; expected several, of which the newest are looked at");
  const arma::uvec of_before(before), of_last(last);
  std::vector<arma::uword> too_far;
  const TableModel updated = model.updated(rows.X.cols(of_before), rows.y(of_before), how, groups, &too_far);
  const arma::mat X = rows.X.cols(of_last);
  const arma::vec y = rows.y(of_last);
  const TrialScores now = scores_of(model, X, y, how.jobs), then = scores_of(updated, X, y, how.jobs);
  show("nothing is written: the newest {}, and what calibration by {} before {} would have done for {}\n",
       counted(last.size(), "row"), counted(updated.predictor().calibration_size(), "row"),
       last.size() == 1 ? "it" : "them", last.size() == 1 ? "it" : "them");
  std::vector<std::vector<std::string>> table{
      {"promised", "coverage now", "updated", "Winkler now", "updated"}};
  for (std::size_t l = 0; l < model.levels().size(); ++l)
    table.push_back({model.levels()[l].complement().text(), fmt::format("{:.4f}", now.coverage[l]),
                     fmt::format("{:.4f}", then.coverage[l]), five_digits(now.winkler[l]),
                     five_digits(then.winkler[l])});
  show("{}", in_columns(table, 2));
  explain_infinite(model, now, "the model");
  explain_infinite(updated, then, "the updated one");
  return exit_done;
}

}  // namespace lacp
