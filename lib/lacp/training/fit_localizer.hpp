#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/groups.hpp"
#include "lacp/network/trainer.hpp"
#include "lacp/training/localizer.hpp"
#include "lacp/training/outcome.hpp"

namespace lacp {

struct FitResult {
  std::shared_ptr<const FittedScore> score = {};  ///< none after a failure
  std::size_t best_epoch = 0;                     ///< epochs of a training, as it is used
  std::size_t epochs_tried = 0;                   ///< epochs of its selection
  std::size_t steps = 0;                          ///< optimiser steps in all
  std::vector<double> validation_scores = {};     ///< one per epoch of the selection
  std::optional<TrainingFailure> failure = {};
};

/// What a training gives to a fit, whose score is made of the localizer.
struct TrainingResult : FitResult {
  Localizer localizer;  ///< trained; meaningless after a failure
};

/// One network in training by the loss of a class.
Trainer make_trainer(const TransformationClass& phi, const TransformationOptions& transformation,
                     const NetworkOptions& network, const ObjectiveOptions& objective,
                     const AdamOptions& adam, std::size_t inputs, std::size_t largest_batch);

/// What a method may learn from. Calibration and test points are no part of it, but with every_row.
struct FitInput {
  /// The points that the centre was fitted on, scaled; none if its predictions of the second part are out of
  /// folds, since all points are in that part then.
  const arma::mat& X_first;
  const arma::vec& y_first;
  const arma::mat& X;  ///< the second part, of which no prediction has seen its own point
  const arma::vec& y;
  const arma::vec& f;                     ///< the centre's predictions of the second part
  Groups groups_first = {}, groups = {};  ///< of the points of both parts; no division parts a group
  std::vector<Level> levels = {};              ///< at which intervals will be asked for
  TransformationOptions transformation = {};
  NetworkOptions network = {};
  TrainingOptions training = {};
  BaselineOptions baselines = {};
  bool every_row = false;  ///< all these points calibrate, too: see Method::every_row
  std::function<Stream(std::string_view purpose)> stream;  ///< random numbers, by purpose
  std::function<void(const EpochReport&)> on_epoch = {};
  std::size_t jobs = 1;  ///< threads that it may use, whose number changes nothing
};

/// Trains the network of a class on scaled attributes X (d × n) and scores A = exp(log_a), to whose rows
/// input.groups belongs: selection of the number of epochs on a validation part, then training on all rows
/// from a fresh initialisation (Section 3). A class that chooses its θ chooses it with the epoch, and keeps
/// the network that validated best: a new training would have other sizes than those that θ was chosen for,
/// and where errors are heavy-tailed some are far too large. Where `fixed` validates better than each of its
/// θ, it is that: θ = 0, best_epoch = 0. `errors`: y − f; without them, or for a class that has no s(x), a
/// selection scores symmetric intervals.
TrainingResult train(const TransformationClass& phi, const FitInput& input, const arma::mat& X,
                     const arma::vec& log_a, const arma::vec& errors = {});

}  // namespace lacp
