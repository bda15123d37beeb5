#pragma once

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "lacp/conformal/score.hpp"
#include "models/predictor/centred_parts.hpp"
#include "models/predictor/predictor.hpp"

/// What a LocalPredictor is made of, for the files that fit it (predictor.cpp, predictor_fit.cpp), ask it
/// (predictor_predict.cpp, predictor_folds.cpp), update it (predictor_update.cpp) and save it
/// (model_file.cpp).
namespace lacp {

/// The columns of a matrix, by what they hold; none if it has no rows.
std::map<std::vector<double>, std::vector<arma::uword>> columns_by_value(const arma::mat& X);

/// UserError, which begins with the key, unless all are whole numbers.
void require_whole(const arma::vec& y, std::string_view key);

/// Throws: a row (from 0) that has no prediction.
[[noreturn]] void refuse_far(std::string_view what, arma::uword row);

/// Throws: Sides::each is not for this method.
[[noreturn]] void refuse_each_side(std::string_view whose, std::string_view method);

/// Whether a threshold for each side is finite wherever one for both is, and no class that is calibrated by
/// its own rows with one needs others with two.
bool suffice_for_each_side(std::size_t rows, const std::vector<std::size_t>& classes, const Level& level);

/// Calibration rows with equal values of PredictorSettings::by.
struct CalibrationClass {
  std::vector<arma::uword> rows;
  Calibration calibration = {};  // of these alone; of none if they are too few for every level
};

/// How a fold calibrates intervals with both ends, or single ends.
struct LocalPredictor::View {
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
  std::map<std::vector<double>, CalibrationClass> classes = {};  // by scaled values
  /// Rows of the classes that have this many or fewer, which calibrate together.
  std::map<std::size_t, Calibration> together = {};

  Calibration calibration_of(const std::vector<arma::uword>& some) const;
  Calibration calibration_up_to(std::size_t rows) const;
};

struct LocalPredictor::Fold {
  Scaling scaling;
  Centre centre;
  std::shared_ptr<const View> fitted = {};  // both ends, at the levels of the fit
  CentredPart rows = {};                    // those that calibrate
  /// When each of them came: 0 with the fit, then counted over all updates.
  std::vector<std::uint64_t> arrived = {};
  arma::mat local = {};  // what the score knows of them, where they have calibrated since the model was read
  std::vector<arma::uword> by = {};

  std::shared_ptr<const View> view(std::shared_ptr<const FittedScore> score, Calibration calibration) const;
  void keep_rows(const std::vector<arma::uword>& kept);
};

struct LocalPredictor::Parts {
  std::string method;
  Sides sides;
  /// An update has chosen a threshold for each side: with_sides. Both ends may then lie on one side of what
  /// was the middle at the fit, so that whole ends need not hold that.
  bool after_update = false;
  bool whole = false;       // PredictorSettings::whole
  std::vector<Fold> folds;  // one, unless each calibrates the model of the others
  FitReport report = {};
  bool grouped = false;  // one row of each group calibrates
  /// The least and the largest target known, of the fit and of updates; with whole targets no single end lies
  /// beyond them.
  double least = -arma::datum::inf, largest = arma::datum::inf;

  /// Calibrates a fold by its rows: as it was fitted, and for other ends and levels by what the score knows
  /// of them.
  void calibrate(Fold& fold, std::shared_ptr<const FittedScore> score, std::size_t jobs) const;
  std::shared_ptr<const View> view(const Fold& fold, const std::shared_ptr<const FittedScore>& score,
                                   Ends ends, const arma::mat& local) const;

  /// Drops calibration rows of all folds until this many are left: those that came first, and of equals those
  /// that stand first in their folds.
  void keep_newest(std::size_t rows);
};

/// What answers questions: views by ends, of each fold, which have the same `local`.
struct LocalPredictor::Asked {
  Questions questions;
  std::array<std::vector<std::shared_ptr<const View>>, 3> views = {};
  std::vector<std::shared_ptr<const View>> one_threshold =
      {};  // where has_each_side is false, but sides are each

  const View& view(Ends ends, std::size_t fold) const { return *views[static_cast<std::size_t>(ends)][fold]; }
};

struct LocalPredictor::LastAsked {
  std::mutex mutex;
  std::shared_ptr<const Asked> asked;
};

/// What a fold sees of queries.
struct LocalPredictor::Seen {
  arma::mat local;
  arma::vec f;
  arma::mat by;  // the attributes that name a class

  /// By this score. Those too far out are added to the list.
  Seen(const Fold& fold, const FittedScore& score, const arma::mat& X, std::vector<arma::uword>& too_far,
       std::size_t jobs);
};

}  // namespace lacp
