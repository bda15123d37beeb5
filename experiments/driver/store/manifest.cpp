#include "store/manifest.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "lacp/io/process.hpp"
#include "settings/grid.hpp"
#include "settings/settings.hpp"

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

/// The settings in a folder's manifest, if there is one that can be read.
std::optional<Experiment> earlier_manifest(const fs::path& folder) {
  try {
    return load_manifest(folder);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

struct DataSums {
  std::string fingerprint, file_sha256;
};

/// Those of the experiment's data sets that the folder's manifest has.
std::map<std::string, DataSums> earlier_sums(const fs::path& folder, const Experiment& experiment) {
  std::map<std::string, DataSums> sums;
  try {
    const YamlMap data = read_manifest(folder).map("data");
    for (const std::string& name : experiment.datasets)
      if (data.has(name)) {
        const YamlMap sum = data.map(name);
        sums[name] = {.fingerprint = sum.get<std::string>("fingerprint", ""),
                      .file_sha256 = sum.get<std::string>("file_sha256", "")};
      }
  } catch (const UserError&) {
    return {};  // none, or damaged: the caller is about to write a new one
  }
  return sums;
}

/// Names of data sets or methods, in the order of the yaml, and which of them a manifest lists.
struct Names {
  std::vector<std::string> wanted;
  std::set<std::string> kept;

  void want(const std::vector<std::string>& more) {
    for (const std::string& name : more)
      if (std::ranges::find(wanted, name) == wanted.end()) wanted.push_back(name);
  }
  std::vector<std::string> in_order() const {
    std::vector<std::string> names = wanted;
    std::erase_if(names, [&](const std::string& name) { return !kept.contains(name); });
    return names;
  }
};

bool has_cell_of(const fs::path& folder, const Experiment& experiment, const Task& task) {
  const fs::path file = cell_path(folder, task);
  std::error_code error;
  if (!fs::exists(file, error)) return false;
  try {
    const Cell cell = read_cell(file);
    return cell.task == task && cell.settings == settings_hash(experiment, task, cell.data);
  } catch (const UserError&) {
    return false;
  }
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

Experiment recorded_experiment(Experiment base, const Experiment& selected, const fs::path& folder) {
  Names datasets{.wanted = base.datasets, .kept = {selected.datasets.begin(), selected.datasets.end()}};
  Names methods{.wanted = base.methods, .kept = {selected.methods.begin(), selected.methods.end()}};
  datasets.want(selected.datasets), methods.want(selected.methods);
  const std::set<std::string> known_datasets(datasets.wanted.begin(), datasets.wanted.end());
  const std::set<std::string> known_methods(methods.wanted.begin(), methods.wanted.end());
  if (const auto earlier = earlier_manifest(folder))
    datasets.want(earlier->datasets), methods.want(earlier->methods);

  Experiment all = base;
  all.datasets = datasets.wanted, all.methods = methods.wanted;
  all.runs = std::max(base.runs, selected.runs);
  std::error_code error;
  for (const Task& task : grid(all)) {
    if (datasets.kept.contains(task.dataset) && methods.kept.contains(task.method)) continue;
    const bool known = known_datasets.contains(task.dataset) && known_methods.contains(task.method);
    if (known ? fs::exists(cell_path(folder, task), error) : has_cell_of(folder, all, task))
      datasets.kept.insert(task.dataset), methods.kept.insert(task.method);
  }
  base.datasets = datasets.in_order(), base.methods = methods.in_order();
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
  std::map<std::string, DataSums> sums = earlier_sums(folder, experiment);
  for (const auto& [name, dataset] : survey.datasets) {
    const auto& source = dataset.description.source;
    sums[name] = {.fingerprint = dataset.fingerprint, .file_sha256 = source ? source->sha256 : ""};
  }
  for (const auto& [name, sum] : sums)
    text += fmt::format("  {}: {{fingerprint: {}, file_sha256: {}}}\n", name, yaml_quoted(sum.fingerprint),
                        yaml_quoted(sum.file_sha256));
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
  record.commit = manifest.get<std::string>("commit", "");
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
