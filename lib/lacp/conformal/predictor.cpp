#include "lacp/conformal/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/centred_parts.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"

namespace lacp {
namespace {

/// The columns that hold anything other than finite floats are added.
void add_beyond_float(const arma::mat& X, std::vector<arma::uword>& columns) {
  constexpr double largest = std::numeric_limits<float>::max();
  for (arma::uword n = 0; n < X.n_cols; ++n)
    for (arma::uword i = 0; i < X.n_rows; ++i)
      if (!(std::abs(X(i, n)) <= largest)) {
        columns.push_back(n);
        break;
      }
}

/// A matrix may have no rows, as for a method without a network; then there is nothing to fill.
void fill_columns(arma::mat& X, const std::vector<arma::uword>& columns, double value) {
  for (const arma::uword n : columns)
    for (arma::uword i = 0; i < X.n_rows; ++i) X(i, n) = value;
}

/// An empty interval stays as it is.
void scale(Bounds& bounds, double unit) {
  const arma::vec half_width = bounds.half_width();
  for (arma::uword n = 0; n < half_width.n_elem; ++n)
    if (!(half_width(n) < 0.0)) bounds.below(n) *= unit, bounds.above(n) *= unit;
}

void require_finite(const arma::mat& X, const arma::vec& y) {
  if (X.n_cols != y.n_elem)
    user_error("LocalPredictor: {} columns of attributes but {} targets", X.n_cols, y.n_elem);
  if (!X.is_finite() || !y.is_finite())
    user_error("LocalPredictor: attributes and targets must be finite numbers");
}

FitReport report_of(const Centre& centre, const FitResult& result) {
  FitReport report{.best_epoch = result.best_epoch,
                   .epochs_tried = result.epochs_tried,
                   .steps = result.steps,
                   .validation_scores = result.validation_scores,
                   .adaptation = result.score->adaptation(),
                   .stages = result.stages,
                   .chosen = result.chosen};
  if (const auto* knn = std::get_if<KnnRegressor>(&centre)) report.neighbours = knn->k();
  if (const auto* boosted = std::get_if<BoostedTrees>(&centre)) report.trees = boosted->trees().size();
  if (const auto* mlp = std::get_if<MlpRegressor>(&centre)) report.centre_epochs = mlp->epochs();
  return report;
}

/// Of these rows.
std::vector<std::size_t> groups_of(const std::vector<arma::uword>& rows,
                                   const std::vector<std::size_t>& groups) {
  std::vector<std::size_t> some;
  for (const arma::uword row : rows)
    if (!groups.empty()) some.push_back(groups[row]);
  return some;
}

/// What fits of several folds chose: most often, or on average.
FitReport joined(const std::vector<FitReport>& reports) {
  FitReport all = reports.front();
  std::vector<double> trees;
  std::map<std::string, std::size_t> chosen;
  for (const FitReport& report : reports) {
    trees.push_back(static_cast<double>(report.trees));
    ++chosen[report.chosen];
    if (report.adaptation != all.adaptation) all.adaptation.reset();
    all.calibrating.insert(all.calibrating.end(), report.calibrating.begin(), report.calibrating.end());
    all.out_of_folds = arma::join_cols(all.out_of_folds, report.out_of_folds);
  }
  const std::size_t first = reports.front().calibrating.size();
  all.calibrating.erase(all.calibrating.begin(),
                        all.calibrating.begin() + static_cast<std::ptrdiff_t>(first));
  all.out_of_folds.shed_rows(0, first - 1);
  all.trees = static_cast<std::size_t>(std::llround(mean_of(trees)));
  all.chosen = std::ranges::max_element(chosen, {}, [](const auto& pair) { return pair.second; })->first;
  for (StageScore& stage : all.stages) {
    std::vector<double> scores;
    for (const FitReport& report : reports)
      for (const StageScore& of_fold : report.stages)
        if (of_fold.method == stage.method) scores.push_back(of_fold.score);
    stage.score = mean_of(scores);
  }
  return all;
}

}  // namespace

PredictorSettings PredictorSettings::recommended() {
  PredictorSettings settings{.method = "auto", .cross_fit = 5};
  settings.centre.kind = CentreKind::boosted;
  settings.centre.boosted.rounds = 400;
  settings.centre.boosted.choose_once = true;
  settings.training.selection.level = Level(0.1);  // at 0.05 methods that choose epochs by size need 240 rows
  return settings;
}

std::optional<SettingProblem> find_problem(const PredictorSettings& settings) {
  auto split = find_problem(shares(settings));
  if (split && split->key == "test") split->key = "calibration";
  if (split) return split;
  const auto once = [&](const Level& level) { return std::ranges::count(settings.levels, level) == 1; };
  return SettingCheck()
      .part("centre", find_problem(settings.centre))
      .that("cross_fit", settings.cross_fit != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds != 1, "found 1; expected 0, or at least 2 folds")
      .that("calibration_folds", settings.calibration_folds == 0 || settings.cross_fit != 0,
            "is for fits with cross_fit; expected 0, or a cross_fit of at least 2")
      .part("transformation", find_problem(settings.transformation))
      .part("network", find_problem(settings.network))
      .part("training", find_problem(settings.training))
      .part("rows", find_problem(settings.rows))
      .that("levels", !settings.levels.empty(), "found none; expected at least one")
      .that("levels", std::ranges::all_of(settings.levels, once), "found one twice; expected each once")
      .problem();
}

bool calibrates_by_folds(const Method& method, Sides sides) {
  return sides == Sides::both && method.promise == &promise_of_rank;
}

struct LocalPredictor::Fold {
  Scaling scaling;
  Centre centre;
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
};

struct LocalPredictor::Parts {
  std::string method;
  Sides sides;
  std::vector<Fold> folds;  // one, unless each calibrates the model of the others
  FitReport report = {};
};

LocalPredictor::LocalPredictor(Parts parts) {
  for (Fold& fold : parts.folds) fold.calibration.prepared = fold.score->prepare(fold.calibration);
  parts_ = std::make_shared<Parts>(std::move(parts));
}

const FitReport& LocalPredictor::report() const { return parts_->report; }
const Centre& LocalPredictor::centre() const { return parts_->folds.front().centre; }
const FittedScore& LocalPredictor::score() const { return *parts_->folds.front().score; }
const Scaling& LocalPredictor::scaling() const { return parts_->folds.front().scaling; }
std::size_t LocalPredictor::attributes() const { return scaling().mean.n_elem; }
std::size_t LocalPredictor::folds() const { return parts_->folds.size(); }
std::span<const Level> LocalPredictor::levels() const {
  const auto& folds = parts_->folds;
  const auto some =
      std::ranges::find_if(folds, [](const Fold& fold) { return !fold.score->levels().empty(); });
  return some == folds.end() ? std::span<const Level>() : some->score->levels();
}
std::size_t LocalPredictor::calibration_size() const {
  std::size_t n = 0;
  for (const Fold& fold : parts_->folds) n += fold.calibration.scores.front().n_elem;
  return n;
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  const StandardArithmetic arithmetic;
  refuse("settings", find_problem(settings));
  require_finite(X, y);
  if (settings.calibration_folds == 0) return fit(X, y, split_of_fit(X, y, settings), settings, on_epoch);
  const Method& method = find_method(settings.method);
  if (!calibrates_by_folds(method, settings.sides))
    user_error(
        "settings.calibration_folds: needs a method with one quantile for all points, and sides: both; {} does not have that; expected 0",
        method.name);
  const std::vector<Split> splits = folds_of_fit(X, y, settings);
  std::vector<std::optional<LocalPredictor>> fitted(splits.size());
  std::vector<std::function<void()>> tasks;
  PredictorSettings own = settings;
  own.jobs = 1;
  for (std::size_t k = 0; k < splits.size(); ++k)
    tasks.emplace_back([&, k] { fitted[k] = fit(X, y, splits[k], own); });
  do_all(tasks, settings.jobs);
  Parts parts{.method = method.name, .sides = settings.sides, .folds = {}};
  std::vector<FitReport> reports;
  for (std::size_t k = 0; k < splits.size(); ++k) {
    const Fold& fold = parts.folds.emplace_back(fitted[k]->parts_->folds.front());
    FitReport& report = reports.emplace_back(fitted[k]->report());
    report.calibrating = splits[k].test;
    report.out_of_folds =
        fold.scaling.target *
        lacp::predict(fold.centre, fold.scaling.attributes(X.cols(arma::uvec(splits[k].test))));
  }
  parts.report = joined(reports);
  return LocalPredictor(std::move(parts));
}

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const Split& split,
                                   const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  refuse("settings", find_problem(settings));
  const Method& method = find_method(settings.method);
  refuse("settings.training", find_problem(method, settings.training));
  require_finite(X, y);
  const auto stream = [&](std::string_view purpose) {
    return Stream(
        {.seed = settings.seed, .dataset = "", .run = 0, .method = settings.method, .purpose = purpose});
  };
  TrainingOptions training = settings.training;
  training.selection.levels = settings.levels;
  training.selection.sides = settings.sides;
  if (settings.sides == Sides::each && !method.scale_family)
    user_error(
        "settings: sides: each is for methods whose intervals are f ± q·s(x); {} is none of them; expected both, or such a method: adapt, for example",
        method.name);
  const CentredParts parts =
      centre_parts(X, y, split,
                   {.centre = settings.centre,
                    .cross_fit = settings.cross_fit,
                    .groups = groups_of(split.train, settings.groups),
                    .errors = learns_from_errors(method),
                    .jobs = settings.jobs},
                   [&](std::string_view purpose) { return shared_stream(settings, purpose); });
  const arma::mat no_points(X.n_rows, 0);
  const arma::vec no_targets;
  const FitResult result =
      method.fit(method, {.X_first = settings.cross_fit == 0 ? parts.first.X : no_points,
                          .y_first = settings.cross_fit == 0 ? parts.first.y : no_targets,
                          .X = parts.second.X,
                          .y = parts.second.y,
                          .f = parts.second.f,
                          .levels = settings.levels,
                          .transformation = settings.transformation,
                          .network = settings.network,
                          .training = training,
                          .rows = settings.rows,
                          .stream = stream,
                          .on_epoch = on_epoch,
                          .jobs = settings.jobs});
  if (result.failure) throw TrainingError(*result.failure);
  const std::shared_ptr<const FittedScore> score = with_sides(result.score, method, settings.sides);
  Calibration scores = score->calibration(score->local(parts.third.X), parts.third.f, parts.third.y);
  if (scores.has_nan())
    run_error("LocalPredictor: the scores of the calibration part are not numbers; is a row far out?");
  FitReport report = report_of(parts.centre, result);
  if (settings.cross_fit != 0 && learns_from_errors(method))
    report.out_of_folds = parts.scaling.target * parts.second.f;
  return LocalPredictor(Parts{.method = method.name,
                              .sides = settings.sides,
                              .folds = {{.scaling = parts.scaling,
                                         .centre = parts.centre,
                                         .score = score,
                                         .calibration = std::move(scores)}},
                              .report = std::move(report)});
}

