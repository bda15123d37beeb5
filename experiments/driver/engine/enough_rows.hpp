#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// How many of a data set's rows take part, by split.sample.
std::size_t rows_in(const Experiment& experiment, const std::string& dataset, std::size_t rows);

/// How many points of a pool calibrate the others, with evaluation.mode halves.
std::size_t calibrating(const EvaluationOptions& evaluation, std::size_t pool);

/// UserError, naming the setting to change, unless each part that the experiment splits this many rows into
/// gets one.
void require_parts(const Experiment& experiment, std::size_t rows);

/// Why a method of the experiment cannot run on a data set with this many rows; "" if it can. By the rules of
/// the run itself.
std::string too_few_rows(const Experiment& experiment, std::string_view method, std::size_t rows);

/// Levels at which the points that calibrate are too few for a finite interval.
std::vector<std::string> infinite_levels(const Experiment& experiment, std::size_t rows);

/// For which methods of the experiments this many rows suffice, and what to do about the others, as lines of
/// text.
std::string enough_rows_text(const std::vector<Experiment>& experiments, std::size_t rows);

}  // namespace lacp
