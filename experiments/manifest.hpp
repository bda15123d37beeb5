#pragma once

#include <filesystem>
#include <string>

#include "experiment.hpp"
#include "survey.hpp"

namespace lacp {

/// What differs from one call of `lacp run` to the next.
struct RunRecord {
  std::filesystem::path source;  ///< the experiment yaml, as it was named
  std::string start;             ///< UTC, ISO 8601
  double seconds = 0.0;
  bool finished = false;  ///< false until the end, so a killed run shows
  std::size_t jobs = 1;
  std::size_t done_before = 0, done_now = 0, failed = 0;
  std::size_t shards = 0;  ///< if not 0: a joint record of so many, each of which has one in shards/
};

/// What the manifest lists: all that the yaml asks for and all that this call asks for. Where a call picks
/// some, those that were never run stay out, so that no table shows them as missing.
Experiment recorded_experiment(Experiment base, const Experiment& selected, const Survey& survey);

/// Writes <folder>/manifest.yaml: the record, commit, compiler, processor and libraries, sums of the data,
/// and under `experiment` all settings, in the form in which an experiment yaml is written.
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
