#include "models/predictor/predictor.hpp"

#include "models/methods/methods.hpp"
#include "models/predictor/predictor_state.hpp"

namespace lacp {
namespace {

[[maybe_unused]] const bool methods_are_registered = register_models();

/// Calibration rows of a class that calibrate it by themselves; with a new one 30.
constexpr std::size_t least_in_class = 29;
/// Rows that a group by width has of its own. With fewer, thresholds that differ cost more than they gain.
constexpr std::size_t least_in_width_group = 200;
/// Up to this many rows a fit of all of them is worth its time: two and a half times that of a split at
/// 4,000.
constexpr std::size_t most_for_every_row = 5000;

}  // namespace

bool suffice_for_each_side(std::size_t rows, const std::vector<std::size_t>& classes, const Level& level) {
  const std::size_t of_both = level.fewest(), of_each = level.half().fewest();
  if (rows < of_each) return false;
  std::size_t together = 0;
  for (const std::size_t own : classes) {
    if (own >= std::max(least_in_class, of_each)) continue;
    if (own >= std::max(least_in_class, of_both)) return false;
    together += own;
  }
  return together < of_both || together >= of_each;
}

PredictorSettings PredictorSettings::recommended() {
  PredictorSettings settings{.method = "forest", .cross_fit = 5};
  settings.centre.kind = CentreKind::stack;
  settings.centre.boosted.rounds = 400;
  settings.training.selection.level = Level(0.1);  // at 0.05 methods that choose epochs by size need 240 rows
  return settings;
}

SettingCheck check_of(const PredictorSettings& settings) {
  const SettingCheck split = check_of(shares(settings));
  const auto once = [&](const Level& level) { return std::ranges::count(settings.levels, level) == 1; };
  SettingCheck check;
  if (const auto& found = split.problem())
    check.that(found->key == "test" ? "calibration" : found->key, false, found->message);
  return check.part("centre", check_of(settings.centre))
      .that("cross_fit", settings.cross_fit != 1, "found 1; expected 0 or 2 folds")
      .that("every_row", !settings.every_row || settings.cross_fit != 0, "needs cross_fit")
      .part("transformation", check_of(settings.transformation))
      .part("network", check_of(settings.network))
      .part("training", check_of(settings.training))
      .part("baselines", check_of(settings.baselines))
      .that("levels", !settings.levels.empty(), found_none)
      .that("levels", std::ranges::all_of(settings.levels, once), "found one twice; expected each once")
      .that("jobs", settings.jobs > 0, "found 0; expected at least 1");
}

bool every_row_pays(const PredictorSettings& settings, std::size_t rows, std::size_t units) {
  const Method& method = find_method(settings.method);
  // A class of the paper stays what it is there, with a part that calibrates.
  const bool possible = method.every_row && method.transformation == nullptr && settings.cross_fit != 0;
  return possible && units >= settings.cross_fit && rows <= most_for_every_row;
}

void require_whole(const arma::vec& y, std::string_view key) {
  for (const double value : y)
    if (value != std::round(value)) user_error("{}: a target is {}; expected whole numbers", key, value);
}

void refuse_far(std::string_view what, arma::uword row) {
  user_error("{} {} (from 0) lies too far from the data of the fit; leave it out", what, row);
}

void refuse_each_side(std::string_view whose, std::string_view method) {
  user_error("{}: sides: each is not for {}; expected both", whose, method);
}

std::size_t width_groups(std::size_t rows, std::size_t needed) {
  return std::clamp<std::size_t>(rows / needed, 1, most_width_groups);
}

std::size_t width_group(double width, std::span<const double> cuts, std::size_t groups) {
  const std::size_t parts = cuts.size() + 1;
  std::size_t group = 0;
  while (group + 1 < groups && width > cuts[(group + 1) * parts / groups - 1]) ++group;
  return group;
}

arma::mat LocalPredictor::State::local_of_rows(const FittedScore& score, std::size_t jobs) const {
  const arma::uword count = rows.y.n_elem, of_fit = places.size();
  if (of_fit == 0) return score.local(rows.X, rows.f, jobs);
  const arma::mat first = score.local_out_of_bag(rows.X.head_cols(of_fit), rows.f.head(of_fit), places, jobs);
  if (of_fit == count) return first;
  return arma::join_rows(first,
                         score.local(rows.X.tail_cols(count - of_fit), rows.f.tail(count - of_fit), jobs));
}

void LocalPredictor::State::calibrate(std::shared_ptr<const FittedScore> score, std::size_t jobs) {
  arma::mat local = local_of_rows(*score, jobs);
  std::vector<arma::uword> known;
  for (arma::uword n = 0; n < local.n_cols && local.n_rows > 0; ++n)
    if (n >= places.size() || local.col(n).is_finite()) known.push_back(n);
  if (known.empty() && local.n_elem > 0)
    user_error("every row: too few rows; no tree is left that has not seen one");
  if (local.n_rows > 0 && known.size() < local.n_cols) {
    keep_rows(known);
    local = columns_of(local, known);
  }
  widths = score->width_cuts().empty() ? arma::vec() : score->widths(local);
  fitted = calibrated(score, Ends::both, local);
}

Calibration LocalPredictor::State::calibration_of(const FittedScore& score, Ends ends,
                                                  const CentredPart& some, const arma::mat& local) const {
  Calibration calibration = score.calibration(local, some.f, some.y);
  if (calibration.has_nan()) run_error("calibration rows without a score; is a row far out?");
  if (!whole || ends != Ends::both || after_update) return calibration;
  // The whole number in the middle is always part of an interval (PredictorSettings::whole): a row that has
  // it as its target is the least surprising. With a sign that is a score of 0, which is below those above.
  const std::vector<arma::vec> middles = score.middles(local, some.f);
  const double unit = scaling.target;
  const bool has_sign = sides == Sides::each && score.score_count() == 1;
  for (std::size_t l = 0; l < middles.size(); ++l)
    for (arma::uword n = 0; n < some.y.n_elem; ++n)
      if (std::round(unit * some.y(n)) == whole_near(unit * middles[l](n)))
        calibration.scores[l](n) = has_sign ? 0.0 : -arma::datum::inf;
  return calibration;
}

std::shared_ptr<const LocalPredictor::CalibratedScore> LocalPredictor::State::calibrated(
    const std::shared_ptr<const FittedScore>& score, Ends ends, const arma::mat& local) const {
  return calibrated(score, calibration_of(*score, ends, rows, local));
}

std::shared_ptr<const LocalPredictor::CalibratedScore> LocalPredictor::State::calibrated(
    std::shared_ptr<const FittedScore> score, Calibration calibration) const {
  CalibratedScore made{.score = std::move(score), .calibration = std::move(calibration)};
  made.calibration.prepared = made.score->prepare(made.calibration);
  for (auto& [value, some] : columns_by_value(rows.X.rows(arma::uvec(by)))) {
    CalibrationClass own{.rows = some};
    if (some.size() >= least_in_class) own.calibration = made.calibration_of(some);
    made.classes.emplace(value, std::move(own));
  }
  if (by.empty())
    made.divide_by_width(widths);
  else
    made.together.emplace(least_in_class, made.calibration_up_to(least_in_class));
  return std::make_shared<const CalibratedScore>(std::move(made));
}

void LocalPredictor::CalibratedScore::divide_by_width(const arma::vec& widths) {
  const std::span<const double> cuts = score->width_cuts();
  const std::size_t most = cuts.empty() ? 1 : width_groups(widths.n_elem, least_in_width_group);
  for (std::size_t groups = 2; groups <= most; ++groups) {
    std::vector<std::vector<arma::uword>> members(groups);
    for (arma::uword n = 0; n < widths.n_elem; ++n)
      members[width_group(widths(n), cuts, groups)].push_back(n);
    for (const std::vector<arma::uword>& some : members) by_width[groups].push_back(calibration_of(some));
  }
}

Calibration LocalPredictor::CalibratedScore::calibration_of(const std::vector<arma::uword>& some) const {
  Calibration own;
  for (const arma::vec& scores : calibration.scores) own.scores.emplace_back(scores(arma::uvec(some)));
  if (score->kept_rows() > 0) own.local = columns_of(calibration.local, some);
  own.prepared = score->prepare(own);
  return own;
}

Calibration LocalPredictor::CalibratedScore::calibration_up_to(std::size_t rows) const {
  std::vector<arma::uword> some;
  for (const auto& [value, own] : classes)
    if (own.rows.size() <= rows) some.insert(some.end(), own.rows.begin(), own.rows.end());
  std::ranges::sort(some);
  return calibration_of(some);
}

std::map<std::vector<double>, std::vector<arma::uword>> columns_by_value(const arma::mat& X) {
  std::map<std::vector<double>, std::vector<arma::uword>> found;
  for (arma::uword n = 0; X.n_rows > 0 && n < X.n_cols; ++n)
    found[std::vector(X.begin_col(n), X.end_col(n))].push_back(n);
  return found;
}

LocalPredictor::LocalPredictor(State state) : last_(std::make_shared<LastPrepared>()) {
  state.report.ends = state.fitted->score->chosen_ends();
  state_ = std::make_shared<State>(std::move(state));
}

const FitReport& LocalPredictor::report() const { return state_->report; }
const Centre& LocalPredictor::centre() const { return state_->centre; }
const FittedScore& LocalPredictor::score() const { return *state_->fitted->score; }
const Scaling& LocalPredictor::scaling() const { return state_->scaling; }
std::size_t LocalPredictor::attributes() const { return scaling().mean.n_elem; }
const std::string& LocalPredictor::method() const { return state_->method; }
bool LocalPredictor::every_row() const { return !state_->places.empty(); }
Sides LocalPredictor::sides() const { return state_->sides; }
std::span<const Level> LocalPredictor::levels() const { return score().levels(); }
const std::vector<arma::uword>& LocalPredictor::by() const { return state_->by; }
std::vector<LocalPredictor::Class> LocalPredictor::classes() const {
  const arma::uvec by(state_->by);
  std::vector<Class> all;
  for (const auto& [values, own] : state_->fitted->classes)
    all.push_back({scaling().mean(by) + scaling().deviation(by) % arma::vec(values), own.rows.size()});
  return all;
}
std::vector<std::size_t> LocalPredictor::classes_of(const arma::mat& X) const {
  const auto& known = state_->fitted->classes;
  std::vector<std::size_t> places(X.n_cols);
  if (by().empty()) return places;
  for (const auto& [values, columns] : columns_by_value(scaling().attributes(X).rows(arma::uvec(by()))))
    for (const arma::uword n : columns)
      places[n] = static_cast<std::size_t>(std::distance(known.begin(), known.find(values)));
  return places;
}
arma::mat LocalPredictor::calibration_rows() const {
  arma::mat rows = state_->rows.X;
  rows.each_col() %= scaling().deviation;
  rows.each_col() += scaling().mean;
  return rows;
}
bool LocalPredictor::has_each_side(const Level& level) const {
  if (sides() == Sides::both || !state_->after_update) return sides() == Sides::each;
  std::vector<std::size_t> classes;
  for (const auto& [values, own] : state_->fitted->classes) classes.push_back(own.rows.size());
  return suffice_for_each_side(calibration_size(), classes, level);
}
std::size_t LocalPredictor::rows_needed(const Level& level, Ends ends) const {
  return (ends == Ends::both && has_each_side(level) ? level.half() : level).fewest();
}
std::size_t LocalPredictor::rows_needed_in_class(const Level& level, Ends ends) const {
  return std::max(least_in_class, rows_needed(level, ends));
}
std::size_t LocalPredictor::width_groups_at(const Level& level, Ends ends) const {
  const auto& divided = state_->fitted->by_width;
  if (divided.empty()) return 1;
  return width_groups(calibration_size(), std::max(least_in_width_group, 2 * rows_needed(level, ends)));
}
bool LocalPredictor::grouped() const { return state_->grouped; }
bool LocalPredictor::whole() const { return state_->whole; }
std::size_t LocalPredictor::calibration_size() const { return state_->rows.y.n_elem; }

}  // namespace lacp
