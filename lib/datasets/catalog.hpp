#pragma once

#include <cstdint>

#include "datasets/description.hpp"

namespace lacp {

/// The data sets that a folder describes, one yaml each. A new file in the folder is a new data set. To them
/// come those of a second folder, which is never written to; of two with one name the first folder's counts.
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
  std::filesystem::path folder_, cache_, shipped_;
};

/// What is installed with the program, from its own place: share/lacp/<folder>.
std::filesystem::path installed_folder(const char* folder);

/// The data sets of a folder: the option's value if given, else ./datasets if it exists, else LACP_DATASETS,
/// else ./datasets all the same if the program is installed, to be made when something is written. To those
/// of ./datasets come the installed ones (share/lacp/datasets). UserError if there is none of them.
Catalog open_catalog(const std::filesystem::path& option);

/// A name stands for a data set of the catalog, and a path to a yaml for the set that it describes.
DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml);

/// Nothing is written over what the data set is read from.
void protect_inputs(const DatasetDescription& description);

/// Whether a file is a spreadsheet, by its name.
inline bool ends_with_xlsx(const std::string& name) {
  return name.ends_with(".xlsx") || name.ends_with(".XLSX");
}

/// Whether the data set can be loaded or generated now, without fetching anything.
bool at_hand(const DatasetDescription& description);

/// What to do about a file that is not there: fetch it, or put it beside its description.
std::string how_to_get(const DatasetDescription& description);

struct FetchOptions {
  std::filesystem::path mirror = {};  ///< folder that is looked into first, by file name; empty: none
  bool show_progress = false;         ///< let the download draw its bar on standard error
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  ///< larger files are refused
  unsigned most_seconds = 900;                        ///< for one attempt
  unsigned stall_seconds = 30;  ///< an attempt in which next to nothing comes for so long is given up
  unsigned retries = 3;         ///< more attempts when a server is busy or cannot be reached
};

/// Makes the file of a data set available: from the cache if the right file is there, else from the mirror,
/// else from the url. The file must have the description's SHA-256; then it replaces what was there, whole.
/// Writes into the cache alone. Returns what was done, as text. RunError if it cannot be had, in which case
/// an older file stays as it was.
std::string fetch_dataset(const DatasetDescription& description, const FetchOptions& options);

/// What a person who adds a data set wants to see before an experiment reads it.
struct DatasetCheck {
  std::string text;     ///< rows, what became of the columns, the target, what is strange: a line each
  std::string refusal;  ///< why an experiment would refuse the set; empty if it would not
};

/// Reads a data set as an experiment would, or generates one draw of a synthetic set (seed 1).
DatasetCheck check_dataset(const DatasetDescription& description);

/// What became of the columns: "category        season: 1, 2, 3, 4".
std::vector<std::string> column_lines(const DatasetDescription& description,
                                      const struct LoadedDataset& loaded);

// What `lacp datasets` does with the data sets of a folder. Each returns the exit code of the program.

/// Prints all of them, and what to do about files that are missing.
int list_datasets(const std::filesystem::path& folder);

/// Gets the files of these, or of all. `mirror`: looked into first; empty: LACP_MIRROR.
int fetch_datasets(const std::filesystem::path& folder, const std::vector<std::string>& names,
                   const std::filesystem::path& mirror);

/// Reads one as an experiment would, and says what is in it.
int show_check(const std::filesystem::path& folder, const std::string& name);

}  // namespace lacp
