#include "store/survey.hpp"

#include <algorithm>
#include <set>

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

/// "paper: 150 of 270 cells are those that came with the folder: homes, CASP; …".
std::string redone_text(const Experiment& experiment, const Survey& survey) {
  std::size_t came = 0, redone = 0, same = 0;
  std::set<std::string> datasets;
  for (const SurveyedTask& item : survey.tasks) {
    if (item.check.state != CellState::done) continue;
    const bool here = made_here(survey, item);
    (here ? redone : came) += 1;
    if (!here) datasets.insert(item.task.dataset);
    if (here) same += survey.redone.at(item.task).before == item.check.cell->checksum ? 1 : 0;
  }
  std::vector<std::string> names;
  for (const std::string& name : experiment.datasets)
    if (datasets.contains(name))
      names.push_back(name + (survey.datasets.at(name).at_hand ? "" : " (missing)"));
  std::string text =
      fmt::format("{}: {} {} made here, {} of them with the bytes that came with the folder", experiment.name,
                  counted(redone, "cell"), redone == 1 ? "was" : "were", same);
  if (came > 0)
    text += fmt::format("; {} that came with it: {}",
                        came == 1 ? "1 is the one" : fmt::format("{} are those", came), join(names, ", "));
  return text + "\n";
}

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
  out.failures = read_failures(out.folder);
  out.redone = read_redone(out.folder);
  std::vector<CellCheck> checks =
      check_cells(out.folder, experiment, tasks, fingerprints, [](const Measurement&) { return false; });
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    SurveyedTask item{tasks[i], std::move(checks[i]), std::nullopt};
    if (const auto found = out.failures.find(item.task);
        found != out.failures.end() && item.check.state != CellState::done &&
        failure_counts(found->second, experiment, item.task, fingerprints.at(item.task.dataset)))
      item.failure = found->second;
    out.tasks.push_back(std::move(item));
  }
  return out;
}

bool made_here(const Survey& survey, const SurveyedTask& item) {
  const auto row = survey.redone.find(item.task);
  return row != survey.redone.end() &&
         row->second.after == (item.check.cell ? item.check.cell->checksum : "");
}

std::string status_text(const Experiment& experiment, const Survey& survey, const std::string& advice) {
  Counts total;
  std::size_t stale = 0;
  std::map<std::string, Counts> counts;
  for (const SurveyedTask& item : survey.tasks) {
    const bool done = item.check.state == CellState::done;
    const bool failed = item.failure.has_value();
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
  if (!survey.redone.empty()) text += redone_text(experiment, survey);
  return text;
}

}  // namespace lacp
