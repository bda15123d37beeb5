#pragma once

#include <signal.h>

#include <array>
#include <chrono>

namespace lacp {

/// As long as it lives, SIGINT and SIGTERM are blocked in this thread and those it starts, and taken from
/// here instead, so nothing is ever interrupted half way. A thread that a library started before may get one
/// too: a handler is there for it, since without one that would end the process.
class SignalsHere {
 public:
  SignalsHere();
  SignalsHere(const SignalsHere&) = delete;
  SignalsHere& operator=(const SignalsHere&) = delete;
  ~SignalsHere();

  /// Waits this long, below a second, for a signal. True if one came, now or before.
  bool wait(std::chrono::milliseconds longest) const;

 private:
  static constexpr std::array signals_{SIGINT, SIGTERM};
  sigset_t set_{}, before_{};
  std::array<struct sigaction, signals_.size()> actions_{};
};

}  // namespace lacp
