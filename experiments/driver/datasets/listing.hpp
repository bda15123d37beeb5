#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What `lacp datasets` does with the data sets of a folder. Each returns the exit code of the program.
namespace lacp {

/// Prints all of them, and what to do about files that are missing, or about names that are in `methods` too.
int list_datasets(const std::filesystem::path& folder, const std::vector<std::string>& methods);

/// Gets the files of these, or of all. `mirror`: looked into first; empty: LACP_MIRROR.
int fetch_datasets(const std::filesystem::path& folder, const std::vector<std::string>& names,
                   const std::filesystem::path& mirror);

/// Reads one as an experiment would, and says what is in it.
int show_check(const std::filesystem::path& folder, const std::string& name);

}  // namespace lacp
