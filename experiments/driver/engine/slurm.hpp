#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/shard.hpp"

namespace lacp {

/// Looks up an environment variable; nothing if it is not set or empty.
using Environment = std::function<std::optional<std::string>(const std::string&)>;
std::optional<std::string> process_environment(const std::string& name);

/// The share of the Slurm array task that this process runs in; nothing outside an array. UserError for an
/// array with gaps (--array=3,7): Slurm does not say how many shards there were, so --shard must.
std::optional<Shard> slurm_shard(const Environment& environment);

/// The processors that Slurm gave to each task (--cpus-per-task); nothing if it does not say.
std::optional<std::size_t> slurm_processors(const Environment& environment);

/// How many threads do this many tasks: as many as wanted; 0: as many as Slurm gave, or as processors.
std::size_t thread_count(std::size_t wanted, std::size_t tasks);

}  // namespace lacp
