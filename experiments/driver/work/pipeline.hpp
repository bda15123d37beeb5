#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>

#include "common/threads.hpp"

namespace lacp {

/// Reads pieces, works on them in up to so many threads and hands on the results in the order of the pieces.
/// No more pieces are in memory than there are threads. `read` and `hand_on` are never called by two threads
/// at once. The first error, in the order of the pieces, ends it and is thrown.
///   read: () → std::optional<Piece>, work: (Piece) → Result, hand_on: (Result) → void
template <class Read, class Work, class HandOn>
void in_order(std::size_t threads, Read read, Work work, HandOn hand_on) {
  std::mutex reading, mutex;
  std::condition_variable changed;
  std::size_t next_read = 0, next_out = 0;
  bool stopped = false;  // guarded by `mutex`, as next_out and the error
  std::exception_ptr error;

  const auto run = [&] {
    for (;;) {
      decltype(read()) piece;
      std::size_t number = 0;
      std::exception_ptr failure;
      {
        const std::lock_guard lock(reading);
        try {
          piece = read();
        } catch (...) {
          failure = std::current_exception();
        }
        if (!piece && !failure) return;
        number = next_read++;
      }
      std::optional<decltype(work(std::move(*piece)))> result;
      try {
        if (!failure) result.emplace(work(std::move(*piece)));
      } catch (...) {
        failure = std::current_exception();
      }
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stopped || next_out == number; });
      if (stopped) return;
      try {
        if (failure) std::rethrow_exception(failure);
        hand_on(std::move(*result));
      } catch (...) {
        error = std::current_exception();
        stopped = true;
      }
      ++next_out;
      changed.notify_all();
      if (stopped) return;
    }
  };

  std::vector<std::jthread> others = start_threads(threads - 1, run);
  run();
  others.clear();  // waits for them
  if (error) std::rethrow_exception(error);
}

}  // namespace lacp
