#include "settings/grid.hpp"

namespace lacp {

std::vector<Task> grid(const Experiment& experiment) {
  std::vector<Task> tasks;
  for (const std::string& dataset : experiment.datasets)
    for (std::size_t run = 0; run < experiment.runs; ++run)
      for (const std::string& method : experiment.methods) tasks.push_back({dataset, run, method});
  return tasks;
}

}  // namespace lacp
