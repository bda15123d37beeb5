#pragma once

#include "common/settings/setting.hpp"
#include "lacp/base/options.hpp"

// What an experiment and a fit can both be told by --set: the options of the library.
namespace lacp {

/// The point prediction.
struct PredictorOptions : CentreOptions {
  bool redraw_per_part = false;  ///< the released code draws the points and chooses K again for each part
  std::size_t cross_fit = 0;     ///< folds of the out-of-fold predictions; 0: separate parts
};

/// How rows are divided, f is fitted and g is trained.
struct ModelSettings {
  SplitOptions split;
  bool whole_batches = false;  ///< every part is cut to a multiple of the batch (released code)
  PredictorOptions predictor;
  TransformationOptions transformation;
  NetworkOptions network;
  TrainingOptions training;
};

/// Adds the groups split, predictor, transformation, network and training.
void describe_model(SettingList& list, ModelSettings& model);

/// Adds the key `sides`, which is one of the group evaluation.
void describe_sides(SettingList& list, Sides& sides);

/// What the library says about the options: whether they work, and the ranges of their numbers.
SettingCheck library_check(const ModelSettings& model);

/// What no single key shows. UserError for options that do not work together.
void check_model(const YamlMap& map, const ModelSettings& model);

}  // namespace lacp
