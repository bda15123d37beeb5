#pragma once

#include <filesystem>
#include <functional>

#include "experiment/settings/experiment.hpp"

// What commands do with an experiment and its folder of results. Each returns the exit code of the program.
namespace lacp {

/// What run, status and gather ask of an experiment.
struct TaskOptions {
  std::filesystem::path experiment, results = "results", datasets_folder;
  std::vector<std::string> set;
  Selection selection;
};
/// The command that does these data sets and methods, empty ones as chosen, with the same options.
std::string run_command(const TaskOptions& options, const std::vector<std::string>& datasets = {},
                        const std::vector<std::string>& methods = {}, const std::string& shard = "");

struct RunOptions : TaskOptions {
  std::filesystem::path mirror;
  std::size_t jobs = 0;
  std::string shard;
  bool force = false, retry_failed = false, dry_run = false, strict = false;
};

/// Does what is missing of an experiment, and reports on standard error. `finish` makes the outputs of its
/// folder; a shard leaves that to others.
int run_experiment(const RunOptions& options,
                   const std::function<void(const std::filesystem::path&)>& finish);

struct GatherOptions : TaskOptions {
  std::size_t shards = 0;
};

/// Brings together what the shards of an experiment left. Checks that every task of it is done, and prints
/// those that are not, as csv.
int gather_shards(const GatherOptions& options);

/// Brings the cells of these folders into one csv per data set.
int pack_results(const std::vector<std::filesystem::path>& folders);

struct StatusOptions : TaskOptions {
  bool csv = false;
};

/// Prints what is done of an experiment. `old_pages`: what to say of pages of its folder that are not of its
/// cells.
using OldPages = std::function<std::vector<std::string>(const std::filesystem::path& folder)>;
int show_status(const StatusOptions& options, const OldPages& old_pages);

struct VerifyOptions {
  std::filesystem::path folder, datasets_folder;
  std::size_t sample = 0, jobs = 0;
  double share = 0.0;  ///< of the runs; 0: all
  std::uint64_t seed = 1;
  bool allow_missing = false;
};

/// Does the tasks of a folder again and compares. `table_problem`: what is wrong with its table; or "".
using TableProblem = std::function<std::string(const std::filesystem::path& folder)>;
int verify_results(const VerifyOptions& options, const TableProblem& table_problem);

struct ExportOptions {
  std::filesystem::path experiment, output, datasets_folder;
  std::vector<std::string> datasets;
  std::size_t run = 0;
};

/// Writes the rows of a run as its methods see them.
int export_rows(const ExportOptions& options);

}  // namespace lacp
