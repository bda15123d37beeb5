// `lacp verify`: does tasks of a folder of results again in a temporary folder and compares what they leave,
// byte for byte: cells, kept intervals, failures. Compares the tables with what the cells give, and the
// manifest with the data.
#include <unistd.h>

#include <algorithm>
#include <set>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/run/run.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

struct ScratchFolder {
  std::string path = (fs::temp_directory_path() / "lacp-verify-XXXXXX").string();

  ScratchFolder() {
    if (::mkdtemp(path.data()) == nullptr) run_error("{}: cannot be made", path);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

/// What a folder has of a task: with these settings, else the newest.
std::optional<FoundCell> recorded(const Cells& cells, const Task& task, const std::string& settings) {
  std::optional<FoundCell> other;
  for (FoundCell& found : cells.find(task)) {
    if (found.cell && found.cell->settings == settings) return std::move(found);
    if (!other) other = std::move(found);
  }
  return other;
}

/// Where a text in the folder and one made here begin to differ.
std::string first_difference(const std::string& there, const std::string& here) {
  std::vector<std::string> a = split_text(there, '\n'), b = split_text(here, '\n');
  a.resize(std::max(a.size(), b.size()), "(no line)");
  b.resize(a.size(), "(no line)");
  const auto [recorded, made] = std::ranges::mismatch(a, b);
  return fmt::format("'{}' in the folder, '{}' here", *recorded, *made);
}

std::string ending(const Cell& cell) { return cell.failure.empty() ? "is done" : "failed: " + cell.failure; }

/// How the task's cell or intervals differ from those that came out here; "" if they do not.
std::string difference(const Cells& there, const FoundCell& found, const Cells& here, const Cell& made) {
  const auto told = [&](const std::string& source, const std::string& what) {
    const Task& task = made.task;
    return fmt::format("{}: {} {} {}: {}", source, task.dataset, task.run, task.method, what);
  };
  if (!found.cell) return told(found.source, is_damaged);
  const Cell& cell = *found.cell;
  if (cell.settings != made.settings)
    return told(found.source, "was made with other settings or data, or by another version");
  if (cell.failure != made.failure)
    return told(found.source, fmt::format("{} in the folder; {} here", ending(cell), ending(made)));
  if (to_text(cell) != to_text(made))
    return told(found.source, first_difference(to_text(cell), to_text(made)));
  const std::string kept = kept_intervals(there.folder(), made.task),
                    again = kept_intervals(here.folder(), made.task);
  if (made.intervals.empty() || kept == again) return "";
  return told(intervals_path(there.folder(), made.task.dataset).string(),
              kept.empty() ? "is not there" : first_difference(kept, again));
}

/// Checksums of the manifest that are not those of the data, a line for each.
std::vector<std::string> wrong_checksums(const fs::path& folder, const Manifest& manifest,
                                         const Survey& found) {
  std::vector<std::string> problems;
  for (const auto& [name, dataset] : found.datasets) {
    if (!dataset.at_hand) continue;
    const auto there = manifest.data.find(name);
    const Manifest::DataSums sums = there == manifest.data.end() ? Manifest::DataSums() : there->second;
    const auto& source = dataset.description.source;
    for (const auto& [key, recorded, now] : {std::tuple("fingerprint", sums.fingerprint, dataset.fingerprint),
                                             {"file_sha256", sums.file_sha256, source ? source->sha256 : ""}})
      if (recorded != now)
        problems.push_back(fmt::format("{}: {} of {} is '{}', and that of the data '{}'",
                                       (folder / "manifest.yaml").string(), key, name, recorded, now));
  }
  return problems;
}

/// Tables that do not follow from the cells, a line for each.
std::vector<std::string> wrong_tables(const fs::path& folder, const fs::path& scratch,
                                      const WriteTables& write) {
  std::vector<std::string> problems;
  try {
    write(folder, scratch);
  } catch (const UserError& problem) {  // of a reference, say; what was written before is compared
    problems.emplace_back(problem.what());
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(scratch, error)) {
    const fs::path name = entry.path().filename(), file = folder / name;
    const bool there = fs::exists(file, error), needed = name == "table.csv" || name == "table.tex";
    const std::string made = read_file(entry.path()), found = there ? read_file(file) : "";
    if (there ? found == made : !needed) continue;
    problems.push_back(
        fmt::format("{}: {}; `lacp table` writes it again", file.string(),
                    there ? "does not follow from cells: " + first_difference(found, made) : "is not there"));
  }
  std::ranges::sort(problems);
  return problems;
}

/// What came of the tasks that were done again.
struct Findings {
  std::size_t cells = 0, same_cells = 0, failures = 0, same_failures = 0;
  std::vector<std::string> differences;
  std::size_t not_tried = 0;  ///< without memory or data, which was told
};

Findings compare(const Cells& there, const Cells& here, const Experiment& experiment, const Survey& found,
                 const std::vector<Task>& tasks) {
  Findings findings;
  for (const Task& task : tasks) {
    const std::string settings = settings_hash(experiment, task, found.datasets.at(task.dataset).fingerprint);
    const FoundCell kept = recorded(there, task, settings).value();
    const bool failed = kept.cell && !kept.cell->failure.empty();
    (failed ? findings.failures : findings.cells) += 1;
    const std::optional<FoundCell> made = recorded(here, task, settings);
    if (!made) {
      findings.not_tried += 1;
      continue;
    }
    const std::string text = difference(there, kept, here, made->cell.value());
    if (!text.empty())
      findings.differences.push_back(text);
    else
      (failed ? findings.same_failures : findings.same_cells) += 1;
  }
  return findings;
}

}  // namespace

int verify_results(const VerifyOptions& options, const WriteTables& write_tables) {
  const std::string folder = options.folder.string();
  const Manifest manifest = load_manifest(options.folder);
  const Experiment& experiment = manifest.experiment;
  const ScratchFolder scratch;
  const Survey found =
      survey(experiment, open_catalog(options.datasets_folder), scratch.path, grid(experiment));
  const Cells there(options.folder), here(found.folder);

  std::vector<Task> all, missing;
  std::set<std::string> no_data;
  for (const Task& task : grid(experiment)) {
    const SurveyedDataset& dataset = found.datasets.at(task.dataset);
    if (!recorded(there, task, settings_hash(experiment, task, dataset.fingerprint)))
      missing.push_back(task);
    else if (dataset.at_hand)
      all.push_back(task);
    else
      no_data.insert(task.dataset);
  }
  if (missing.size() == grid(experiment).size()) user_error("{}: has no cells to verify", folder);
  std::vector<Task> drawn = options.sample > 0 ? draw(all, options.sample, options.seed) : all;

  Work work{
      .experiment = experiment, .folder = found.folder, .datasets = found.datasets, .tell_failures = false};
  work.tasks = work.planned(drawn);
  work.jobs = thread_count(options.jobs, work.tasks.size());
  if (!drawn.empty()) execute(work);
  const Findings findings = compare(there, here, experiment, found, drawn);

  std::vector<std::string> problems = findings.differences;
  std::ranges::copy(wrong_checksums(options.folder, manifest, found), std::back_inserter(problems));
  if (missing.empty())
    std::ranges::copy(wrong_tables(options.folder, fs::path(scratch.path) / "tables", write_tables),
                      std::back_inserter(problems));
  for (const std::string& problem : problems) show("{}\n", problem);
  if (!missing.empty())
    tell("{}: {} missing, so its tables were not compared\n", folder, counted(missing.size(), "task"));
  if (findings.not_tried > 0)
    tell("{}: {} could not be tried\n", folder, counted(findings.not_tried, "task"));
  if (!no_data.empty()) work.report_left_out({no_data.begin(), no_data.end()});

  show("{}: {} of {} agree byte for byte", folder, findings.same_cells, counted(findings.cells, "cell"));
  if (findings.failures > 0)
    show(", {} of {} with the same reason", findings.same_failures, counted(findings.failures, "failure"));
  if (!missing.empty()) show(", {} missing", missing.size());
  if (options.sample > 0) show(", drawn from {} with seed {}", all.size(), options.seed);
  if (!no_data.empty())
    show("; left out, without data: {}", join(std::vector(no_data.begin(), no_data.end()), ", "));
  show("\n");
  if (!problems.empty() || (!missing.empty() && !options.allow_missing)) return exit_failed;
  return drawn.empty() || findings.not_tried > 0 ? exit_wrong_input : exit_done;
}

}  // namespace lacp
