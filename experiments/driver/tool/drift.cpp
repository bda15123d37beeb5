#include "tool/drift.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "common/coverage.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_compared = 20'000;

std::string percent(double part) { return fmt::format("{:.{}f} %", 100.0 * part, part < 0.0995 ? 1 : 0); }

/// Two digits; what is below all numbers is no 0.
std::string p_text(double p) { return p < 1e-300 ? "p < 1e-300" : fmt::format("p = {:.2g}", p); }

/// Rows that are compared, which have groups or none.
struct Compared {
  arma::mat X;
  arma::vec y;
  std::vector<std::string> groups;

  void leave_out(const std::vector<arma::uword>& rows) {
    if (rows.empty()) return;
    std::vector<bool> out(y.n_elem, false);
    for (const arma::uword n : rows) out[n] = true;
    X.shed_cols(arma::uvec(rows));
    y.shed_rows(arma::uvec(rows));
    std::size_t place = 0;
    std::erase_if(groups, [&](const std::string&) { return out[place++]; });
  }

  Compared part(arma::uword begin, arma::uword end) const {
    Compared some{X.cols(begin, end - 1), y.subvec(begin, end - 1), {}};
    if (!groups.empty())
      some.groups.assign(groups.begin() + static_cast<std::ptrdiff_t>(begin),
                         groups.begin() + static_cast<std::ptrdiff_t>(end));
    return some;
  }

  /// The first row of each group, or all rows.
  std::vector<arma::uword> units() const {
    std::vector<arma::uword> first;
    std::set<std::size_t> seen;
    const std::vector<std::size_t> numbers = groups_of(groups);
    for (arma::uword n = 0; n < y.n_elem; ++n)
      if (numbers.empty() || seen.insert(numbers[n]).second) first.push_back(n);
    return first;
  }
};

/// Whether the second half differs from the first, as a model sees them that the first half calibrates.
bool still_move(const TableModel& model, const Compared& rows, const Level& level, std::size_t jobs) {
  const arma::uword half = rows.y.n_elem / 2;
  if (half == 0) return false;
  const Compared first = rows.part(0, half), second = rows.part(half, rows.y.n_elem);
  try {
    std::vector<arma::uword> too_far;
    const TableModel then =
        model.updated(first.X, first.y, {.instead = true, .jobs = jobs}, first.groups, &too_far);
    return then.drift_test(second.X, second.y, level, second.groups, jobs).p < 0.01;
  } catch (const UserError&) {
    return false;  // targets that an update would refuse
  }
}

Explained explained_of(const TableModel& model, const Compared& rows, std::size_t jobs) {
  std::vector<arma::uword> too_far;
  const arma::vec f = model.predict(rows.X, &too_far, jobs).f;
  arma::vec truth = rows.y;
  if (model.columns().log_target) truth.transform([](double t) { return math::expm1(t); });
  const arma::uvec known = arma::find_finite(f);
  return explained(f(known), truth(known));
}

