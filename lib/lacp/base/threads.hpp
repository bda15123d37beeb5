#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <system_error>
#include <thread>
#include <vector>

namespace lacp {

/// Starts up to `count` threads that each call `work`. Where the system gives no more of them (a limit on
/// processes or on memory), those that could be started have to do; there may be none.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
  if (count == 0) return {};
  // Held meanwhile, so that stacks do not take the last of a limited memory.
  constexpr std::size_t reserve = std::size_t{128} << 20;
  void* const held = ::mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::system_error&) {
  }
  if (held != MAP_FAILED) ::munmap(held, reserve);
  return threads;
}

/// A caller ended a long computation.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

/// What a caller sets for that. It holds for this thread and for those that do_all starts.
inline constinit thread_local const std::atomic<bool>* interruption = nullptr;

inline void end_if_interrupted() {
  if (interruption != nullptr && interruption->load(std::memory_order_relaxed)) throw Interrupted();
}

/// Does all of these, on at most `jobs` threads, this one among them; takes them in their order. What one of
/// them throws first is thrown again, when those that are under way have ended. Interrupted before a task.
inline void do_all(std::span<const std::function<void()>> tasks, std::size_t jobs) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr thrown;
  std::mutex guard;
  const auto work = [&, by = interruption] {
    interruption = by;
    for (std::size_t i = next++; i < tasks.size(); i = next++) try {
        end_if_interrupted();
        tasks[i]();
      } catch (...) {
        const std::lock_guard lock(guard);
        if (!thrown) thrown = std::current_exception();
        next = tasks.size();
      }
  };
  {
    const std::size_t others = std::min(jobs, tasks.size());
    const std::vector<std::jthread> threads = start_threads(others > 1 ? others - 1 : 0, work);
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

/// Calls work(begin, end) for blocks of 0 to count, on at most `jobs` threads.
template <class Work>
void in_blocks(std::size_t count, std::size_t block, std::size_t jobs, const Work& work) {
  std::vector<std::function<void()>> tasks;
  for (std::size_t begin = 0; begin < count; begin += block)
    tasks.emplace_back([&work, begin, end = std::min(begin + block, count)] { work(begin, end); });
  do_all(tasks, jobs);
}

/// Columns of a table per task: with fewer, starting a thread costs more than it saves.
constexpr std::size_t columns_of_a_task = 4096;

}  // namespace lacp
