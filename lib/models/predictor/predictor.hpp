#pragma once

#include <algorithm>
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

#include "lacp/conformal/intervals.hpp"
#include "lacp/data/split.hpp"
#include "lacp/training/outcome.hpp"
#include "models/predictor/copies.hpp"
#include "models/predictor/drift.hpp"

namespace lacp {

class BoostedTrees;
class FittedScore;
class KnnRegressor;
class ModelReader;
class ModelWriter;
struct MlpRegressor;
struct Stack;
struct CentredPart;
struct CentredParts;
struct FitResult;
struct Method;
struct Scaling;
using Centre = std::variant<KnnRegressor, MlpRegressor, BoostedTrees, Stack>;  // model/centre.hpp

/// Settings of the front door. lib/models/README.md says what those beyond the paper do, and promise.
struct PredictorSettings {
  std::string method = "exp";
  std::uint64_t seed = 1;
  /// Of an experiment: with the seed they name its random numbers, so that a fit can have the same.
  std::string dataset = {};
  std::size_t run = 0;
  /// Shares of the rows: those that fit the centre f (the proper training set), train φ, and calibrate.
  double proper = 0.4, train = 0.4, calibration = 0.2;
  /// At which intervals will be asked for; most methods have them at all others, too.
  std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.32)};
  CentreOptions centre = {};
  /// If not 0: the first two parts together fit the centre and train φ, by errors out of this many folds.
  std::size_t cross_fit = 0;
  /// Every row trains, and every row calibrates, by what has not seen it: its prediction out of fold and its
  /// ends out of bag. There is no third part then. Needs cross_fit, and a method that has it.
  bool every_row = false;
  Sides sides = Sides::both;
  /// Whether the ends of intervals are whole numbers, as all targets have to be then: the outermost that lie
  /// in the interval, and the one nearest to its middle always.
  bool whole = false;
  /// Of each row, a number that rows which belong together share; none: no rows do.
  std::vector<std::size_t> groups = {};
  /// Attributes whose values together name a class (Mondrian, Vovk et al., 2005).
  std::vector<arma::uword> by = {};
  Copies copies = Copies::by_itself;
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  TrainingOptions training = {};
  BaselineOptions baselines = {};
  std::size_t jobs = 1;  ///< threads; their number changes no byte of the model

  /// What `lacp fit` uses, since it did best in experiments/frontier.yaml: a stack as the centre, and
  /// intervals by `forest` from errors out of five folds.
  static PredictorSettings recommended();
};

/// What cannot work in them, all of it known before any data is looked at.
SettingCheck check_of(const PredictorSettings& settings);

/// Which rows go where in a fit. `test` calibrate; with cross_fit the first two parts are the same rows, with
/// every_row those that calibrate are some of them. A fit refuses rows that the data do not have, and a part
/// without any.
struct FitSplit {
  Split split;
  std::size_t repeated = 0;  ///< rows that are equal to an earlier one
  std::size_t dropped = 0;   ///< those of them that are in no part: see Copies
};
FitSplit split_of_fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings);

/// Whether every_row is worth it: up to 5,000 rows, in groups or as many units, if the method has it.
bool every_row_pays(const PredictorSettings& settings, std::size_t rows, std::size_t units);

