#pragma once

#include <filesystem>
#include <string>

#include "settings/experiment.hpp"
#include "store/survey.hpp"

namespace lacp {

/// What differs from one call of `lacp run` to the next.
struct RunRecord {
  std::filesystem::path source;  ///< the experiment yaml, as it was named
  std::string start;             ///< UTC, ISO 8601
  double seconds = 0.0;
  bool finished = false;  ///< false until the end, so a killed run shows
  std::size_t jobs = 1;
  std::size_t done_before = 0, done_now = 0, failed = 0;
  std::size_t shards = 0;   ///< if not 0: a joint record of so many, each of which has one in shards/
  std::string commit = {};  ///< as the manifest has it; writing one asks git
};

/// What the manifest of this folder lists: what this call asks for, what the yaml asks for and has a cell,
/// and what earlier calls or others at the same time asked for, if it has a cell of these settings. What was
/// never run stays out, so that no table shows it as missing.
Experiment recorded_experiment(Experiment base, const Experiment& selected,
                               const std::filesystem::path& folder);

/// Writes <folder>/manifest.yaml: the record, commit, compiler, processor and libraries, sums of the data,
/// and under `experiment` all settings, in the form in which an experiment yaml is written. Sums of data sets
/// that the survey does not have are taken over from the manifest that is there.
void write_manifest(const std::filesystem::path& folder, const Experiment& experiment, const Survey& survey,
                    const RunRecord& record);

/// The record in a folder's manifest. UserError if there is none.
RunRecord load_record(const std::filesystem::path& folder);

/// The settings in a folder's manifest. The reference file's path is made relative to the working folder.
/// UserError if there is no manifest.
Experiment load_manifest(const std::filesystem::path& folder);

/// Whether the folder's manifest has exactly these settings.
bool manifest_says(const std::filesystem::path& folder, const Experiment& experiment);

/// This moment, as manifests write it.
std::string utc_now();

}  // namespace lacp
