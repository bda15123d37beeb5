#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/description.hpp"

namespace lacp {

/// The data sets that a folder describes, one yaml each. A new file in the folder is a new data set.
class Catalog {
 public:
  /// Downloads go to `cache`; empty stands for `<folder>/cache`. UserError if there is no such folder.
  explicit Catalog(std::filesystem::path folder, std::filesystem::path cache = {});

  /// Names of all data sets in alphabetical order.
  std::vector<std::string> names() const;

  /// The description of that name. UserError with the nearest name if there is none, or if it is wrong.
  DatasetDescription find(const std::string& name) const;

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& cache() const { return cache_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path cache_;
};

/// The data sets of a folder: the option's value if given, else ./datasets if it exists, else LACP_DATASETS,
/// else what was installed with the program (share/lacp/datasets), whose downloads go to the user's own cache
/// (XDG_CACHE_HOME). UserError if there is none of them.
Catalog open_catalog(const std::filesystem::path& option);

/// A name stands for a data set of the catalog, and a path to a yaml for the set that it describes.
DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml);

/// Nothing is written over what the data set is read from.
void protect_inputs(const DatasetDescription& description);

}  // namespace lacp
