#include "survey.hpp"

#include <algorithm>

#include "data_source.hpp"
#include "grid.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace {

struct Counts {
  std::size_t tasks = 0, done = 0, failed = 0;

  std::string text() const {
    return fmt::format("{} tasks, {} done, {} to run, {} failed", tasks, done, tasks - done - failed, failed);
  }
};

}  // namespace

Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results) {
  Survey out;
  out.folder = results / experiment.name;
  for (const std::string& name : experiment.datasets) {
    SurveyedDataset dataset;
    dataset.description = catalog.find(name);
    dataset.at_hand = at_hand(dataset.description);
    const bool stated = is_synthetic(dataset.description) || !dataset.description.source->sha256.empty();
    if (stated || dataset.at_hand) dataset.fingerprint = data_fingerprint(dataset.description);
    out.datasets[name] = std::move(dataset);
  }
  for (const Task& task : grid(experiment))
    out.tasks.push_back(
        {task, check_cell(out.folder, experiment, task, out.datasets.at(task.dataset).fingerprint)});
  out.failures = read_failures(out.folder);
  return out;
}

std::string status_text(const Experiment& experiment, const Survey& survey) {
  Counts total;
  std::map<std::string, Counts> counts;
  for (const SurveyedTask& item : survey.tasks) {
    const bool done = item.check.state == CellState::done;
    const bool failed = !done && survey.failures.contains(item.task);
    for (Counts* c : {&total, &counts[item.task.dataset]})
      c->tasks += 1, c->done += done ? 1 : 0, c->failed += failed ? 1 : 0;
  }
  std::string text = fmt::format("{}: {}\n", experiment.name, total.text());
  std::size_t width = 0;
  for (const std::string& name : experiment.datasets) width = std::max(width, name.size());
  for (const std::string& name : experiment.datasets)
    text += fmt::format("  {:{}}  {}{}\n", name, width, counts[name].text(),
                        survey.datasets.at(name).at_hand ? "" : " (its file is not at hand)");
  return text;
}

}  // namespace lacp