Intervals LocalPredictor::predict(const arma::mat& X, const Level& level) const {
  const LevelIntervals all = predict(X, {&level, 1});
  if (!all.too_far.empty())
    user_error(
        "LocalPredictor: query {} (from 0) lies too far from the data of the fit for a value there; leave it out",
        all.too_far.front());
  return {.f = all.f, .bounds = all.bounds.front()};
}

/// What a fold sees of queries.
struct LocalPredictor::Seen {
  arma::mat local;
  arma::vec f;

  /// Those too far out are added to the list.
  Seen(const Fold& fold, const arma::mat& X, std::vector<arma::uword>& too_far) {
    std::vector<arma::uword> far;
    arma::mat Xs = fold.scaling.attributes(X);
    add_beyond_float(Xs, far);
    fill_columns(Xs, far, 0.0);
    local = fold.score->local(Xs);
    add_beyond_float(local, far);
    fill_columns(local, far, 0.0);
    f = lacp::predict(fold.centre, Xs);
    for (arma::uword n = 0; n < f.n_elem; ++n)
      if (!std::isfinite(f(n))) far.push_back(n);
    too_far.insert(too_far.end(), far.begin(), far.end());
  }
};

/// CV+: of the intervals that each calibration point leads to, by its own score and the model that has not
/// seen it, the outermost α of the lower ends are left out, and of the upper ones. In blocks of queries,
/// since all ends are there at once.
Bounds LocalPredictor::cross_bounds(const std::vector<Seen>& seen, const arma::vec& f,
                                    const Level& level) const {
  constexpr arma::uword most_in_block = 1024;
  const std::size_t n = calibration_size(), rank = level.rank(n);
  if (rank > n) return Bounds::symmetric(arma::vec(f.n_elem, arma::fill::value(arma::datum::inf)));
  Bounds bounds{arma::vec(f.n_elem), arma::vec(f.n_elem)};
  for (arma::uword begin = 0; begin < f.n_elem; begin += most_in_block) {
    const arma::uword end = std::min(begin + most_in_block, f.n_elem);
    arma::mat lower(n, end - begin), upper(n, end - begin);
    arma::uword row = 0;
    for (std::size_t k = 0; k < seen.size(); ++k) {
      const Fold& fold = parts_->folds[k];
      const arma::vec centre = seen[k].f.subvec(begin, end - 1);
      const arma::mat local = seen[k].local.n_rows == 0 ? arma::mat(0, end - begin)
                                                        : arma::mat(seen[k].local.cols(begin, end - 1));
      const arma::vec& scores = fold.calibration.scores[fold.score->index_of(level)];
      for (const Bounds& each : fold.score->bounds_for_each(local, centre, scores, level)) {
        for (arma::uword q = 0; q < end - begin; ++q) {
          const bool empty = each.below(q) == empty_interval && each.above(q) == empty_interval;
          lower(row, q) = empty ? arma::datum::inf : fold.scaling.target * (centre(q) - each.below(q));
          upper(row, q) = empty ? -arma::datum::inf : fold.scaling.target * (centre(q) + each.above(q));
        }
        ++row;
      }
    }
    const auto nth = [](arma::mat& values, arma::uword column, std::size_t place) {
      const auto found = values.begin_col(column) + static_cast<std::ptrdiff_t>(place);
      std::nth_element(values.begin_col(column), found, values.end_col(column));
      return *found;
    };
    for (arma::uword q = begin; q < end; ++q) {
      const double low = nth(lower, q - begin, n - rank), high = nth(upper, q - begin, rank - 1);
      bounds.below(q) = low > high ? empty_interval : f(q) - low;
      bounds.above(q) = low > high ? empty_interval : high - f(q);
    }
  }
  return bounds;
}

