#pragma once

#include <map>
#include <vector>

#include "lacp/conformal/centred_parts.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"

/// What a LocalPredictor is made of, for the files that fit it (predictor.cpp), ask it
/// (predictor_predict.cpp, predictor_distribution.cpp) and save it (model_file.cpp).
namespace lacp {

/// The columns of a matrix, by what they hold; none if it has no rows.
std::map<std::vector<double>, std::vector<arma::uword>> columns_by_value(const arma::mat& X);

/// Calibration rows with equal values of PredictorSettings::by.
struct CalibrationClass {
  std::size_t rows = 0;
  bool calibrates = false;       // has enough rows for it
  Calibration calibration = {};  // of these alone
};

struct LocalPredictor::Fold {
  Scaling scaling;
  Centre centre;
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
  CentredPart rows = {};  // those that calibrate; none in a model that an older program wrote
  arma::mat local = {};   // what the score knows of them, where they have calibrated since the model was read
  std::vector<arma::uword> by = {};
  std::map<std::vector<double>, CalibrationClass> classes = {};  // by scaled values; made of the rest
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

/// What a fold sees of queries.
struct LocalPredictor::Seen {
  arma::mat local;
  arma::vec f;
  arma::mat by;  // the attributes that name a class

  /// Those too far out are added to the list.
  Seen(const Fold& fold, const arma::mat& X, std::vector<arma::uword>& too_far, std::size_t jobs);
};

}  // namespace lacp
