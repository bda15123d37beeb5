#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace lacp {

/// Starts up to `count` threads that each call `work`. Where the system gives no more of them (a limit on
/// processes or on memory), those that could be started have to do; there may be none.
template <class Work>
std::vector<std::jthread> start_threads(std::size_t count, const Work& work) {
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

}  // namespace lacp
