#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/yaml.hpp"
#include "lacp/base/options.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {

/// Whether a setting changes results of a method; what is not touched is not done again. `kept`: in a task
/// whose whole intervals are kept.
using Touches = bool (*)(const Method& method, bool kept);

namespace touches {
inline bool nothing(const Method&, bool) { return false; }
inline bool all(const Method&, bool) { return true; }
inline bool trained(const Method& m, bool) { return m.learning != Learning::none; }
inline bool size(const Method& m, bool) { return m.learning == Learning::size; }
inline bool error_fit(const Method& m, bool) { return m.learning == Learning::error_fit; }
/// Methods that choose their epochs by the mean size.
inline bool mean_size(const Method& m, bool) {
  return m.learning != Learning::none && m.learning != Learning::adaptation;
}
inline bool kept(const Method&, bool is_kept) { return is_kept; }
inline bool scaled(const Method& m, bool) { return has_distribution(m); }  // or intervals by forest
}  // namespace touches

/// What a setting owes to the kind of its value (values.hpp).
struct SettingValue {
  std::string values = "";  ///< "a whole number from 1"; "" for a group of keys
  std::string text = "";    ///< as a yaml has it
  /// Puts what a mapping has under this name where it belongs.
  std::function<void(const YamlMap& map, const std::string& name)> read = {};
  std::optional<Range> range = {};  ///< of a number
  bool whole = false;               ///< number
};

/// A key of a yaml. Reading, writing, hashing and help are loops over these.
struct Setting : SettingValue {
  std::string key;    ///< dotted
  const char* about;  ///< what it means
  Touches touches;    ///< whose results it changes, where the other settings are as they are

  bool is_group() const { return values.empty(); }
  std::string name() const { return key.substr(key.rfind('.') + 1); }
};

/// The list in the making.
struct SettingList {
  std::vector<Setting> all;
  std::string prefix = "";

  void add(const char* key, SettingValue value, Touches touches, const char* about) {
    all.push_back({std::move(value), prefix + key, about, touches});
  }

  template <class F>
  void group(const char* key, const char* about, const F& members) {
    add(key, {}, touches::nothing, about);
    const std::string outside = std::exchange(prefix, all.back().key + ".");
    members();
    prefix = outside;
  }
};

/// Puts what a mapping has where the settings belong; what it lacks stays as it is. UserError for what is
/// wrong and for keys that are no settings.
void read_settings(const YamlMap& map, const std::vector<Setting>& settings);

/// Puts "key=value" as given to --set into a mapping.
void override_values(YamlMap& map, const std::vector<std::string>& overrides);

/// The error at a dotted key.
[[noreturn]] void fail_at(const YamlMap& map, const std::string& key, const std::string& message);

}  // namespace lacp
