#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacp/base/random.hpp"
#include "lacp/conformal/localizer.hpp"
#include "lacp/conformal/method.hpp"
#include "lacp/model/adam.hpp"

namespace lacp {

/// How the number of epochs is chosen before the final training on all rows.
struct SelectionOptions {
  double validation_share = 0.2;  ///< of the rows of the training part
  std::size_t fit_rows =
      0;  ///< if not 0: at most so many rows are fitted on, all others validate (released code)
  std::size_t validation_rows =
      0;  ///< if not 0: at most so many validation rows are scored (released code: 96)
  Level level = Level::parse("0.05");  ///< validation measures the mean interval size at this level
  std::size_t patience = 10;           ///< stop after so many epochs without gain
  double least_gain = 0.0;       ///< relative gain that counts: size < (1 − least_gain) · best so far
  bool count_from_zero = false;  ///< the released code retrains argmin epochs counted from zero: one too few
  int decimals = -1;             ///< round sizes before comparing (released code: 3); −1: do not
};

struct TrainingOptions {
  AdamOptions adam = {};
  std::size_t epochs = 50;  ///< at most
  std::size_t batch = 16;   ///< Section 3
  bool shuffle = true;      ///< a new order in every epoch; the released code keeps one order
  bool drop_partial_batch = false;
  ObjectiveOptions objective = {};
  SelectionOptions selection = {};
  QuantileRule quantile = QuantileRule::ceiling;
};

/// Why a training ended without a model: it diverged, here.
struct TrainingFailure {
  bool final_training = false;          ///< else the selection of the number of epochs
  std::size_t epoch = 0;                ///< from 1
  double loss = 0.0;                    ///< of that epoch
  std::optional<double> size = {};      ///< of the validation intervals, if that and not the loss is at fault
  std::optional<double> previous = {};  ///< loss of the epoch before
  std::string what() const;
};

/// One epoch of the selection or of the final training, as a callback sees it.
struct EpochReport {
  bool final_training = false;
  std::size_t epoch = 0;  ///< from 1
  double mean_loss = 0.0;
  std::optional<double> validation_size;  ///< during the selection only
};

struct TrainingResult {
  Localizer localizer;                   ///< trained; meaningless after a failure
  std::size_t best_epoch = 0;            ///< epochs of the final training
  std::size_t epochs_tried = 0;          ///< epochs of the selection
  std::size_t steps = 0;                 ///< optimiser steps in all
  std::vector<double> validation_sizes;  ///< one per epoch of the selection
  std::optional<TrainingFailure> failure;
};

/// Everything random in a training, each from a stream of its own.
struct TrainingStreams {
  Stream weights;     ///< initial parameters, selection first, final training next
  Stream shuffle;     ///< order of the rows
  Stream validation;  ///< which rows validate
};

/// Trains the method's network on scaled attributes X (d × n) and scores A = exp(log_a): selection of the
/// number of epochs on a validation part, then training on all rows from a fresh initialisation (Section 3).
TrainingResult train(const Method& method, const TransformationOptions& transformation,
                     const NetworkOptions& network, const TrainingOptions& options, const arma::mat& X,
                     const arma::vec& log_a, TrainingStreams streams,
                     const std::function<void(const EpochReport&)>& on_epoch = {});

}  // namespace lacp
