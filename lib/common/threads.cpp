#include "common/threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::optional<std::size_t> slurm_number(const char* name) {
  const char* text = std::getenv(name);
  if (text == nullptr || *text == '\0') return std::nullopt;
  const auto value = parse_integer(text);
  if (!value || *value < 0) user_error("{}={}: expected a number", name, text);
  return static_cast<std::size_t>(*value);
}

std::size_t thread_count(std::size_t wanted, std::size_t tasks) {
  if (wanted == 0) wanted = slurm_number("SLURM_CPUS_PER_TASK").value_or(0);
  if (wanted == 0) wanted = std::thread::hardware_concurrency();
  return std::max<std::size_t>(1, std::min(wanted, tasks));
}

}  // namespace lacp
