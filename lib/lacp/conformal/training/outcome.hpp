#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "lacp/base/error.hpp"

namespace lacp {

/// One epoch of the selection or of the final training, as a callback sees it.
struct EpochReport {
  bool final_training = false;
  std::size_t epoch = 0;  ///< from 1
  double mean_loss = 0.0;
  std::optional<double> validation_score;  ///< during the selection only: see Criterion
};

/// A stage that was tried, and its Winkler score on validation rows in units of that of `fixed`.
struct StageScore {
  std::string method;
  double score = 0.0;
};

/// Why a training ended without a model: it diverged, here. Whatever becomes infinite or nan ends in one of
/// these: the loss, unless one of the other values is given.
struct TrainingFailure {
  bool final_training = false;      ///< else the selection of the number of epochs
  std::size_t epoch = 0;            ///< from 1
  double loss = 0.0;                ///< of that epoch
  std::optional<double> size = {};  ///< of the validation intervals, if that is at fault
  bool by_size = true;              ///< else that was no size but another validation score: see Criterion
  std::optional<double> gradient =
      {};  ///< a component, if that is: not finite, or too large for the optimiser
  std::optional<double> parameter = {};  ///< of the network or shared, if that is
  std::optional<double> previous = {};   ///< loss of the epoch before
  std::string what() const;
};

/// What a fit throws then: other settings of the training may do.
class TrainingError : public RunError {
 public:
  explicit TrainingError(const TrainingFailure& failure) : RunError(failure.what()) {}
};

}  // namespace lacp
