#pragma once

#include <array>
#include <map>
#include <mutex>
#include <vector>

#include "lacp/conformal/score.hpp"
#include "models/predictor/centred_parts.hpp"
#include "models/predictor/predictor.hpp"

/// What a LocalPredictor is made of, for the files that fit it (predictor_fit.cpp), ask it
/// (predictor_predict.cpp), update it (predictor_update.cpp) and save it (model_file.cpp).
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

/// Groups of rows by the width of their intervals, at most.
constexpr std::size_t most_width_groups = 5;

/// As many groups of about equally many rows as leave each this many.
std::size_t width_groups(std::size_t rows, std::size_t needed);

/// The number of the group that a width falls into.
std::size_t width_group(double width, std::span<const double> cuts, std::size_t groups);

/// Calibration rows with equal values of PredictorSettings::by.
struct CalibrationClass {
  std::vector<arma::uword> rows;
  Calibration calibration = {};  // of these alone; of none if they are too few for every level
};

/// A score and what calibrates it: intervals with both ends, or single ends.
struct LocalPredictor::CalibratedScore {
  std::shared_ptr<const FittedScore> score;
  Calibration calibration;
  std::map<std::vector<double>, CalibrationClass> classes = {};  // by scaled values
  /// Rows of the classes that have this many or fewer, which calibrate together.
  std::map<std::size_t, Calibration> together = {};
  /// Of two, three, ... groups by width, the rows of each; none of more than there are rows for.
  std::map<std::size_t, std::vector<Calibration>> by_width = {};

  Calibration calibration_of(const std::vector<arma::uword>& some) const;
  Calibration calibration_up_to(std::size_t rows) const;
  void divide_by_width(const arma::vec& widths);
};

struct LocalPredictor::State {
  std::string method;
  Sides sides;
  /// An update has chosen a threshold for each side: with_sides. Both ends may then lie on one side of what
  /// was the middle at the fit, so that whole ends need not hold that.
  bool after_update = false;
  bool whole = false;  // PredictorSettings::whole
  Scaling scaling;
  Centre centre;
  std::vector<arma::uword> by = {};
  CentredPart rows = {};  // those that calibrate
  /// When each of them came: 0 with the fit, then counted over all updates.
  std::vector<std::uint64_t> arrived = {};
  /// With every_row: of the first of them, which come from the fit, their places among all its rows.
  std::vector<std::uint32_t> places = {};
  arma::vec widths = {};                               // FittedScore::widths of each of them
  std::shared_ptr<const CalibratedScore> fitted = {};  // both ends, at the levels of the fit
  FitReport report = {};
  bool grouped = false;  // one row of each group calibrates
  /// The least and the largest target known, of the fit and of updates; with whole targets no single end lies
  /// beyond them.
  double least = -arma::datum::inf, largest = arma::datum::inf;

  /// Calibrates by the rows, as it was fitted. Rows that have no score out of bag leave.
  void calibrate(std::shared_ptr<const FittedScore> score, std::size_t jobs);
  /// The same for other ends and levels, by what the score knows of the rows.
  std::shared_ptr<const CalibratedScore> calibrated(const std::shared_ptr<const FittedScore>& score,
                                                    Ends ends, const arma::mat& local) const;
  std::shared_ptr<const CalibratedScore> calibrated(std::shared_ptr<const FittedScore> score,
                                                    Calibration calibration) const;
  Calibration calibration_of(const FittedScore& score, Ends ends, const CentredPart& some,
                             const arma::mat& local) const;
  arma::mat local_of_rows(const FittedScore& score, std::size_t jobs) const;
  void keep_rows(const std::vector<arma::uword>& kept);

  /// Whether scores of rows that all trained are enough like those of new rows to be compared with them.
  bool like_new_rows() const;

  /// Drops calibration rows until this many are left: those that came first, and of equals those that stand
  /// first.
  void keep_newest(std::size_t count);
};

/// What answers questions; all of it has the same `local`.
struct LocalPredictor::Prepared {
  Questions questions;
  std::array<std::shared_ptr<const CalibratedScore>, 3> by_ends = {};
  std::shared_ptr<const CalibratedScore> one_threshold =
      {};  // where has_each_side is false, but sides are each

  const CalibratedScore& at(Ends ends) const { return *by_ends[static_cast<std::size_t>(ends)]; }
};

struct LocalPredictor::LastPrepared {
  std::mutex mutex;
  std::shared_ptr<const Prepared> prepared;
};

/// Queries as the model sees them.
struct LocalPredictor::QueryView {
  arma::mat local;
  arma::vec f;
  arma::mat by;  // the attributes that name a class
  std::vector<arma::uword> too_far = {};

  QueryView(const State& state, const FittedScore& score, const arma::mat& X, std::size_t jobs);
  /// The rows that calibrate.
  QueryView(const State& state, arma::mat local_of_rows);
};

}  // namespace lacp
