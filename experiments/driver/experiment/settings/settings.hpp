#pragma once

#include "common/settings/setting.hpp"
#include "experiment/settings/experiment.hpp"

namespace lacp {

/// The one description of an experiment's settings, in the order in which they are written, each group before
/// its members. `read` of each writes into `experiment`.
std::vector<Setting> describe(Experiment& experiment);

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
