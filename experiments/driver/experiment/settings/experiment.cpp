#include "experiment/settings/experiment.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// What an experiment cannot do without.
void check_lists(const YamlMap& map, const Experiment& e) {
  for (const auto& [key, empty] : {std::pair("datasets", e.datasets.empty()),
                                   {"methods", e.methods.empty()},
                                   {"levels", e.levels.empty()}})
    if (empty) map.fail(key, "is missing or empty");
  for (const std::string& method : e.methods) {
    try {
      find_method(method);
    } catch (const UserError& error) {
      map.fail("methods", error.what());
    }
  }
}

/// What no single key shows.
void check_evaluation(const YamlMap& map, const EvaluationOptions& evaluation) {
  if (evaluation.pool != 0 && evaluation.scored > evaluation.pool)
    fail_at(map, "evaluation.scored",
            fmt::format("found {}; expected at most the pool of {}", evaluation.scored, evaluation.pool));
}

/// Reads a mapping and, before it, the file that it is based on. `chain` has the files that led here.
Experiment read_based(YamlMap map, const fs::path& file, std::vector<fs::path> chain) {
  Experiment base;
  if (map.has(based_on)) {
    const fs::path next = file.parent_path() / map.get<std::string>(based_on);
    std::error_code error;
    chain.push_back(fs::weakly_canonical(file, error));
    if (std::ranges::find(chain, fs::weakly_canonical(next, error)) != chain.end())
      map.fail(based_on, fmt::format("found {}, which is itself based on this file",
                                     show_text(next.filename().string())));
    std::optional<YamlMap> next_map;
    try {
      next_map = YamlMap::load(next);
      protect_input(next);
    } catch (const UserError& problem) {
      map.fail(based_on, one_line(problem.what()));
    }
    base = read_based(*next_map, next, std::move(chain));
    if (next.parent_path() != file.parent_path())  // what is named there is beside that yaml
      for (std::string* name : {&base.reference.file, &base.reference.runs})
        if (!name->empty())
          *name = fs::proximate(next.parent_path() / *name, file.parent_path()).generic_string();
  }
  return read_experiment(map, file.stem().string(), std::move(base));
}

/// What keep_intervals names has to be there, unless --set has just taken it away.
void check_named(const YamlMap& map, const Experiment& e) {
  if (!map.has("keep_intervals") || map.where("datasets").starts_with("--set ")) return;
  for (const std::string& name : e.keep_intervals.datasets)
    if (std::ranges::find(e.datasets, name) == e.datasets.end())
      fail_at(map, "keep_intervals.datasets",
              fmt::format("found {}; expected data sets of this experiment", show_text(name)));
}

}  // namespace

Experiment read_experiment(YamlMap map, const std::string& name, Experiment experiment) {
  experiment.name = name;
  read_settings(map, describe(experiment));
  check_lists(map, experiment);
  check_model(map, experiment);
  check_evaluation(map, experiment.evaluation);
  experiment.training.quantile = experiment.evaluation.quantile;
  experiment.training.selection.levels = experiment.levels;
  experiment.training.selection.sides = experiment.evaluation.sides;
  return experiment;
}

Experiment load_experiment(const fs::path& file, const std::vector<std::string>& overrides) {
  if (std::error_code ignored; !fs::exists(file, ignored) || fs::is_directory(file, ignored))
    user_error("{}: is not a file; expected the yaml of an experiment", file.string());
  YamlMap map = YamlMap::load(file);
  protect_input(file);
  override_values(map, overrides);
  const Experiment experiment = read_based(map, file, {});
  check_named(map, experiment);
  return experiment;
}

Experiment select(Experiment experiment, const Selection& selection) {
  for (const std::string& name : selection.datasets)
    if (!is_name(name)) user_error("--datasets: '{}' is not the name of a data set", name);
  for (const std::string& name : selection.methods) find_method(name);
  if (!selection.name.empty()) experiment.name = selection.name;
  if (!is_name(experiment.name))
    user_error("experiment {}: give a name of letters, digits, '_', '-', '.' by --name NAME",
               show_text(experiment.name));
  if (!selection.datasets.empty()) experiment.datasets = selection.datasets;
  if (!selection.methods.empty()) experiment.methods = selection.methods;
  if (selection.runs != 0) experiment.runs = selection.runs;
  return experiment;
}

bool keeps_intervals(const Experiment& experiment, const Task& task) {
  return task.run == 0 && std::ranges::find(experiment.keep_intervals.datasets, task.dataset) !=
                              experiment.keep_intervals.datasets.end();
}

std::vector<Level> fitted_levels(const Experiment& experiment, const Task& task) {
  std::vector<Level> levels = experiment.levels;
  const Level& kept = experiment.keep_intervals.level;
  if (keeps_intervals(experiment, task) && std::ranges::find(levels, kept) == levels.end())
    levels.push_back(kept);
  return levels;
}

std::vector<Task> grid(const Experiment& experiment) {
  std::vector<Task> tasks;
  for (const std::string& dataset : experiment.datasets)
    for (std::size_t run = 0; run < experiment.runs; ++run)
      for (const std::string& method : experiment.methods) tasks.push_back({dataset, run, method});
  return tasks;
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 100 && std::isalnum(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
         });
}

}  // namespace lacp
