#pragma once

#include <string>
#include <vector>

#include "analysis/results.hpp"
#include "analysis/table.hpp"
#include "common/frame.hpp"

// Tables for a terminal, a code host and LaTeX.
namespace lacp {

/// table.tex: Table 1 in the paper's layout, for \input; needs booktabs and longtable.
std::string table_tex(const Results& results, const Frame& entries);

/// The same for a code host: one row per data set and method, bold where best, † where runs are missing.
std::string table_markdown(const Results& results, const Frame& entries);

/// The same for a terminal of 80 columns: * marks the smallest size, in bold letters if `bold`; failures and
/// what else there is to note below.
std::string table_text(const Results& results, const Frame& entries, bool bold);

/// Writes table.csv, table.tex and table_standalone.tex into the experiment's folder.
void write_table(const Results& results, const Frame& entries);

/// Our means beside the published ones; and writes comparison.csv, verdicts.csv, comparison.tex and
/// comparison_standalone.tex.
std::string comparison_tex(const Results& results, const Comparison& comparison);
void write_comparison(const Results& results, const Comparison& comparison);

/// The sizes of two experiments on the tasks that both have (`shared_sizes`). `format`: text, csv or
/// markdown.
std::string paired_text(const Results& base, const Results& changed, const std::string& format);

/// A sentence if log(1 + y) is predicted on some data set, for each way in which data sets have fewer points
/// than the evaluation asks for, and for a validity that measures nothing. Plain text.
std::vector<std::string> pool_notes(const Results& results);

}  // namespace lacp
