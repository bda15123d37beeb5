#include "experiment/store/manifest.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <thread>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/version.hpp"

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

/// Its path, which ends with its own name: not with a dot or a slash.
fs::path with_name(const fs::path& folder) {
  const fs::path path = (folder / "").lexically_normal().parent_path();
  if (!path.empty() && path != "." && path.filename() != "..") return path;
  return fs::absolute(folder / "").lexically_normal().parent_path();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

void add_new(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more)
    if (!contains(names, name)) names.push_back(name);
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

}  // namespace

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string to_yaml(const RunRecord& r) {
  std::string text = "# What made the results beside this file; written by `lacp run`.\n";
  text += fmt::format("source: {}\nstart: {}\nduration_seconds: {:.1f}\nfinished: {}\njobs: {}\n",
                      yaml_quoted(r.source.generic_string()), yaml_quoted(r.start), r.seconds, r.finished,
                      r.jobs);
  text += fmt::format("tasks: {{done_before: {}, done_now: {}, failed: {}}}\n", r.done_before, r.done_now,
                      r.failed);
  if (!r.shard.empty()) text += fmt::format("shard: {}\n", r.shard);
  text += fmt::format("commit: {}\ncpu: {}\ncores: {}\nversions:\n", yaml_quoted(program_commit),
                      yaml_quoted(processor()), std::thread::hardware_concurrency());
  for (const std::string& line : split_text(version_text(), '\n'))
    if (!trim(line).empty()) text += fmt::format("  - {}\n", yaml_quoted(trim(line)));
  return text;
}

Manifest load_manifest(const fs::path& folder) {
  const fs::path file = folder / "manifest.yaml";
  std::error_code error;
  if (!fs::exists(file, error))
    user_error("{}: has no manifest.yaml; expected a folder of results", folder.string());
  const std::string text = read_file(file, most_yaml_bytes);  // once: another run may replace it meanwhile
  const YamlMap map = YamlMap::parse(text, file.string());
  Manifest manifest;
  manifest.experiment = read_experiment(map.map("experiment"), with_name(folder).filename().string());
  // A manifest has every setting; one that was cut off must not pass for the default of what is missing.
  if (text.find(to_yaml(manifest.experiment, 2)) == std::string::npos)
    user_error("{}: does not have all settings as a run writes them", file.string());
  manifest.source = map.get<std::string>("source", "");
  manifest.record = text.substr(0, text.find("\ndata:\n") + 1);
  if (map.has("data")) {
    const YamlMap data = map.map("data");
    for (const std::string& name : data.keys()) {
      const YamlMap sum = data.map(name);
      manifest.data[name] = {.fingerprint = sum.get<std::string>("fingerprint", ""),
                             .file_sha256 = sum.get<std::string>("file_sha256", ""),
                             .filled = sum.get<std::size_t>("filled", 0),
                             .log_target = sum.get<bool>("log_target", false),
                             .synthetic = sum.get<bool>("synthetic", false)};
    }
  }
  Reference& reference = manifest.experiment.reference;
  for (std::string* name : {&reference.file, &reference.runs})
    if (!name->empty()) *name = (manifest.source.parent_path() / *name).string();
  return manifest;
}

std::string recorded_fingerprint(const fs::path& folder, const std::string& dataset) {
  const auto manifest = earlier_manifest(folder);
  return manifest ? manifest->fingerprint(dataset) : "";
}

std::string Manifest::fingerprint(const std::string& dataset) const {
  const auto found = data.find(dataset);
  return found == data.end() ? "" : found->second.fingerprint;
}

Experiment recorded_experiment(Experiment base, const Experiment& selected, const fs::path& folder) {
  Experiment kept = selected;
  if (const auto earlier = earlier_manifest(folder)) {
    add_new(kept.datasets, earlier->experiment.datasets);
    add_new(kept.methods, earlier->experiment.methods);
    kept.runs = std::max(kept.runs, earlier->experiment.runs);
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
      tell("{}; a new one is written\n", problem.what());
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
            .log_target = dataset.description.log_target,
            .synthetic = is_synthetic(dataset.description)};
  }
  std::erase_if(manifest.data, [&](const auto& item) { return !contains(experiment.datasets, item.first); });
  const bool stays =
      only_first && !manifest.record.empty() && manifest.source.filename() == record.source.filename();
  std::string text = (stays ? manifest.record : to_yaml(record)) + "data:\n";
  for (const auto& [name, sum] : manifest.data)
    text += fmt::format("  {}: {{fingerprint: {}, file_sha256: {}{}{}{}}}\n", name,
                        yaml_quoted(sum.fingerprint), yaml_quoted(sum.file_sha256),
                        sum.filled > 0 ? fmt::format(", filled: {}", sum.filled) : "",
                        sum.log_target ? ", log_target: true" : "", sum.synthetic ? ", synthetic: true" : "");
  text += "experiment:\n" + to_yaml(experiment, 2);
  if (!fs::exists(file, error) || read_file(file) != text) write_file(file, text);
}

fs::path folder_above(const fs::path& folder) { return with_name(folder).parent_path(); }

CountsCell counting(const Manifest& manifest) {
  return [&manifest](const Cell& cell) {
    const auto data = manifest.data.find(cell.task.dataset);
    if (data == manifest.data.end()) return false;
    try {
      return cell.settings == settings_hash(manifest.experiment, cell.task, data->second.fingerprint);
    } catch (const UserError&) {  // a method that this program does not have
      return false;
    }
  };
}

}  // namespace lacp
