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

/// Where a training diverged: what became infinite or nan is the loss, unless another value is given.
struct TrainingFailure {
  bool final_training = false;          ///< else the selection of the number of epochs
  std::size_t epoch = 0;                ///< from 1
  double loss = 0.0;                    ///< of that epoch
  std::optional<double> size = {};      ///< of the validation intervals, if that is at fault
  bool by_size = true;                  ///< else that was no size but another validation score: see Criterion
  std::optional<double> gradient = {};  ///< a component, if that is not finite, or too large for the step
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
