#pragma once

#include <string>
#include <vector>

#include "output/results.hpp"

namespace lacp {

struct Promise;

/// The coverage that the method of the cell promises for exchangeable points, as its calibration is: for one
/// quantile by the ceiling rule ⌈(N+1)(1−α)⌉ / (N+1), a little more than 1 − α. A cell without its number of
/// calibration points promises 1 − α.
Promise promised_validity(const Experiment& experiment, const Cell& cell, const Level& level);

/// Leave-one-out that scores its whole pool has a fixed share of points inside: a rank identity.
bool validity_is_constant(const Experiment& experiment, const Cell& cell);

/// "log(1 + y) is predicted, and sizes are in its units, on: bike."; "" if it is on no data set.
std::string log_target_note(const Results& results);

/// That, and a sentence for each way in which data sets have fewer points than the evaluation asks for, or a
/// validity that measures nothing. Plain text.
std::vector<std::string> pool_notes(const Results& results);

}  // namespace lacp
