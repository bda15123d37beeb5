#include "work/gather.hpp"

#include <algorithm>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "common/text_table.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/grid.hpp"
#include "store/manifest.hpp"
#include "store/survey.hpp"
#include "work/datasets_folder.hpp"
#include "work/shard.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::vector<fs::path> worker_folders(const fs::path& folder, std::size_t shards) {
  std::vector<fs::path> found;
  std::error_code error;
  for (std::size_t i = 1; i <= shards; ++i)
    if (const fs::path worker = shard_folder(folder, {i, shards});
        fs::exists(worker / "manifest.yaml", error))
      found.push_back(worker);
  return found;
}

/// One record for all: began with the first worker, lasted as long as all of them together.
RunRecord joint_record(const RunRequest& request, const std::vector<fs::path>& workers, std::size_t shards) {
  RunRecord joint = new_record(request.experiment);
  joint.start = "", joint.shards = shards;
  joint.finished = workers.size() == shards;
  for (const fs::path& worker : workers) {
    const RunRecord record = load_manifest(worker).records.at(0);
    if (joint.start.empty() || record.start < joint.start) joint.start = record.start;
    joint.seconds += record.seconds;
    joint.finished = joint.finished && record.finished;
    joint.jobs = std::max(joint.jobs, record.jobs);
    joint.done_before += record.done_before;
    joint.done_now += record.done_now;
    joint.failed += record.failed;
  }
  return joint;
}

/// Rows about tasks that are done by now say nothing any more.
Failures still_failed(const Survey& survey) {
  Failures failures = survey.failures;
  for (const SurveyedTask& item : survey.tasks)
    if (item.check.state == CellState::done) failures.erase(item.task);
  return failures;
}

/// What the workers' manifests say of the data sets that the survey, which reads no data, cannot know.
void add_filled(Survey& survey, const std::vector<fs::path>& workers) {
  for (const fs::path& worker : workers)
    for (const auto& [name, sums] : load_manifest(worker).data)
      if (const auto found = survey.datasets.find(name);
          found != survey.datasets.end() && found->second.fingerprint == sums.fingerprint)
        found->second.filled = std::max(found->second.filled, sums.filled);
}

void merge_records(const Experiment& base, const Experiment& experiment, Survey survey,
                   const RunRequest& request, std::size_t shards) {
  const std::vector<fs::path> workers = worker_folders(survey.folder, shards);
  if (workers.empty()) return;
  const RecordsLock alone(survey.folder);
  add_filled(survey, workers);
  for (const fs::path& worker : workers) add_times(survey.folder, read_times(worker));
  write_failures(survey.folder, still_failed(survey));
  write_manifest(survey.folder, recorded_experiment(base, experiment, survey.folder), survey,
                 joint_record(request, workers, shards));
  // Merged rows would only grow old here. The manifests stay: each names the machine of its worker.
  for (const fs::path& worker : workers) remove_rows(worker);
}

}  // namespace

int gather_shards(const RunRequest& request, std::size_t shards) {
  const Experiment base = load_experiment(request.experiment, request.set);
  const Experiment experiment = select(base, request.selection);
  check_owner(request.results / experiment.name, request.experiment, base, experiment);
  const Catalog catalog = open_catalog(request.datasets_folder);
  const Survey found = survey(experiment, catalog, request.results, grid(experiment));
  merge_records(base, experiment, found, request, shards);

  TextTable missing{{"shard", "dataset", "run", "method", "reason"}, {}, ""};
  const auto shard_numbers = shards_of(experiment, catalog, shards);
  for (const auto& [task, check, failure] : found.tasks) {
    if (check.state == CellState::done) continue;
    missing.add({std::to_string(shard_numbers.at(task)), task.dataset, std::to_string(task.run), task.method,
                 failure                                    ? "failed: " + failure->reason
                 : !found.datasets.at(task.dataset).at_hand ? "the file of the data set is missing"
                 : check.state == CellState::changed        ? "done with other settings or data"
                 : check.state == CellState::damaged        ? check.message
                                                            : "not done"});
  }
  if (!missing.rows.empty()) fmt::print("{}", to_text(missing));
  tell("{}: {}, {} done, {} missing\n", experiment.name, counted(found.tasks.size(), "task"),
       found.tasks.size() - missing.rows.size(), missing.rows.size());
  return missing.rows.empty() ? exit_done : exit_failed;
}

}  // namespace lacp
