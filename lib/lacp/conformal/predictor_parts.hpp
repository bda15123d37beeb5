#pragma once

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
  std::string chosen;  // of Method::choices
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
};

struct LocalPredictor::Parts {
  std::string method;
  Sides sides;
  std::vector<Fold> folds;  // one, unless each calibrates the model of the others
  FitReport report = {};
};

}  // namespace lacp
