#include "store/manifest.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <optional>
#include <thread>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"
#include "settings/experiment.hpp"
#include "settings/settings.hpp"

namespace lacp {
namespace fs = std::filesystem;

namespace {

/// The manifest of a folder, if there is one that can be read.
std::optional<Manifest> earlier_manifest(const fs::path& folder) {
  try {
    return load_manifest(folder);
  } catch (const UserError&) {
    return std::nullopt;
  }
}

std::string file_name(const fs::path& folder) {
  const fs::path full = fs::absolute(folder).lexically_normal();
  return full.has_filename() ? full.filename().string() : full.parent_path().filename().string();
}

constexpr const char* ways =
    "keep these apart with --name NAME or --results DIR, or replace what is there with --force";

/// Without a manifest: the first task of the experiment's grid whose cell was made with other settings.
std::optional<Task> foreign_cell(const fs::path& folder, const Experiment& base) {
  const Cells cells(folder);
  for (const Task& task : grid(base)) {
    try {
      const std::optional<Cell> cell = cells.read(task);
      if (cell && cell->settings != settings_hash(base, task, cell->data)) return task;
    } catch (const UserError&) {  // damaged: it is done again
    }
  }
  return std::nullopt;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (!contains(names, name)) names.push_back(name);
}

/// Those of `names` that are not among `known`.
std::vector<std::string> outside(const std::vector<std::string>& names,
                                 const std::vector<std::string>& known) {
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (!contains(known, name)) found.push_back(name);
  return found;
}

/// Where the settings end that the text holds line after line, as a run writes them; a key younger than the
/// text may be absent. npos: it does not hold them.
std::size_t end_of_settings(const std::string& text, const Experiment& experiment) {
  const std::vector<YamlLine> lines = yaml_lines(experiment, 2);
  std::size_t at = text.find(lines.front().text);
  for (const YamlLine& line : lines) {
    const auto follows = [&](std::string_view written) {
      return at != std::string::npos && text.compare(at, written.size(), written) == 0;
    };
    constexpr std::string_view old = "  rows:\n";  // of baselines, until 1.1
    if (follows(line.text))
      at += line.text.size();
    else if (line.text == "  baselines:\n" && follows(old))
      at += old.size();
    else if (!line.may_be_absent)
      return std::string::npos;
  }
  return at;
}

}  // namespace

std::vector<std::string> Manifest::commits() const {
  std::vector<std::string> commits;
  for (const RunRecord& record : records)
    if (record.done_now > 0) add_new(commits, {record.commit});
  return commits.empty() ? std::vector{records.at(0).commit} : commits;
}

Manifest load_manifest(const fs::path& folder) {
  const fs::path file = folder / "manifest.yaml";
  std::error_code error;
  if (!fs::exists(file, error))
    user_error("{}: has no manifest.yaml; expected a folder that `lacp run` filled, e.g. results/paper",
               folder.string());
  const YamlMap map = YamlMap::load(file);
  Manifest manifest;
  manifest.experiment = read_experiment(map.map("experiment"), file_name(folder));
  // A manifest has every setting; one that was cut off must not pass for the default of what is missing.
  if (end_of_settings(read_file(file), manifest.experiment) == std::string::npos)
    user_error("{}: does not have all settings as a run writes them; run the experiment again",
               file.string());
  manifest.records.push_back(read_record(map));
  if (map.has("earlier"))
    for (const YamlMap& earlier : map.maps("earlier")) manifest.records.push_back(read_record(earlier));
  if (map.has("data")) {
    const YamlMap data = map.map("data");
    for (const std::string& name : data.keys()) {
      const YamlMap sum = data.map(name);
      manifest.data[name] = {.fingerprint = sum.get<std::string>("fingerprint", ""),
                             .file_sha256 = sum.get<std::string>("file_sha256", ""),
                             .filled = sum.get<std::size_t>("filled", 0),
                             .log_target = sum.get<bool>("log_target", false)};
    }
  }
  Reference& reference = manifest.experiment.reference;
  for (std::string* name : {&reference.file, &reference.beside})
    if (!name->empty()) *name = (manifest.records[0].source.parent_path() / *name).string();
  return manifest;
}

std::string recorded_fingerprint(const fs::path& folder, const std::string& dataset) {
  const auto manifest = earlier_manifest(folder);
  const bool known = manifest && manifest->data.contains(dataset);
  return known ? manifest->data.at(dataset).fingerprint : "";
}

Experiment recorded_experiment(Experiment base, const Experiment& selected, const fs::path& folder) {
  Experiment kept = selected;
  if (const auto earlier = earlier_manifest(folder)) {
    add_new(kept.datasets, earlier->experiment.datasets);
    add_new(kept.methods, earlier->experiment.methods);
    kept.runs = std::max(kept.runs, earlier->experiment.runs);
  } else {
    const Cells cells(folder);
    for (const Task& task : grid(base))
      if (cells.newest(task)) add_new(kept.datasets, {task.dataset}), add_new(kept.methods, {task.method});
  }
  const auto in_order = [](std::vector<std::string> order, const std::vector<std::string>& names) {
    std::erase_if(order, [&](const std::string& name) { return !contains(names, name); });
    add_new(order, names);
    return order;
  };
  base.datasets = in_order(base.datasets, kept.datasets);
  base.methods = in_order(base.methods, kept.methods);
  base.runs = kept.runs;
  return base;
}

void check_owner(const fs::path& folder, const fs::path& source, const Experiment& base,
                 const Experiment& selected) {
  const auto manifest = earlier_manifest(folder);
  if (!manifest) {
    if (const auto task = foreign_cell(folder, base))
      user_error("{}: has no manifest that can be read, and holds cells of other settings ({}); {}",
                 folder.string(), to_text(*task), ways);
    return;
  }
  const Experiment& owner = manifest->experiment;
  const fs::path& recorded = manifest->records[0].source;
  if (const auto changed = changes(owner, base); !changed.empty())
    user_error("{}: holds results of other settings ({}); {}", folder.string(), to_text(changed, 3), ways);
  std::error_code error;  // a path that says nothing here, as one from another folder, tells only its name
  if (!recorded.empty() && (recorded.filename() != source.filename() ||
                            (fs::exists(recorded, error) && !fs::equivalent(recorded, source, error))))
    user_error("{}: holds results of {}, found {}; {}", folder.string(), recorded.string(), source.string(),
               ways);
  const auto check = [&](const char* what, const std::vector<std::string>& asked,
                         const std::vector<std::string>& listed, const std::vector<std::string>& there) {
    const std::vector<std::string> own = outside(asked, listed);
    if (!own.empty() && outside(there, listed).empty())
      user_error("{}: holds results of {}, which does not list the {} {}; {}", folder.string(),
                 source.string(), what, join(own, ", "), ways);
  };
  check("data set", selected.datasets, base.datasets, owner.datasets);
  check("method", selected.methods, base.methods, owner.methods);
}

void write_manifest(const fs::path& folder, const Experiment& experiment, const Survey& survey,
                    const RunRecord& record, bool only_first) {
  const fs::path file = folder / "manifest.yaml";
  std::error_code error;
  Manifest manifest;
  if (fs::exists(file, error)) {
    try {
      manifest = load_manifest(folder);
    } catch (const UserError& problem) {  // damaged, or of a newer version
      check_writable(file);               // it may be what this program was given to read
      fs::rename(file, folder / "manifest.yaml.unread", error);
      tell("{}; kept as manifest.yaml.unread, and a new one is written\n", problem.what());
    }
  }
  for (const auto& [name, dataset] : survey.datasets) {
    const auto& source = dataset.description.source;
    Manifest::DataSums& sums = manifest.data[name];
    // A call that reads no data knows no count; that of the same data still holds.
    const std::size_t known = sums.fingerprint == dataset.fingerprint ? sums.filled : 0;
    sums = {.fingerprint = dataset.fingerprint,
            .file_sha256 = source ? source->sha256 : "",
            .filled = std::max(dataset.filled, known),
            .log_target = dataset.description.log_target};
  }
  std::erase_if(manifest.data, [&](const auto& item) { return !contains(experiment.datasets, item.first); });
  if (!only_first || manifest.records.empty()) add_record(manifest.records, record);
  std::string text = records_yaml(manifest.records) + "data:\n";
  for (const auto& [name, sum] : manifest.data)
    text += fmt::format("  {}: {{fingerprint: {}, file_sha256: {}{}{}}}\n", name,
                        yaml_quoted(sum.fingerprint), yaml_quoted(sum.file_sha256),
                        sum.filled > 0 ? fmt::format(", filled: {}", sum.filled) : "",
                        sum.log_target ? ", log_target: true" : "");
  text += "experiment:\n";
  const std::string there = fs::exists(file, error) ? read_file(file) : "";
  if (!there.starts_with(text) || end_of_settings(there, experiment) != there.size())
    write_file(file, text + to_yaml(experiment, 2));
}

fs::path folder_above(const fs::path& folder) {
  fs::path name = (folder / "").lexically_normal().parent_path();
  if (name.empty() || name == "." || name.filename() == "..")
    name = fs::absolute(folder / "").lexically_normal().parent_path();
  return name.parent_path();
}

Merged merge_results(const fs::path& folder) {
  const Manifest manifest = load_manifest(folder);
  std::map<std::string, std::string> fingerprints;
  for (const auto& [name, sums] : manifest.data) fingerprints[name] = sums.fingerprint;
  return merge_cells(folder, counting(manifest.experiment, fingerprints));
}

std::string rerun_command(const fs::path& folder, const Manifest& manifest) {
  const fs::path& source = manifest.records[0].source;
  const Experiment& e = manifest.experiment;
  const fs::path results = folder_above(folder);
  CommandLine command("lacp run " + shell_quoted(source.string()));
  if (e.name != source.stem()) command.option("--name", e.name);
  if (results != "results") command.option("--results", results.empty() ? "." : results.string());
  try {
    const Experiment base = load_experiment(source);
    for (const SettingChange& change : changes(base, e))
      command.option("--set", fmt::format("{}={}", change.key, change.after));
    if (e.datasets != base.datasets) command.option("--datasets", join(e.datasets, ","));
    if (e.methods != base.methods) command.option("--methods", join(e.methods, ","));
    if (e.runs != base.runs) command.option("--runs", std::to_string(e.runs));
  } catch (const UserError&) {  // not in the working folder
  }
  return command.text;
}

namespace {

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

std::string utc_now() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text,
                     std::chrono::duration_cast<std::chrono::milliseconds>(now).count() % 1000);
}

}  // namespace

