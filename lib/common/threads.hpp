#pragma once

#include <cstddef>
#include <optional>

namespace lacp {

/// What Slurm says in a variable; nothing if it is not set or empty. UserError if it is no number.
std::optional<std::size_t> slurm_number(const char* name);

/// How many threads do this many tasks: as wanted; 0: as Slurm gave (--cpus-per-task), or as processors.
std::size_t thread_count(std::size_t wanted, std::size_t tasks);

}  // namespace lacp
