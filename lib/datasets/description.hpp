#pragma once

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lacp/base/options.hpp"
#include "table/columns.hpp"

namespace lacp {

/// Columns that a description names, by header name or by number (from 1; −1 is the last, −2 before it).
struct ColumnNames {
  std::vector<std::string> columns;
  std::string where;  ///< "file:line: key 'target'", for messages once the table's columns are known
};

/// A column that is not one of plain numbers: `how` has all but its name. Of numbers that are written in
/// another way it may be the target.
struct DescribedColumn {
  std::string column;  ///< as in ColumnNames
  Column how;
  std::string where;
};

/// Which texts mean that a cell holds nothing, and what to do about such a cell.
struct MissingRules {
  std::optional<std::vector<std::string>> marks;  ///< none: the usual ones
  IfMissing otherwise = IfMissing::refuse;        ///< for all columns but these:
  ColumnNames fill, drop_rows;
};

/// Where the file of a data set comes from.
struct DatasetSource {
  std::string url;        ///< empty: the file lies beside the description
  std::string sha256;     ///< of the file at the url; may be empty if there is no url
  std::string file;       ///< its name in the cache and in a mirror
  std::string member;     ///< the table's name within a zip archive; empty if the file is no archive
  bool gzip = false;      ///< the file is the table, compressed
  std::size_t sheet = 0;  ///< the table's sheet within an xlsx file, from 1; 0 if the table is no xlsx

  std::filesystem::path path;                        ///< where the file lies, or will once fetched
  std::shared_ptr<const std::string> contents = {};  ///< the csv in it, if it was read before
};

/// A synthetic set (Section 3.1): y = w·(1, x, x²) + σ(x) ξ, x uniform on [low, high], w and ξ normal.
struct SyntheticParameters {
  std::string profile;  ///< the name of σ: cos, squared, inverse or linear
  double rho = 0.1;     ///< ρ ≥ 0 of the profile
  double low = -1, high = 1;
  std::size_t samples = 1000;
};

/// The parts of a description that are read elsewhere: its file's name, which goes into names of result
/// files, so few characters are allowed; the key `source`, with the sheet that `format` names; the key
/// `synthetic`.
std::string dataset_name(const std::filesystem::path& yaml);
DatasetSource read_source(const class YamlMap& yaml, const YamlMap& format,
                          const std::filesystem::path& beside, const std::filesystem::path& cache);
SyntheticParameters read_synthetic(const YamlMap& map);

/// One data set as its yaml describes it, checked. Exactly one of `source` and `synthetic` is there.
struct DatasetDescription {
  std::string name;            ///< the yaml's file name without its ending
  std::filesystem::path yaml;  ///< where it is described
  std::string title;
  std::string citation, licence;  ///< may be empty if there is no url

  std::optional<DatasetSource> source;
  CsvFormat format;
  std::size_t skip = 0,
              skip_last = 0;  ///< lines above the table, and rows at its end, that are no part of it
  ColumnNames target;         ///< one column, or those that are added up
  bool log_target = false;    ///< log(1 + y) is predicted
  double least = -std::numeric_limits<double>::infinity(),
         most = std::numeric_limits<double>::infinity();  ///< what y can be; for `fit`
  ColumnNames use;                       ///< only these are attributes; empty: all but the target and `drop`
  ColumnNames drop;                      ///< these are not
  std::vector<DescribedColumn> special;  ///< categories, ordered ones, means, dates; numbers, which come last
  std::optional<char> decimal;           ///< of all other numbers; none: they are plain
  DateOrder date = DateOrder::iso;
  MissingRules missing;
  std::optional<Columns> columns;  ///< of a draft, which knows the table: then nothing else is said of them
  std::size_t rows = 0, attributes = 0;  ///< expected; 0 if not said
  std::optional<SyntheticParameters> synthetic;
};

/// Reads and checks one description. Its downloads belong into `cache`. UserError names file, line and key.
DatasetDescription read_description(const std::filesystem::path& yaml, const std::filesystem::path& cache);

/// A table as the file has it becomes one of rows alone, in UTF-8.
std::string table_alone(std::string bytes, const DatasetDescription& description);

inline bool is_synthetic(const DatasetDescription& description) { return description.synthetic.has_value(); }

/// What is predicted: "price", "a + b", "log(1 + price)".
std::string target_text(const DatasetDescription& description);

/// "tab", "blanks", or the character itself.
std::string delimiter_name(char delimiter);
/// And back. UserError if it is none that may stand between cells.
char delimiter_of(const std::string& name);

}  // namespace lacp
