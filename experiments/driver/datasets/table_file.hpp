#pragma once

#include <filesystem>
#include <string>

#include "datasets/catalog.hpp"

namespace lacp {

/// The name of the data set in a file: the file's, without its endings, in the letters that such a name may
/// have.
std::string name_after(const std::filesystem::path& file);

/// UserError unless it is a file that can be a table: csv, csv.gz or xlsx.
void require_table(const std::filesystem::path& file);

/// The table in a file of a data set; unpacked or converted into the cache if it takes that, `source` says
/// where.
std::string read_table(const std::filesystem::path& file, const std::filesystem::path& cache,
                       std::string& source);

/// A name stands for a data set of the catalog, and a path to a yaml for the set that it describes.
DatasetDescription describe_dataset(const Catalog& catalog, const std::string& name_or_yaml);

/// A description, and its draft if nobody has written one.
struct DescribedTable {
  DatasetDescription description;
  std::string draft;
};

/// What to make of a table that may have no description: the name of a data set, the path of a yaml, or that
/// of a table, whose description is then a draft, and whose bytes go nowhere else. `target` is the column to
/// predict, for a table alone.
DescribedTable describe_table(const std::filesystem::path& folder, const std::string& input,
                              const std::string& target);

/// Nothing is written over what the data set is read from.
void protect_inputs(const DatasetDescription& description);

}  // namespace lacp
