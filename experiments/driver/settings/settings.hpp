#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacp/base/setting.hpp"
#include "lacp/conformal/registry.hpp"
#include "settings/experiment.hpp"

namespace lacp {

/// Whose results a setting changes; what is not touched is not done again.
enum class Touches {
  nothing,    ///< what is run or how it is shown, never a number
  all,        ///< every method
  trained,    ///< methods that train something, not `fixed`
  size,       ///< methods trained by the size objective
  error_fit,  ///< methods trained by fitting the errors
  criterion,  ///< trained methods without a criterion of their own for the choice of epochs
  kept,       ///< tasks whose whole intervals are kept
  scaled,     ///< methods with intervals f ± q·s(x)
  // Methods of these names; local_error: knn_error and mondrian, which use σ̂.
  knn_error,
  local_error,
  mondrian,
  rlcp,
};

/// What a setting owes to the kind of its value (values.hpp).
struct SettingValue {
  std::string values = "";  ///< "a whole number from 1"; "" for a group of keys
  std::string text = "";    ///< as a yaml has it
  /// Puts what a mapping has under this name into the experiment.
  std::function<void(const YamlMap& map, const std::string& name)> read = {};
  std::optional<Range> range = {};  ///< of a number
  bool whole = false;               ///< number
};

/// A key of an experiment. Reading, writing, hashing, help and completion are loops over these.
struct Setting : SettingValue {
  std::string key;                 ///< dotted
  const char* about;               ///< what it means, in words that go on from "meaning:"
  Touches touches;                 ///< whose results it changes, where the other settings are as they are
  const char* unhashed = nullptr;  ///< of a key younger than some cells: its value before there was a key

  bool is_group() const { return values.empty(); }
  std::string name() const { return key.substr(key.rfind('.') + 1); }
  /// With this value the key is no part of a hash, and a manifest may lack it.
  bool as_before() const { return unhashed != nullptr && text == unhashed; }
};

/// The one description of an experiment's settings, in the order in which they are written, each group before
/// its members. `read` of each writes into `experiment`. The ranges are those of the library's
/// `find_problem`, which also sees what no single key shows; a test holds them together.
std::vector<Setting> describe(Experiment& experiment);

/// The settings of an experiment that is only looked at, without groups.
std::vector<Setting> setting_values(const Experiment& experiment);

/// Whether the setting changes what a method computes; `kept`: in a task whose intervals are kept.
bool touched(Touches touches, const Method& method, bool kept);

/// The one key that is no setting of its own.
inline constexpr const char* based_on = "based_on";

/// All keys, `based_on` among them, with the value where no yaml says one, and with whose results they change
/// where they are used.
std::vector<Setting> setting_helps();

/// The sentence of a dotted key; "" if there is no such key.
std::string setting_meaning(const std::string& key);

/// `lacp help settings [KEY]`: all keys, one, or those of a group, for a terminal. UserError for an unknown
/// key.
std::string settings_text(const std::string& key = "");

/// The same of all keys for experiments/README.md.
std::string settings_markdown();

}  // namespace lacp
