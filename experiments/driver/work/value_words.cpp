#include "work/value_words.hpp"

#include "datasets/catalog.hpp"
#include "datasets/datasets_folder.hpp"
#include "lacp/base/error.hpp"
#include "lacp/conformal/registry.hpp"
#include "settings/setting_help.hpp"

namespace lacp {

std::vector<Candidate> value_words(const std::string& kind, const CommandWords& program) {
  std::vector<Candidate> found;
  if (kind.starts_with("DATASET")) {
    try {
      for (const std::string& name : open_catalog({}).names()) found.push_back({name, "data set"});
    } catch (const UserError&) {  // no such folder, no words
    }
  }
  if (kind.starts_with("METHOD"))
    for (const std::string& name : method_names())
      found.push_back({name, "method: " + std::string(find_method(name).about)});
  const bool topic = kind == "TOPIC";
  if (topic) {
    for (const CommandWords& command : program.commands) found.push_back({command.name, command.about});
    found.push_back({"settings", "the keys of an experiment"});
  }
  if (topic || kind == "KEY=VALUE")
    for (const SettingHelp& help : setting_helps())
      if (topic || !help.is_group()) found.push_back({help.key + (topic ? "" : "="), help.about});
  if (kind == "EXPERIMENT" || kind == "FILE") found.push_back({":files", ""});
  if (kind == "FOLDER") found.push_back({":folders", ""});
  return found;
}

}  // namespace lacp
