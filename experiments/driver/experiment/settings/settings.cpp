#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/message.hpp"
#include "common/settings/values.hpp"
#include "experiment/settings/experiment.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "models/stack/stack.hpp"

namespace lacp {
namespace {

/// Raised whenever the same settings give other numbers than before, so that old cells are done again. If one
/// method alone is concerned, its own version is raised instead.
constexpr int algorithm = 3;

SettingValue names(std::vector<std::string>& field) {
  return {"a list of names, none twice", values::in_brackets(field),
          [&](const YamlMap& map, const std::string& name) {
            field = map.get<std::vector<std::string>>(name);
            std::set<std::string> seen;
            for (const std::string& item : field) {
              if (!seen.insert(item).second)
                map.fail(name, fmt::format("{} is given twice", show_text(item)));
              if (!is_name(item))
                map.fail(name, fmt::format("found {}; expected names of letters, digits, '_', '-', '.'",
                                           show_text(item)));
            }
          }};
}

std::string shown_default(const Setting& setting) {
  return setting.text == "[]" || setting.text == "{}" || setting.text == "\"\"" ? "none" : setting.text;
}

std::string help_text(const Setting& help) {
  if (help.is_group()) return fmt::format("{}: {}\n", help.key, wrapped(help.about, 4, help.key.size() + 2));
  const std::string facts = fmt::format("{}; default {}", help.values, shown_default(help));
  return fmt::format("  {}\n      {}\n      {}\n", help.key, wrapped(help.about, 6, 6), wrapped(facts, 6, 6));
}

/// Lines of settings that have left, each behind one that stays, so that cells keep their hash.
std::string line_of_former(const std::string& before, const Experiment& experiment, const Method& method) {
  if (before == "split.whole_batches") return "split.sample={}\n";
  if (before == "evaluation.mode" && experiment.evaluation.mode == EvaluationMode::halves)
    return "evaluation.calibration_share=0.5\n";
  if (before == "evaluation.excess_risk" && has_distribution(method)) return "evaluation.crps=false\n";
  return "";
}

}  // namespace

std::vector<Setting> describe(Experiment& e) {
  SettingList v;
  using namespace touches;
  using namespace values;
  v.add("title", text(e.title), nothing, "heads tables and report");
  v.add("seed", number(e.seed, not_negative), all, "of all random numbers");
  v.add("runs", number(e.runs, Range{1, 100000}), nothing, "repetitions");
  v.add("datasets", names(e.datasets), nothing, "required: see `lacp datasets`");
  v.add("methods", names(e.methods), nothing, "required: see `lacp methods`");
  v.add("levels", levels(e.levels), all, "required; the levels α");
  describe_model(v, e);
  v.group("evaluation", "on the test part", [&] {
    v.add("mode", choice(e.evaluation.mode, {"leave_one_out", "halves"}), all, "by the others, or by half");
    v.add("pool", number(e.evaluation.pool, not_negative), all, "first test points; 0: all");
    v.add("scored", number(e.evaluation.scored, not_negative), all, "points of it, drawn; 0: all");
    v.add("quantile", choice(e.evaluation.quantile, {"ceiling", "floor_index"}), all,
          "⌈(N+1)(1−α)⌉, int((1−α)N)");
    describe_sides(v, e.evaluation.sides);
    v.add("excess_risk", flag(e.evaluation.excess_risk), all, "excess risk of coverage: ert");
  });
  v.group("keep_intervals", "for figures, of run 0", [&] {
    v.add("datasets", names(e.keep_intervals.datasets), nothing, "whose intervals are kept");
    v.add("level", level(e.keep_intervals.level), kept, "their level α");
  });
  v.group("reference", "a published table", [&] {
    v.add("file", text(e.reference.file), nothing, "csv, relative to this yaml");
    v.add("names", pairs(e.reference.names), nothing, "{ours: its name there}");
    v.add("runs", text(e.reference.runs), nothing, "csv of the runs behind it");
  });
  return std::move(v.all);
}

std::string to_yaml(Experiment experiment, std::size_t indent) {
  std::string text;
  for (const Setting& setting : describe(experiment)) {
    const auto depth = static_cast<std::size_t>(std::ranges::count(setting.key, '.'));
    text += fmt::format("{:{}}{}:{}{}\n", "", indent + 2 * depth, setting.name(),
                        setting.is_group() ? "" : " ", setting.text);
  }
  return text;
}

std::vector<Setting> setting_values(const Experiment& experiment) {
  Experiment copy = experiment;
  std::vector<Setting> settings = describe(copy);
  std::erase_if(settings, [](const Setting& setting) { return setting.is_group(); });
  for (Setting& setting : settings) setting.read = {};
  return settings;
}

std::vector<SettingChange> changes(const Experiment& before, const Experiment& after) {
  const std::vector<Setting> old = setting_values(before), now = setting_values(after);
  std::vector<SettingChange> changed;
  for (std::size_t i = 0; i < now.size(); ++i)  // both have every setting, in the same order
    if (now[i].touches != touches::nothing && old[i].touches != touches::nothing &&
        now[i].text != old[i].text)
      changed.push_back({now[i].key, old[i].text, now[i].text});
  return changed;
}

std::string to_text(const std::vector<SettingChange>& changes) {
  return join_each(changes, "; ", [](const SettingChange& change) {
    return fmt::format("{}: {} → {}", change.key, change.before, change.after);
  });
}

std::string settings_hash(const Experiment& experiment, const Task& task, const std::string& fingerprint) {
  const Method& method = find_method(task.method);
  const bool kept = keeps_intervals(experiment, task);
  std::string text = fmt::format("algorithm={}\ndataset={}\nrun={}\nmethod={}\nversion={}\ndata={}\n",
                                 algorithm, task.dataset, task.run, task.method, method.version, fingerprint);
  if (experiment.predictor.kind == CentreKind::stack) text += fmt::format("stack={}\n", stack_version);
  for (const Setting& setting : setting_values(experiment)) {
    if (setting.touches(method, kept)) text += fmt::format("{}={}\n", setting.key, setting.text);
    text += line_of_former(setting.key, experiment, method);
  }
  return sha256(text);
}

std::string settings_text(const std::string& key) {
  Experiment standard;
  std::vector<Setting> helps = describe(standard);
  helps.insert(helps.begin(), {{"a path", "none"}, based_on, "a yaml for all other keys", touches::nothing});
  std::string text;
  std::vector<std::string> known, last_parts;
  for (const Setting& help : helps) {
    known.push_back(help.key);
    last_parts.push_back(help.name());
    if (key.empty() || help.key == key || help.key.starts_with(key + ".") || help.name() == key)
      text += help_text(help);
  }
  if (text.empty())
    user_error("no setting is called {}{}; `lacp help settings` lists them", show_text(key),
               did_you_mean(key, nearest(key, known) ? known : last_parts));
  return text;
}

}  // namespace lacp
