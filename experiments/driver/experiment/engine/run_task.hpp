#pragma once

#include "datasets/load.hpp"
#include "experiment/store/store.hpp"
#include "lacp/conformal/predictor/centred_parts.hpp"

namespace lacp {

/// The data of a run: that of its file, or a synthetic set that is drawn from the stream (seed, data set,
/// run, "data"). RunError if the file is not that of the fingerprint.
Dataset load_run(const DatasetDescription& description, const std::string& fingerprint, std::uint64_t seed,
                 std::size_t run);

/// What all methods of one (data set, run) share: the points of the prediction f, and its values on the part
/// that trains methods and on the part that tests them. Attributes and targets are scaled.
struct Prepared {
  CentredPart proper, train, test;  ///< the first has no f
  arma::vec local_error_test = {};  ///< mean |f − y| of the nearest points of the training part

  double target_scale = 1.0;                ///< y as it was is test.y times this
  std::vector<arma::uword> rows_test = {};  ///< where the points are in the data set, from 0
  arma::vec x_test = {};      ///< x of synthetic data or the only attribute, as it was; else empty
  arma::vec sigma_test = {};  ///< σ(x) of synthetic data, as it was; else empty
  arma::vec truth_test = {};  ///< f_true(x) of synthetic data, as it was; else empty

  std::vector<Measurement> values = {};  ///< what is worth recording: sizes of the parts, K, errors of f
};

/// Points whose intervals are scored, and the scores that calibrate them, as columns of the test part.
struct Roles {
  arma::uvec calibration, scored;
};

/// The halves are the same for all methods; which points of a pool are scored is drawn again for each method,
/// as the validities of Table 1 are.
Roles assign(const Experiment& experiment, const Task& task, std::size_t test_points);

/// The units of a run's targets.
TargetUnit target_unit(const Experiment& experiment, const Dataset& dataset, std::size_t run);

/// Splits, scales, fits the point prediction and scores. Streams are named by (seed, data set, run).
Prepared prepare(const Experiment& experiment, const Dataset& dataset, std::size_t run);

/// Trains the method, makes its intervals on the test points and measures them. RunError, with the reason, if
/// the training diverges or an interval is not a number.
TaskResult run_task(const Experiment& experiment, const Prepared& prepared, const Task& task);

}  // namespace lacp
