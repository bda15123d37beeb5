#include "common/settings/setting.hpp"

#include <fmt/format.h>

#include "lacp/base/error.hpp"

namespace lacp {

void read_settings(const YamlMap& map, const std::vector<Setting>& settings) {
  struct Open {
    std::string prefix;          // of the keys in it
    std::optional<YamlMap> map;  // nothing if the yaml has no such group
  };
  std::vector<Open> open = {{"", map}};
  const auto close = [&open] {
    if (open.back().map) open.back().map->finish();
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

std::string meaning_of(const std::string& key, const std::vector<Setting>& settings) {
  const auto found = std::ranges::find(settings, key, &Setting::key);
  return found == settings.end() ? "" : found->about;
}

void override_values(YamlMap& map, const std::vector<std::string>& overrides) {
  for (const std::string& item : overrides) {
    const std::size_t at = item.find('=');
    if (at == std::string::npos || at == 0)
      user_error("--set {}: expected key=value, e.g. --set training.epochs=20", item);
    map.override_value(item.substr(0, at), item.substr(at + 1));
  }
}

void fail_at(const YamlMap& map, const std::string& key, const std::string& message) {
  const std::size_t dot = key.find('.');
  if (dot == std::string::npos) map.fail(key, message);
  fail_at(map.map(key.substr(0, dot)), key.substr(dot + 1), message);
}

}  // namespace lacp
