#pragma once

#include <fmt/format.h>

#include <map>

#include "common/settings/model_settings.hpp"

namespace lacp {

/// How intervals are calibrated and scored on the test part.
enum class EvaluationMode {
  leave_one_out,  ///< each scored point is calibrated by the others of the pool
  halves,         ///< a random part calibrates, the other is scored: validity is then a measurement
};

struct EvaluationOptions {
  EvaluationMode mode = EvaluationMode::leave_one_out;
  std::size_t pool = 0;    ///< the first this many test points take part; 0: all
  std::size_t scored = 0;  ///< this many points of the pool, drawn at random, are scored; 0: all
  QuantileRule quantile = QuantileRule::ceiling;
  Sides sides = Sides::both;
  bool excess_risk = false;  ///< also measure the excess risk of target coverage
};

/// Whole scored intervals are kept for figures, of these data sets, in run 0, at this level.
struct KeptIntervals {
  std::vector<std::string> datasets;
  Level level = Level::parse("0.05");
};

/// The published table to compare with, and the runs of the program that was released with it.
struct Reference {
  std::string file;                          ///< relative to the experiment's yaml; "" for none
  std::map<std::string, std::string> names;  ///< our data set → the table's, where they differ
  std::string runs;                          ///< csv of runs, relative to the yaml; "" for none
};

/// The other name of a data set, or its own if it has none.
inline std::string renamed(const std::map<std::string, std::string>& names, const std::string& dataset) {
  const auto found = names.find(dataset);
  return found == names.end() ? dataset : found->second;
}

/// Everything that one experiment yaml says.
struct Experiment : ModelSettings {
  std::string name;  ///< of the yaml file, without its ending
  std::string title;
  std::uint64_t seed = 1;
  std::size_t runs = 5;
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::vector<Level> levels;
  EvaluationOptions evaluation;
  KeptIntervals keep_intervals;
  Reference reference;
};

/// One unit of work.
struct Task {
  std::string dataset;
  std::size_t run = 0;  ///< from 0
  std::string method;
  auto operator<=>(const Task&) const = default;
};

/// With the kind of each name: linear is a data set and a method.
inline std::string to_text(const Task& task) {
  return fmt::format("data set {}, run {}, method {}", task.dataset, task.run, task.method);
}

/// All tasks of an experiment: data sets × runs × methods, in the order of the yaml.
std::vector<Task> grid(const Experiment& experiment);

/// Whether a text can name an experiment, a data set or a method: letters, digits, '_', '-', '.', of which
/// the first is no mark. Names become folders, fields of csv files and labels in LaTeX.
bool is_name(const std::string& text);

/// Reads an experiment yaml. `overrides` are "key=value" as given to --set, the key dotted and the value
/// yaml. A key `based_on` names another yaml beside it, to which only what differs needs to be said.
/// UserError, with file, line and key, for everything that is unknown or impossible.
Experiment load_experiment(const std::filesystem::path& file, const std::vector<std::string>& overrides = {});

/// Reads a mapping, e.g. the one in a manifest. Keys that it does not have keep what `base` says.
Experiment read_experiment(YamlMap map, const std::string& name, Experiment base = {});

/// What the command line picks out of an experiment; empty or 0: what the yaml says.
struct Selection {
  std::vector<std::string> datasets;
  std::vector<std::string> methods;
  std::size_t runs = 0;
  std::string name = {};  ///< of the experiment and so of its folder
};

/// The experiment with its lists replaced by the selected ones, which may have data sets that the yaml has
/// not. UserError for a method that is unknown.
Experiment select(Experiment experiment, const Selection& selection);

/// All settings as the yaml that `read_experiment` reads, indented by this many spaces.
std::string to_yaml(Experiment experiment, std::size_t indent = 0);

/// The one description of an experiment's settings, in the order in which they are written, each group before
/// its members. `read` of each writes into `experiment`.
std::vector<Setting> describe(Experiment& experiment);

/// The settings of an experiment that is only looked at, without groups.
std::vector<Setting> setting_values(const Experiment& experiment);

/// The one key that is no setting of its own.
inline constexpr const char* based_on = "based_on";

/// `lacp help settings [KEY]`: all keys, one, or those of a group. UserError for an unknown key.
std::string settings_text(const std::string& key = "");

/// A setting that differs: its dotted key, "training.epochs", and its values as a yaml has them.
struct SettingChange {
  std::string key, before, after;
};

/// The settings that numbers depend on and that differ, in the order of the yaml: not what is run or how it
/// is shown, nor what one of the two does not use.
std::vector<SettingChange> changes(const Experiment& before, const Experiment& after);

/// Each as key: before → after.
std::string to_text(const std::vector<SettingChange>& changes);

/// SHA-256 of every setting that the task's result depends on, of the task itself and of its data. Lists of
/// data sets and methods, number of runs, title and reference are no part of it.
std::string settings_hash(const Experiment& experiment, const Task& task, const std::string& fingerprint);

/// Whether the task's intervals are kept whole.
bool keeps_intervals(const Experiment& experiment, const Task& task);

/// The levels that the task's method is fitted for: the experiment's, and that of intervals that are kept.
std::vector<Level> fitted_levels(const Experiment& experiment, const Task& task);

}  // namespace lacp