/// What a fit chose.
struct FitReport {
  std::size_t repeated_rows = 0;     ///< rows that are equal to an earlier one
  std::size_t dropped_rows = 0;      ///< those of them that were not used: see Copies
  std::size_t neighbours = 0;        ///< K, if the centre is KNN
  std::size_t trees = 0;             ///< if it is boosted trees
  std::vector<double> weights = {};  ///< if it is a stack: of boosted trees, network, neighbours and line
  bool line_first = false;           ///< the others are fitted to what the line leaves
  std::size_t network_epochs = 0;    ///< of a stack's networks; 0 if there are none
  bool mapped = false;               ///< whether these see attributes by their ranks: see BellMap
  std::size_t centre_epochs = 0;     ///< if it is a network
  std::size_t best_epoch = 0;        ///< epochs of φ's network as it is used; 0: it has none, or no gain
  std::size_t epochs_tried = 0;      ///< while that was chosen; 0: no network is used
  std::size_t steps = 0;             ///< of the optimiser, in all, also for a network that was not chosen
  std::vector<double> validation_scores;  ///< one for each epoch that was tried: see Criterion
  std::optional<double> adaptation;  ///< θ, where sizes adapt as the local error to that power by design
  std::optional<ForestEnds> ends;    ///< what `forest` chose; also of a model that was loaded
  /// Predictions of the last rows of split.train by fits that have not seen them; empty without cross_fit,
  /// and for a method that does not look at errors.
  arma::vec out_of_folds = {};
};

/// Prediction intervals, one per column of the queries: f − below ≤ y ≤ f + above, and as ends, rounded
/// outward, lower() ≤ y ≤ upper(). Infinite where the calibration part is too small for the level; an empty
/// interval has −1 on both sides, which is what lower() > upper() means. The prediction f, a mean, may lie
/// outside where ends are quantiles (forest, cqr*), and with whole ends.
struct Intervals {
  arma::vec f;
  Bounds bounds;
  bool whole = false;  ///< the ends are whole numbers: PredictorSettings::whole
  arma::vec half_width() const { return bounds.half_width(); }  ///< half the width, −1 for an empty interval
  arma::vec lower() const { return ends(lower_end, bounds.below, -1.0); }
  arma::vec upper() const { return ends(upper_end, bounds.above, 1.0); }

 private:
  arma::vec ends(double (*end)(double, double), arma::vec side, double sign) const {
    for (arma::uword n = 0; n < side.n_elem; ++n)
      side(n) = whole ? std::round(f(n) + sign * side(n)) + 0.0 : end(f(n), side(n));  // 0 for −0
    return side;
  }
};

/// The same at several levels, in their order, and single ends.
struct LevelIntervals {
  arma::vec f;
  std::vector<Bounds> bounds;
  SingleEnds single = {};
  bool whole = false;
  std::vector<arma::uword> too_far = {};  ///< queries without a value, as `predict` says; f is NaN there
  std::size_t new_classes = 0;            ///< queries of a class that no calibration row has

  Intervals at(std::size_t l) const { return {f, bounds[l], whole}; }
};

/// The whole method behind three calls: fit, predict, save. Attributes are columns of X (d × n), unscaled.
class LocalPredictor {
 public:
  /// UserError for settings or data that cannot be used, RunError if the training diverges. With one seed all
  /// methods get the same split and centre. `on_epoch` is called after every epoch of φ's network, one call
  /// at a time, but not always by the thread that called `fit`.
  static LocalPredictor fit(const arma::mat& X, const arma::vec& y, const PredictorSettings& settings = {},
                            const std::function<void(const EpochReport&)>& on_epoch = {});

  /// The same with these rows in the parts, as split_of_fit makes them; settings.copies drops nothing then.
  static LocalPredictor fit(const arma::mat& X, const arma::vec& y, const FitSplit& split,
                            const PredictorSettings& settings,
                            const std::function<void(const EpochReport&)>& on_epoch = {});

  /// The same around a centre that is known, calibrated by these rows. `y`: all targets that are known.
  static LocalPredictor fit(const CentredParts& parts, CentredPart calibrating, const arma::vec& y,
                            const PredictorSettings& settings);

  /// Intervals that hold the truth with probability 1 − α or more (Theorem 1; with every_row that is
  /// measured, not proved). Where rows suffice, `forest` has thresholds of its own for up to five groups of
  /// rows, by the width of their intervals, and holds this in each of them. Each interval holds those of
  /// larger α: where a method learns ends for each level by itself (cqr*, forest), they are widened for that,
  /// and may depend on which other levels the model has. UserError for queries that are not finite, or so far
  /// out that the network has no value there, and for a level that the method was not fitted for.
  Intervals predict(const arma::mat& X, const Level& level) const;

