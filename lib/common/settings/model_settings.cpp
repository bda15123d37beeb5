#include "common/settings/model_settings.hpp"

#include "common/settings/values.hpp"

namespace lacp {
void describe_model(SettingList& v, ModelSettings& m) {
  using namespace touches;
  using namespace values;
  const SettingCheck library = library_check(m);
  const auto within = [&](auto& field) { return number(field, library.range_of(&field)); };
  v.group("split", "random parts of the rows", [&] {
    v.add("proper", within(m.split.proper), all, "share that fits f");
    v.add("train", within(m.split.train), all, "share that trains methods");
    v.add("test", within(m.split.test), all, "share to calibrate and score");
    v.add("whole_batches", flag(m.whole_batches), all, "whole batches (released code)");
  });
  v.group("predictor", "the point prediction f", [&] {
    const Touches knn = m.predictor.kind == CentreKind::knn ? all : nothing;
    v.add("kind", choice(m.predictor.kind, {"knn", "mlp", "boosted", "stack"}), all, "how f is fitted");
    v.add("grid", counts(m.predictor.knn.grid, library.range_of(&m.predictor.knn.grid)), knn,
          "numbers K to choose from");
    v.add("selection", choice(m.predictor.knn.selection, {"cross_validation", "hold_out"}), knn,
          "how K is chosen");
    v.add("points", number(m.predictor.knn.points, not_negative), knn, "most points of knn; 0: all");
    v.add("redraw_per_part", flag(m.predictor.redraw_per_part), knn, "K per part (released code)");
    v.add("rounds", within(m.predictor.boosted.rounds),
          m.predictor.kind == CentreKind::boosted || m.predictor.kind == CentreKind::stack ? all : nothing,
          "most trees of boosted, stack");
    v.add("cross_fit", number(m.predictor.cross_fit, Range{0, 1000}), all, "folds; 0: separate parts");
  });
  v.group("transformation", "numbers of transformations", [&] {
    v.add("gamma", within(m.transformation.gamma), trained, "γ in A / (g² + γ) of erc");
    v.add("minus_g", flag(m.transformation.released.minus_g), trained, "log A − g (released code)");
    v.add("log_offset", within(m.transformation.released.log_offset), trained, "added to A in the logarithm");
    v.add("logit_clamp", within(m.transformation.released.logit_clamp), trained,
          "c: sigma⁻¹ cuts to [c, 1 − c]");
  });
  v.group("network", "g, the local size", [&] {
    v.add("hidden", counts(m.network.hidden, library.range_of(&m.network.hidden)), trained,
          "units of each hidden layer");
    v.add("linear_first", flag(m.network.released.linear_first), trained, "first a layer without ReLU");
    v.add("divide_by_origin", flag(m.network.released.divide_by_origin), trained,
          "g(x)/g(0) (released code)");
  });
  v.group("training", "how g is trained", [&] {
    v.add("learning_rate", within(m.training.adam.learning_rate), trained, "step size of Adam");
    v.add("epochs", within(m.training.epochs), trained, "most passes over the rows");
    // Where parts are cut to whole batches, the batch shapes the data of every method.
    v.add("batch", within(m.training.batch), m.whole_batches ? all : trained, "rows per training step");
    v.add("shuffle", flag(m.training.released.shuffle), trained, "a new order in each epoch");
    v.add("drop_partial_batch", flag(m.training.released.drop_partial_batch), trained,
          "leave out an incomplete batch");
    v.add("objective", choice(m.training.objective.kind, {"all_levels", "one_level"}), size,
          "mean size: at which levels");
    v.add("level", level(m.training.objective.level),
          m.training.objective.kind == Objective::one_level ? size : nothing, "level α of one_level");
    v.add("square_root", flag(m.training.objective.released.square_root), size,
          "mean of sqrt(φ⁻¹), not of φ⁻¹");
    v.add("loss", choice(m.training.objective.loss, {"plain", "logarithm"}), size,
          "mean size, or its logarithm");
    v.add("count_diagonal", flag(m.training.objective.released.count_diagonal), size,
          "pairs of a point with itself");
    v.add("squared_error_fit", flag(m.training.objective.released.squared_error_fit), error_fit,
          "g², not g, fits A");
    v.group("selection", "how many epochs", [&] {
      auto& s = m.training.selection;
      v.add("validation_share", within(s.validation_share), trained, "share that validates");
      v.add("fit_rows", number(s.released.fit_rows, not_negative), trained, "most rows that fit; 0: all");
      v.add("validation_rows", number(s.released.validation_rows, not_negative), trained,
            "most that validate; 0: all");
      v.add("level", level(s.level), mean_size, "level α of the validation");
      v.add("patience", within(s.patience), trained, "most epochs without gain");
      v.add("least_gain", within(s.least_gain), trained, "smallest relative gain");
      v.add("count_from_zero", flag(s.released.count_from_zero), trained, "one epoch fewer than the best");
      v.add("decimals", within(s.released.decimals), trained, "of validation scores; -1: all");
    });
  });
}

void describe_sides(SettingList& v, Sides& field) {
  v.add("sides", values::choice(field, {"both", "each"}), touches::scaled, "one quantile, or one per side");
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
  if (const std::optional<SettingProblem>& found = library.problem())
    fail_at(map, found->key, found->message);
  if (m.predictor.cross_fit == 1)
    fail_at(map, "predictor.cross_fit", "found 1; expected 0, or at least 2 folds");
  if (m.predictor.redraw_per_part && (m.predictor.kind != CentreKind::knn || m.predictor.cross_fit != 0))
    fail_at(map, "predictor.redraw_per_part", "goes with knn, no cross_fit");
}

}  // namespace lacp
