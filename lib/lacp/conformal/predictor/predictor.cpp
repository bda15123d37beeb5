#include "lacp/conformal/predictor/predictor.hpp"

#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/paper/training/fit_localizer.hpp"
#include "lacp/conformal/predictor/predictor_parts.hpp"

namespace lacp {
namespace {

void require_rows(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem)
    user_error("LocalPredictor: {} columns of attributes but {} targets", X.n_cols, y.n_elem);
  if (X.empty())
    user_error("LocalPredictor: found {} attributes and {} rows; expected at least one", X.n_rows, X.n_cols);
  if (!X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: attributes and targets must be finite numbers");
}

FitReport report_of(const Centre& centre, const FitResult& result) {
  FitReport report;
  report.steps = result.steps;
  report.adaptation = result.score->adaptation();
  report.best_epoch = result.best_epoch;
  report.epochs_tried = result.epochs_tried;
  report.validation_scores = result.validation_scores;
  if (const auto* knn = std::get_if<KnnRegressor>(&centre)) report.neighbours = knn->k();
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre)) report.trees = boosted->trees().size();
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre)) report.centre_epochs = mlp->epochs;
  if (const auto* stack = std::get_if<Stack>(&centre)) {
    const Stack::Weights& weights = stack->weights;
    report.weights = {weights.boosted, weights.network, weights.neighbours};
    if (!stack->networks.empty()) report.network_epochs = stack->networks.front().epochs;
    report.mapped = stack->map.has_value();
  }
  return report;
}

constexpr std::size_t least_in_class = 30;

/// What fits of several folds chose, on average.
FitReport joined(const std::vector<FitReport>& reports) {
  FitReport all = reports.front();
  all.calibrating.clear();
  all.out_of_folds.reset();
  all.validation_scores.clear();
  all.steps = 0;
  for (const FitReport& report : reports) {
    all.steps += report.steps;
    if (report.adaptation != all.adaptation) all.adaptation.reset();
    if (report.network_epochs != all.network_epochs || report.mapped != all.mapped) all.network_epochs = 0;
    all.calibrating.insert(all.calibrating.end(), report.calibrating.begin(), report.calibrating.end());
    all.out_of_folds = arma::join_cols(all.out_of_folds, report.out_of_folds);
  }
  const auto mean_over = [&](auto value) {
    std::vector<double> values;
    for (const FitReport& report : reports) values.push_back(static_cast<double>(value(report)));
    return mean_of(values);
  };
  for (std::size_t FitReport::*count : {&FitReport::neighbours, &FitReport::trees, &FitReport::centre_epochs,
                                        &FitReport::best_epoch, &FitReport::epochs_tried})
    all.*count = static_cast<std::size_t>(std::llround(mean_over([&](const auto& of) { return of.*count; })));
  for (std::size_t i = 0; i < all.weights.size(); ++i)
    all.weights[i] = mean_over([&](const auto& of) { return of.weights[i]; });
  return all;
}

}  // namespace

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
      .that("cross_fit", settings.cross_fit != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds == 0 || settings.cross_fit != 0,
            "is for fits with cross_fit; expected 0, or a cross_fit of at least 2")
      .that("by", settings.by.empty() || settings.calibration_folds == 0,
            "needs rows that are set aside to calibrate; expected none with calibration_folds")
      .part("transformation", check_of(settings.transformation))
      .part("network", check_of(settings.network))
      .part("training", check_of(settings.training))
      .part("baselines", check_of(settings.baselines))
      .that("levels", !settings.levels.empty(), "found none; expected at least one")
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
    if (value != std::round(value))
      user_error("{}: a target is {}; expected whole numbers, as all targets of the fit have to be", key,
                 value);
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
  if (calibration.has_nan())
    run_error("LocalPredictor: the scores of the calibration part are not numbers; is a row far out?");
  if (!whole || ends != Ends::both) return fold.view(score, std::move(calibration));
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

