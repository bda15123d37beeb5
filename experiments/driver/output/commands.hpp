#pragma once

#include <filesystem>
#include <vector>

namespace lacp {

// The commands that make outputs again from finished cells. Each prints what it wrote.

using Folders = std::vector<std::filesystem::path>;

void make_tables(const Folders& folders);                                        ///< lacp table
void make_comparisons(const Folders& folders);                                   ///< lacp compare
void make_figures(const Folders& folders);                                       ///< lacp figures
void make_ablation(const Folders& groups, const std::filesystem::path& output);  ///< lacp ablation
void make_report(const Folders& folders);                                        ///< lacp report

}  // namespace lacp
