#pragma once

#include "datasets/load.hpp"
#include "experiment/store/store.hpp"
#include "models/predictor/centred_parts.hpp"

namespace lacp {

/// The data of a run: that of its file, or a synthetic set that is drawn from the stream (seed, data set,
/// run, "data"). RunError if the file is not that of the fingerprint.
Dataset load_run(const DatasetDescription& description, const std::string& fingerprint, std::uint64_t seed,
                 std::size_t run);

/// What all methods of one (data set, run) share: its rows, and the three parts of them, proper, train and
/// test, with the predictions of the centre. Attributes and targets of the parts are scaled.
struct Prepared : CentredParts {
  arma::mat X;  ///< all rows as they were, with means where cells are missing
  arma::vec y;
  Split split;                      ///< places of the rows of the parts
  arma::vec local_error_test = {};  ///< mean |f − y| of the nearest points of the training part
  arma::vec x_test = {};            ///< x of synthetic data or the only attribute, as it was; else empty
  arma::vec sigma_test = {};        ///< σ(x) of synthetic data, as it was; else empty
  arma::vec truth_test = {};        ///< f_true(x) of synthetic data, as it was; else empty

  std::vector<Measurement> values = {};  ///< what is worth recording: sizes of the parts, K, errors of f
};

/// Points whose intervals are scored, and the scores that calibrate them, as columns of the test part.
struct Roles {
  arma::uvec calibration, scored;
};

/// The halves are the same for all methods; which points of a pool are scored is drawn again for each method,
/// as the validities of Table 1 are.
Roles assign(const Experiment& experiment, const Task& task, std::size_t test_points);

/// Splits, scales, fits the point prediction and scores. Streams are named by (seed, data set, run).
Prepared prepare(const Experiment& experiment, Dataset dataset, std::size_t run);

/// Trains the method, makes its intervals on the test points and measures them. The method of `lacp fit` is
/// measured as that makes its models, if the experiment calibrates and scores different points:
/// LocalPredictor calibrates, by folds of all known rows where these are few, makes ends whole and nests
/// them. RunError, with the reason, if the training diverges or an interval is not a number.
TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task);

}  // namespace lacp
