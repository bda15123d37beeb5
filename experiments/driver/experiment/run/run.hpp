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

/// The experiment of a yaml, with what --set says; or of the manifest of a folder of results, to which its
/// results go. Without what the options select.
struct NamedExperiment {
  Experiment experiment;
  std::filesystem::path source, results;
};
NamedExperiment named_experiment(const TaskOptions& options);

struct RunOptions : TaskOptions {
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

/// Prints what is done of an experiment.
int show_status(const StatusOptions& options);

struct VerifyOptions {
  std::filesystem::path folder, datasets_folder;
  std::size_t sample = 0, jobs = 0;
  std::uint64_t seed = 1;
  bool allow_missing = false;
};

/// Does the tasks of a folder again and compares. `write_tables` makes the tables of a folder of results in
/// another folder.
using WriteTables =
    std::function<void(const std::filesystem::path& folder, const std::filesystem::path& output)>;
int verify_results(const VerifyOptions& options, const WriteTables& write_tables);

struct ExportOptions {
  std::filesystem::path experiment, output, datasets_folder;
  std::vector<std::string> datasets;
  std::size_t run = 0;
};

/// Writes the rows of a run as its methods see them.
int export_rows(const ExportOptions& options);

}  // namespace lacp