  /// The same at several levels, and single ends, beyond which y lies with probability α or less: all from
  /// one look at neighbours, network and forest. Queries too far out are listed instead of refused. Threads
  /// may predict at the same time. Where scores depend on the level, intervals at the levels of the fit do
  /// not depend on others, which lie between them: cut to those of a smaller α′ they promise 1 − α − α′
  /// (measured: .002 less than 1 − α). Single ends give way to each other, too. UserError as for `prepare`.
  LevelIntervals ask(const arma::mat& X, const Questions& questions, std::size_t jobs = 1) const;
  LevelIntervals predict(const arma::mat& X, std::span<const Level> levels, std::size_t jobs = 1) const {
    return ask(X, Questions{{levels.begin(), levels.end()}}, jobs);
  }

  /// Quantiles τ of y, in the order of `taus`, at each column of X: |τ| × columns. They increase with τ. y
  /// lies above one for τ ≥ ½ with probability 1 − τ or less, and below one for τ < ½ with probability τ or
  /// less, as `ask` says.
  arma::mat quantiles(const arma::mat& X, const std::vector<Level>& taus, std::size_t jobs = 1) const {
    return ask(X, Questions().with_quantiles(taus), jobs).single.quantiles(taus);
  }

  /// Calibrates for questions, as the first `ask` of them does. What the last ones needed is kept
  /// until others are asked, so that the same ones of a single row are quick. UserError if the method has no
  /// single ends, or both ends at the levels of its fit alone.
  void prepare(const Questions& questions, std::size_t jobs = 1) const { prepared_for(questions, jobs); }

  /// Calibrated by rows that the fit has not seen, with those that calibrate it now before them, or without;
  /// of all these the newest `window`, if that is not 0: rows of earlier updates are older than those of
  /// later ones, and rows of the fit, which have no order, the oldest. A model that was fitted with groups
  /// needs those of the new rows, all of them new: one row of each, drawn at random, calibrates. Rows too far
  /// out are added to the list and left out; UserError if there is no list, for targets that the fit would
  /// refuse, and as for `prepare`.
  ///
  /// Rows that drift lie off to one side: each has a threshold of its own, at α/2, whatever sides the fit
  /// had, if the method has that and the rows suffice for it at all `levels` (those of the model, or 0.05 if
  /// it has all), also in every class that has enough for one threshold. UserError if `sides` asks for more.
  /// At another level for which they do not suffice, both sides have one threshold.
  struct NewRows {
    bool instead = false;
    std::size_t window = 0;
    std::optional<Sides> sides = {};
    std::vector<Level> levels = {};
    std::vector<std::size_t> groups = {};
    std::uint64_t seed = 1;
    std::size_t jobs = 1;
  };
  LocalPredictor updated(const arma::mat& X, const arma::vec& y, const NewRows& how,
                         std::vector<arma::uword>* too_far = nullptr) const;

  /// Whether rows that the fit has not seen come from the source of those that calibrate, by their scores: at
  /// this level, where scores depend on it. Of a group one row counts. Rows too far out are left out.
  /// UserError as for `updated`.
  DriftTest drift_test(const arma::mat& X, const arma::vec& y, const Level& level,
                       const std::vector<std::size_t>& groups = {}, std::size_t jobs = 1) const;

  /// Intervals of the rows that calibrate, in the order of FitSplit::split.test until an update, by what has
  /// not seen them but for the thresholds, to which each of them has contributed.
  LevelIntervals calibrating(std::span<const Level> levels, std::size_t jobs = 1) const;

  /// How well the prediction explains the rows that calibrate, which it has not learnt from. `as_known`: what
  /// is learnt, in the units of the target.
  Explained explained_rows(const std::function<double(double)>& as_known = {}) const;

