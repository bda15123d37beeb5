#include "tool/drift.hpp"

#include <algorithm>
#include <cmath>

#include "common/coverage.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_compared = 20'000;

std::string percent(double part) { return fmt::format("{:.{}f} %", 100.0 * part, part < 0.0995 ? 1 : 0); }

/// Two digits; what is below all numbers is no 0.
std::string p_text(double p) { return p < 1e-300 ? "p < 1e-300" : fmt::format("p = {:.2g}", p); }

/// Leaves these out of rows and groups.
void leave_rows_out(const std::vector<arma::uword>& rows, arma::mat& X, arma::vec& y,
                    std::vector<std::string>& groups) {
  if (rows.empty()) return;
  X.shed_cols(arma::uvec(rows));
  y.shed_rows(arma::uvec(rows));
  for (auto n = rows.rbegin(); n != rows.rend() && !groups.empty(); ++n)
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(*n));
}

/// Whether the second half differs from the first, as a model sees them that the first half calibrates.
bool still_move(const TableModel& model, const arma::mat& X, const arma::vec& y,
                const std::vector<std::string>& groups, const Level& level, std::size_t jobs) {
  const arma::uword half = X.n_cols / 2;
  const auto part = [&](std::size_t begin, std::size_t end) {
    if (groups.empty()) return std::vector<std::string>();
    return std::vector(groups.begin() + static_cast<std::ptrdiff_t>(begin),
                       groups.begin() + static_cast<std::ptrdiff_t>(end));
  };
  if (half == 0) return false;
  try {
    std::vector<arma::uword> too_far;
    const TableModel first = model.updated(X.head_cols(half), y.head(half), {.instead = true, .jobs = jobs},
                                           part(0, half), &too_far);
    return first
               .drift_test(X.tail_cols(X.n_cols - half), y.tail(X.n_cols - half), level, part(half, X.n_cols),
                           jobs)
               .p < 0.01;
  } catch (const UserError&) {
    return false;  // targets that an update would refuse
  }
}

}  // namespace

void RowsToCompare::add(const arma::mat& X, const arma::vec& y, arma::uword n, const std::string& group) {
  if (seen_++ % step_ != 0) return;
  X_.push_back(X.col(n));
  y_.push_back(y(n));
  groups_.push_back(group);
  if (y_.size() < 2 * most_compared) return;
  for (std::size_t i = 0; i < most_compared; ++i) {
    X_[i] = std::move(X_[2 * i]);
    y_[i] = y_[2 * i];
    groups_[i] = std::move(groups_[2 * i]);
  }
  X_.resize(most_compared);
  y_.resize(most_compared);
  groups_.resize(most_compared);
  step_ *= 2;
}

arma::mat RowsToCompare::X() const {
  arma::mat all(X_.empty() ? 0 : X_.front().n_elem, X_.size());
  for (arma::uword n = 0; n < X_.size(); ++n) all.col(n) = X_[n];
  return all;
}

bool Comparison::stale() const {
  constexpr double worth = 0.2, lost = 0.5, larger = 1.25;
  return at_fit.r2 > worth && seen.explained.moved < lost * at_fit.r2 &&
         seen.explained.deviation > larger * at_fit.deviation;
}

std::string Comparison::text() const {
  const char* those = test.of_fit ? "those of the fit" : "those that calibrate the model";
  if (!why_not.empty())
    return fmt::format("no test of whether these rows differ from {}: {}", those, why_not);
  if (!differs()) return fmt::format("no sign that these rows differ from {}: {}", those, p_text(test.p));
  const auto n = static_cast<double>(seen.rows);
  const double above = static_cast<double>(seen.above) / n, below = static_cast<double>(seen.below) / n;
  const std::string high = fmt::format("{} lie above the upper end where {} were to be expected",
                                       percent(above), percent(test.above)),
                    low = fmt::format("{} below the lower end where {} were", percent(below),
                                      percent(test.below));
  return fmt::format("these {} differ from {}: {}; at coverage {} {}, {}", counted(seen.table, "row"), those,
                     p_text(test.p), level.complement().text(), high, low);
}

