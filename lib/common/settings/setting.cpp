#include "common/settings/setting.hpp"

#include <fmt/format.h>

#include <string_view>

#include "lacp/base/error.hpp"

namespace lacp {
namespace {

/// Settings of older versions, and what to use instead.
constexpr std::pair<std::string_view, std::string_view> removed[] = {
    {"split.sample", "use a data set of fewer rows"},
    {"evaluation.calibration_share", "halves calibrates by one half"},
    {"evaluation.crps", "winkler scores intervals at each level"},
    {"reference.beside", "reference.file has published numbers"},
    {"report", "lacp report reads the folders of results"},
};

void refuse_removed(const YamlMap& map, const std::string& prefix) {
  for (const std::string& key : map.keys())
    for (const auto& [name, instead] : removed)
      if (name == prefix + key) map.fail(key, fmt::format("was removed; {}", instead));
}

}  // namespace

void read_settings(const YamlMap& map, const std::vector<Setting>& settings) {
  struct Open {
    std::string prefix;          // of the keys in it
    std::optional<YamlMap> map;  // nothing if the yaml has no such group
  };
  std::vector<Open> open = {{"", map}};
  const auto close = [&open] {
    if (open.back().map) {
      refuse_removed(*open.back().map, open.back().prefix);
      open.back().map->finish();
    }
    open.pop_back();
  };
  for (const Setting& setting : settings) {
    while (!setting.key.starts_with(open.back().prefix)) close();
    const std::optional<YamlMap> here = open.back().map;
    const std::string name = setting.name();
    const bool there = here && here->has(name);
    if (setting.is_group())
      open.push_back({setting.key + ".", there ? std::optional(here->map(name)) : std::nullopt});
    else if (there)
      setting.read(*here, name);
  }
  while (!open.empty()) close();
}

void override_values(YamlMap& map, const std::vector<std::string>& overrides) {
  for (const std::string& item : overrides) {
    const std::size_t at = item.find('=');
    if (at == std::string::npos || at == 0) user_error("--set {}: expected key=value", item);
    map.override_value(item.substr(0, at), item.substr(at + 1));
  }
}

void fail_at(const YamlMap& map, const std::string& key, const std::string& message) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) map.fail(key, message);
  fail_at(map.map(key.substr(0, dot)), key.substr(dot + 1), message);
}

}  // namespace lacp