LevelIntervals LocalPredictor::predict(const arma::mat& X, std::span<const Level> levels) const {
  const StandardArithmetic arithmetic;
  if (X.n_rows != attributes())
    user_error("LocalPredictor: {} attributes; the model was fitted on {}", X.n_rows, attributes());
  if (!X.is_finite()) user_error("LocalPredictor: attributes must be finite numbers");
  LevelIntervals out;
  const Fold& first = parts_->folds.front();
  const Seen own(first, X, out.too_far);
  std::vector<Seen> seen;
  if (folds() > 1) seen.push_back(own);
  for (std::size_t k = 1; k < folds(); ++k) seen.emplace_back(parts_->folds[k], X, out.too_far);
  std::ranges::sort(out.too_far);
  out.too_far.erase(std::unique(out.too_far.begin(), out.too_far.end()), out.too_far.end());

  out.f = first.scaling.target * own.f;
  if (folds() == 1) {
    out.bounds =
        first.score->intervals(first.calibration, {.local = own.local}, own.f, levels, QuantileRule::ceiling);
    for (Bounds& bounds : out.bounds) scale(bounds, first.scaling.target);
  } else {
    for (std::size_t k = 1; k < folds(); ++k) out.f += parts_->folds[k].scaling.target * seen[k].f;
    out.f /= static_cast<double>(folds());
    for (const Level& level : levels) out.bounds.push_back(cross_bounds(seen, out.f, level));
  }
  for (Bounds& bounds : out.bounds)
    for (const arma::uword n : out.too_far) bounds.below(n) = bounds.above(n) = arma::datum::nan;
  for (const arma::uword n : out.too_far) out.f(n) = arma::datum::nan;
  return out;
}

