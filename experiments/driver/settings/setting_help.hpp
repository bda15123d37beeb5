#pragma once

#include <string>
#include <vector>

namespace lacp {

/// What there is to say about a key of an experiment.
struct SettingHelp {
  std::string key;       ///< dotted
  std::string about;     ///< its sentence in `describe`
  std::string values;    ///< "a whole number from 1"; "" for a group of keys
  std::string standard;  ///< the value where no yaml says one
  std::string concerns;  ///< whose numbers it changes

  bool is_group() const { return values.empty(); }
};

/// All keys, each group before its members, in the order of `describe`.
std::vector<SettingHelp> setting_helps();

/// The sentence of a dotted key; "" if there is no such key.
std::string setting_meaning(const std::string& key);

/// `lacp help settings [KEY]`: all keys, one, or those of a group, for a terminal. UserError for an unknown
/// key.
std::string settings_text(const std::string& key = "");

/// The same of all keys for experiments/README.md.
std::string settings_markdown();

}  // namespace lacp
