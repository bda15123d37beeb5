#include "timing.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#ifdef __linux__
#include <sched.h>
#endif

namespace lacp::bench {
namespace {

constexpr double sample = 1e-3;  // seconds: long against the clock's own cost, short against a time slice
constexpr int fewest_samples = 3;

struct Contender {
  const std::function<void()>& function;
  std::size_t calls = 1;
  double best = std::numeric_limits<double>::infinity();
};

double time_once(Contender& contender) {
  const double start = thread_seconds();
  for (std::size_t i = 0; i < contender.calls; ++i) contender.function();
  const double one = (thread_seconds() - start) / static_cast<double>(contender.calls);
  contender.best = std::min(contender.best, one);
  return one;
}

}  // namespace

#ifdef __linux__
bool stay_on_one_core() {
  const int core = sched_getcpu();
  if (core < 0) return false;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return sched_setaffinity(0, sizeof set, &set) == 0;
}

void use_every_core() {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}
#else
bool stay_on_one_core() { return false; }
void use_every_core() {}
#endif

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<double> shortest(const std::vector<std::function<void()>>& functions, double budget) {
  std::vector<Contender> contenders;
  for (const auto& function : functions) {
    Contender contender{.function = function};
    const double first = std::max(time_once(contender), 1e-9);  // also warms the caches
    contender.calls = static_cast<std::size_t>(std::clamp(std::ceil(sample / first), 1.0, 1e5));
    contenders.push_back(contender);
  }
  const double start = thread_seconds();
  for (int round = 1; round < fewest_samples || thread_seconds() - start < budget; ++round)
    for (Contender& contender : contenders) time_once(contender);
  std::vector<double> best;
  for (const Contender& contender : contenders) best.push_back(contender.best);
  return best;
}

double shortest(const std::function<void()>& function, double budget) {
  return shortest(std::vector{function}, budget).front();
}

}  // namespace lacp::bench
