#pragma once

#include <climits>
#include <map>

#include "common/settings/setting.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/level.hpp"
#include "lacp/base/text.hpp"

// The kinds of values that settings have: how each is said, written and read.
namespace lacp::values {

inline Level read_level(const YamlMap& map, const std::string& name, const std::string& text) {
  try {
    return Level::parse(text);
  } catch (const UserError& error) {
    map.fail(name, error.what());
  }
}

template <class T>
void check_range(const YamlMap& map, const std::string& name, T value, const Range& range) {
  if (!range.holds(static_cast<double>(value)))
    map.fail(name, fmt::format("found {}; expected {}", value, range.text()));
}

template <class T>
std::string in_brackets(const std::vector<T>& items) {
  return fmt::format("[{}]", fmt::join(items, ", "));
}

template <class T>
std::string number_values(const Range& range) {
  const std::string text = range.text();  // "a number ..."
  return std::is_integral_v<T> ? "a whole" + text.substr(1) : text;
}

template <class T>
SettingValue number(T& field, const Range& range) {
  return {number_values<T>(range), fmt::format("{}", field),
          [&field, range](const YamlMap& map, const std::string& name) {
            if constexpr (std::is_same_v<T, int>)
              field = static_cast<int>(std::clamp<long long>(map.get<long long>(name), INT_MIN, INT_MAX));
            else
              field = map.get<T>(name);
            check_range(map, name, field, range);
          },
          range, std::is_integral_v<T>};
}

inline SettingValue flag(bool& field) {
  return {"true or false", field ? "true" : "false",
          [&](const YamlMap& map, const std::string& name) { field = map.get<bool>(name); }};
}

inline SettingValue text(std::string& field) {
  return {"a text", yaml_quoted(field),
          [&](const YamlMap& map, const std::string& name) { field = map.get<std::string>(name); }};
}

inline constexpr const char* one_level = "a decimal between 0 and 1";

inline SettingValue level(Level& field) {
  return {one_level, field.text(), [&](const YamlMap& map, const std::string& name) {
            field = read_level(map, name, map.get<std::string>(name));
          }};
}

inline SettingValue levels(std::vector<Level>& field) {
  std::vector<std::string> texts;
  for (const Level& item : field) texts.push_back(item.text());
  return {fmt::format("a list, each {}, none twice", one_level), in_brackets(texts),
          [&](const YamlMap& map, const std::string& name) {
            field.clear();
            constexpr std::size_t most = 500;
            const std::vector<std::string> items = map.get<std::vector<std::string>>(name);
            if (items.size() > most)
              map.fail(name, fmt::format("found {} levels; at most {}", items.size(), most));
            for (const std::string& item : items) {
              field.push_back(read_level(map, name, item));
              if (std::ranges::count(field, field.back()) > 1)
                map.fail(name, fmt::format("{} is given twice", show_text(item)));
            }
          }};
}

inline SettingValue counts(std::vector<std::size_t>& field, const Range& range) {
  return {fmt::format("a list, each {}", number_values<std::size_t>(range)), in_brackets(field),
          [&field, range](const YamlMap& map, const std::string& name) {
            field = map.get<std::vector<std::size_t>>(name);
            for (const std::size_t item : field) check_range(map, name, item, range);
            if (field.empty()) map.fail(name, "found an empty list");
          }};
}

/// `known`: names of the enumerators, in their order.
template <class T>
SettingValue choice(T& field, const std::vector<std::string>& known) {
  return {join(known, " or "), known[static_cast<std::size_t>(field)],
          [&field, known](const YamlMap& map, const std::string& name) {
            field = static_cast<T>(map.one_of(name, map.get<std::string>(name), known));
          }};
}

/// Names by name.
inline SettingValue pairs(std::map<std::string, std::string>& field) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : field) texts.push_back(yaml_quoted(name) + ": " + yaml_quoted(value));
  return {"a mapping of names to names", fmt::format("{{{}}}", join(texts, ", ")),
          [&](const YamlMap& map, const std::string& name) {
            const YamlMap inner = map.map(name);
            field.clear();
            for (const std::string& item : inner.keys()) field[item] = inner.get<std::string>(item);
            inner.finish();
          }};
}

}  // namespace lacp::values