RunRecord new_record(const fs::path& source) {
  RunRecord record{.source = source, .start = utc_now(), .commit = program_commit, .cpu = processor()};
  record.cores = std::thread::hardware_concurrency();
  for (const std::string& line : split_text(version_text(), '\n'))
    if (!trim(line).empty()) record.versions.emplace_back(trim(line));
  return record;
}

RunRecord read_record(const YamlMap& map) {
  RunRecord record;
  record.source = map.get<std::string>("source", "");
  record.start = map.get<std::string>("start", "");
  record.seconds = map.get<double>("duration_seconds", 0.0);
  record.finished = map.get<bool>("finished", false);
  record.jobs = map.get<std::size_t>("jobs", 1);
  record.done_now = map.get<std::size_t>("done_now", 0);
  record.shard = map.get<std::string>("shard", "");
  record.commit = map.get<std::string>("commit", "");
  record.cpu = map.get<std::string>("cpu", "");
  record.cores = map.get<std::size_t>("cores", 0);
  record.versions = map.get<std::vector<std::string>>("versions", {});
  if (map.has("tasks")) {
    const YamlMap tasks = map.map("tasks");
    record.done_before = tasks.get<std::size_t>("done_before", 0);
    record.done_now = tasks.get<std::size_t>("done_now", 0);
    record.failed = tasks.get<std::size_t>("failed", 0);
  }
  return record;
}

