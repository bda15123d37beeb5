#pragma once

#include <filesystem>

#include "datasets/catalog.hpp"

namespace lacp {

/// The data sets of a folder: the option's value if given, else ./datasets if it exists, else LACP_DATASETS,
/// else what was installed with the program (share/lacp/datasets), whose downloads go to the user's own cache
/// (XDG_CACHE_HOME). UserError if there is none of them.
Catalog open_catalog(const std::filesystem::path& option);

}  // namespace lacp
