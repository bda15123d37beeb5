#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What is made of finished tasks. The first five are commands, and return the exit code of the program.
namespace lacp {

struct OutputOptions {
  std::vector<std::filesystem::path> folders;
  std::string format = "text";
  std::filesystem::path output, article;
};

int make_tables(const OutputOptions& options);
int make_comparisons(const OutputOptions& options);
int make_figures(const OutputOptions& options);
int make_ablation(const OutputOptions& options);
int make_report(const OutputOptions& options);

/// The end of `lacp run`: prints the table and writes it, unless one of more runs is there and tasks are
/// left.
void finish_run(const std::filesystem::path& folder);

/// What to say of pages of a folder that are not of its cells, a line each.
std::vector<std::string> old_pages_in(const std::filesystem::path& folder);

/// What is wrong with table.csv; "" if it follows from the cells, is not there, or cannot be checked, since
/// tasks are left.
std::string table_problem(const std::filesystem::path& folder);

}  // namespace lacp
