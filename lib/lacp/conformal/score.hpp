#pragma once

#include <armadillo>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {

class ModelWriter;

/// What thresholds need of all calibration points, worked out once; see FittedScore::prepare.
struct PreparedCalibration {
  std::vector<arma::vec> sorted;  ///< each of the scores, in increasing order
  virtual ~PreparedCalibration() = default;
};

/// Calibration points as a score sees them.
struct Calibration {
  std::vector<arma::vec> scores;  ///< as FittedScore::scores gives them
  arma::mat local;                ///< a column for each, if the score's `kept_rows` is not 0
  std::shared_ptr<const PreparedCalibration> prepared = {};  ///< for those that calibrate many times

  bool has_nan() const;
};

/// Points that ask for a threshold.
struct Queries {
  const arma::mat& local;
  /// If each is a calibration point itself: which one. It is then calibrated by all the others.
  const arma::uvec* left_out = nullptr;
};

/// A fitted score of (x, y), small where y is as expected at x, and its intervals {y : score ≤ q̂}: what every
/// method ends in. Attributes and targets are scaled; f is the prediction of the centre. Threads may share
/// one.
class FittedScore {
 public:
  virtual ~FittedScore() = default;

  /// What the score needs to know of x and of the prediction there, worked out once: a column for each column
  /// of X. Not finite where x lies too far out for a value.
  virtual arma::mat local(const arma::mat& X, const arma::vec& f) const = 0;

  /// The same of rows of the fit, by their places there, by what has not seen them; NaN where all has. Such a
  /// score was fitted with FitInput::every_row.
  virtual arma::mat local_out_of_bag(const arma::mat& X, const arma::vec& f, std::span<const std::uint32_t>,
                                     std::size_t jobs) const {
    return local(X, f, jobs);
  }
  /// How many rows of the fit it can tell this of.
  virtual std::size_t bagged_rows() const { return std::numeric_limits<std::uint32_t>::max(); }

  /// How wide an interval is at each point before it is calibrated, and widths that cut the rows of the fit
  /// into 60 parts of equally many; none where all points have one.
  virtual arma::vec widths(const arma::mat&) const { return {}; }
  virtual std::span<const double> width_cuts() const { return {}; }

  /// The scores of points with these targets: one vector, or, if they depend on the level, one for each; with
  /// a quantile for each side of these, all of the lower sides, then all of the upper ones.
  virtual std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                        const arma::vec& y) const = 0;

  /// The y with the least score at each point, in vectors as those of `scores`: f, where ends are around it.
  virtual std::vector<arma::vec> middles(const arma::mat& local, const arma::vec& f) const;

  /// {y : score ≤ q̂} at each point, with its q̂.
  virtual Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                        const Level& level) const = 0;

  /// The same for several thresholds at each point, a row of q and a level for each.
  std::vector<Bounds> all_bounds(const arma::mat& local, const arma::vec& f, const arma::mat& q,
                                 std::span<const Level> levels) const;

  /// Levels that the score was fitted for; none: for all.
  virtual std::span<const Level> levels() const { return {}; }

  /// One that was fitted for levels, for others: as with_ends. Nothing if it cannot.
  virtual std::shared_ptr<const FittedScore> asked(const Questions&, Ends) const { return {}; }

  /// One that was fitted for levels, with these sides: see the function of this name. Nothing if it cannot.
  virtual std::shared_ptr<const FittedScore> with_sides(Sides, bool) const { return {}; }

  /// The score whose intervals this one gives other ends or sides: with one threshold, and the same `local`.
  virtual std::shared_ptr<const FittedScore> inner() const { return {}; }

  /// Of one with a quantile for each side: scores of the lower sides and of the upper ones, at a level.
  virtual std::array<arma::vec, 2> side_scores(const Calibration&, const Level&) const { return {}; }

  /// The ends that such thresholds lead to. They may cross.
  virtual Bounds side_bounds(const arma::mat& local, const arma::vec&, const arma::vec& q_below,
                             const arma::vec& q_above, const Level&) const {
    const arma::vec s = scale(local);
    return {q_below % s, q_above % s};
  }

  /// How many vectors of scores there are.
  virtual std::size_t score_count() const { return std::max<std::size_t>(levels().size(), 1); }

  /// For a calibration that will give the thresholds of few queries many times: the same, but faster.
  virtual std::shared_ptr<const PreparedCalibration> prepare(const Calibration& calibration) const;

  /// q̂ for each query (levels × queries). Here one quantile of the scores for all of them.
  virtual arma::mat thresholds(const Calibration& calibration, const Queries& queries,
                               std::span<const Level> levels, QuantileRule rule) const;

  /// The intervals of the queries, with their predictions, at each of these levels.
  virtual std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries,
                                        const arma::vec& f, std::span<const Level> levels,
                                        QuantileRule rule) const;

  /// s(x) > 0 at each point, where intervals are f ± q·s(x); else nothing.
  virtual arma::vec scale(const arma::mat&) const { return {}; }

  /// Rows of the local values that `thresholds` needs of calibration points.
  virtual std::size_t kept_rows() const { return 0; }

  /// The share of these points whose two ends cross, where they are learnt one by one.
  virtual std::optional<double> crossed(const arma::mat&, const Level&) const { return std::nullopt; }

  /// θ, where sizes adapt as the local error to that power by design.
  virtual std::optional<double> adaptation() const { return std::nullopt; }

  /// What ends were made of, where the training rows chose that.
  virtual std::optional<ForestEnds> chosen_ends() const { return std::nullopt; }

  /// What the method's `read` reads back.
  virtual void write(ModelWriter& out) const = 0;

  /// The points, ready to calibrate.
  Calibration calibration(const arma::mat& local, const arma::vec& f, const arma::vec& y) const;

  /// As `local`, on several threads.
  arma::mat local(const arma::mat& X, const arma::vec& f, std::size_t jobs) const;

  /// Which of the vectors of `scores` belongs to the level. UserError if the score was not fitted for it.
  std::size_t index_of(const Level& level) const;
};

/// |y − f| / s(x), with intervals f ± q·s(x); s = 1 for one that has no `scale` of its own.
class ErrorScore : public FittedScore {
 public:
  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                const arma::vec& y) const override {
    const arma::vec s = scale(local), error = arma::abs(y - f);
    return {s.empty() ? error : error / s};
  }
  Bounds bounds(const arma::mat& local, const arma::vec&, const arma::vec& q, const Level&) const override {
    const arma::vec s = scale(local);
    return Bounds::symmetric(s.empty() ? q : q % s);
  }
};

/// The score as these sides take it: with a quantile for either side, or as it is if it cannot. After an
/// update, thresholds of `forest` are in wider units: ends that are off by much are off in proportion.
std::shared_ptr<const FittedScore> with_sides(std::shared_ptr<const FittedScore> score, const Method& method,
                                              Sides sides, bool after_update = false);

/// The score with intervals that have these ends at the levels that are asked for. Those of all ends of one
/// question have the same `local`. Nothing if it cannot.
std::shared_ptr<const FittedScore> with_ends(std::shared_ptr<const FittedScore> score,
                                             const Questions& questions, Ends ends);

/// The coverage that the method promises with these sides: of two sides, 1 less what both may miss.
Promise promised_coverage(const Method& method, Sides sides, const CalibrationPlan& plan);

}  // namespace lacp
