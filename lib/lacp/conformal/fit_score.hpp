#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/conformal/fit_localizer.hpp"
#include "lacp/conformal/score.hpp"

namespace lacp {

/// What a method may learn from. Calibration and test points are no part of it.
struct FitInput {
  /// The points that the centre was fitted on, scaled; none if its predictions of the second part are out of
  /// folds, since all points are in that part then.
  const arma::mat& X_first;
  const arma::vec& y_first;
  const arma::mat& X;  ///< the second part, of which no prediction has seen its own point
  const arma::vec& y;
  const arma::vec& f;         ///< the centre's predictions of the second part
  std::vector<Level> levels;  ///< at which intervals will be asked for
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  TrainingOptions training = {};
  RowOptions rows = {};
  std::function<Stream(std::string_view purpose)> stream;  ///< random numbers, by purpose
  std::function<void(const EpochReport&)> on_epoch = {};
};

struct FitResult {
  std::shared_ptr<const FittedScore> score = {};  ///< none after a failure
  std::size_t best_epoch = 0;                     ///< of a training, as TrainingResult has them
  std::size_t epochs_tried = 0;
  std::size_t steps = 0;
  std::vector<double> validation_scores = {};
  std::optional<TrainingFailure> failure = {};
};

/// `train` for the second part, or for other points and targets, with the streams that all trainings use.
TrainingResult train(const Method& method, const FitInput& input, const arma::mat& X,
                     const arma::vec& targets, const arma::vec& errors = {});

/// What a training that succeeded says of itself, with its score.
FitResult fit_result(const TrainingResult& training, std::shared_ptr<const FittedScore> score);

/// The score of a class of transformations: a trained φ.
class ClassScore : public FittedScore {
 public:
  explicit ClassScore(Localizer localizer) : localizer_(std::move(localizer)) {}

  const Localizer& localizer() const { return localizer_; }
  arma::mat local(const arma::mat& X) const override { return localizer_.g(X); }
  std::vector<arma::vec> scores(const arma::mat& g, const arma::vec& f, const arma::vec& y) const override;
  Bounds bounds(const arma::mat& g, const arma::vec& f, const arma::vec& q, const Level&) const override;
  std::optional<double> adaptation() const override { return localizer_.adaptation(); }
  arma::vec scale(const arma::mat& g) const override;
  void write(ModelWriter& out) const override;

 private:
  Localizer localizer_;
};

/// Writes a trained network with its transformation, and reads it back: UserError for one that no training
/// makes. `outputs` of the network, and `shared` parameters.
void write_localizer(const Localizer& localizer, ModelWriter& out);
Localizer read_localizer(const Method& method, ModelReader& in, std::size_t inputs);

}  // namespace lacp
