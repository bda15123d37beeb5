#include "settings/setting_help.hpp"

#include <algorithm>

#include "common/frame.hpp"
#include "common/layout.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/settings.hpp"

namespace lacp {
namespace {

/// The visitor that lists keys with their sentence and the values they take.
class Lister {
 public:
  template <class T>
  void number(const Key& key, const T&, Touches, const Range& range) {
    add(key, number_values<T>(range));
  }
  void flag(const Key& key, const bool&, Touches) { add(key, "true or false"); }
  void text(const Key& key, const std::string&, Touches) { add(key, "a text"); }
  void level(const Key& key, const Level&, Touches) { add(key, one_level); }
  void levels(const Key& key, const std::vector<Level>&, Touches) {
    add(key, fmt::format("a list, each {}, none twice", one_level));
  }
  void names(const Key& key, const std::vector<std::string>&, Touches) {
    add(key, "a list of names, none twice");
  }
  void counts(const Key& key, const std::vector<std::size_t>&, Touches, const Range& range) {
    add(key, fmt::format("a list, each {}", number_values<std::size_t>(range)));
  }
  template <class T>
  void choice(const Key& key, const T&, Touches, const Choices<T>& choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.emplace_back(name);
    add(key, join(names, " or "));
  }
  void pairs(const Key& key, const std::map<std::string, std::string>&, Touches) {
    add(key, "a mapping of names to names");
  }
  template <class F>
  void group(const Key& key, const F& visit) {
    add(key, "");
    path_.emplace_back(key.name);
    visit();
    path_.pop_back();
  }

  std::vector<SettingHelp> helps;

 private:
  static constexpr const char* one_level = "a decimal strictly between 0 and 1";

  template <class T>
  static std::string number_values(const Range& range) {
    const std::string text = range.text();  // "a number ..."
    return std::is_integral_v<T> ? "a whole" + text.substr(1) : text;
  }

  void add(const Key& key, std::string values) {
    path_.emplace_back(key.name);
    helps.push_back({join(path_, "."), key.about, std::move(values), "", ""});
    path_.pop_back();
  }

  std::vector<std::string> path_;
};

/// "every method", "erc, exp": those that the setting changes.
std::string concerned(Touches touches) {
  if (touches == Touches::nothing) return "no number";
  if (touches == Touches::all) return "every method";
  if (touches == Touches::trained) return "every method with a network";
  if (touches == Touches::kept) return "run 0 of the data sets in keep_intervals";
  std::vector<std::string> methods;
  for (const std::string& name : method_names())
    if (touched(touches, find_method(name), false)) methods.push_back(name);
  return join(methods, ", ");
}

std::string shown_default(const std::string& value) {
  return value == "[]" || value == "{}" || value == "\"\"" ? "none" : value;
}

std::string help_text(const SettingHelp& help) {
  if (help.is_group()) return fmt::format("{}: {}\n", help.key, wrapped(help.about, 4, help.key.size() + 2));
  const std::string facts =
      fmt::format("{}; default {}; changes {}", help.values, help.standard, help.concerns);
  return fmt::format("  {}\n      {}\n      {}\n", help.key, wrapped(help.about, 6, 6), wrapped(facts, 6, 6));
}

}  // namespace

std::vector<SettingHelp> setting_helps() {
  // The others use the settings that depend on another.
  Experiment standard, one_level, adaptation, boosted;
  one_level.training.objective.kind = Objective::one_level;
  adaptation.training.objective.kind = Objective::adaptation;
  boosted.predictor.kind = CentreKind::boosted;
  const std::vector<SettingValue> values = setting_values(standard);
  std::vector<Touches> touches;
  for (const Experiment* use : {&standard, &one_level, &adaptation, &boosted}) {
    const std::vector<SettingValue> used = setting_values(*use);
    touches.resize(used.size(), Touches::nothing);
    for (std::size_t i = 0; i < used.size(); ++i)
      if (touches[i] == Touches::nothing) touches[i] = used[i].touches;
  }
  Lister lister;
  describe(lister, std::as_const(standard));
  std::vector<SettingHelp> helps = {
      {based_on.name, based_on.about, "a path", "none", "what the keys there change"}};
  std::size_t i = 0;
  for (SettingHelp& help : lister.helps) {
    if (!help.is_group()) {
      help.standard = shown_default(values[i].value);
      help.concerns = concerned(touches[i]);
      ++i;
    }
    helps.push_back(std::move(help));
  }
  return helps;
}

std::string setting_meaning(const std::string& key) {
  for (const SettingHelp& help : setting_helps())
    if (help.key == key) return help.about;
  return "";
}

std::string settings_text(const std::string& key) {
  std::string text;
  std::vector<std::string> known, last_parts;
  for (const SettingHelp& help : setting_helps()) {
    known.push_back(help.key);
    last_parts.push_back(help.key.substr(help.key.rfind('.') + 1));
    if (key.empty() || help.key == key || help.key.starts_with(key + ".")) text += help_text(help);
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
  for (const SettingHelp& help : setting_helps()) {
    if (help.is_group()) {
      end_table();
      text += fmt::format("`{}`: {}.\n\n", help.key, help.about);
    } else {
      table.add({"`" + help.key + "`", help.about, help.values, "`" + help.standard + "`", help.concerns});
    }
  }
  end_table();
  return text;
}

}  // namespace lacp
