#pragma once

#include <filesystem>
#include <string>
#include <vector>

// What is made of finished tasks. The first four are commands, and return the exit code of the program.
namespace lacp {

struct OutputOptions {
  std::vector<std::filesystem::path> folders;
  std::string format = "text";
};

int make_tables(const OutputOptions& options);
int make_comparisons(const OutputOptions& options);
int make_figures(const OutputOptions& options);
int make_report(const OutputOptions& options);

/// The end of `lacp run`: prints the table and writes it, unless one of more runs is there and tasks are
/// left.
void finish_run(const std::filesystem::path& folder);

/// Writes the tables of a folder of results into another folder.
void write_tables(const std::filesystem::path& folder, const std::filesystem::path& output);

}  // namespace lacp
