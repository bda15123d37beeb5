#pragma once

#include <armadillo>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lacp/conformal/fit_localizer.hpp"
#include "lacp/conformal/level.hpp"
#include "lacp/conformal/localizer.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/data/split.hpp"
#include "lacp/model/knn.hpp"

namespace lacp {

/// Settings of the front door. Shares of the rows: one part makes the KNN model, one trains φ, one
/// calibrates.
struct PredictorSettings {
  std::string method = "exp";
  std::uint64_t seed = 1;
  double proper = 0.4, train = 0.4, calibration = 0.2;
  KnnOptions knn = {};
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  TrainingOptions training = {};
};

/// What cannot work in them, all of it known before any data is looked at.
std::optional<SettingProblem> find_problem(const PredictorSettings& settings);

/// Which rows of n go into which part of a fit; `test` are those that calibrate.
Split split_of_fit(std::size_t n, const PredictorSettings& settings);

/// Prediction intervals f(x) ± half_width(x), one per column of the queries.
struct Intervals {
  arma::vec f;
  arma::vec half_width;  ///< +inf where the calibration part is too small for the level; −1 for an empty
                         ///< interval, which is what lower() > upper() means
  arma::vec lower() const { return f - half_width; }
  arma::vec upper() const { return f + half_width; }
};

/// The same at several levels: a row of the half-widths for each.
struct LevelIntervals {
  arma::vec f;
  arma::mat half_width;
  std::vector<arma::uword> too_far;  ///< queries without a value, as `predict` says; f is NaN there
};

/// The whole method behind three calls: fit, predict, save. Attributes are columns of X (d × n), unscaled.
class LocalPredictor {
 public:
  /// UserError for settings or data that cannot be used, RunError if the training diverges. With one seed all
  /// methods get the same split and the same KNN model. `on_epoch` is called after every epoch.
  static LocalPredictor fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings = {},
                            const std::function<void(const EpochReport&)>& on_epoch = {});

  /// Intervals that hold the truth with probability 1 − α or more (Theorem 1). UserError for queries that are
  /// not finite, or so far out that the network has no value there.
  Intervals predict(const arma::mat& X, const Level& level) const;

  /// The same at several levels, for which neighbours and network are looked at once. Queries too far out are
  /// listed instead of refused. Threads may predict at the same time.
  LevelIntervals predict(const arma::mat& X, std::span<const Level> levels) const;

  /// A binary file: magic, format version, content, SHA-256. Written whole or not at all.
  void save(const std::filesystem::path& file) const;

  /// UserError if the file is not a model, is of another format version, is damaged, or names an unknown
  /// method.
  static LocalPredictor load(const std::filesystem::path& file);

  const KnnRegressor& regressor() const { return knn_; }
  const Localizer& localizer() const { return localizer_; }
  const Scaling& scaling() const { return scaling_; }
  std::size_t calibration_size() const { return calibration_.n_elem; }
  std::size_t attributes() const { return scaling_.mean.n_elem; }

  /// The content of a saved file, and back.
  std::string to_bytes() const;
  static LocalPredictor from_bytes(std::string_view bytes, const std::string& source_name);

 private:
  LocalPredictor(Scaling scaling, KnnRegressor knn, Localizer localizer, arma::vec calibration);

  Scaling scaling_;
  KnnRegressor knn_;
  Localizer localizer_;
  arma::vec calibration_;  // transformed scores of the calibration part
};

}  // namespace lacp
