#include "datasets/made_table.hpp"

#include <fmt/format.h>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

fs::path sum_file(const DatasetSource& source) { return fs::path(source.table) += ".sha256"; }

/// As sha256sum writes it.
std::string sums(const DatasetSource& source, std::string_view table, const std::string& original_sum) {
  return fmt::format("{}  {}\n{}  {}\n", sha256(table), source.table.filename().string(), original_sum,
                     source.file);
}

}  // namespace

MadeTable check_made_table(const DatasetSource& source, std::string_view table,
                           const std::string& original_sum) {
  std::error_code error;
  if (!fs::exists(sum_file(source), error)) return MadeTable::unknown;
  return read_file(sum_file(source)) == sums(source, table, original_sum) ? MadeTable::right
                                                                          : MadeTable::changed;
}

void write_made_table(const DatasetSource& source, std::string_view table, const std::string& original_sum) {
  write_file(sum_file(source), sums(source, table, original_sum));
  write_file(source.table, table);
}

}  // namespace lacp
