#include "tool/drift.hpp"

#include <algorithm>
#include <cmath>

#include "common/coverage.hpp"
#include "common/message.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_compared = 20'000;

std::string percent(double part) { return fmt::format("{:.{}f} %", 100.0 * part, part < 0.0995 ? 1 : 0); }

/// Two digits; what is below all numbers is no 0.
std::string p_text(double p) { return p < 1e-300 ? "p < 1e-300" : fmt::format("p = {:.2g}", p); }

std::string text_of(NoTest why) {
  switch (why) {
    case NoTest::none:
      return "";
    case NoTest::without_groups:
      return "they have no column of groups";
    case NoTest::few_rows:
      return "ten rows are needed";
    case NoTest::few_groups:
      return "ten groups are needed";
    case NoTest::of_fit:
      return "rows of the fit are few, or repeat, and predict each other";
  }
  return "";
}

/// The prediction does not explain these rows as it did those of the fit, not even if it were moved.
bool is_stale(const DriftReport& report) {
  constexpr double worth = 0.2, lost = 0.5, larger = 1.25;
  const Explained &then = report.at_fit, &now = report.seen.explained;
  return then.r2 > worth && now.moved < lost * then.r2 && now.deviation > larger * then.deviation;
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

std::string text_of(DriftAdvice advice) {
  switch (advice) {
    case DriftAdvice::none:
      return "";
    case DriftAdvice::learn_trend:
      return "errors move from row to row: predict the change since the row before";
    case DriftAdvice::fit_again:
      return "the prediction itself no longer holds: fit again with these rows";
    case DriftAdvice::calibrate_by_these:
      return "calibrate by these rows alone: lacp update --instead";
  }
  return "";
}

DriftAdvice DriftReport::advice() const {
  if (!differs()) return DriftAdvice::none;
  if (is_trend(seen.trend, seen.rows)) return DriftAdvice::learn_trend;
  if (is_stale(*this)) return DriftAdvice::fit_again;
  return seen.as_promised ? DriftAdvice::none : DriftAdvice::calibrate_by_these;
}

std::string DriftReport::text() const {
  const char* those = test.of_fit ? "those of the fit" : "those that calibrate the model";
  if (why_not != NoTest::none)
    return fmt::format("no test of whether these rows differ from {}: {}", those, text_of(why_not));
  if (!differs()) return fmt::format("no sign that these rows differ from {}: {}", those, p_text(test.p));
  const auto n = static_cast<double>(seen.rows);
  return fmt::format(
      "these rows differ from {}: {}; at coverage {} {} lie above (expected {}), {} below (expected {})",
      those, p_text(test.p), level.complement().text(), percent(static_cast<double>(seen.above) / n),
      percent(test.above), percent(static_cast<double>(seen.below) / n), percent(test.below));
}

std::size_t level_spoken_of(const std::vector<Level>& levels) {
  const auto distance = [](const Level& level) { return std::abs(level.value() - 0.1); };
  return static_cast<std::size_t>(std::ranges::min_element(levels, {}, distance) - levels.begin());
}

bool covered_as_promised(const TableModel& model, const std::vector<std::size_t>& covered, std::size_t rows,
                         std::size_t units) {
  for (std::size_t l = 0; l < covered.size() && units > 1; ++l) {
    const auto [low, high] = expected_share(model.levels()[l], model.predictor().sides(),
                                            model.predictor().calibration_size(), units);
    const double coverage = static_cast<double>(covered[l]) / static_cast<double>(rows);
    if (coverage < low || coverage > high) return false;
  }
  return true;
}

double sign_trend(const arma::vec& errors) {
  if (errors.n_elem < 2) return 0.0;
  const double middle = median_of(errors), half = 0.5 * (static_cast<double>(errors.n_elem) - 1.0);
  double both = 0.0, of_signs = 0.0, of_places = 0.0;
  for (arma::uword n = 0; n < errors.n_elem; ++n) {
    const double sign = errors(n) > middle ? 1.0 : -1.0, place = static_cast<double>(n) - half;
    if (errors(n) == middle) continue;
    both += sign * place;
    of_signs += 1.0;
    of_places += place * place;
  }
  return of_places > 0.0 ? both / std::sqrt(of_signs * of_places) : 0.0;
}

bool is_trend(double correlation, std::size_t rows) {
  constexpr double little = 0.25, deviations = 4.0;
  return std::abs(correlation) > std::max(little, deviations / std::sqrt(static_cast<double>(rows)));
}

DriftReport compare(const TableModel& model, const arma::mat& X, const arma::vec& y,
                    const std::vector<std::string>& groups, const SeenRows& seen, std::size_t jobs) {
  DriftReport found{.level = model.levels()[level_spoken_of(model.levels())],
                    .seen = seen,
                    .at_fit = model.explained_at_fit()};
  const bool grouped = model.predictor().grouped();
  if (grouped && (groups.empty() || std::ranges::count(groups, "") > 0)) {
    found.why_not = NoTest::without_groups;
    return found;
  }
  const bool has_groups = !std::ranges::all_of(groups, &std::string::empty);
  if (!y.empty())
    found.test = model.drift_test(X, y, found.level, has_groups ? groups : std::vector<std::string>(), jobs);
  if (!std::isnan(found.test.p)) return found;
  found.why_not = has_groups ? NoTest::few_groups : NoTest::few_rows;
  if (!y.empty() && found.test.new_rows == 0) found.why_not = NoTest::of_fit;
  return found;
}

}  // namespace lacp
