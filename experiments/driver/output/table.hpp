#pragma once

#include <string>
#include <vector>

#include "common/text_table.hpp"
#include "output/results.hpp"

namespace lacp {

/// One (data set, method, level) of Table 1: the mean over runs.
struct TableEntry {
  std::string dataset, method, alpha;
  std::size_t runs = 0;         ///< that were finished
  std::size_t runs_wanted = 0;  ///< that the experiment asks for
  Moments size;                 ///< mean infinite if any interval of any run was
  Moments validity;
  double infinite = 0.0;  ///< share of infinite intervals, mean over runs
  double empty = 0.0;     ///< share of empty intervals, mean over runs
  bool best = false;      ///< smallest mean size of its data set and level, as printed, among complete ones

  bool complete() const { return runs == runs_wanted; }
};

/// Every entry of the grid in the experiment's order: data set, method, level.
std::vector<TableEntry> table_entries(const Results& results);

/// table.csv, and what was written there.
TextTable table_csv(const std::vector<TableEntry>& entries);
std::vector<TableEntry> read_table_csv(const std::filesystem::path& file);

/// table.tex: Table 1 in the paper's layout, for \input; needs booktabs and longtable.
std::string table_tex(const Results& results, const std::vector<TableEntry>& entries);

/// The same for a code host: one row per data set and method, bold where best, † where runs are missing.
std::string table_markdown(const Results& results, const std::vector<TableEntry>& entries);

/// The same for a terminal of 80 columns: * marks the smallest size, in bold letters if `bold`; failures and
/// what else there is to note below.
std::string table_text(const Results& results, const std::vector<TableEntry>& entries, bool bold);

/// Writes table.csv, table.tex and table_standalone.tex into the experiment's folder.
void write_table(const Results& results, const std::vector<TableEntry>& entries);

}  // namespace lacp
