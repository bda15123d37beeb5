#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacp {

// `lacp datasets ...`. `folder` holds the descriptions; empty: the usual one. Each returns the exit code.

/// Lists the data sets of the folder.
int list_datasets(const std::filesystem::path& folder);

/// Gets the files of these data sets and of those of these experiments, or of all; a mirror is looked into
/// first.
int fetch_datasets(const std::filesystem::path& folder, const std::filesystem::path& mirror,
                   std::vector<std::string> names,
                   const std::vector<std::filesystem::path>& experiments = {});

/// Looks at a file and writes a draft of its description into the folder, with a copy of the file if it lies
/// elsewhere; then checks it. `target` may be empty. UserError, and nothing changed, if either is there
/// already.
int add_dataset(const std::filesystem::path& folder, const std::filesystem::path& file,
                const std::string& target);

/// Reads one data set, by name or by the path of its yaml, as an experiment would, and says what is in it.
int show_check(const std::filesystem::path& folder, const std::string& name);

}  // namespace lacp
