#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "settings/task.hpp"

namespace lacp {

/// The command line of `lacp verify`.
struct VerifyRequest {
  std::filesystem::path folder;           ///< results/<experiment>
  std::filesystem::path datasets_folder;  ///< descriptions of the data sets; empty: the usual one
  std::size_t sample = 0;                 ///< this many cells, drawn at random; 0: all
  std::uint64_t seed = 1;                 ///< of the drawing
  std::size_t jobs = 0;                   ///< threads; 0: as many as Slurm gave, or as processors
};

/// Computes cells of a folder again, by the settings in its manifest, and compares the bytes, kept intervals
/// included; writes nothing there. Prints each cell that differs, how many agree and how long all took.
/// Returns exit_done if all agree, exit_failed if one does not, exit_wrong_input if cells cannot be compared
/// because other settings, another `algorithm` or other data made them. Cells whose data set is missing
/// are left out.
int verify_results(const VerifyRequest& request);

/// The tasks drawn, in the order in which they came. The same seed draws the same of them everywhere.
std::vector<Task> draw(const std::vector<Task>& tasks, std::size_t sample, std::uint64_t seed);

/// Where a csv in the folder and one made here begin to differ: the row, the column and both values. Comment
/// lines count only if nothing else differs; "" if the texts are equal.
std::string first_difference(std::string_view there, std::string_view here);

}  // namespace lacp
