#pragma once

#include <filesystem>

namespace lacp {

/// The folder of data set descriptions: the option's value if given, else LACP_DATASETS, else ./datasets if
/// it exists, else the folder in the source tree that this program was built from.
std::filesystem::path datasets_folder(const std::filesystem::path& option);

/// The folder of experiments that goes with one of data sets: `experiments` beside it, or else in the source
/// tree.
std::filesystem::path experiments_folder(const std::filesystem::path& datasets);

}  // namespace lacp
