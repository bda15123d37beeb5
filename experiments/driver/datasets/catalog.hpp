#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "datasets/description.hpp"

namespace lacp {

/// The data sets that a folder describes, one yaml each. A new file in the folder is a new data set. To them come
/// those of a second folder, which is never written to; of two with one name the first folder's counts.
class Catalog {
 public:
  /// Downloads go to `cache`; empty stands for `<folder>/cache`. UserError if there is no such folder; beside
  /// `shipped` it need not exist.
  explicit Catalog(std::filesystem::path folder, std::filesystem::path cache = {},
                   std::filesystem::path shipped = {});

  /// Names of all data sets in alphabetical order.
  std::vector<std::string> names() const;

  /// The description of that name. UserError with the nearest name if there is none, or if it is wrong.
  DatasetDescription find(const std::string& name) const;

  const std::filesystem::path& folder() const { return folder_; }
  const std::filesystem::path& cache() const { return cache_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path cache_;
  std::filesystem::path shipped_;
};

/// The data sets of a folder: the option's value if given, else ./datasets if it exists, else LACP_DATASETS,
/// else ./datasets all the same if the program is installed, to be made when something is written. To those of ./datasets come
/// the ones that were installed with the program (share/lacp/datasets). UserError if there is none of them.
Catalog open_catalog(const std::filesystem::path& option);

/// A name stands for a data set of the catalog, and a path to a yaml for the set that it describes.
DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml);

/// Nothing is written over what the data set is read from.
void protect_inputs(const DatasetDescription& description);

}  // namespace lacp
