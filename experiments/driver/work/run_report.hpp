#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/executor.hpp"
#include "engine/shard.hpp"
#include "work/run.hpp"

namespace lacp {

/// The command that does what failed again. A shard is one of the whole selection, so it is done as it was.
std::string retry_command(const RunRequest& request, const std::optional<Shard>& shard,
                          const Failures& failures);

/// Tells which of `tasks` tasks failed, why, and how to try them again.
void report_failures(const Failures& failures, std::size_t tasks, const std::string& again);

/// Tells which data sets were left out, and how to get their files.
void report_left_out(const Work& work, const std::vector<std::string>& names);

}  // namespace lacp
