#pragma once

#include "experiment/store/store.hpp"

namespace lacp {

/// What differs from one call of `lacp run` to the next.
struct RunRecord {
  std::filesystem::path source;  ///< the experiment yaml, as it was named
  std::string start;             ///< UTC, ISO 8601
  double seconds = 0.0;
  bool finished = false;  ///< false until the end, so a killed run shows
  std::size_t jobs = 1;
  std::size_t done_before = 0, done_now = 0, failed = 0;
  std::string shard = {};  ///< "2/3"; "" for all tasks
};

/// The time, ISO 8601.
std::string utc_now();

/// The record as a manifest begins, with this machine and what the program is built on.
std::string to_yaml(const RunRecord& record);

/// What the manifest of a folder of results says.
struct Manifest {
  struct DataSums {
    std::string fingerprint, file_sha256;
    std::size_t filled = 0;   ///< missing cells that means stand in for
    bool log_target = false;  ///< log(1 + y) is predicted
    bool synthetic = false;   ///< every run draws it anew
  };

  std::filesystem::path source;  ///< the experiment yaml, as it was named
  /// Of the last call that did something, as the file has it; each cell says its own commit and seconds.
  std::string record;
  std::map<std::string, DataSums> data;  ///< of each data set: what cells that count were made from
  Experiment experiment;                 ///< the reference file's path is relative to the working folder

  std::string fingerprint(const std::string& dataset) const;  ///< of its data; "" if it has none
};

/// UserError if there is no manifest, or none that is whole.
Manifest load_manifest(const std::filesystem::path& folder);

/// The fingerprint that a folder's manifest has of a data set; "" if it has none.
std::string recorded_fingerprint(const std::filesystem::path& folder, const std::string& dataset);

/// What the manifest of this folder lists: what this call asks for and what earlier calls, or others at the
/// same time, asked for. The number of runs never falls. What was never run stays out, so that no table shows
/// it as missing.
Experiment recorded_experiment(Experiment base, const Experiment& selected,
                               const std::filesystem::path& folder);

/// Writes <folder>/manifest.yaml: the record, commit, compiler, processor and libraries, checksums of the
/// data, and under `experiment` all settings, in the form in which an experiment yaml is written. Checksums
/// that are there stay; with `only_first`, so does the record, if it is of this yaml. A file that says all
/// this already is left alone; one that cannot be read is replaced. The caller holds the lock.
void write_manifest(const std::filesystem::path& folder, const Experiment& experiment, const Survey& survey,
                    const RunRecord& record, bool only_first = false);

/// The folder that holds this folder of results, going by its name: a link is a folder like any other.
std::filesystem::path folder_above(const std::filesystem::path& folder);

/// The rule of `check_cell` for a merge: whether a cell or a failure is one of the manifest's experiment,
/// made from its data. The manifest must live on.
CountsCell counting(const Manifest& manifest);

}  // namespace lacp