/// Decides what becomes of rows that equal known ones, by how many of them chance explains: of the rows that
/// the model has seen a share equals another one, and of new ones about as many equal one of these.
void judge_known(const TableModel& model, Compared& rows, const ToldToUpdate& told, Comparison& found) {
  constexpr double deviations = 3.0, few = 3.0;
  const TableModel::SeenRows seen = model.seen_rows();
  const TableModel::KnownRows known = model.known_rows(rows.X, rows.y);
  found.why_not = no_fair_part(model, rows.y.n_elem, told.left_out);
  if (!found.why_not.empty()) return;
  if (known.rows.empty()) return;
  const double compared = static_cast<double>(known.compared), expected = seen.repeated * compared,
               units = static_cast<double>(std::min(known.compared, rows.units().size()));
  const double deviation = compared * std::sqrt(seen.repeated * (1.0 - seen.repeated) *
                                                (1.0 / units + 1.0 / static_cast<double>(seen.rows)));
  found.by_chance = static_cast<double>(known.rows.size()) <= expected + deviations * deviation + few;
  if (told.known == "keep" || (found.by_chance && (expected >= 1.0 || !model.knows_all()))) {
    found.known = "keep";
    return;
  }
  if (expected < 1.0 && model.knows_all()) {
    found.by_chance = false;
    found.known = "drop";
    rows.leave_out(known.rows);
    return;
  }
  const std::string which =
      model.knows_all()
          ? fmt::format("more than the {:.0f} that chance explains, so that some are no new rows", expected)
          : "of which the model knows only a sample, so that it cannot leave out all of them";
  found.why_not = fmt::format("{} of {} equal rows that the model has seen, {}", known.rows.size(),
                              known.compared, which);
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

std::string no_fair_part(const TableModel& model, std::size_t rows, std::size_t left_out) {
  const double repeated = model.seen_rows().repeated;
  if (left_out == 0 || repeated * static_cast<double>(rows + left_out) < 1.0) return "";
  return fmt::format(
      "{} that {} known ones {} left out, and as {} of the known rows equal another one, new rows are among these: those that are left are no fair part of the new ones",
      counted(left_out, "row"), left_out == 1 ? "equals" : "equal", left_out == 1 ? "was" : "were",
      percent(repeated));
}

std::size_t count_groups(const std::vector<std::string>& groups) {
  const std::vector<std::size_t> numbers = groups_of(groups);
  return numbers.empty() ? 0 : std::ranges::max(numbers) + 1;
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

std::string refused_target(const TableModel& model, double learnt) {
  constexpr double rounding = 1e-12;  // of a logarithm that is turned back
  const Columns& columns = model.columns();
  const double y = columns.log_target ? math::expm1(learnt) : learnt, slack = rounding * std::abs(y);
  if (model.predictor().whole() && y != std::round(y))
    return fmt::format("the target is {}; expected a whole number, as all targets of the fit are", y);
  if (y >= columns.least - slack && y <= columns.most + slack) return "";
  return fmt::format("the target is {}; expected {} to {}, the limits of the fit", y, columns.least,
                     columns.most);
}

Comparison compare(const TableModel& model, arma::mat X, arma::vec y, std::vector<std::string> groups,
                   const SeenRows& seen, const ToldToUpdate& told, std::size_t jobs) {
  Comparison found{.level = model.levels()[level_spoken_of(model.levels())],
                   .seen = seen,
                   .at_fit = model.explained_at_fit()};
  const bool grouped = model.predictor().grouped();
  if (grouped && (groups.empty() || std::ranges::count(groups, "") > 0)) {
    found.why_not = "they have no column of groups, of which one row each counts";
    return found;
  }
  if (!grouped && told.group.empty()) groups.clear();
  Compared rows{std::move(X), std::move(y), std::move(groups)};
  const std::vector<arma::uword> of_known_groups = model.known_groups(rows.groups);
  if (told.known != "keep") rows.leave_out(of_known_groups);
  judge_known(model, rows, told, found);
  if (!of_known_groups.empty()) found.known = told.known == "keep" ? "keep" : "drop";
  if (!found.why_not.empty()) return found;
  if (!rows.y.empty()) found.test = model.drift_test(rows.X, rows.y, found.level, rows.groups, jobs);
  if (std::isnan(found.test.p)) {
    found.why_not = fmt::format("it needs ten {} that the model has not seen, and ten that calibrate",
                                rows.groups.empty() ? "rows" : "groups");
    return found;
  }
  if (!found.differs()) return found;
  if (found.known == "drop") found.seen.explained = explained_of(model, rows, jobs);
  found.moves = still_move(model, rows, found.level, jobs);
  found.gaps = rows.X.has_nan();
  for (arma::uword n = 0; n < rows.y.n_elem && found.refused.empty(); ++n)
    found.refused = refused_target(model, rows.y(n));
  if (!model.by().empty()) found.classes = model.classes_of(rows.X.cols(arma::uvec(rows.units())));
  return found;
}

}  // namespace lacp