std::size_t level_spoken_of(const std::vector<Level>& levels) {
  const auto distance = [](const Level& level) { return std::abs(level.value() - 0.1); };
  return static_cast<std::size_t>(std::ranges::min_element(levels, {}, distance) - levels.begin());
}

bool covered_as_promised(const TableModel& model, const std::vector<std::size_t>& covered, std::size_t rows) {
  for (std::size_t l = 0; l < covered.size() && rows > 1; ++l) {
    const auto [low, high] = expected_share(model.levels()[l], model.predictor().sides(),
                                            model.predictor().calibration_size(), rows);
    const double coverage = static_cast<double>(covered[l]) / static_cast<double>(rows);
    if (coverage < low || coverage > high) return false;
  }
  return true;
}

Comparison compare(const TableModel& model, arma::mat X, arma::vec y, std::vector<std::string> groups,
                   const SeenRows& seen, std::size_t jobs) {
  Comparison found{.level = model.levels()[level_spoken_of(model.levels())],
                   .seen = seen,
                   .at_fit = model.explained_at_fit()};
  if (!model.predictor().grouped()) groups.clear();
  if (model.predictor().grouped() && (groups.empty() || std::ranges::count(groups, "") > 0)) {
    found.why_not = "they have no column of groups, of which one row each counts";
    return found;
  }
  const std::vector<arma::uword> known = model.known_rows(X, y);
  const std::size_t repeats = find_repeats(X, y).copies.size();
  const bool of_few_values = 4 * repeats >= known.size();
  if (of_few_values && 10 * known.size() > y.n_elem)
    found.why_not = fmt::format("{} of {} equal rows of the fit", known.size(), y.n_elem);
  if (!of_few_values) leave_rows_out(known, X, y, groups);
  if (!groups.empty()) leave_rows_out(model.known_groups(groups), X, y, groups);
  if (!found.why_not.empty()) return found;
  if (!y.empty()) found.test = model.drift_test(X, y, found.level, groups, jobs);
  if (std::isnan(found.test.p))
    found.why_not = fmt::format("it needs ten {} that the model has not seen, and ten that calibrate",
                                groups.empty() ? "rows" : "groups");
  else if (found.differs())
    found.moves = still_move(model, X, y, groups, found.level, jobs);
  return found;
}

std::string advice_of(const Comparison& found, const TableModel& model, const StreamOptions& options) {
  constexpr std::size_t fewest_of_window = 100, most_of_window = 500;
  if (!found.differs()) return "";
  const bool file = options.table != "-";
  const std::string table = file ? shell_quoted(options.table.string()) : "TABLE";
  if (found.stale())
    return fmt::format(
        "fit again with rows like these (`lacp fit {}`): the prediction itself is stale (R² {:.2f} on these rows, {:.2f} at the fit); an update would only widen its intervals",
        table, found.seen.explained.r2, found.at_fit.r2);
  if (found.seen.as_promised) return "";
  const std::string command =
      fmt::format("lacp update {} {} --output FILE", shell_quoted(options.model.string()), table);
  std::size_t needed = 0;
  for (const Level& level : model.levels()) needed = std::max(needed, level.half().fewest());
  if (found.test.new_rows < needed)
    return fmt::format("collect {} or more of them, then calibrate by these alone: `{} --instead`",
                       counted(needed, model.predictor().grouped() ? "group" : "row"), command);
  if (found.moves && found.seen.table >= 2 * fewest_of_window)
    return fmt::format(
        "they move on within the table: if it stands in order of time, calibrate by its last rows, and again as new ones come: `{} --window {}`",
        command, std::max({fewest_of_window, 2 * needed, std::min(found.seen.table / 10, most_of_window)}));
  return fmt::format("calibrate by these rows alone: `{} --instead`", command);
}

}  // namespace lacp
