#include "work/todo.hpp"

#include <set>

#include "common/message.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

Todo find_todo(const Experiment& experiment, const Survey& survey, const RunRequest& request) {
  Todo todo;
  std::size_t changed = 0;
  std::set<std::string> left_out;
  for (const SurveyedTask& item : survey.tasks) {
    const auto& [task, check] = item;
    const bool again = request.force;
    const bool at_hand = survey.datasets.at(task.dataset).at_hand;
    const bool done = check.state == CellState::done;
    if (!at_hand && (again || !done)) left_out.insert(task.dataset);
    if (done && (!again || !at_hand)) {
      todo.done_before += 1;
    } else if (!at_hand) {
      continue;
    } else if (check.failure && !check.failure->settings.empty() && !again && !request.retry_failed) {
      todo.failed[task] = *check.failure;
    } else {
      if (check.state == CellState::damaged) tell("{}; done again\n", check.message);
      if (check.state == CellState::changed) changed += 1;
      todo.tasks.push_back(task);
    }
  }
  if (changed > 0) note("{} done with other settings or data: done again\n", counted(changed, "task"));
  for (const std::string& name : experiment.datasets)
    if (left_out.contains(name)) todo.left_out.push_back(name);
  return todo;
}

}  // namespace lacp
