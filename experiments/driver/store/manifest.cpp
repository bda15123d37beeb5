#include "store/manifest.hpp"

#include <algorithm>
#include <optional>

#include "common/message.hpp"
#include "io/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
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

/// Its path, which ends with its own name: not with a dot or a slash.
fs::path with_name(const fs::path& folder) {
  const fs::path path = (folder / "").lexically_normal().parent_path();
  if (!path.empty() && path != "." && path.filename() != "..") return path;
  return fs::absolute(folder / "").lexically_normal().parent_path();
}

constexpr const char* ways =
    "keep these apart with --name NAME or --results DIR, or replace what is there with --force";

/// Without a manifest: the first task of the experiment's grid whose cell was made with other settings.
std::optional<Task> foreign_cell(const fs::path& folder, const Experiment& base) {
  const Cells cells(folder);
  for (const Task& task : grid(base)) {
    try {
      const auto found = cells.newest(task);
      if (found && found->cell && found->cell->settings != settings_hash(base, task, found->cell->data))
        return task;
    } catch (const UserError&) {  // cannot be read, which is told later
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
    if (follows(line.text))
      at += line.text.size();
    else if (!line.may_be_absent)
      return std::string::npos;
  }
  return at;
}

}  // namespace

Manifest load_manifest(const fs::path& folder) {
  const fs::path file = folder / "manifest.yaml";
  std::error_code error;
  if (!fs::exists(file, error))
    user_error("{}: has no manifest.yaml; expected a folder that `lacp run` filled, e.g. results/paper",
               folder.string());
  const std::string text = read_file(file, most_yaml_bytes);  // once: another run may replace it meanwhile
  const YamlMap map = YamlMap::parse(text, file.string());
  Manifest manifest;
  manifest.experiment = read_experiment(map.map("experiment"), with_name(folder).filename().string());
  // A manifest has every setting; one that was cut off must not pass for the default of what is missing.
  if (end_of_settings(text, manifest.experiment) == std::string::npos)
    user_error("{}: does not have all settings as a run writes them; run the experiment again",
               file.string());
  manifest.record = read_record(map);
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
    if (!name->empty()) *name = (manifest.record.source.parent_path() / *name).string();
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
  const fs::path& recorded = manifest->record.source;
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
  if (!only_first || manifest.record.start.empty()) manifest.record = record;
  std::string text = to_yaml(manifest.record) + "data:\n";
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

fs::path folder_above(const fs::path& folder) { return with_name(folder).parent_path(); }

Merged merge_results(const fs::path& folder) {
  const Manifest manifest = load_manifest(folder);
  std::map<std::string, std::string> fingerprints;
  for (const auto& [name, sums] : manifest.data) fingerprints[name] = sums.fingerprint;
  return merge_cells(folder, counting(manifest.experiment, fingerprints));
}

std::string untraceable(const fs::path& folder, const std::string& commit) {
  if (commit != "unknown" && !commit.ends_with("-dirty")) return "";
  std::error_code error;
  if (!fs::is_directory(folder, error)) return "";
  const ProgramResult tracked = run_program(
      {"env", "-u", "GIT_DIR", "git", "-C", folder.string(), "ls-files", "."}, {.keep_output = true});
  if (tracked.status != 0 || tracked.output.empty()) return "";
  return fmt::format(
      "{}: git tracks this folder, and no commit has the source of this program: its cells will name the commit {}; for cells that others can trace, commit, build and run again",
      folder.string(), commit);
}

std::string rerun_command(const fs::path& folder, const Manifest& manifest) {
  const fs::path& source = manifest.record.source;
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

}  // namespace lacp