Calibration LocalPredictor::View::calibration_below(std::size_t needed) const {
  std::vector<arma::uword> some;
  for (const auto& [value, own] : classes)
    if (own.rows.size() < needed) some.insert(some.end(), own.rows.begin(), own.rows.end());
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
  if (!made.classes.empty()) made.together.emplace(least_in_class, made.calibration_below(least_in_class));
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
std::size_t LocalPredictor::rows_needed(const Level& level, Ends ends) const {
  return (sides() == Sides::each && ends == Ends::both ? level.half() : level).fewest();
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

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", check_of(settings));
  require_rows(X, y);
  return fit(X, y, splits_of_fit(X, y, settings), settings, on_epoch);
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const FitSplits& fit_splits,
                                   const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  const StandardArithmetic arithmetic;
  refuse("settings", check_of(settings));
  require_rows(X, y);
  if (settings.whole) require_whole(y, "settings.whole");
  require_groups(settings.groups, y.n_elem);
  for (const arma::uword attribute : settings.by)
    if (attribute >= X.n_rows)
      user_error("settings.by: found {}; expected numbers of attributes, 0 to {}", attribute, X.n_rows - 1);
  const Method& method = find_method(settings.method);
  const std::vector<Split>& splits = fit_splits.splits;
  if (settings.calibration_folds != 0 && !calibrates_by_folds(method, settings.sides))
    user_error(
        "settings.calibration_folds: needs a method with one quantile for all points, and sides: both; {} does not have that; expected 0",
        method.name);
  if (splits.size() != std::max<std::size_t>(1, settings.calibration_folds))
    user_error(
        "settings.calibration_folds: found {} and {}; expected a split for each fold, or 0 and one split",
        settings.calibration_folds, counted(splits.size(), "split"));
  std::vector<std::optional<Parts>> fitted(splits.size());
  std::vector<std::function<void()>> tasks;
  PredictorSettings own = settings;
  own.training.selection.levels = settings.levels;
  own.training.selection.sides = settings.sides;
  if (splits.size() > 1) own.jobs = 1;
  std::mutex one_at_a_time;
  for (std::size_t k = 0; k < splits.size(); ++k)
    tasks.emplace_back([&, k] {
      const bool sees_all = fit_splits.hidden.empty();
      fitted[k] = fit_split(X, y, splits[k], sees_all ? std::vector<arma::uword>() : fit_splits.hidden.at(k),
                            own, [&, k](EpochReport report) {
                              const std::lock_guard lock(one_at_a_time);
                              report.fold = k;
                              if (on_epoch) on_epoch(report);
                            });
      if (!on_epoch || splits.size() == 1) return;
      EpochReport finished;
      finished.fold = k;
      const std::lock_guard lock(one_at_a_time);
      on_epoch(finished);
    });
  do_all(tasks, settings.jobs);
  Parts parts{.method = method.name,
              .sides = settings.sides,
              .whole = settings.whole,
              .folds = {},
              .grouped = !settings.groups.empty(),
              .least = y.min(),
              .largest = y.max()};
  std::vector<FitReport> reports;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    const Fold& fold = parts.folds.emplace_back(std::move(fitted[k]->folds.front()));
    FitReport& report = reports.emplace_back(std::move(fitted[k]->report));
    if (splits.size() == 1) continue;
    report.calibrating = splits[k].test;
    report.out_of_folds =
        fold.scaling.target *
        lacp::predict(fold.centre, fold.scaling.attributes(X.cols(arma::uvec(splits[k].test))));
  }
  parts.report = splits.size() == 1 ? std::move(reports.front()) : joined(reports);
  parts.report.repeated_rows = fit_splits.repeated;
  parts.report.dropped_rows = fit_splits.dropped;
  return LocalPredictor(std::move(parts));
}

LocalPredictor LocalPredictor::fit(const CentredParts& parts, CentredPart calibrating, const arma::vec& y,
                                   const PredictorSettings& settings) {
  const StandardArithmetic arithmetic;
  if (settings.whole) require_whole(y, "settings.whole");
  Parts fitted = fit_around(parts, std::move(calibrating), settings);
  fitted.least = y.min();
  fitted.largest = y.max();
  return LocalPredictor(std::move(fitted));
}

FitResult fit_score(const CentredParts& parts, const PredictorSettings& settings,
                    const std::function<void(const EpochReport&)>& on_epoch) {
  const Method& method = find_method(settings.method);
  const CentredPart none{arma::mat(parts.second.X.n_rows, 0), {}};
  const CentredPart& first = settings.cross_fit == 0 ? parts.first : none;
  FitResult result = method.fit(
      method, {.X_first = first.X,
               .y_first = first.y,
               .X = parts.second.X,
               .y = parts.second.y,
               .f = parts.second.f,
               .groups_first = settings.cross_fit == 0 ? parts.groups_first : Groups(),
               .groups = parts.groups,
               .levels = settings.levels,
               .transformation = settings.transformation,
               .network = settings.network,
               .training = settings.training,
               .baselines = settings.baselines,
               .stream = [&](std::string_view purpose) { return stream_of(settings, method.name, purpose); },
               .on_epoch = on_epoch,
               .jobs = settings.jobs});
  if (result.failure) throw TrainingError(*result.failure);
  result.score = with_sides(result.score, method, settings.sides);
  return result;
}

LocalPredictor::Parts LocalPredictor::fit_split(const arma::mat& X, const arma::vec& y, const Split& split,
                                                const std::vector<arma::uword>& hidden,
                                                const PredictorSettings& settings,
                                                const std::function<void(const EpochReport&)>& on_epoch) {
  const Method& method = find_method(settings.method);
  refuse("settings", SettingCheck().part("training", check_of(method, settings.training)));
  if (settings.sides == Sides::each && !has_distribution(method))
    user_error(
        "settings: sides: each is for forest and methods whose intervals are f ± q·s(x); {} is none of them; expected both, or such a method: adapt, for example",
        method.name);
  CentredParts parts =
      centre_parts(X, y, split,
                   {.centre = settings.centre,
                    .cross_fit = settings.cross_fit,
                    .groups_first = groups_of(split.proper, settings.groups),
                    .groups = groups_of(split.train, settings.groups),
                    .errors = learns_from_errors(method),
                    .hidden = hidden,
                    .hide_constant = settings.calibration_folds != 0,
                    .jobs = settings.jobs},
                   [&](std::string_view purpose) { return stream_of(settings, "", purpose); });
  if (settings.cross_fit != 0) parts.first = {};
  return fit_around(parts, std::move(parts.third), settings, on_epoch);
}

LocalPredictor::Parts LocalPredictor::fit_around(const CentredParts& parts, CentredPart calibrating,
                                                 const PredictorSettings& settings,
                                                 const std::function<void(const EpochReport&)>& on_epoch) {
  const FitResult result = fit_score(parts, settings, on_epoch);
  FitReport report = report_of(parts.centre, result);
  if (settings.cross_fit != 0 && learns_from_errors(find_method(settings.method)))
    report.out_of_folds = parts.scaling.target * parts.second.f;
  Parts fitted{.method = find_method(settings.method).name,
               .sides = settings.sides,
               .whole = settings.whole,
               .folds = {{.scaling = parts.scaling,
                          .centre = parts.centre,
                          .rows = std::move(calibrating),
                          .by = settings.by}},
               .report = std::move(report)};
  Fold& fold = fitted.folds.front();
  fold.arrived.assign(fold.rows.y.n_elem, 0);
  fitted.calibrate(fold, result.score, settings.jobs);
  return fitted;
}

}  // namespace lacp
