#pragma once

#include <string>
#include <vector>

#include "report/analysis/comparison.hpp"
#include "report/words.hpp"

// Tables as LaTeX, markdown and text for a terminal of 80 columns.
namespace lacp {

/// Table 1 in the paper's layout, for \input (table.tex; needs booktabs and longtable); for a code host, bold
/// where best, † where runs are missing; and for a terminal: * marks the best, in bold letters if `bold`.
std::string table_tex(const Results& results, const std::vector<Entry>& entries);
std::string table_markdown(const Results& results, const std::vector<Entry>& entries);
std::string table_text(const Results& results, const std::vector<Entry>& entries, bool bold);

/// What is marked as best in a table.
std::string best_words();

/// What a reader of the table has to know: names with two meanings, where log(1 + y) is predicted, where data
/// sets have fewer points than the evaluation asks for, and a validity that measures nothing. Plain text.
std::vector<std::string> table_notes(const Results& results);

/// Writes table.csv into the experiment's folder and, unless it keeps runs alone, table.tex.
void write_table(const Results& results, const std::vector<Entry>& entries);

/// Ours beside both references; and writes comparison.csv and comparison.tex.
std::string comparison_tex(const Results& results, const TableComparison& comparison);
void write_comparison(const Results& results, const TableComparison& comparison);

/// A size for a table: its mean, †k where only k runs are there, and (median)‡ where a run collapsed or
/// exploded; and a legend of these marks.
std::string size_text(const Entry& entry);
std::string size_legend();

/// How the sizes of a comparison agree, and which runs broke: name and value.
std::vector<std::pair<std::string, std::string>> agreement_lines(const TableComparison& comparison);

}  // namespace lacp
