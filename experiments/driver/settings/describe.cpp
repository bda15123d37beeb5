#include <utility>

#include "settings/values.hpp"

namespace lacp {
namespace {

/// The list in the making.
struct List {
  std::vector<Setting> all;
  std::string prefix = "";

  void add(const char* key, SettingValue value, const Touches& touches, const char* about,
           const char* unhashed = nullptr) {
    all.push_back({std::move(value), prefix + key, about, &touches, unhashed});
  }

  template <class F>
  void group(const char* key, const char* about, const F& members, const char* unhashed = nullptr) {
    add(key, {}, touches::nothing, about, unhashed);
    const std::string outside = std::exchange(prefix, all.back().key + ".");
    members();
    prefix = outside;
  }

  /// Younger than some manifests, which lack it.
  template <class F>
  void young_group(const char* key, const char* about, const F& members) {
    group(key, about, members, "");
  }
};

}  // namespace

std::vector<Setting> describe(Experiment& e) {
  List v;
  using namespace touches;
  using namespace values;
  const SettingCheck library = library_check(e);
  const auto within = [&](auto& field) { return number(field, library.range_of(&field)); };
  v.add("title", text(e.title), nothing,
        "what the experiment is, in a few words; heads its tables and its report");
  v.add("seed", number(e.seed, not_negative), all,
        "where all random numbers begin; the same seed gives the same numbers");
  v.add("runs", number(e.runs, Range{1, 100000}), nothing,
        "repetitions, each with a split and random numbers of its own; results are means over them");
  v.add("datasets", names(e.datasets), nothing, "data sets to run on; required; `lacp datasets` lists them");
  v.add("methods", names(e.methods), nothing, "methods to compare; required; `lacp methods` lists them");
  v.add(
      "levels", levels(e.levels), all,
      "levels α at which intervals are made; required; an interval at α may miss the truth with probability α");
  v.group("split", "how the rows are divided, at random in each run", [&] {
    v.add("proper", within(e.split.proper), all, "share of the rows that the point prediction is fitted on");
    v.add("train", within(e.split.train), all, "share of the rows that methods are trained on");
    v.add("test", within(e.split.test), all,
          "share of the rows that calibrate and score intervals; the three shares add up to 1");
    v.add("whole_batches", flag(e.whole_batches), all,
          "cut every part to a multiple of training.batch, as the released code does");
    v.add(
        "sample", pairs(e.sample), all,
        "share of a data set's rows that take part, drawn at random in each run, {data set: share}; all rows of the others",
        "{}");
  });
  v.group("predictor", "the point prediction f, the centre of the intervals", [&] {
    const Touches& knn = e.predictor.kind == CentreKind::knn ? all : nothing;
    v.add(
        "kind", choice(e.predictor.kind, {"knn", "mlp", "boosted", "stack"}), all,
        "the regression: K nearest neighbours, as in the paper (knn), a network with squared loss (mlp), gradient-boosted trees (boosted), or these three with weights by their errors out of folds (stack)",
        "knn");
    v.add("grid", counts(e.predictor.knn.grid, library.range_of(&e.predictor.knn.grid)), knn,
          "numbers of neighbours K to choose from, increasing; for knn alone, as the next four");
    v.add(
        "selection", choice(e.predictor.knn.selection, {"cross_validation", "hold_out"}), knn,
        "how K is chosen: by cross-validation, or by the error on the last fifth of the sample, once, as the released code does (hold_out)");
    const bool folded = e.predictor.knn.selection == KnnSelection::cross_validation;
    v.add("folds", within(e.predictor.knn.folds), folded ? knn : nothing,
          "parts of the cross-validation; not used by hold_out");
    v.add("points", number(e.predictor.knn.points, not_negative), knn,
          "at most this many points, drawn at random, make the KNN model; 0: all");
    v.add("redraw_per_part", flag(e.predictor.redraw_per_part), knn,
          "draw the points and choose K again for each part of the split, as the released code does");
    v.add("rounds", within(e.predictor.boosted.rounds),
          e.predictor.kind == CentreKind::boosted || e.predictor.kind == CentreKind::stack ? all : nothing,
          "trees of boosted and of stack, at most; rows that are held out decide", "100");
    v.add(
        "cross_fit", number(e.predictor.cross_fit, Range{0, 1000}), all,
        "K: the rows of split.proper and split.train together fit f and train methods, which see the errors of K-fold out-of-fold predictions; 0: either part has its own task, as in the paper",
        "0");
  });
  v.group("transformation", "numbers inside the transformations of the score A", [&] {
    v.add("gamma", within(e.transformation.gamma), trained,
          "γ in A / (g² + γ), which keeps erc from dividing by zero");
    v.add("minus_g", flag(e.transformation.released.minus_g), trained,
          "log A − g instead of log A + g in linear and sigma, as the released code has it");
    v.add("log_offset", within(e.transformation.released.log_offset), trained,
          "added to A inside the logarithm of linear and sigma; the released code has 1e-8");
    v.add(
        "logit_clamp", within(e.transformation.released.logit_clamp), trained,
        "c: the inverse of sigma cuts its argument to [c, 1 − c]; 0: does not; the released code has 0.001");
  });
  v.group("network", "the network g, which makes the size of an interval depend on x", [&] {
    v.add("hidden", counts(e.network.hidden, library.range_of(&e.network.hidden)), trained,
          "units of each hidden layer, from the first to the last");
    v.add("linear_first", flag(e.network.released.linear_first), trained,
          "one more hidden layer, in front and without ReLU, as in the released code");
    v.add("divide_by_origin", flag(e.network.released.divide_by_origin), trained,
          "g(x)/g(0) instead of g(x), as in the released code");
  });
  v.group("training", "how g is trained", [&] {
    v.add("learning_rate", within(e.training.adam.learning_rate), trained, "step size of Adam");
    v.add("beta1", within(e.training.adam.beta1), trained,
          "Adam's decay per step of the mean of the gradient");
    v.add("beta2", within(e.training.adam.beta2), trained,
          "Adam's decay per step of the mean of the squared gradient");
    v.add("epsilon", within(e.training.adam.epsilon), trained,
          "added by Adam to the number that it divides by");
    v.add("epochs", within(e.training.epochs), trained,
          "passes over the training rows, at most; training.selection chooses how many");
    // Where parts are cut to whole batches, the batch shapes the data of every method.
    v.add("batch", within(e.training.batch), e.whole_batches ? all : trained,
          "rows per training step; with split.whole_batches also what parts are cut to, for every method");
    v.add("shuffle", flag(e.training.released.shuffle), trained,
          "a new order of the rows in every epoch; false: one order, as in the released code");
    v.add("drop_partial_batch", flag(e.training.released.drop_partial_batch), trained,
          "leave out the last rows of an epoch where they do not fill a batch");
    const Objective objective = e.training.objective.kind;
    const Touches& averaged = objective == Objective::adaptation ? nothing : size;
    v.add(
        "objective", choice(e.training.objective.kind, {"all_levels", "one_level", "adaptation"}), size,
        "what is minimised: the mean size over all levels, or at training.level alone, or what makes sizes follow the local error as training.adaptation says (not for mixture)");
    v.add("level", level(e.training.objective.level), objective == Objective::one_level ? size : nothing,
          "the level α of objective one_level; not used by all_levels");
    v.add(
        "adaptation", within(e.training.objective.adaptation),
        objective == Objective::adaptation ? size : nothing,
        "θ of objective adaptation: sizes follow the local error to the power of θ; 0 would be the method fixed",
        "0.5");
    v.add("square_root", flag(e.training.objective.released.square_root), averaged,
          "minimise the mean of the half-width, sqrt(φ⁻¹); false: the mean of φ⁻¹, as in the released code");
    v.add("loss", choice(e.training.objective.loss, {"plain", "logarithm"}), averaged,
          "minimise the mean size itself, or its logarithm: the same minimum, and no overflow on the way");
    v.add("count_diagonal", flag(e.training.objective.released.count_diagonal), averaged,
          "count the pairs of a point with itself, as zeros, as the released code does");
    v.add("squared_error_fit", flag(e.training.objective.released.squared_error_fit), error_fit,
          "fit g² instead of g to the score A, as the released code does");
    v.group("selection", "how many epochs: best by validation; all but adapt then train on all rows", [&] {
      auto& s = e.training.selection;
      v.add("validation_share", within(s.validation_share), trained,
            "share of the training rows that validate");
      v.add(
          "fit_rows", number(s.released.fit_rows, not_negative), trained,
          "while epochs are chosen, at most this many rows are fitted on and all others validate; 0: no limit");
      v.add("validation_rows", number(s.released.validation_rows, not_negative), trained,
            "at most this many rows validate; 0: no limit");
      v.add(
          "criterion", choice(s.criterion, {"size", "winkler"}), criterion,
          "what validation measures: the mean size at training.selection.level, or the Winkler score in units of that of fixed, averaged over the levels; adapt and adapt_25 to adapt_100 always take winkler",
          "size");
      v.add("level", level(s.level), s.criterion == Criterion::size ? criterion : nothing,
            "the level α at which validation measures the mean size");
      v.add("patience", within(s.patience), trained, "stop after this many epochs without gain");
      v.add("least_gain", within(s.least_gain), trained,
            "relative gain that counts: score < (1 − least_gain) · best so far");
      v.add("count_from_zero", flag(s.released.count_from_zero), trained,
            "train again for one epoch fewer than the best, as the released code does");
      v.add("decimals", within(s.released.decimals), trained,
            "decimals that validation scores are rounded to before they are compared; -1: not rounded");
    });
  });
  v.young_group("baselines", "numbers of the methods beyond the paper", [&] {
    v.young_group("knn_error", "the error over σ̂ + β", [&] {
      v.add("neighbours", within(e.baselines.knn_error.neighbours), baseline,
            "σ̂ is the mean error of this many nearest training points", "25");
      v.add("beta", within(e.baselines.knn_error.beta), baseline, "β, added to σ̂, in units of the mean |y|",
            "0.01");
    });
    v.young_group("mondrian", "a quantile for each bin of σ̂", [&] {
      v.add("bins", within(e.baselines.mondrian.bins), baseline,
            "at most this many; fewer where bins would be too small for the smallest level", "10");
    });
  });
  v.group("evaluation", "how intervals are calibrated and scored on the test part", [&] {
    v.add(
        "mode", choice(e.evaluation.mode, {"leave_one_out", "halves"}), all,
        "each scored point is calibrated by the others of the pool (leave_one_out), or a random half calibrates and the other half is scored (halves), so that validity is a measurement");
    v.add("calibration_share", number(e.evaluation.calibration_share, share),
          e.evaluation.mode == EvaluationMode::halves ? all : nothing,
          "with halves: share of the pool that calibrates; the others are scored", "0.5");
    v.add("pool", number(e.evaluation.pool, not_negative), all,
          "number of test points that take part, from the first on; 0: all");
    v.add("scored", number(e.evaluation.scored, not_negative), all,
          "this many points of the pool, drawn at random, are scored; 0: all");
    v.add(
        "quantile", choice(e.evaluation.quantile, {"ceiling", "floor_index"}), all,
        "which of N sorted calibration scores is q: the ⌈(N+1)(1−α)⌉-th (ceiling), or index int((1−α)N) from zero, as in the released code (floor_index)");
    v.add(
        "sides", choice(e.evaluation.sides, {"both", "each"}), scaled,
        "one quantile of the error serves both sides, or each side has its own, at α/2, which suits skewed errors (each); methods whose intervals are not f ± q·s(x) always take both",
        "both");
    v.add(
        "excess_risk", flag(e.evaluation.excess_risk), all,
        "also measure the excess risk of target coverage (ert, ert_error): whether x tells who is covered; takes up to some seconds per task",
        "false");
    v.add(
        "crps", flag(e.evaluation.crps), distribution,
        "also measure the CRPS (crps), twice the mean pinball loss of the calibrated quantiles 0.01 to 0.99; infinite ones count as the nearest finite one",
        "false");
  });
  v.group("keep_intervals", "intervals of the first run that are kept whole, for figures", [&] {
    v.add("datasets", names(e.keep_intervals.datasets), nothing, "data sets whose intervals are kept");
    v.add("level", level(e.keep_intervals.level), kept, "the level α of the intervals that are kept");
  });
  v.group("reference", "a published table to compare with", [&] {
    v.add("file", text(e.reference.file), nothing,
          "csv of the published numbers, relative to the experiment's yaml; empty: none");
    v.add("names", pairs(e.reference.names), nothing,
          "data sets that the published table has under another name, {ours: theirs}");
    v.add(
        "beside", text(e.reference.beside), nothing,
        "csv of published sizes (columns width_mean and ours), Winkler scores (winkler) or CRPS in the unit of y (crps; ours beside them with predictor.cross_fit), relative to the experiment's yaml: shown beside ours, without a test; empty: none",
        "\"\"");
  });
  v.young_group(
      "report",
      "its place in `lacp report` of a folder of experiments; based_on and --name do not hand it on", [&] {
        v.add(
            "role", choice(e.report.role, {"protocol", "main", "many_runs", "single_level"}), nothing,
            "protocol: has tables, figures and claims; main: so has this, and claims are told from it; many_runs: of its base, kept as manifest.yaml, table.csv and runs.csv, without its cells; single_level: is only compared with its base",
            "protocol");
        v.add("base", text(e.report.base), nothing,
              "name of the experiment that it is compared with; empty: the first on the same rows", "\"\"");
      });
  return std::move(v.all);
}

}  // namespace lacp
