#pragma once

#include <cstddef>

#include "work/run.hpp"

namespace lacp {

/// Brings together what the workers of `shards` shards left (failures, times, manifest) and checks that every
/// task of the experiment is done. Otherwise prints those that are not, as csv with shard,dataset,run,method,
/// reason, and returns exit_failed.
int gather_shards(const RunRequest& request, std::size_t shards);

}  // namespace lacp
