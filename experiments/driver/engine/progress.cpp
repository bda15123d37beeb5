#include <cmath>
#include <cstdio>

#include "common/message.hpp"
#include "engine/executor.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::chrono::milliseconds terminal_interval{200};
constexpr std::chrono::seconds pipe_interval{10};

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

std::string duration_text(double value) {
  const auto total = static_cast<long long>(std::llround(value));
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} h {:02} min", total / 3600, total / 60 % 60);
}

Progress::Progress(std::size_t tasks, double total_cost, bool terminal)
    : tasks_(tasks), total_cost_(total_cost), terminal_(terminal), start_(Clock::now()), last_(start_) {}

Progress::~Progress() { erase(); }

void Progress::end() {
  const std::lock_guard lock(mutex_);
  erase();
}

void Progress::started(const Task& task) {
  const std::lock_guard lock(mutex_);
  running_[task] = Clock::now();
}

void Progress::finished(const Task& task, double cost, bool failed) {
  const std::lock_guard lock(mutex_);
  running_.erase(task);
  done_ += 1;
  failed_ += failed ? 1 : 0;
  done_cost_ += cost;
}

void Progress::say(const std::string& message) {
  const std::lock_guard lock(mutex_);
  erase();
  tell("{}\n", message);
}

void Progress::tick() {
  if (quiet) return;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now - last_ < (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(pipe_interval))) return;
  last_ = now;
  if (terminal_) {
    tell("\r{}\033[K", line(now));
    std::fflush(stderr);
    drawn_ = true;
  } else {
    tell("{}\n", line(now));
  }
}

void Progress::erase() {
  if (drawn_) tell("\r\033[K");
  drawn_ = false;
}

std::string Progress::line(Clock::time_point now) const {
  std::string text = fmt::format("{} of {} done", done_, counted(tasks_, "task"));
  if (failed_ > 0) text += fmt::format(", {} failed", failed_);
  if (done_cost_ > 0.0) {
    const double elapsed = seconds(now - start_);
    text += fmt::format(", about {} left", duration_text(elapsed * (total_cost_ / done_cost_ - 1.0)));
  }
  // The longest running one tells the most, and the line must fit a terminal.
  const std::pair<const Task, Clock::time_point>* oldest = nullptr;
  for (const auto& entry : running_)
    if (oldest == nullptr || entry.second < oldest->second) oldest = &entry;
  if (oldest != nullptr)
    text += fmt::format("; {} running: {}{}", running_.size(), to_text(oldest->first),
                        running_.size() > 1 ? ", ..." : "");
  return text;
}

}  // namespace lacp
