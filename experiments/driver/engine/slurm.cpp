#include "engine/slurm.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

std::optional<std::size_t> number(const Environment& environment, const std::string& name) {
  const auto text = environment(name);
  if (!text) return std::nullopt;
  const auto value = parse_integer(*text);
  if (!value || *value < 0) user_error("environment variable {}={}: expected a number", name, *text);
  return static_cast<std::size_t>(*value);
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
}

std::optional<Shard> slurm_shard(const Environment& environment) {
  const auto id = number(environment, "SLURM_ARRAY_TASK_ID");
  const auto count = number(environment, "SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return std::nullopt;
  const std::size_t first = number(environment, "SLURM_ARRAY_TASK_MIN").value_or(1);
  const std::size_t last = number(environment, "SLURM_ARRAY_TASK_MAX").value_or(first + *count - 1);
  if (*id < first || *id > last || last - first + 1 != *count)
    user_error(
        "this is task {} of a Slurm array of {} with gaps between {} and {}, which does not say how many shards there are; give it with --shard {}/N",
        *id, *count, first, last, *id);
  return Shard{*id - first + 1, *count};
}

std::optional<std::size_t> slurm_processors(const Environment& environment) {
  const auto processors = number(environment, "SLURM_CPUS_PER_TASK");
  return processors && *processors > 0 ? processors : std::nullopt;
}

std::size_t thread_count(std::size_t wanted, std::size_t tasks) {
  if (wanted == 0) wanted = slurm_processors(process_environment).value_or(0);
  if (wanted == 0) wanted = std::thread::hardware_concurrency();
  return std::max<std::size_t>(1, std::min(wanted, tasks));
}

}  // namespace lacp