namespace {

constexpr std::string_view magic = "lacp model\n";
/// Format 1 has no kind of centre and no sides: a model with the centre and the sides of the paper is written
/// so, for older programs to read. Format 3 has several folds.
constexpr std::uint64_t oldest_format = 1, format_of_folds = 3;
constexpr std::size_t most_folds = 1000;

const Method& method_of(const ModelReader& in, const std::string& name) {
  try {
    return find_method(name);
  } catch (const UserError& error) {
    in.refuse(fmt::format("needs a method that is not here: {}", error.what()));
  }
}

bool sizes_fit(const Calibration& calibration, const FittedScore& score) {
  const std::size_t n = calibration.scores.front().n_elem, rows = score.kept_rows();
  return std::ranges::all_of(calibration.scores,
                             [&](const arma::vec& scores) { return scores.n_elem == n; }) &&
         (rows == 0 || (calibration.local.n_rows == rows && calibration.local.n_cols == n));
}

/// What a fitted model always fulfils, and predictions rely on.
bool numbers_have_meaning(const Scaling& scaling, const Calibration& calibration) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  return scaling.mean.is_finite() && std::ranges::all_of(scaling.deviation, positive) &&
         positive(scaling.target) && !calibration.has_nan() && calibration.local.is_finite();
}

}  // namespace

