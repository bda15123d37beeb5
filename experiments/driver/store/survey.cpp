#include "store/survey.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "lacp/base/error.hpp"
#include "store/fingerprint.hpp"

namespace lacp {
namespace {

struct Counts {
  std::size_t tasks = 0, done = 0, failed = 0;

  std::string text() const {
    return fmt::format("{} tasks, {} done, {} to run, {} failed", tasks, done, tasks - done - failed, failed);
  }
};

/// Reads all cells that there are, on all processors: checksums of thousands of files take their time.
void check_cells(const Experiment& experiment, Survey& survey) {
  std::atomic<std::size_t> next{0};
  const auto check = [&] {
    for (std::size_t i = next++; i < survey.tasks.size(); i = next++) {
      SurveyedTask& item = survey.tasks[i];
      const std::string& fingerprint = survey.datasets.at(item.task.dataset).fingerprint;
      item.check = check_cell(survey.folder, experiment, item.task, fingerprint);
    }
  };
  std::vector<std::jthread> others(std::max(1u, std::thread::hardware_concurrency()) - 1);
  for (std::jthread& thread : others) thread = std::jthread(check);
  check();
}

}  // namespace

Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results,
              const std::vector<Task>& tasks) {
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
  for (const Task& task : tasks) out.tasks.push_back({task, {}});
  check_cells(experiment, out);
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
