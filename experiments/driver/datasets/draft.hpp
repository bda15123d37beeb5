#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "datasets/catalog.hpp"
#include "lacp/base/options.hpp"
#include "lacp/data/csv.hpp"

namespace lacp {

/// What a table of this content seems to be: its delimiter, and whether its first row holds names.
CsvFormat guess_format(std::string_view bytes, const std::string& source);

/// A description of a table nobody has described, from a look at all of its cells; every guess is a comment
/// in it. `file` is the name that it is to lie under, `target` the column to predict ("": the last of
/// numbers). UserError if the table cannot be read or has no such column.
std::string draft_description(std::string_view bytes, const std::string& source, const std::string& file,
                              const std::string& target);

/// The name of the data set in a file: the file's, without its endings, in the letters that such a name may
/// have.
std::string name_after(const std::filesystem::path& file);

/// UserError unless it is a file that can be a table: csv, csv.gz or xlsx.
void require_table(const std::filesystem::path& file);

/// The table in a file of a data set; unpacked or converted into the cache if it takes that, `source` says
/// where.
std::string read_table(const std::filesystem::path& file, const std::filesystem::path& cache,
                       std::string& source);

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

}  // namespace lacp
