#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacp/base/setting.hpp"
#include "lacp/io/yaml.hpp"  // yaml_quoted
#include "settings/experiment.hpp"

namespace lacp {

/// Whose results a setting changes; what is not touched is not done again.
enum class Touches {
  nothing,    ///< what is run or how it is shown, never a number
  all,        ///< every method
  trained,    ///< methods that train something, not `fixed`
  size,       ///< methods trained by the size objective
  error_fit,  ///< methods trained by fitting the errors
  kept,       ///< tasks whose whole intervals are kept
};

/// Names of the values of a choice.
template <class T>
using Choices = std::vector<std::pair<std::string_view, T>>;

/// The one description of an experiment's settings: a line per key, in the order in which they are written.
/// Reading a yaml, writing the manifest and hashing are visitors V with
///   v.number(key, field, touches, range), v.flag(key, field, touches), v.text(key, field, touches),
///   v.level(key, field, touches), v.levels(...), v.names(...), v.counts(key, field, touches, range),
///   v.choice(key, field, touches, choices), v.pairs(key, field, touches), v.group(key, function).
/// A range is given where the driver sets it; options of the library are checked by its `find_problem`.
/// E is Experiment or const Experiment.
template <class V, class E>
void describe(V& v, E& e) {
  using enum Touches;
  v.text("title", e.title, nothing);
  v.number("seed", e.seed, all, not_negative);
  v.number("runs", e.runs, nothing, Range{1, 100000});
  v.names("datasets", e.datasets, nothing);
  v.names("methods", e.methods, nothing);
  v.levels("levels", e.levels, all);
  v.group("split", [&] {
    v.number("proper", e.split.proper, all);
    v.number("train", e.split.train, all);
    v.number("test", e.split.test, all);
    v.flag("whole_batches", e.whole_batches, all);
  });
  v.group("predictor", [&] {
    v.counts("grid", e.predictor.knn.grid, all);
    v.choice("selection", e.predictor.knn.selection, all,
             Choices<KnnSelection>{{"cross_validation", KnnSelection::cross_validation},
                                   {"hold_out", KnnSelection::hold_out}});
    const bool folded = e.predictor.knn.selection == KnnSelection::cross_validation;
    v.number("folds", e.predictor.knn.folds, folded ? all : nothing);
    v.number("points", e.predictor.knn.points, all);
    v.flag("redraw_per_part", e.predictor.redraw_per_part, all);
  });
  v.group("transformation", [&] {
    v.number("gamma", e.transformation.gamma, trained);
    v.flag("minus_g", e.transformation.minus_g, trained);
    v.number("log_offset", e.transformation.log_offset, trained);
    v.number("logit_clamp", e.transformation.logit_clamp, trained);
  });
  v.group("network", [&] {
    v.counts("hidden", e.network.hidden, trained);
    v.flag("linear_first", e.network.linear_first, trained);
    v.flag("divide_by_origin", e.network.divide_by_origin, trained);
  });
  v.group("training", [&] {
    v.number("learning_rate", e.training.adam.learning_rate, trained);
    v.number("beta1", e.training.adam.beta1, trained);
    v.number("beta2", e.training.adam.beta2, trained);
    v.number("epsilon", e.training.adam.epsilon, trained);
    v.number("epochs", e.training.epochs, trained);
    // Where parts are cut to whole batches, the batch shapes the data of every method.
    v.number("batch", e.training.batch, e.whole_batches ? all : trained);
    v.flag("shuffle", e.training.shuffle, trained);
    v.flag("drop_partial_batch", e.training.drop_partial_batch, trained);
    v.choice("objective", e.training.objective.all_levels, size,
             Choices<bool>{{"all_levels", true}, {"one_level", false}});
    v.level("level", e.training.objective.level, e.training.objective.all_levels ? nothing : size);
    v.flag("square_root", e.training.objective.square_root, size);
    v.choice("loss", e.training.objective.loss, size,
             Choices<Loss>{{"plain", Loss::plain}, {"logarithm", Loss::logarithm}});
    v.flag("count_diagonal", e.training.objective.count_diagonal, size);
    v.flag("squared_error_fit", e.training.objective.squared_error_fit, error_fit);
    v.group("selection", [&] {
      auto& s = e.training.selection;
      v.number("validation_share", s.validation_share, trained);
      v.number("fit_rows", s.fit_rows, trained);
      v.number("validation_rows", s.validation_rows, trained);
      v.level("level", s.level, trained);
      v.number("patience", s.patience, trained);
      v.number("least_gain", s.least_gain, trained);
      v.flag("count_from_zero", s.count_from_zero, trained);
      v.number("decimals", s.decimals, trained);
    });
  });
  v.group("evaluation", [&] {
    v.choice("mode", e.evaluation.mode, all,
             Choices<EvaluationMode>{{"leave_one_out", EvaluationMode::leave_one_out},
                                     {"halves", EvaluationMode::halves}});
    v.number("pool", e.evaluation.pool, all, not_negative);
    v.number("scored", e.evaluation.scored, all, not_negative);
    v.choice("quantile", e.evaluation.quantile, all,
             Choices<QuantileRule>{{"ceiling", QuantileRule::ceiling},
                                   {"floor_index", QuantileRule::floor_index}});
  });
  v.group("keep_intervals", [&] {
    v.names("datasets", e.keep_intervals.datasets, nothing);
    v.level("level", e.keep_intervals.level, kept);
  });
  v.group("reference", [&] {
    v.text("file", e.reference.file, nothing);
    v.pairs("names", e.reference.names, nothing);
  });
}

}  // namespace lacp
