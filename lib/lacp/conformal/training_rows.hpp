#pragma once

#include <cstddef>
#include <vector>

#include "lacp/conformal/options.hpp"

namespace lacp {

/// How many rows of the training part are fitted on, and how many validate, while the number of epochs is
/// selected.
struct SelectionSizes {
  std::size_t fitted = 0, validation = 0;
};

/// The levels at which the criterion of the selection looks, without those at which this many validation rows
/// have no finite interval.
std::vector<Level> validation_levels(std::size_t rows, const TrainingOptions& options);

/// Of n rows. UserError, naming the setting to change, if those that validate are too few for a finite
/// interval at any of these levels.
SelectionSizes selection_sizes(std::size_t n, const TrainingOptions& options);

/// Whether a batch of this size makes a step: a partial one may be dropped, pairs need two rows, and the
/// sizes at one level enough others for a finite interval.
bool makes_step(std::size_t size, const TrainingOptions& options, Learning learning);

/// UserError, naming the setting to change, if none of the batches that the rows make does.
void require_step(std::size_t rows, const TrainingOptions& options, Learning learning);

}  // namespace lacp
