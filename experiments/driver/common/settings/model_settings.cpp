#include "common/settings/model_settings.hpp"

#include "common/settings/values.hpp"

namespace lacp {
namespace {

/// What to type where the shares of a split do not add up to 1: those of --set stay if there is room beside
/// them, and the others keep their proportion.
std::string shares_advice(const YamlMap& split, const SplitOptions& found) {
  const std::initializer_list<std::pair<const char*, double>> shares = {
      {"proper", found.proper}, {"train", found.train}, {"test", found.test}};
  const auto is_set = [&](const char* key) { return split.where(key).starts_with("--set "); };
  double kept = 0.0, others = 0.0;
  for (const auto& [key, share] : shares) (is_set(key) ? kept : others) += share;
  const bool room = kept < 1.0 && others > 0.0;
  std::string text = "; say --set";
  for (const auto& [key, share] : shares) {
    double advised = share / (kept + others);
    if (room) advised = is_set(key) ? share : share * (1.0 - kept) / others;
    text += fmt::format(" split.{}={:.12g}", key, advised);
  }
  return text;
}

}  // namespace

void describe_model(SettingList& v, ModelSettings& m) {
  using namespace touches;
  using namespace values;
  const SettingCheck library = library_check(m);
  const auto within = [&](auto& field) { return number(field, library.range_of(&field)); };
  v.group("split", "how the rows are divided, at random in each run", [&] {
    v.add("proper", within(m.split.proper), all, "share of the rows that the point prediction is fitted on");
    v.add("train", within(m.split.train), all, "share of the rows that methods are trained on");
    v.add("test", within(m.split.test), all,
          "share of the rows that calibrate and score intervals; the three shares add up to 1");
    v.add("whole_batches", flag(m.whole_batches), all,
          "cut every part to a multiple of training.batch, as the released code does");
    v.add(
        "sample", pairs(m.sample), all,
        "share of a data set's rows that take part, drawn at random in each run, {data set: share}; all rows of the others");
  });
  v.group("predictor", "the point prediction f, the centre of the intervals", [&] {
    const Touches& knn = m.predictor.kind == CentreKind::knn ? all : nothing;
    v.add(
        "kind", choice(m.predictor.kind, {"knn", "mlp", "boosted", "stack"}), all,
        "the regression: K nearest neighbours, as in the paper (knn), a network with squared loss (mlp), gradient-boosted trees (boosted), or these three and extremely randomised trees with weights by their errors out of folds (stack)");
    v.add("grid", counts(m.predictor.knn.grid, library.range_of(&m.predictor.knn.grid)), knn,
          "numbers of neighbours K to choose from, increasing; for knn alone, as the next three");
    v.add(
        "selection", choice(m.predictor.knn.selection, {"cross_validation", "hold_out"}), knn,
        "how K is chosen: by cross-validation, or by the error on the last fifth of the sample, once, as the released code does (hold_out)");
    v.add("points", number(m.predictor.knn.points, not_negative), knn,
          "at most this many points, drawn at random, make the KNN model; 0: all");
    v.add("redraw_per_part", flag(m.predictor.redraw_per_part), knn,
          "draw the points and choose K again for each part of the split, as the released code does");
    v.add("rounds", within(m.predictor.boosted.rounds),
          m.predictor.kind == CentreKind::boosted || m.predictor.kind == CentreKind::stack ? all : nothing,
          "trees of boosted and of stack, at most; rows that are held out decide");
    v.add(
        "cross_fit", number(m.predictor.cross_fit, Range{0, 1000}), all,
        "K: the rows of split.proper and split.train together fit f and train methods, which see the errors of K-fold out-of-fold predictions; 0: either part has its own task, as in the paper");
  });
  v.group("transformation", "numbers inside the transformations of the score A", [&] {
    v.add("gamma", within(m.transformation.gamma), trained,
          "γ in A / (g² + γ), which keeps erc from dividing by zero");
    v.add("minus_g", flag(m.transformation.released.minus_g), trained,
          "log A − g instead of log A + g in linear and sigma, as the released code has it");
    v.add("log_offset", within(m.transformation.released.log_offset), trained,
          "added to A inside the logarithm of linear and sigma; the released code has 1e-8");
    v.add(
        "logit_clamp", within(m.transformation.released.logit_clamp), trained,
        "c: the inverse of sigma cuts its argument to [c, 1 − c]; 0: does not; the released code has 0.001");
  });
  v.group("network", "the network g, which makes the size of an interval depend on x", [&] {
    v.add("hidden", counts(m.network.hidden, library.range_of(&m.network.hidden)), trained,
          "units of each hidden layer, from the first to the last");
    v.add("linear_first", flag(m.network.released.linear_first), trained,
          "one more hidden layer, in front and without ReLU, as in the released code");
    v.add("divide_by_origin", flag(m.network.released.divide_by_origin), trained,
          "g(x)/g(0) instead of g(x), as in the released code");
  });
  v.group("training", "how g is trained", [&] {
    v.add("learning_rate", within(m.training.adam.learning_rate), trained, "step size of Adam");
    v.add("epochs", within(m.training.epochs), trained,
          "passes over the training rows, at most; training.selection chooses how many");
    // Where parts are cut to whole batches, the batch shapes the data of every method.
    v.add("batch", within(m.training.batch), m.whole_batches ? all : trained,
          "rows per training step; with split.whole_batches also what parts are cut to, for every method");
    v.add("shuffle", flag(m.training.released.shuffle), trained,
          "a new order of the rows in every epoch; false: one order, as in the released code");
    v.add("drop_partial_batch", flag(m.training.released.drop_partial_batch), trained,
          "leave out the last rows of an epoch where they do not fill a batch");
    v.add("objective", choice(m.training.objective.kind, {"all_levels", "one_level"}), size,
          "what is minimised: the mean size over all levels, or at training.level alone");
    v.add("level", level(m.training.objective.level),
          m.training.objective.kind == Objective::one_level ? size : nothing,
          "the level α of objective one_level; not used by all_levels");
    v.add("square_root", flag(m.training.objective.released.square_root), size,
          "minimise the mean of the half-width, sqrt(φ⁻¹); false: the mean of φ⁻¹, as in the released code");
    v.add("loss", choice(m.training.objective.loss, {"plain", "logarithm"}), size,
          "minimise the mean size itself, or its logarithm: the same minimum, and no overflow on the way");
    v.add("count_diagonal", flag(m.training.objective.released.count_diagonal), size,
          "count the pairs of a point with itself, as zeros, as the released code does");
    v.add("squared_error_fit", flag(m.training.objective.released.squared_error_fit), error_fit,
          "fit g² instead of g to the score A, as the released code does");
    v.group("selection", "how many epochs: best by validation; all but adapt then train on all rows", [&] {
      auto& s = m.training.selection;
      v.add("validation_share", within(s.validation_share), trained,
            "share of the training rows that validate");
      v.add(
          "fit_rows", number(s.released.fit_rows, not_negative), trained,
          "while epochs are chosen, at most this many rows are fitted on and all others validate; 0: no limit");
      v.add("validation_rows", number(s.released.validation_rows, not_negative), trained,
            "at most this many rows validate; 0: no limit");
      v.add("level", level(s.level), mean_size,
            "the level α at which validation measures the mean size; adapt measures the Winkler score");
      v.add("patience", within(s.patience), trained, "stop after this many epochs without gain");
      v.add("least_gain", within(s.least_gain), trained,
            "relative gain that counts: score < (1 − least_gain) · best so far");
      v.add("count_from_zero", flag(s.released.count_from_zero), trained,
            "train again for one epoch fewer than the best, as the released code does");
      v.add("decimals", within(s.released.decimals), trained,
            "decimals that validation scores are rounded to before they are compared; -1: not rounded");
    });
  });
}

void describe_sides(SettingList& v, Sides& field) {
  v.add(
      "sides", values::choice(field, {"both", "each"}), touches::scaled,
      "one quantile of the error serves both sides, or each side has its own, at α/2, which suits skewed errors (each); other methods than forest whose intervals are not f ± q·s(x) always take both");
}

SettingCheck library_check(const ModelSettings& m) {
  return SettingCheck()
      .part("split", check_of(m.split))
      .part("predictor", check_of(m.predictor.knn))
      .part("predictor", check_of(m.predictor.boosted))
      .part("transformation", check_of(m.transformation))
      .part("network", check_of(m.network))
      .part("training", check_of(m.training));
}

void check_model(const YamlMap& map, const ModelSettings& m) {
  const SettingCheck library = library_check(m);
  if (const std::optional<SettingProblem>& found = library.problem()) {
    const bool sum = found->key == "split.test" && m.split.test > 0.0 && m.split.test < 1.0;
    fail_at(map, found->key, found->message + (sum ? shares_advice(map.map("split"), m.split) : ""));
  }
  if (m.predictor.cross_fit == 1)
    fail_at(map, "predictor.cross_fit", "found 1; expected 0, or at least 2 folds");
  if (m.predictor.redraw_per_part && (m.predictor.kind != CentreKind::knn || m.predictor.cross_fit != 0))
    fail_at(map, "predictor.redraw_per_part",
            "found true; expected false with a kind other than knn, or with cross_fit");
}

}  // namespace lacp
