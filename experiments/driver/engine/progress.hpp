#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "store/cells.hpp"

namespace lacp {

/// Says on standard error how far a run is: one line that is drawn over and over on a terminal, a plain line
/// now and then in a pipe. All functions may be called from any thread.
class Progress {
 public:
  /// `total_cost` is the sum of the planned costs, from which the time left is estimated.
  Progress(std::size_t tasks, double total_cost, bool terminal);
  ~Progress();

  void started(const Task& task);
  void finished(const Task& task, double cost, bool failed);

  /// A message of its own line, e.g. about a failure.
  void say(const std::string& message);

  /// Draws, if it is time to; called regularly by one thread.
  void tick();

  /// Takes the line away, so that others can print: call it when no tick follows.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(Clock::time_point now) const;
  void erase();

  std::mutex mutex_;
  std::size_t tasks_, done_ = 0, failed_ = 0;
  double total_cost_, done_cost_ = 0.0;
  bool terminal_, drawn_ = false;
  std::map<Task, Clock::time_point> running_;
  Clock::time_point start_, last_;
};

/// "45 s", "3 min 20 s", "2 h 05 min".
std::string duration_text(double seconds);

}  // namespace lacp
