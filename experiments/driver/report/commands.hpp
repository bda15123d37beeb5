#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacp {

// The commands that make outputs again from finished cells. Each prints what it wrote.

using Folders = std::vector<std::filesystem::path>;

/// lacp table: writes the files and prints the table as text, csv, latex or markdown.
void make_tables(const Folders& folders, const std::string& format);

/// lacp compare: each folder that names a published table with that; two folders with each other besides,
/// task by task, as text, csv or markdown.
void make_comparisons(const Folders& folders, const std::string& format);

/// The end of `lacp run`: prints the table and writes its files, unless a table of more runs is there and
/// tasks are still to be done.
void finish_run(const std::filesystem::path& folder);

void make_figures(const Folders& folders);                                       ///< lacp figures
void make_ablation(const Folders& groups, const std::filesystem::path& output);  ///< lacp ablation
void make_report(const Folders& folders);                                        ///< lacp report

}  // namespace lacp
