#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lacp/conformal/level.hpp"
#include "lacp/conformal/localizer.hpp"
#include "lacp/conformal/method.hpp"
#include "lacp/conformal/training.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/knn.hpp"

namespace lacp {

/// How intervals are calibrated and scored on the test part.
enum class EvaluationMode {
  leave_one_out,  ///< each scored point is calibrated by the others of the pool
  halves,         ///< a random half calibrates, the other half is scored: validity is then a measurement
};

struct EvaluationOptions {
  EvaluationMode mode = EvaluationMode::leave_one_out;
  std::size_t pool = 0;    ///< the first so many test points take part; 0: all
  std::size_t scored = 0;  ///< so many points of the pool, drawn at random, are scored; 0: all
  QuantileRule quantile = QuantileRule::ceiling;
};

/// The KNN part of an experiment.
struct PredictorOptions {
  KnnOptions knn;
  bool redraw_per_part = false;  ///< the released code draws the points and chooses K anew for each part
};

/// Whole scored intervals are kept for figures, of these data sets, in run 0, at this level.
struct KeptIntervals {
  std::vector<std::string> datasets;
  Level level = Level::parse("0.05");
};

/// The published table to compare with.
struct Reference {
  std::string file;                          ///< relative to the experiment's yaml; "" for none
  std::map<std::string, std::string> names;  ///< our data set → the table's, where they differ
};

/// Everything that one experiment yaml says.
struct Experiment {
  std::string name;  ///< of the yaml file, without its ending
  std::string title;
  std::uint64_t seed = 1;
  std::size_t runs = 5;
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<Level> levels;
  SplitOptions split;
  bool whole_batches = false;  ///< every part is cut to a multiple of the batch (released code)
  PredictorOptions predictor;
  TransformationOptions transformation;
  NetworkOptions network;
  TrainingOptions training;
  EvaluationOptions evaluation;
  KeptIntervals keep_intervals;
  Reference reference;
};

}  // namespace lacp
