#include "work/queue.hpp"

#include <map>

namespace lacp {

WorkQueue::WorkQueue(const std::vector<PlannedTask>& tasks) {
  std::map<std::pair<std::string, std::size_t>, std::size_t> numbers;
  for (const PlannedTask& planned : tasks) {
    const auto [found, is_new] =
        numbers.try_emplace({planned.task.dataset, planned.task.run}, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].left += 1;
    items_.push_back({planned.task, found->second});
  }
}

std::optional<WorkQueue::Claim> WorkQueue::claim() {
  std::unique_lock lock(mutex_);
  for (;;) {
    while (first_ < items_.size() && items_[first_].taken) ++first_;
    if (stopped_ || first_ == items_.size()) return std::nullopt;
    for (std::size_t i = first_; i < items_.size(); ++i) {
      Item& item = items_[i];
      Group& group = groups_[item.group];
      if (item.taken || group.state == State::preparing) continue;
      item.taken = true;
      if (group.state == State::untouched) group.state = State::preparing;
      return Claim{item.group, item.task, group.prepared, group.failure};
    }
    changed_.wait(lock);  // every task left waits for a shared part that another thread computes
  }
}

void WorkQueue::provide(std::size_t group, std::shared_ptr<const Prepared> prepared) {
  const std::lock_guard lock(mutex_);
  groups_[group].prepared = std::move(prepared);
  groups_[group].state = State::ready;
  changed_.notify_all();
}

void WorkQueue::provide_failure(std::size_t group, std::exception_ptr reason) {
  const std::lock_guard lock(mutex_);
  groups_[group].failure = std::move(reason);
  groups_[group].state = State::failed;
  changed_.notify_all();
}

bool WorkQueue::finish(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  Group& group = groups_[claim.group];
  if (--group.left > 0) return false;
  group.prepared.reset();
  return true;
}

void WorkQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

bool WorkQueue::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

}  // namespace lacp