std::string LocalPredictor::to_bytes() const {
  const CentreKind kind = kind_of(centre());
  const bool several = folds() > 1, plain = kind == CentreKind::knn && parts_->sides == Sides::both;
  ModelWriter out(magic, several ? format_of_folds : plain ? oldest_format : oldest_format + 1);
  out.array(parts_->method);
  if (several) out.number(std::uint64_t{folds()}), out.number(static_cast<std::uint8_t>(kind));
  for (const Fold& fold : parts_->folds) {
    out.array(fold.scaling.mean);
    out.array(fold.scaling.deviation);
    out.number(fold.scaling.target);
    if (!plain && !several) {
      out.number(static_cast<std::uint8_t>(kind));
      out.number(std::uint8_t{parts_->sides == Sides::each});
    }
    write(out, fold.centre);
    fold.score->write(out);
    for (const arma::vec& scores : fold.calibration.scores) out.array(scores);
    if (fold.score->kept_rows() > 0) out.matrix(fold.calibration.local);
  }
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, format_of_folds, oldest_format);
  const auto name = in.array<std::string>();
  const Method& method = method_of(in, name);
  Parts parts{.method = method.name, .sides = Sides::both, .folds = {}};
  const auto read_kind = [&] {
    const auto number = in.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(CentreKind::boosted)) in.refuse("has an unknown kind of centre");
    return static_cast<CentreKind>(number);
  };
  CentreKind kind = CentreKind::knn;
  std::uint64_t folds = 1;
  if (in.version() == format_of_folds) {
    folds = in.number<std::uint64_t>(), kind = read_kind();
    if (folds < 2 || folds > most_folds || !calibrates_by_folds(method, Sides::both))
      in.refuse("has a number of folds that it cannot have");
  }
  const auto read_fold = [&] {
    Scaling scaling;
    scaling.mean = in.array<arma::vec>();
    scaling.deviation = in.array<arma::vec>();
    scaling.target = in.number<double>();
    const std::size_t inputs = scaling.mean.n_elem;
    if (inputs == 0) in.refuse("has parts whose sizes do not fit together");
    if (in.version() == oldest_format + 1) {
      kind = read_kind();
      parts.sides = in.flag() ? Sides::each : Sides::both;
      if (kind == CentreKind::knn && parts.sides == Sides::both)
        in.refuse("has a format that is newer than its content");
      if (parts.sides == Sides::each && !method.scale_family)
        in.refuse("has two sides, which its method has not");
    }
    Centre centre = read_centre(in, kind, inputs);
    const std::shared_ptr<const FittedScore> score =
        with_sides(method.read(method, in, inputs), method, parts.sides);
    Calibration calibration{std::vector<arma::vec>(std::max<std::size_t>(score->levels().size(), 1)), {}};
    for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
    if (score->kept_rows() > 0) calibration.local = in.matrix();
    if (scaling.deviation.n_elem != inputs || !sizes_fit(calibration, *score))
      in.refuse("has parts whose sizes do not fit together");
    if (!numbers_have_meaning(scaling, calibration)) in.refuse("holds numbers that no fitted model has");
    return Fold{std::move(scaling), std::move(centre), score, std::move(calibration)};
  };
  for (std::uint64_t k = 0; k < folds; ++k) parts.folds.push_back(read_fold());
  if (!in.at_end()) in.refuse("has more in it than a model");
  LocalPredictor predictor(std::move(parts));
  for (const Fold& fold : predictor.parts_->folds)
    if (const auto levels = fold.score->levels();
        fold.scaling.mean.n_elem != predictor.attributes() ||
        (!levels.empty() && !std::ranges::equal(levels, predictor.levels())))
      in.refuse("has parts whose sizes do not fit together");
  return predictor;
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp
