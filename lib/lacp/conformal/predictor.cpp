#include "lacp/conformal/predictor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
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

SplitOptions shares(const PredictorSettings& settings) {
  return {.proper = settings.proper, .train = settings.train, .test = settings.calibration};
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

/// What all methods share with one seed.
Stream shared_stream(const PredictorSettings& settings, std::string_view purpose) {
  return Stream({.seed = settings.seed, .dataset = "", .run = 0, .method = "", .purpose = purpose});
}

/// The rows of each group, in order, without those left out, which are sorted; without groups each row is
/// one.
std::vector<std::vector<arma::uword>> grouped(std::size_t n, const std::vector<arma::uword>& left_out,
                                              const std::vector<std::size_t>& groups) {
  std::vector<std::vector<arma::uword>> all;
  std::map<std::size_t, std::size_t> place;
  for (arma::uword row = 0; row < n; ++row) {
    if (std::ranges::binary_search(left_out, row)) continue;
    if (groups.empty() || place.emplace(groups[row], all.size()).second) all.emplace_back();
    all[groups.empty() ? all.size() - 1 : place.at(groups[row])].push_back(row);
  }
  return all;
}

Split split_without(std::size_t n, const std::vector<arma::uword>& left_out,
                    const PredictorSettings& settings) {
  if (!settings.groups.empty() && settings.groups.size() != n)
    user_error("settings.groups: has {} numbers for {}; expected one for each, or none",
               settings.groups.size(), counted(n, "row"));
  const auto groups = grouped(n, left_out, settings.groups);
  if (!settings.groups.empty() && groups.size() < 3)
    user_error("settings.groups: {} cannot be split into three parts", counted(groups.size(), "group"));
  Stream stream = shared_stream(settings, "split"), drawn = shared_stream(settings, "row of a group");
  const Split places = split_rows(groups.size(), shares(settings), stream);
  Split split;
  const auto add = [&](const std::vector<arma::uword>& from, std::vector<arma::uword>& to) {
    for (const arma::uword group : from) to.insert(to.end(), groups[group].begin(), groups[group].end());
  };
  add(places.proper, split.proper), add(places.train, split.train);
  for (const arma::uword group : places.test)
    split.test.push_back(groups[group][groups[group].size() == 1 ? 0 : drawn.below(groups[group].size())]);
  if (settings.cross_fit != 0) join_first_parts(split);
  return split;
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
      .part("transformation", find_problem(settings.transformation))
      .part("network", find_problem(settings.network))
      .part("training", find_problem(settings.training))
      .part("rows", find_problem(settings.rows))
      .that("levels", !settings.levels.empty(), "found none; expected at least one")
      .that("levels", std::ranges::all_of(settings.levels, once), "found one twice; expected each once")
      .problem();
}

Split split_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings) {
  const Repeats repeats = find_repeats(X, y);
  return split_without(y.n_elem, repeats.by_chance ? std::vector<arma::uword>() : repeats.copies, settings);
}

Split split_of_fit(std::size_t n, const PredictorSettings& settings) {
  return split_without(n, {}, settings);
}

struct LocalPredictor::Parts {
  std::string method;
  Scaling scaling;
  Centre centre;
  Sides sides;
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
  FitReport report = {};
};

LocalPredictor::LocalPredictor(Parts parts) {
  parts.calibration.prepared = parts.score->prepare(parts.calibration);
  parts_ = std::make_shared<Parts>(std::move(parts));
}

const FitReport& LocalPredictor::report() const { return parts_->report; }
const Centre& LocalPredictor::centre() const { return parts_->centre; }
const FittedScore& LocalPredictor::score() const { return *parts_->score; }
const Scaling& LocalPredictor::scaling() const { return parts_->scaling; }
std::size_t LocalPredictor::calibration_size() const { return parts_->calibration.scores.front().n_elem; }
std::size_t LocalPredictor::attributes() const { return parts_->scaling.mean.n_elem; }

LocalPredictor LocalPredictor::fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch) {
  const StandardArithmetic arithmetic;
  refuse("settings", find_problem(settings));
  require_finite(X, y);
  return fit(X, y, split_of_fit(X, y, settings), settings, on_epoch);
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
                              .scaling = parts.scaling,
                              .centre = parts.centre,
                              .sides = settings.sides,
                              .score = score,
                              .calibration = std::move(scores),
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

LevelIntervals LocalPredictor::predict(const arma::mat& X, std::span<const Level> levels) const {
  const StandardArithmetic arithmetic;
  if (X.n_rows != parts_->scaling.mean.n_elem)
    user_error("LocalPredictor: {} attributes; the model was fitted on {}", X.n_rows,
               parts_->scaling.mean.n_elem);
  if (!X.is_finite()) user_error("LocalPredictor: attributes must be finite numbers");
  LevelIntervals out;
  arma::mat Xs = parts_->scaling.attributes(X);
  add_beyond_float(Xs, out.too_far);
  fill_columns(Xs, out.too_far, 0.0);
  arma::mat local = parts_->score->local(Xs);
  add_beyond_float(local, out.too_far);
  fill_columns(local, out.too_far, 0.0);
  const arma::vec f = lacp::predict(parts_->centre, Xs);
  for (arma::uword n = 0; n < f.n_elem; ++n)
    if (!std::isfinite(f(n))) out.too_far.push_back(n);
  std::ranges::sort(out.too_far);
  out.too_far.erase(std::unique(out.too_far.begin(), out.too_far.end()), out.too_far.end());

  out.bounds =
      parts_->score->intervals(parts_->calibration, {.local = local}, f, levels, QuantileRule::ceiling);
  for (Bounds& bounds : out.bounds) {
    scale(bounds, parts_->scaling.target);
    for (const arma::uword n : out.too_far) bounds.below(n) = bounds.above(n) = arma::datum::nan;
  }
  out.f = parts_->scaling.target * f;
  for (const arma::uword n : out.too_far) out.f(n) = arma::datum::nan;
  return out;
}

namespace {

constexpr std::string_view magic = "lacp model\n";
/// Format 1 has no kind of centre and no sides: a model with the centre and the sides of the paper is written
/// so, for older programs to read.
constexpr std::uint64_t oldest_format = 1, newest_format = 2;

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
  const CentreKind kind = kind_of(parts_->centre);
  const bool plain = kind == CentreKind::knn && parts_->sides == Sides::both;
  ModelWriter out(magic, plain ? oldest_format : newest_format);
  out.array(parts_->method);
  out.array(parts_->scaling.mean);
  out.array(parts_->scaling.deviation);
  out.number(parts_->scaling.target);
  if (!plain) {
    out.number(static_cast<std::uint8_t>(kind));
    out.number(std::uint8_t{parts_->sides == Sides::each});
  }
  write(out, parts_->centre);
  parts_->score->write(out);
  for (const arma::vec& scores : parts_->calibration.scores) out.array(scores);
  if (parts_->score->kept_rows() > 0) out.matrix(parts_->calibration.local);
  return out.whole();
}

LocalPredictor LocalPredictor::from_bytes(std::string_view bytes, const std::string& source) {
  ModelReader in(bytes, source, magic, newest_format, oldest_format);
  const auto name = in.array<std::string>();
  const Method& method = method_of(in, name);
  Scaling scaling;
  scaling.mean = in.array<arma::vec>();
  scaling.deviation = in.array<arma::vec>();
  scaling.target = in.number<double>();
  const std::size_t inputs = scaling.mean.n_elem;
  if (inputs == 0) in.refuse("has parts whose sizes do not fit together");
  CentreKind kind = CentreKind::knn;
  Sides sides = Sides::both;
  if (in.version() > oldest_format) {
    const auto number = in.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(CentreKind::boosted)) in.refuse("has an unknown kind of centre");
    kind = static_cast<CentreKind>(number);
    sides = in.flag() ? Sides::each : Sides::both;
    if (kind == CentreKind::knn && sides == Sides::both)
      in.refuse("has a format that is newer than its content");
    if (sides == Sides::each && !method.scale_family) in.refuse("has two sides, which its method has not");
  }
  Centre centre = read_centre(in, kind, inputs);
  const std::shared_ptr<const FittedScore> score = with_sides(method.read(method, in, inputs), method, sides);
  Calibration calibration{std::vector<arma::vec>(std::max<std::size_t>(score->levels().size(), 1)), {}};
  for (arma::vec& scores : calibration.scores) scores = in.array<arma::vec>();
  if (score->kept_rows() > 0) calibration.local = in.matrix();
  if (!in.at_end()) in.refuse("has more in it than a model");

  if (scaling.deviation.n_elem != inputs || !sizes_fit(calibration, *score))
    in.refuse("has parts whose sizes do not fit together");
  if (!numbers_have_meaning(scaling, calibration)) in.refuse("holds numbers that no fitted model has");
  return LocalPredictor(Parts{.method = method.name,
                              .scaling = std::move(scaling),
                              .centre = std::move(centre),
                              .sides = sides,
                              .score = score,
                              .calibration = std::move(calibration)});
}

void LocalPredictor::save(const std::filesystem::path& file) const { write_file(file, to_bytes()); }

LocalPredictor LocalPredictor::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file, most_model_bytes), file.string());
}

}  // namespace lacp
