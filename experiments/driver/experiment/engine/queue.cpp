#include "experiment/engine/executor.hpp"

namespace lacp {

WorkQueue::WorkQueue(const std::vector<PlannedTask>& tasks, std::size_t threads) : most_begun_(threads) {
  std::map<std::pair<std::string, std::size_t>, std::size_t> numbers;
  for (const PlannedTask& planned : tasks) {
    const auto [found, is_new] =
        numbers.try_emplace({planned.task.dataset, planned.task.run}, groups_.size());
    if (is_new) groups_.emplace_back();
    groups_[found->second].tasks.push_back(planned);
  }
}

/// The group with the longest task that can be given out now, one that is begun before one that is not; null
/// if there is none. As many groups as there are threads cannot all be in preparation by the others.
WorkQueue::Group* WorkQueue::next_group() {
  Group* best = nullptr;
  for (const std::size_t number : begun_) {
    Group& group = groups_[number];
    if (!group.preparing && (best == nullptr || group.next_cost() > best->next_cost())) best = &group;
  }
  if (untouched_ < groups_.size() && begun_.size() < most_begun_ &&
      (best == nullptr || groups_[untouched_].next_cost() > best->next_cost())) {
    begun_.push_back(untouched_);
    best = &groups_[untouched_++];
  }
  return best;
}

std::optional<WorkQueue::Claim> WorkQueue::claim() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (begun_.empty() && untouched_ == groups_.size()) return std::nullopt;
    if (Group* group = next_group()) {
      const auto number = static_cast<std::size_t>(group - groups_.data());
      if (group->claimed == 0) group->preparing = true;
      const PlannedTask& next = group->tasks[group->claimed++];
      if (group->claimed == group->tasks.size()) std::erase(begun_, number);
      return Claim{number, next.task, next.cost, group->prepared, group->failure};
    }
    changed_.wait(lock);  // every task left waits for a shared part that another thread computes
  }
}

void WorkQueue::provide(std::size_t group, std::shared_ptr<const Prepared> prepared,
                        std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  groups_[group].prepared = std::move(prepared);
  groups_[group].failure = std::move(failure);
  groups_[group].preparing = false;
  changed_.notify_all();
}

bool WorkQueue::finish(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  Group& group = groups_[claim.group];
  if (++group.finished < group.tasks.size()) return false;
  group.prepared.reset();
  return true;
}

}  // namespace lacp
