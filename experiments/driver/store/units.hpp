#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace lacp {

/// What sizes of a run are measured in, mean |y| over the rows that scale the target; and over split.proper
/// alone, which is the same whatever the predictor. They differ where predictor.cross_fit joins two parts.
struct TargetUnit {
  double used = 1.0, proper = 1.0;
};

/// By data set and run.
using Units = std::map<std::pair<std::string, std::size_t>, TargetUnit>;

/// units.csv in the folder of an experiment; nothing if it is not there.
Units read_units(const std::filesystem::path& folder);
void write_units(const std::filesystem::path& folder, const Units& units);

}  // namespace lacp
