#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lacp {

/// The command line of `lacp export`.
struct ExportRequest {
  std::filesystem::path experiment;   ///< yaml
  std::vector<std::string> datasets;  ///< empty: those of the experiment
  std::size_t run = 0;
  std::filesystem::path output;           ///< folder
  std::filesystem::path datasets_folder;  ///< descriptions of the data sets; empty: the usual one
};

/// Writes <output>/<dataset>.csv: part, x1, x2, …, y, scaled as the methods of that run get them. `part` is
/// proper (the predictor is fitted on it), train (methods are; with predictor.cross_fit both are proper),
/// calibration and test; with evaluation.mode leave_one_out all of the pool is test. Returns the exit code.
int export_rows(const ExportRequest& request);

}  // namespace lacp
