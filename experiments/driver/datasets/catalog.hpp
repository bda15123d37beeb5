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

}  // namespace lacp
