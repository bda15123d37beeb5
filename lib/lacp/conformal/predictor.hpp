#pragma once

#include <armadillo>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/training/outcome.hpp"
#include "lacp/data/split.hpp"

namespace lacp {

class BoostedTrees;
class FittedScore;
class KnnRegressor;
class MlpRegressor;
struct Method;
struct Scaling;
using Centre = std::variant<KnnRegressor, MlpRegressor, BoostedTrees>;  // model/centre.hpp

/// Settings of the front door.
struct PredictorSettings {
  std::string method = "exp";
  std::uint64_t seed = 1;
  /// Shares of the rows: the proper training set, which fits the centre f, and those that train φ and
  /// calibrate.
  double proper = 0.4, train = 0.4, calibration = 0.2;
  /// At which intervals will be asked for; most methods have them at all others, too.
  std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.32)};
  CentreOptions centre = {};
  /// If not 0: the first two parts together fit the centre and train φ, on the errors of predictions out of
  /// this many folds.
  std::size_t cross_fit = 0;
  /// If not 0: no rows are set aside to calibrate. The rows are cut into this many folds, each has a model of
  /// the others and calibrates it, and intervals are those of CV+ (Barber, Candès, Ramdas and Tibshirani,
  /// Annals of Statistics 2021): they hold the truth with probability 1 − 2α by theory, about 1 − α in
  /// practice. For few rows; needs cross_fit, a method with one quantile for all points, and sides both.
  std::size_t calibration_folds = 0;
  Sides sides = Sides::both;
  /// Of each row, a number that rows which belong together share, measurements of one patient say; none: no
  /// rows do. A group is on one side of the split and of every fold of cross_fit, and one row of it, drawn at
  /// random, calibrates: a new row is then exchangeable with these if it comes from a new group.
  std::vector<std::size_t> groups = {};
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  TrainingOptions training = {};
  RowOptions rows = {};
  std::size_t jobs = 1;  ///< threads; their number changes no byte of the model

  /// What `lacp fit` uses, since it did best in experiments/frontier_boosted.yaml: boosted trees, and
  /// intervals by `auto` from errors out of five folds.
  static PredictorSettings recommended();
  /// The protocol of the paper, with its class exp: what a default-constructed one is.
  static PredictorSettings paper() { return {}; }
};

/// What cannot work in them, all of it known before any data is looked at.
std::optional<SettingProblem> find_problem(const PredictorSettings& settings);

/// Which of these rows go into which part of a fit; `test` are those that calibrate. With cross_fit the first
/// two are the same rows. Rows that copy an earlier one (split.hpp) are in none of them.
Split split_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings);

/// The same for n different rows.
Split split_of_fit(std::size_t n, const PredictorSettings& settings);

/// The splits of a fit with calibration_folds: each row, or one of each group, calibrates in one of them.
std::vector<Split> folds_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings);

/// Whether calibration_folds can be used with the method and the sides.
bool calibrates_by_folds(const Method& method, Sides sides);

/// What a fit chose.
struct FitReport {
  std::size_t neighbours = 0;     ///< K, if the centre is KNN
  std::size_t trees = 0;          ///< if it is boosted trees
  std::size_t centre_epochs = 0;  ///< if it is a network
  std::size_t best_epoch = 0;     ///< epochs of φ's network as it is used; 0: it has none, or no gain
  std::size_t epochs_tried = 0;   ///< while that was chosen
  std::size_t steps = 0;          ///< of the optimiser, in all
  std::vector<double> validation_scores;  ///< one for each epoch that was tried: see Criterion
  std::optional<double> adaptation;  ///< θ, where sizes adapt as the local error to that power by design
  std::vector<StageScore> stages;    ///< tried by `auto`
  std::string chosen;                ///< one of them; of several folds the one chosen most often
  /// Predictions of the last rows of split.train by fits that have not seen them; empty without cross_fit,
  /// and for a method that does not look at errors. With calibration_folds those of the rows `calibrating`.
  arma::vec out_of_folds = {};
  std::vector<arma::uword> calibrating = {};
};

/// Prediction intervals, one per column of the queries: f − below ≤ y ≤ f + above, and as ends, rounded
/// outward, lower() ≤ y ≤ upper(). Infinite where the calibration part is too small for the level; an empty
/// interval has −1 on both sides, which is what lower() > upper() means.
struct Intervals {
  arma::vec f;
  Bounds bounds;
  arma::vec half_width() const { return bounds.half_width(); }  ///< half the width, −1 for an empty interval
  arma::vec lower() const { return ends(lower_end, bounds.below); }
  arma::vec upper() const { return ends(upper_end, bounds.above); }

 private:
  arma::vec ends(double (*end)(double, double), arma::vec side) const {
    for (arma::uword n = 0; n < side.n_elem; ++n) side(n) = end(f(n), side(n));
    return side;
  }
};

/// The same at several levels, in their order.
struct LevelIntervals {
  arma::vec f;
  std::vector<Bounds> bounds;
  std::vector<arma::uword> too_far;  ///< queries without a value, as `predict` says; f is NaN there
};

/// The whole method behind three calls: fit, predict, save. Attributes are columns of X (d × n), unscaled.
class LocalPredictor {
 public:
  /// UserError for settings or data that cannot be used, RunError if the training diverges. With one seed all
  /// methods get the same split and the same centre. `on_epoch` is called after every epoch.
  static LocalPredictor fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings = {},
                            const std::function<void(const EpochReport&)>& on_epoch = {});

  /// The same with the rows of this split, as split_of_fit makes it.
  static LocalPredictor fit(const arma::mat& X, const arma::vec& y, const Split& split,
                            const PredictorSettings& settings,
                            const std::function<void(const EpochReport&)>& on_epoch = {});

  /// Intervals that hold the truth with probability 1 − α or more (Theorem 1). UserError for queries that are
  /// not finite, or so far out that the network has no value there, and for a level that the method was not
  /// fitted for. With calibration_folds f is the mean of the models of the folds.
  Intervals predict(const arma::mat& X, const Level& level) const;

  /// The same at several levels, for which neighbours and network are looked at once. Queries too far out are
  /// listed instead of refused. Threads may predict at the same time.
  LevelIntervals predict(const arma::mat& X, std::span<const Level> levels) const;

  /// A binary file: magic, format version, content, SHA-256. Written whole or not at all.
  void save(const std::filesystem::path& file) const;

  /// UserError if the file is not a model, is of another format version, is damaged, or names an unknown
  /// method.
  static LocalPredictor load(const std::filesystem::path& file);

  /// Of the fit; empty for a model that was loaded.
  const FitReport& report() const;

  /// Of the first fold, if there are several.
  const Centre& centre() const;
  const FittedScore& score() const;
  const Scaling& scaling() const;
  std::size_t calibration_size() const;
  std::size_t folds() const;
  /// That it has intervals at; none: at all.
  std::span<const Level> levels() const;
  std::size_t attributes() const;

  /// The content of a saved file, and back.
  std::string to_bytes() const;
  static LocalPredictor from_bytes(std::string_view bytes, const std::string& source_name);

 private:
  struct Fold;
  struct Parts;
  struct Seen;
  explicit LocalPredictor(Parts parts);
  Bounds cross_bounds(const std::vector<Seen>& seen, const arma::vec& f, const Level& level) const;

  std::shared_ptr<const Parts> parts_;  // nothing in it changes
};

}  // namespace lacp
