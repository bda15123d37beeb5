#pragma once

#include <algorithm>

#include "lacp/base/setting.hpp"
#include "lacp/conformal/registry.hpp"
#include "settings/experiment.hpp"

namespace lacp {

/// Whose results a setting changes; what is not touched is not done again.
struct Touches {
  /// `key`: of the setting; `kept`: in a task whose whole intervals are kept.
  bool (*method)(const Method& method, std::string_view key, bool kept);
  const char* words = nullptr;  ///< whose; if there are none, the methods by name
};

namespace touches {
using Of = const Method&;
using Key = std::string_view;
inline constexpr Touches nothing{[](Of, Key, bool) { return false; }, "no number"},
    all{[](Of, Key, bool) { return true; }, "every method"},
    trained{[](Of m, Key, bool) { return m.learning != Learning::none; }, "every method with a network"},
    size{[](Of m, Key, bool) { return m.learning == Learning::size; }},
    error_fit{[](Of m, Key, bool) { return m.learning == Learning::error_fit; }},
    // Those without a criterion of their own for the choice of epochs.
    criterion{
        [](Of m, Key, bool) { return m.learning != Learning::none && m.learning != Learning::adaptation; }},
    kept{[](Of, Key, bool is_kept) { return is_kept; }, "run 0 of the data sets in keep_intervals"},
    scaled{[](Of m, Key, bool) { return m.scale_family; }},  // intervals f ± q·s(x)
    distribution{[](Of m, Key, bool) { return has_distribution(m); }},
    baseline{[](Of m, Key key, bool) {  // those that name it, without the group
      return std::ranges::find(m.uses, key.substr(key.find('.') + 1)) != m.uses.end();
    }};
}  // namespace touches

/// What a setting owes to the kind of its value (values.hpp).
struct SettingValue {
  std::string values = "";  ///< "a whole number from 1"; "" for a group of keys
  std::string text = "";    ///< as a yaml has it
  /// Puts what a mapping has under this name into the experiment.
  std::function<void(const YamlMap& map, const std::string& name)> read = {};
  std::optional<Range> range = {};  ///< of a number
  bool whole = false;               ///< number
};

/// A key of an experiment. Reading, writing, hashing and help are loops over these.
struct Setting : SettingValue {
  std::string key;                 ///< dotted
  const char* about;               ///< what it means, in words that go on from "meaning:"
  const Touches* touches;          ///< whose results it changes, where the other settings are as they are
  const char* unhashed = nullptr;  ///< of a key younger than some cells: its value before there was a key

  bool is_group() const { return values.empty(); }
  std::string name() const { return key.substr(key.rfind('.') + 1); }
  /// With this value the key is no part of a hash, and a manifest may lack it.
  bool as_before() const { return unhashed != nullptr && text == unhashed; }
};

/// The one description of an experiment's settings, in the order in which they are written, each group before
/// its members. `read` of each writes into `experiment`.
std::vector<Setting> describe(Experiment& experiment);

/// What the library says about the experiment's options: whether they work, and the ranges of their numbers.
SettingCheck library_check(const Experiment& experiment);

/// The settings of an experiment that is only looked at, without groups.
std::vector<Setting> setting_values(const Experiment& experiment);

/// The one key that is no setting of its own.
inline constexpr const char* based_on = "based_on";

/// All keys, `based_on` among them, with the value where no yaml says one, and with whose results they change
/// where they are used.
std::vector<Setting> setting_helps();

/// The sentence of a dotted key; "" if there is no such key.
std::string setting_meaning(const std::string& key);

/// `lacp help settings [KEY]`: all keys, one, or those of a group. UserError for an unknown key.
std::string settings_text(const std::string& key = "");

/// The same of all keys for experiments/README.md.
std::string settings_markdown();

}  // namespace lacp