std::string records_yaml(const std::vector<RunRecord>& records) {
  const RunRecord& r = records.front();
  std::string text = "# What made the results beside this file; written by `lacp run`.\n";
  text += fmt::format("source: {}\nstart: {}\nduration_seconds: {:.1f}\nfinished: {}\njobs: {}\n",
                      yaml_quoted(r.source.generic_string()), yaml_quoted(r.start), r.seconds, r.finished,
                      r.jobs);
  text += fmt::format("tasks: {{done_before: {}, done_now: {}, failed: {}}}\n", r.done_before, r.done_now,
                      r.failed);
  if (!r.shard.empty()) text += fmt::format("shard: {}\n", r.shard);
  text += fmt::format("commit: {}\ncpu: {}\ncores: {}\nversions:\n", yaml_quoted(r.commit),
                      yaml_quoted(r.cpu), r.cores);
  for (const std::string& version : r.versions) text += fmt::format("  - {}\n", yaml_quoted(version));
  if (records.size() > 1) text += "earlier:\n";
  for (std::size_t i = 1; i < records.size(); ++i)
    text += fmt::format("  - {{start: {}, duration_seconds: {:.1f}, commit: {}, done_now: {}{}}}\n",
                        yaml_quoted(records[i].start), records[i].seconds, yaml_quoted(records[i].commit),
                        records[i].done_now,
                        records[i].shard.empty() ? "" : fmt::format(", shard: {}", records[i].shard));
  return text;
}

void add_record(std::vector<RunRecord>& records, const RunRecord& record) {
  constexpr std::size_t most = 101;
  const auto same = std::ranges::find_if(
      records, [&](const RunRecord& r) { return r.start == record.start && r.shard == record.shard; });
  if (same != records.end())
    *same = record;
  else
    records.insert(records.begin(), record);
  if (records.size() > most) records.resize(most);
}

}  // namespace lacp
