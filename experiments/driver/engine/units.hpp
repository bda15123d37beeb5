#pragma once

#include <filesystem>

namespace lacp {

/// Writes units.csv of an experiment with predictor.cross_fit, whose sizes are in other units than those of
/// the same rows without it. Data sets whose file is not there keep the rows that they have.
void update_units(const std::filesystem::path& folder, const std::filesystem::path& datasets_folder);

}  // namespace lacp
