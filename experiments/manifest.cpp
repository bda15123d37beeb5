#include "manifest.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <set>
#include <thread>

#include "grid.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/process.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "settings.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

ProgramResult git(const fs::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"git", "-C", folder.empty() ? "." : folder.string()});
  try {
    return run_program(arguments, {.output_in_messages = true});
  } catch (const RunError&) {  // no git here
    return {.status = 127, .messages = ""};
  }
}

/// Of the repository that holds the experiment, else of the one that the program was built from. Results that
/// are not committed yet do not make it dirty: they are what a run writes.
std::string commit(const fs::path& source) {
  const fs::path folder = source.parent_path();
  const ProgramResult head = git(folder, {"rev-parse", "--short=12", "HEAD"});
  if (head.status != 0) return LACP_COMMIT;
  const ProgramResult changes = git(folder, {"diff", "--quiet", "HEAD", "--", ":/", ":(top,exclude)results"});
  return changes.status == 0 ? head.messages : head.messages + "-dirty";
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, implementer, part;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string value(trim(std::string_view(line).substr(colon + 1)));
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part")) part = value;
  }
  utsname name{};
  ::uname(&name);
  return implementer.empty() ? name.machine
                             : fmt::format("{}, implementer {}, part {}", name.machine, implementer, part);
}

YamlMap read_manifest(const fs::path& folder) {
  const fs::path file = folder / "manifest.yaml";
  std::error_code error;
  if (!fs::exists(file, error))
    user_error("{}: has no manifest.yaml; expected a folder that `lacp run` filled, e.g. results/paper",
               folder.string());
  return YamlMap::load(file);
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Experiment recorded_experiment(Experiment base, const Experiment& selected, const Survey& survey) {
  std::set<std::string> datasets(selected.datasets.begin(), selected.datasets.end());
  std::set<std::string> methods(selected.methods.begin(), selected.methods.end());
  std::error_code error;
  for (const Task& task : grid(base))
    if (!(datasets.contains(task.dataset) && methods.contains(task.method)) &&
        std::filesystem::exists(cell_path(survey.folder, task), error))
      datasets.insert(task.dataset), methods.insert(task.method);
  const auto merge = [](std::vector<std::string>& list, const std::vector<std::string>& more,
                        const std::set<std::string>& keep) {
    for (const std::string& name : more)
      if (std::ranges::find(list, name) == list.end()) list.push_back(name);
    std::erase_if(list, [&](const std::string& name) { return !keep.contains(name); });
  };
  merge(base.datasets, selected.datasets, datasets);
  merge(base.methods, selected.methods, methods);
  base.runs = selected.runs;
  return base;
}

void write_manifest(const fs::path& folder, const Experiment& experiment, const Survey& survey,
                    const RunRecord& record) {
  std::string text = "# What made the results beside this file; written by `lacp run`.\n";
  text += fmt::format("source: {}\nstart: {}\nduration_seconds: {:.1f}\nfinished: {}\njobs: {}\n",
                      yaml_quoted(record.source.generic_string()), yaml_quoted(record.start), record.seconds,
                      record.finished, record.jobs);
  text += fmt::format("tasks: {{done_before: {}, done_now: {}, failed: {}}}\n", record.done_before,
                      record.done_now, record.failed);
  if (record.shards != 0) text += fmt::format("shards: {}\n", record.shards);
  text += fmt::format("commit: {}\n", yaml_quoted(commit(record.source)));
  text += fmt::format("cpu: {}\ncores: {}\n", yaml_quoted(processor()), std::thread::hardware_concurrency());
  text += "versions:\n";
  for (const std::string& line : split_text(version_text(), '\n'))
    if (!trim(line).empty()) text += fmt::format("  - {}\n", yaml_quoted(trim(line)));
  text += "data:\n";
  for (const auto& [name, dataset] : survey.datasets) {
    const auto& source = dataset.description.source;
    text += fmt::format("  {}: {{fingerprint: {}, file_sha256: {}}}\n", name,
                        yaml_quoted(dataset.fingerprint), yaml_quoted(source ? source->sha256 : ""));
  }
  text += "experiment:\n" + to_yaml(experiment, 2);
  write_file(folder / "manifest.yaml", text);
}

bool manifest_says(const fs::path& folder, const Experiment& experiment) {
  std::error_code error;
  const fs::path file = folder / "manifest.yaml";
  return fs::exists(file, error) && read_file(file).ends_with("\nexperiment:\n" + to_yaml(experiment, 2));
}

RunRecord load_record(const fs::path& folder) {
  const YamlMap manifest = read_manifest(folder), tasks = manifest.map("tasks");
  RunRecord record;
  record.source = manifest.get<std::string>("source", "");
  record.start = manifest.get<std::string>("start", "");
  record.seconds = manifest.get<double>("duration_seconds", 0.0);
  record.finished = manifest.get<bool>("finished", false);
  record.jobs = manifest.get<std::size_t>("jobs", 1);
  record.done_before = tasks.get<std::size_t>("done_before", 0);
  record.done_now = tasks.get<std::size_t>("done_now", 0);
  record.failed = tasks.get<std::size_t>("failed", 0);
  record.shards = manifest.get<std::size_t>("shards", 0);
  return record;
}

Experiment load_manifest(const fs::path& folder) {
  const YamlMap manifest = read_manifest(folder);
  const fs::path full = fs::absolute(folder).lexically_normal();
  const std::string name =
      full.has_filename() ? full.filename().string() : full.parent_path().filename().string();
  Experiment experiment = read_experiment(manifest.map("experiment"), name);
  // A manifest has every setting; one that was cut off must not pass for the default of what is missing.
  const fs::path file = folder / "manifest.yaml";
  if (read_file(file).find(to_yaml(experiment, 2)) == std::string::npos)
    user_error("{}: does not have all settings as a run writes them; run the experiment again",
               file.string());
  const fs::path source = manifest.get<std::string>("source", "");
  if (!experiment.reference.file.empty())
    experiment.reference.file = (source.parent_path() / experiment.reference.file).string();
  return experiment;
}

}  // namespace lacp
