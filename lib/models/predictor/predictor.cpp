#include "models/predictor/predictor.hpp"

#include "models/methods/methods.hpp"
#include "models/predictor/predictor_parts.hpp"

namespace lacp {
namespace {

[[maybe_unused]] const bool methods_are_registered = register_models();

/// Calibration rows of a class that calibrate it by themselves; with a new one 30.
constexpr std::size_t least_in_class = 29;

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
  constexpr const char* one_fold = "found 1; expected 0 or 2 folds";
  SettingCheck check;
  if (const auto& found = split.problem())
    check.that(found->key == "test" ? "calibration" : found->key, false, found->message);
  return check.part("centre", check_of(settings.centre))
      .that("cross_fit", settings.cross_fit != 1, one_fold)
      .that("calibration_folds", settings.calibration_folds != 1, one_fold)
      .that("calibration_folds", settings.calibration_folds == 0 || settings.cross_fit != 0,
            "needs cross_fit")
      .that("by", settings.by.empty() || settings.calibration_folds == 0, "is not for calibration_folds")
      .part("transformation", check_of(settings.transformation))
      .part("network", check_of(settings.network))
      .part("training", check_of(settings.training))
      .part("baselines", check_of(settings.baselines))
      .that("levels", !settings.levels.empty(), found_none)
      .that("levels", std::ranges::all_of(settings.levels, once), "found one twice; expected each once")
      .that("jobs", settings.jobs > 0, "found 0; expected at least 1");
}

bool calibrates_by_folds(const Method& method, Sides sides) {
  return sides == Sides::both && method.promise == &promise_of_rank;
}

std::size_t folds_for_few_rows(const PredictorSettings& settings, std::size_t units) {
  constexpr std::size_t few_rows = 1000, folds_of_few_rows = 10;
  const Method& method = find_method(settings.method);
  // A class of the paper stays what it is there: f ± q·s(x), with one q and one f.
  const bool as_in_paper = method.transformation != nullptr;
  const bool possible = calibrates_by_folds(method, settings.sides) && settings.cross_fit != 0;
  const bool few = units < few_rows && units >= 4;
  return possible && !as_in_paper && few ? std::min(folds_of_few_rows, units / 2) : 0;
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

void LocalPredictor::Parts::calibrate(Fold& fold, std::shared_ptr<const FittedScore> score,
                                      std::size_t jobs) const {
  if (!fold.rows.y.empty()) fold.local = score->local(fold.rows.X, fold.rows.f, jobs);
  fold.fitted = view(fold, score, Ends::both, fold.local);
}

std::shared_ptr<const LocalPredictor::View> LocalPredictor::Parts::view(
    const Fold& fold, const std::shared_ptr<const FittedScore>& score, Ends ends,
    const arma::mat& local) const {
  const auto& [X, y, f] = fold.rows;
  if (y.empty())  // a fold that an update left without rows
    return fold.view(score, {std::vector<arma::vec>(score->score_count()), {}});
  Calibration calibration = score->calibration(local, f, y);
  if (calibration.has_nan()) run_error("calibration rows without a score; is a row far out?");
  if (!whole || ends != Ends::both || after_update) return fold.view(score, std::move(calibration));
  // The whole number in the middle is always part of an interval (PredictorSettings::whole): a row that has
  // it as its target is the least surprising. With a sign that is a score of 0, which is below those above.
  const std::vector<arma::vec> middles = score->middles(local, f);
  const double unit = fold.scaling.target;
  const bool has_sign = sides == Sides::each && score->score_count() == 1;
  for (std::size_t l = 0; l < middles.size(); ++l)
    for (arma::uword n = 0; n < y.n_elem; ++n)
      if (std::round(unit * y(n)) == whole_near(unit * middles[l](n)))
        calibration.scores[l](n) = has_sign ? 0.0 : -arma::datum::inf;
  return fold.view(score, std::move(calibration));
}

Calibration LocalPredictor::View::calibration_of(const std::vector<arma::uword>& some) const {
  Calibration own;
  for (const arma::vec& scores : calibration.scores) own.scores.emplace_back(scores(arma::uvec(some)));
  if (score->kept_rows() > 0) own.local = columns_of(calibration.local, some);
  own.prepared = score->prepare(own);
  return own;
}

Calibration LocalPredictor::View::calibration_up_to(std::size_t rows) const {
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

std::shared_ptr<const LocalPredictor::View> LocalPredictor::Fold::view(
    std::shared_ptr<const FittedScore> score, Calibration calibration) const {
  View made{.score = std::move(score), .calibration = std::move(calibration)};
  made.calibration.prepared = made.score->prepare(made.calibration);
  for (auto& [value, some] : columns_by_value(rows.X.rows(arma::uvec(by)))) {
    CalibrationClass own{.rows = some};
    if (some.size() >= least_in_class) own.calibration = made.calibration_of(some);
    made.classes.emplace(value, std::move(own));
  }
  if (!made.classes.empty()) made.together.emplace(least_in_class, made.calibration_up_to(least_in_class));
  return std::make_shared<const View>(std::move(made));
}

LocalPredictor::LocalPredictor(Parts parts) : last_(std::make_shared<LastAsked>()) {
  parts.report.ends.clear();
  for (const Fold& fold : parts.folds)
    if (const auto chosen = fold.fitted->score->chosen_ends()) parts.report.ends.push_back(*chosen);
  parts_ = std::make_shared<Parts>(std::move(parts));
}

const FitReport& LocalPredictor::report() const { return parts_->report; }
const Centre& LocalPredictor::centre() const { return parts_->folds.front().centre; }
const FittedScore& LocalPredictor::score() const { return *parts_->folds.front().fitted->score; }
const Scaling& LocalPredictor::scaling() const { return parts_->folds.front().scaling; }
std::size_t LocalPredictor::attributes() const { return scaling().mean.n_elem; }
const std::string& LocalPredictor::method() const { return parts_->method; }
std::size_t LocalPredictor::folds() const { return parts_->folds.size(); }
Sides LocalPredictor::sides() const { return parts_->sides; }
std::span<const Level> LocalPredictor::levels() const {
  const auto& folds = parts_->folds;
  const auto some =
      std::ranges::find_if(folds, [](const Fold& fold) { return !fold.fitted->score->levels().empty(); });
  return some == folds.end() ? std::span<const Level>() : some->fitted->score->levels();
}
const std::vector<arma::uword>& LocalPredictor::by() const { return parts_->folds.front().by; }
std::vector<LocalPredictor::Class> LocalPredictor::classes() const {
  const Fold& fold = parts_->folds.front();
  const arma::uvec by(fold.by);
  std::vector<Class> all;
  for (const auto& [values, own] : fold.fitted->classes)
    all.push_back({fold.scaling.mean(by) + fold.scaling.deviation(by) % arma::vec(values), own.rows.size()});
  return all;
}
std::vector<std::size_t> LocalPredictor::classes_of(const arma::mat& X) const {
  const Fold& fold = parts_->folds.front();
  const auto& known = fold.fitted->classes;
  std::vector<std::size_t> places(X.n_cols);
  if (fold.by.empty()) return places;
  for (const auto& [values, columns] : columns_by_value(fold.scaling.attributes(X).rows(arma::uvec(fold.by))))
    for (const arma::uword n : columns)
      places[n] = static_cast<std::size_t>(std::distance(known.begin(), known.find(values)));
  return places;
}
arma::mat LocalPredictor::calibration_rows() const {
  arma::mat all(attributes(), 0);
  for (const Fold& fold : parts_->folds) {
    arma::vec deviation = fold.scaling.deviation;
    deviation.replace(arma::datum::inf, 0.0);  // of an attribute that the fold does not see
    arma::mat rows = fold.rows.X;
    rows.each_col() %= deviation;
    rows.each_col() += fold.scaling.mean;
    all.insert_cols(all.n_cols, rows);
  }
  return all;
}
bool LocalPredictor::has_each_side(const Level& level) const {
  if (sides() == Sides::both || !parts_->after_update) return sides() == Sides::each;
  std::vector<std::size_t> classes;
  for (const auto& [values, own] : parts_->folds.front().fitted->classes) classes.push_back(own.rows.size());
  return suffice_for_each_side(calibration_size(), classes, level);
}
std::size_t LocalPredictor::rows_needed(const Level& level, Ends ends) const {
  return (ends == Ends::both && has_each_side(level) ? level.half() : level).fewest();
}
std::size_t LocalPredictor::rows_needed_in_class(const Level& level, Ends ends) const {
  return std::max(least_in_class, rows_needed(level, ends));
}
bool LocalPredictor::grouped() const { return parts_->grouped; }
bool LocalPredictor::whole() const { return parts_->whole; }
std::size_t LocalPredictor::calibration_size() const {
  std::size_t n = 0;
  for (const Fold& fold : parts_->folds) n += fold.fitted->calibration.scores.front().n_elem;
  return n;
}

}  // namespace lacp
