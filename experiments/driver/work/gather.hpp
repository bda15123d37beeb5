#pragma once

#include <cstddef>

#include "work/run.hpp"

namespace lacp {

/// Brings together what the workers of `shards` shards left and checks that every task of the experiment is
/// done. Otherwise prints those that are not, as csv with shard,dataset,run,method,reason, and returns
/// exit_failed.
int gather_shards(const RunRequest& request, std::size_t shards);

/// Does the first half of that for folders of results, whatever their experiment. Returns the exit code.
int pack_results(const std::vector<std::filesystem::path>& folders);

}  // namespace lacp
