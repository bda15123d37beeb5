#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacp {

// `lacp datasets ...`. `folder` holds the descriptions; empty: the usual one. Each returns the exit code.

/// Lists the data sets of the folder.
int list_datasets(const std::filesystem::path& folder);

/// Gets the files of these data sets, or of all; a mirror is looked into first.
int fetch_datasets(const std::filesystem::path& folder, const std::filesystem::path& mirror,
                   const std::vector<std::string>& names);

/// Reads one data set, by name or by the path of its yaml, as an experiment would, and says what is in it.
int show_check(const std::filesystem::path& folder, const std::string& name);

}  // namespace lacp
