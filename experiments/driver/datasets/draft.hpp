#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "datasets/catalog.hpp"
#include "datasets/guess.hpp"

namespace lacp {

/// A description of a table nobody has described, from a look at all of its cells; every guess is a comment
/// in it.
struct Draft {
  std::string text;                                         ///< "" if somebody has described it
  std::vector<std::pair<std::string, std::string>> unused;  ///< columns, and why
  std::vector<std::string> notes;                           ///< what else a person should know
};

/// `file` is the name that it is to lie under. UserError as guess_table.
Draft draft_description(std::string_view bytes, const std::string& source, const std::string& file,
                        const DraftOptions& options);

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
  Draft draft;
};

/// What to make of a table that may have no description: the name of a data set, the path of a yaml, or that
/// of a table ("-": standard input), whose description is then a draft, and whose bytes go nowhere else.
/// `options` are for a table alone.
DescribedTable describe_table(const std::filesystem::path& folder, const std::string& input,
                              DraftOptions options);

}  // namespace lacp
