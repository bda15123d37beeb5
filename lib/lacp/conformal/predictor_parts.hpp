#pragma once

#include "lacp/conformal/centred_parts.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"

/// What a LocalPredictor is made of, for the files that fit it (predictor.cpp), ask it
/// (predictor_predict.cpp) and save it (model_file.cpp).
namespace lacp {

struct LocalPredictor::Fold {
  Scaling scaling;
  Centre centre;
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
  CentredPart rows = {};  // those that calibrate; none in a model that an older program wrote
};

struct LocalPredictor::Parts {
  std::string method;
  Sides sides;
  bool whole = false;       // PredictorSettings::whole
  std::vector<Fold> folds;  // one, unless each calibrates the model of the others
  FitReport report = {};
  Ends ends = Ends::both;          // which intervals have
  std::vector<Level> fitted = {};  // levels that no other one changes, where scores depend on the level

  /// Calibrates a fold by its rows.
  void calibrate(Fold& fold, std::size_t jobs = 1) const;
};

}  // namespace lacp