  /// A binary file: magic, format version, content, SHA-256. Written whole or not at all.
  void save(const std::filesystem::path& file) const;

  /// UserError if the file is no model, of another format, damaged, or of an unknown method.
  static LocalPredictor load(const std::filesystem::path& file);

  /// Of the fit; of a model that was loaded, what ends are made of alone.
  const FitReport& report() const;

  const Centre& centre() const;
  const FittedScore& score() const;
  const Scaling& scaling() const;
  const std::string& method() const;
  std::size_t calibration_size() const;
  bool every_row() const;                 ///< whether rows of the fit calibrate that it has learnt from
  bool whole() const;                     ///< whether ends are whole numbers
  bool grouped() const;                   ///< whether it was fitted with groups
  Sides sides() const;                    ///< of the fit, or of the last update
  std::span<const Level> levels() const;  ///< that it has intervals at; none: at all
  std::size_t attributes() const;

  /// Of PredictorSettings::by: values up to rounding, and how many calibration rows have them.
  struct Class {
    arma::vec values;
    std::size_t rows;
  };
  std::vector<Class> classes() const;
  /// Attributes of the calibration rows, up to rounding.
  arma::mat calibration_rows() const;
  /// The place there of the class of each column of X; of a class that no calibration row has, their number;
  /// without classes 0.
  std::vector<std::size_t> classes_of(const arma::mat& X) const;
  /// Calibration rows that a finite interval, or end, needs at a level, and those that a class needs to be
  /// calibrated by its own; classes that have fewer are calibrated together.
  std::size_t rows_needed(const Level& level, Ends ends = Ends::both) const;
  /// Groups of rows by the width of their intervals that have thresholds of their own at this level.
  std::size_t width_groups_at(const Level& level, Ends ends = Ends::both) const;
  /// Whether intervals have a quantile for each side at this level: after an update where rows suffice.
  bool has_each_side(const Level& level) const;
  std::size_t rows_needed_in_class(const Level& level, Ends ends = Ends::both) const;
  const std::vector<arma::uword>& by() const;

  /// The content of a saved file, and back.
  std::string to_bytes() const;
  static LocalPredictor from_bytes(std::string_view bytes, const std::string& source_name);

  /// As a part of another file, whose checksum covers it, and back. The only format that is read: of earlier
  /// ones ends and thresholds of `forest` were others, or updates had the sides of the fit.
  static constexpr std::uint64_t file_format = 10;
  void append_to(ModelWriter& out) const;
  static LocalPredictor read_from(ModelReader& in);

 private:
  struct CalibratedScore;
  struct State;
  struct QueryView;
  struct Prepared;
  struct LastPrepared;
  explicit LocalPredictor(State state);
  static LocalPredictor fit_around(const CentredParts& parts, Centre centre, CentredPart calibrating,
                                   std::vector<std::uint32_t> places, const FitSplit& split,
                                   const arma::vec& y, const PredictorSettings& settings,
                                   const std::function<void(const EpochReport&)>& on_epoch = {});
  std::shared_ptr<const Prepared> prepared_for(const Questions& questions, std::size_t jobs) const;
  LevelIntervals answer(const QueryView& queries, const Prepared& prepared) const;
  std::vector<Bounds> bounds_of(const Prepared& prepared, Ends ends, const QueryView& queries,
                                const LevelIntervals& known) const;
  std::vector<Bounds> bounds_by(const CalibratedScore& by, Ends ends, const QueryView& queries,
                                std::span<const Level> levels) const;
  Sides sides_of(const State& state, const NewRows& how) const;
  std::vector<arma::uword> counted_rows(const arma::mat& X, const arma::vec& y,
                                        const std::vector<std::size_t>& groups, std::uint64_t seed) const;

  std::shared_ptr<const State> state_;  // nothing in it changes
  std::shared_ptr<LastPrepared> last_;
};

}  // namespace lacp
