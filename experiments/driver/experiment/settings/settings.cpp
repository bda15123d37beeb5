#include "experiment/settings/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/frame.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/model/stack.hpp"

namespace lacp {
namespace {

/// Raised whenever the same settings give other numbers than before, so that old cells are done again. If one
/// method alone is concerned, its own version is raised instead.
constexpr int algorithm = 3;

/// "every method", "erc, exp": those that the setting changes.
std::string concerned(const Setting& setting) {
  if (setting.key == based_on) return "what the keys there change";
  if (setting.touches->words != nullptr) return setting.touches->words;
  std::vector<std::string> methods;
  for (const std::string& name : method_names())
    if (setting.touches->method(find_method(name), false)) methods.push_back(name);
  return join(methods, ", ");
}

std::string shown_default(const Setting& setting) {
  return setting.text == "[]" || setting.text == "{}" || setting.text == "\"\"" ? "none" : setting.text;
}

std::string help_text(const Setting& help) {
  if (help.is_group()) return fmt::format("{}: {}\n", help.key, wrapped(help.about, 4, help.key.size() + 2));
  const std::string facts =
      fmt::format("{}; default {}; changes {}", help.values, shown_default(help), concerned(help));
  return fmt::format("  {}\n      {}\n      {}\n", help.key, wrapped(help.about, 6, 6), wrapped(facts, 6, 6));
}

/// The experiment with no shares of rows but the data set's own, where it is not all rows.
Experiment with_own_sample(Experiment experiment, const std::string& dataset) {
  std::erase_if(experiment.sample,
                [&](const auto& item) { return item.first != dataset || item.second == 1.0; });
  return experiment;
}

}  // namespace

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
    if (now[i].touches != &touches::nothing && old[i].touches != &touches::nothing &&
        now[i].text != old[i].text)
      changed.push_back({now[i].key, old[i].text, now[i].text});
  return changed;
}

std::string to_text(const std::vector<SettingChange>& changes, std::size_t most) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, changes.size()); ++i)
    texts.push_back(fmt::format("{}: {} → {}", changes[i].key, changes[i].before, changes[i].after));
  if (changes.size() > most) texts.push_back(fmt::format("{} more", changes.size() - most));
  return join(texts, "; ");
}

std::string unit_hash(const Experiment& experiment, const std::string& dataset, std::size_t run,
                      const std::string& fingerprint) {
  std::string text =
      fmt::format("unit\nalgorithm={}\ndataset={}\nrun={}\ndata={}\n", algorithm, dataset, run, fingerprint);
  for (const Setting& setting : setting_values(with_own_sample(experiment, dataset))) {
    const bool cuts_parts = experiment.whole_batches && setting.key == "training.batch";
    if (setting.key == "seed" || setting.key == "predictor.cross_fit" || setting.key.starts_with("split.") ||
        cuts_parts)
      text += fmt::format("{}={}\n", setting.key, setting.text);
  }
  return sha256(text);
}

std::string settings_hash(const Experiment& experiment, const Task& task, const std::string& fingerprint) {
  const Experiment own = with_own_sample(experiment, task.dataset);
  const Method& method = find_method(task.method);
  const bool kept = keeps_intervals(experiment, task);
  std::string text = fmt::format("algorithm={}\ndataset={}\nrun={}\nmethod={}\nversion={}\ndata={}\n",
                                 algorithm, task.dataset, task.run, task.method, method.version, fingerprint);
  if (own.predictor.kind == CentreKind::stack) text += fmt::format("stack={}\n", stack_version);
  for (const Setting& setting : setting_values(own))
    if (setting.touches->method(method, kept)) text += fmt::format("{}={}\n", setting.key, setting.text);
  return sha256(text);
}

std::vector<Setting> setting_helps() {
  // The others use the settings that depend on another.
  Experiment standard, one_level, boosted;
  one_level.training.objective.kind = Objective::one_level;
  boosted.predictor.kind = CentreKind::boosted;
  boosted.predictor.cross_fit = 5;
  boosted.evaluation.mode = EvaluationMode::halves;
  std::vector<Setting> helps = describe(standard);
  for (Experiment* use : {&one_level, &boosted}) {
    const std::vector<Setting> used = describe(*use);
    for (std::size_t i = 0; i < helps.size(); ++i)
      if (helps[i].touches == &touches::nothing) helps[i].touches = used[i].touches;
  }
  for (Setting& help : helps) help.read = {};
  helps.insert(helps.begin(),
               {{"a path", "none"},
                based_on,
                "another experiment's yaml, relative to this one: what is not said here is as there",
                &touches::nothing});
  return helps;
}

std::string setting_meaning(const std::string& key) { return meaning_of(key, setting_helps()); }

std::string settings_text(const std::string& key) {
  std::string text;
  std::vector<std::string> known, last_parts;
  for (const Setting& help : setting_helps()) {
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

std::string settings_markdown() {
  std::string text;
  Frame table;
  const auto end_table = [&] {
    if (!table.rows.empty()) text += to_markdown(table) + "\n";
    table = Frame({"key", "meaning", "values", "default", "changes"});
  };
  end_table();
  for (const Setting& help : setting_helps()) {
    if (help.is_group()) {
      end_table();
      text += fmt::format("`{}`: {}.\n\n", help.key, help.about);
    } else {
      table.add(
          {"`" + help.key + "`", help.about, help.values, "`" + shown_default(help) + "`", concerned(help)});
    }
  }
  end_table();
  return text;
}

}  // namespace lacp
