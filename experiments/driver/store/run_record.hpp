#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/yaml.hpp"

namespace lacp {

/// What differs from one call of `lacp run` to the next.
struct RunRecord {
  std::filesystem::path source;  ///< the experiment yaml, as it was named
  std::string start;             ///< UTC, ISO 8601; tells records apart
  double seconds = 0.0;
  bool finished = false;  ///< false until the end, so a killed run shows
  std::size_t jobs = 1;
  std::size_t done_before = 0, done_now = 0, failed = 0;
  std::string shard = {};  ///< "2/3"; "" for all tasks
  std::string commit = {}, cpu = {};
  std::size_t cores = 0;
  std::vector<std::string> versions = {};  ///< of the program and what it is built on
};

/// A record that begins now, on this machine.
RunRecord new_record(const std::filesystem::path& source);

/// Puts a record in the place of the one with its start and shard, else first; the oldest of too many go.
void add_record(std::vector<RunRecord>& records, const RunRecord& record);

/// The records as a manifest begins: the first in full, of the others what is kept of them. And one back.
std::string records_yaml(const std::vector<RunRecord>& records);
RunRecord read_record(const YamlMap& map);

}  // namespace lacp
