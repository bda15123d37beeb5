#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "settings/experiment.hpp"

namespace lacp {

/// The command line of `lacp run`.
struct RunRequest {
  std::filesystem::path experiment;       ///< yaml
  std::vector<std::string> set;           ///< key=value
  Selection selection;                    ///< --datasets, --methods, --runs, --name
  std::filesystem::path results;          ///< results go to <results>/<experiment>
  std::filesystem::path datasets_folder;  ///< descriptions of the data sets; empty: the usual one
  std::filesystem::path mirror;           ///< if not empty: files that are missing are looked for here
  std::size_t jobs = 0;                   ///< threads; 0: as many as Slurm gave, or as processors
  std::string shard;                      ///< i/N; empty: that of the Slurm array task, or all
  bool force = false;                     ///< do again what is done, whatever the folder holds
  bool retry_failed = false;              ///< try again what failed and will fail again
  bool dry_run = false;                   ///< only say what would be done
  bool strict = false;                    ///< a data set that is missing is a failure

  /// Called with the folder of results at the end of a run that was neither a shard nor interrupted.
  std::function<void(const std::filesystem::path&)> finished = {};
};

/// The command that does these data sets and methods, empty ones as chosen, with the options of the request.
std::string run_command(const RunRequest& request, const std::vector<std::string>& datasets = {},
                        const std::vector<std::string>& methods = {}, const std::string& shard = "");

/// Does what is missing of an experiment and reports on standard error. Returns the exit code.
int run_experiment(const RunRequest& request);

}  // namespace lacp
