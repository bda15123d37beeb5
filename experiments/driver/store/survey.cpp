#include "store/survey.hpp"

#include <algorithm>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "store/fingerprint.hpp"
#include "store/manifest.hpp"

namespace lacp {
namespace {

struct Counts {
  std::size_t tasks = 0, done = 0, failed = 0;

  std::string text() const {
    return fmt::format("{}, {} done, {} to run, {} failed", counted(tasks, "task"), done,
                       tasks - done - failed, failed);
  }
};

SurveyedDataset survey_dataset(const DatasetDescription& description, const std::filesystem::path& folder) {
  SurveyedDataset dataset{
      .description = description, .at_hand = at_hand(description), .fingerprint = "", .filled = 0};
  const bool stated = is_synthetic(description) || !description.source->sha256.empty();
  if (stated || dataset.at_hand)
    dataset.fingerprint = data_fingerprint(description);
  else  // what was made from it while it was there still counts
    dataset.fingerprint = recorded_fingerprint(folder, description.name);
  return dataset;
}

}  // namespace

void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (survey.datasets.contains(name)) continue;
    try {
      survey.datasets[name] = survey_dataset(catalog.find(name), survey.folder);
    } catch (const UserError&) {  // its description is gone or wrong: what is recorded of it stays
      survey.datasets.erase(name);
    }
  }
}

Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results,
              const std::vector<Task>& tasks) {
  Survey out;
  out.folder = results / experiment.name;
  for (const std::string& name : experiment.datasets)
    out.datasets[name] = survey_dataset(catalog.find(name), out.folder);
  std::map<std::string, std::string> fingerprints;
  for (const auto& [name, dataset] : out.datasets) fingerprints[name] = dataset.fingerprint;
  std::vector<CellCheck> checks =
      check_cells(out.folder, experiment, tasks, fingerprints, [](const Measurement&) { return false; });
  for (std::size_t i = 0; i < tasks.size(); ++i) out.tasks.push_back({tasks[i], std::move(checks[i])});
  return out;
}

std::map<Task, double> Survey::seconds() const {
  std::map<Task, double> times;
  for (const auto& [task, check] : tasks)
    if (check.cell && check.cell->seconds) times[task] = *check.cell->seconds;
  return times;
}

std::string failures_text(const Failures& failures) {
  constexpr std::size_t most_shown = 20;
  std::map<std::string, std::size_t> times;
  for (const auto& [task, failure] : failures) ++times[failure.reason];
  std::string text;
  std::size_t shown = 0, told = 0;
  for (const auto& [task, failure] : failures) {
    const std::size_t same = std::exchange(times[failure.reason], 0);  // told with the first of them
    if (same == 0 || ++shown > most_shown) continue;
    told += same;
    text += fmt::format("  {}: {}{}\n", to_text(task), failure.reason,
                        same > 1 ? fmt::format(" (and {} more for the same reason)", same - 1) : "");
  }
  if (shown > most_shown)
    text +=
        fmt::format("  ... and {} more, in the column `failure` of cells/*.csv\n", failures.size() - told);
  return text;
}

std::string status_text(const Experiment& experiment, const Survey& survey, const std::string& advice) {
  Counts total;
  std::size_t stale = 0;
  Failures failures;
  std::map<std::string, Counts> counts;
  for (const SurveyedTask& item : survey.tasks) {
    const bool done = item.check.state == CellState::done;
    const bool failed = item.check.failure.has_value();
    if (failed) failures[item.task] = *item.check.failure;
    stale += item.check.state == CellState::changed && !failed ? 1 : 0;
    for (Counts* c : {&total, &counts[item.task.dataset]})
      c->tasks += 1, c->done += done ? 1 : 0, c->failed += failed ? 1 : 0;
  }
  std::string text = fmt::format("{}: {}\n", experiment.name, total.text());
  std::size_t width = 0;
  for (const std::string& name : experiment.datasets) width = std::max(width, name.size());
  for (const std::string& name : experiment.datasets)
    text += fmt::format("  {:{}}  {}{}\n", name, width, counts[name].text(),
                        survey.datasets.at(name).at_hand ? "" : " (its file is missing)");
  if (stale > 0)
    text += fmt::format("{} {} stale: made with other settings or data, {} not count; {}\n",
                        counted(stale, "cell"), stale == 1 ? "is" : "are", stale == 1 ? "it does" : "they do",
                        advice);
  if (!failures.empty()) text += "failed:\n" + failures_text(failures);
  return text;
}

}  // namespace lacp
