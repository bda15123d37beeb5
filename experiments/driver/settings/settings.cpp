#include "settings/settings.hpp"

#include <fmt/format.h>

#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

/// Raised whenever the same settings give other numbers than before, so that old cells are done again. If one
/// method alone is concerned, its own version is raised instead.
constexpr int algorithm = 3;

/// The visitor behind writing and hashing: turns every setting into a canonical text and hands it to `emit`.
template <class Emit, class Group>
class Writer {
 public:
  Writer(Emit emit, Group begin_group) : emit_(std::move(emit)), begin_group_(std::move(begin_group)) {}

  template <class T>
  void number(const Key& key, const T& field, Touches touches, const Range& = any_number) {
    emit_(path_, key, fmt::format("{}", field), touches);
  }
  void flag(const Key& key, const bool& field, Touches touches) {
    emit_(path_, key, field ? "true" : "false", touches);
  }
  void text(const Key& key, const std::string& field, Touches touches) {
    emit_(path_, key, yaml_quoted(field), touches);
  }
  void level(const Key& key, const Level& field, Touches touches) {
    emit_(path_, key, field.text(), touches);
  }
  void levels(const Key& key, const std::vector<Level>& field, Touches touches) {
    std::vector<std::string> texts;
    for (const Level& item : field) texts.push_back(item.text());
    names(key, texts, touches);
  }
  void names(const Key& key, const std::vector<std::string>& field, Touches touches) {
    emit_(path_, key, fmt::format("[{}]", join(field, ", ")), touches);
  }
  void counts(const Key& key, const std::vector<std::size_t>& field, Touches touches,
              const Range& = any_number) {
    emit_(path_, key, fmt::format("[{}]", fmt::join(field, ", ")), touches);
  }
  template <class T>
  void choice(const Key& key, const T& field, Touches touches, const Choices<T>& choices) {
    for (const auto& [name, value] : choices)
      if (value == field) emit_(path_, key, std::string(name), touches);
  }
  void pairs(const Key& key, const std::map<std::string, std::string>& field, Touches touches) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : field)
      texts.push_back(fmt::format("{}: {}", yaml_quoted(name), yaml_quoted(value)));
    emit_(path_, key, fmt::format("{{{}}}", join(texts, ", ")), touches);
  }
  template <class F>
  void group(const Key& key, const F& visit) {
    begin_group_(path_, key);
    path_.emplace_back(key.name);
    visit();
    path_.pop_back();
  }

 private:
  Emit emit_;
  Group begin_group_;
  std::vector<std::string> path_;
};

}  // namespace

bool touched(Touches touches, const Method& method, bool kept) {
  switch (touches) {
    case Touches::nothing:
      return false;
    case Touches::all:
      return true;
    case Touches::trained:
      return method.learning != Learning::none;
    case Touches::size:
      return method.learning == Learning::size;
    case Touches::error_fit:
      return method.learning == Learning::error_fit;
    case Touches::criterion:
      return method.learning != Learning::none && method.learning != Learning::adaptation;
    case Touches::kept:
      return kept;
    case Touches::scaled:
      return method.scale_family;
    case Touches::knn_error:
      return method.name == "knn_error";
    case Touches::local_error:
      return method.name == "knn_error" || method.name == "mondrian";
    case Touches::mondrian:
      return method.name == "mondrian";
    case Touches::rlcp:
      return method.name == "rlcp";
  }
  return true;
}

std::vector<YamlLine> yaml_lines(const Experiment& experiment, std::size_t indent) {
  std::vector<YamlLine> lines;
  const auto pad = [&](const std::vector<std::string>& path) { return indent + 2 * path.size(); };
  Writer writer(
      [&](const std::vector<std::string>& path, const Key& key, const std::string& value, Touches) {
        lines.push_back({fmt::format("{:{}}{}: {}\n", "", pad(path), key.name, value),
                         key.unhashed != nullptr && value == key.unhashed});
      },
      [&](const std::vector<std::string>& path, const Key& key) {
        lines.push_back({fmt::format("{:{}}{}:\n", "", pad(path), key.name), key.unhashed != nullptr});
      });
  describe(writer, experiment);
  return lines;
}

std::string to_yaml(const Experiment& experiment, std::size_t indent) {
  std::string text;
  for (const YamlLine& line : yaml_lines(experiment, indent)) text += line.text;
  return text;
}

std::vector<SettingValue> setting_values(const Experiment& experiment) {
  std::vector<SettingValue> settings;
  Writer writer(
      [&](std::vector<std::string> path, const Key& key, const std::string& value, Touches touches) {
        path.emplace_back(key.name);
        settings.push_back({join(path, "."), value, touches});
      },
      [](const std::vector<std::string>&, const Key&) {});
  describe(writer, experiment);
  return settings;
}

std::vector<SettingChange> changes(const Experiment& before, const Experiment& after) {
  const std::vector<SettingValue> old = setting_values(before), now = setting_values(after);
  std::vector<SettingChange> changed;
  for (std::size_t i = 0; i < now.size(); ++i)  // both have every setting, in the same order
    if (now[i].touches != Touches::nothing && old[i].touches != Touches::nothing &&
        now[i].value != old[i].value)
      changed.push_back({now[i].key, old[i].value, now[i].value});
  return changed;
}

std::string to_text(const std::vector<SettingChange>& changes, std::size_t most) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(most, changes.size()); ++i)
    texts.push_back(fmt::format("{}: {} → {}", changes[i].key, changes[i].before, changes[i].after));
  if (changes.size() > most) texts.push_back(fmt::format("{} more", changes.size() - most));
  return join(texts, "; ");
}

Versions versions_of(const std::string& method) { return {algorithm, find_method(method).version}; }

std::string settings_hash(const Experiment& experiment, const Task& task, const std::string& fingerprint) {
  return settings_hash(experiment, task, fingerprint, versions_of(task.method));
}

std::string settings_hash(const Experiment& experiment, const Task& task, const std::string& fingerprint,
                          const Versions& by) {
  const Method& method = find_method(task.method);
  const bool kept = keeps_intervals(experiment, task);
  std::string text = fmt::format("algorithm={}\ndataset={}\nrun={}\nmethod={}\ndata={}\n", by.algorithm,
                                 task.dataset, task.run, task.method, fingerprint);
  if (by.method != 0) text += fmt::format("version={}\n", by.method);  // older cells know of none
  Writer writer(
      [&](const std::vector<std::string>& path, const Key& key, const std::string& value, Touches touches) {
        if (touched(touches, method, kept) && !(key.unhashed != nullptr && value == key.unhashed))
          text += fmt::format("{}.{}={}\n", join(path, "."), key.name, value);
      },
      [](const std::vector<std::string>&, const Key&) {});
  describe(writer, experiment);
  return sha256(text);
}

}  // namespace lacp
