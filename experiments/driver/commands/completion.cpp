// `lacp completion`, and `lacp complete`, which the completion of shells asks.
#include <algorithm>
#include <iterator>

#include "commands/commands.hpp"
#include "common/message.hpp"
#include "datasets/catalog.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "report/words.hpp"
#include "settings/settings.hpp"

namespace lacp {
namespace {

/// A word that may come next, and what it means. The words ":files" and ":folders" stand for those that there
/// are.
struct Candidate {
  std::string word, about;
};

/// The words for a kind of value that an option or argument takes; "text|csv": these.
std::vector<Candidate> words_of_kind(const std::string& kind, const CLI::App& program) {
  std::vector<Candidate> found;
  if (kind.find('|') != std::string::npos)
    for (const std::string& word : split_text(kind, '|')) found.push_back({word, ""});
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
    for (const CLI::App* command : commands_of(program))
      found.push_back({command->get_name(), command->get_description()});
    found.push_back({"settings", "the keys of an experiment"});
  }
  if (topic || kind == "KEY=VALUE")
    for (const Setting& help : setting_helps())
      if (topic || !help.is_group()) found.push_back({help.key + (topic ? "" : "="), help.about});
  if (kind == "EXPERIMENT" || kind == "FILE") found.push_back({":files", ""});
  if (kind == "FOLDER") found.push_back({":folders", ""});
  return found;
}

/// Of a kind in the plural there may be a list with commas, of which the last item is being written.
std::vector<Candidate> values_of_kind(const std::string& kind, const std::string& current,
                                      const CLI::App& program) {
  std::vector<Candidate> found = words_of_kind(kind, program);
  const std::size_t comma = current.rfind(',');
  if (comma == std::string::npos) return found;
  const std::vector<std::string> given = split_text(current.substr(0, comma), ',');
  std::erase_if(found, [&](const Candidate& candidate) {
    return std::ranges::find(given, candidate.word) != given.end();
  });
  for (Candidate& candidate : found) candidate.word.insert(0, current.substr(0, comma + 1));
  return found;
}

/// Where the words before the last one lead.
struct Place {
  std::vector<const CLI::App*> commands;  // from the program to the current one
  std::string open = {};                  // the kind of value that an option waits for
  std::size_t arguments = 0;

  void pass(const std::string& word) {
    if (word == "=") return;  // bash makes a word of it
    if (!open.empty()) {
      open.clear();
    } else if (word.starts_with("--")) {
      for (const CLI::App* command : commands)
        for (const OptionWords& option : options_of(*command))
          if (open.empty() && !option.argument && option.name == word) open = option.value;
    } else {
      const auto below = commands_of(*commands.back());
      const auto named = std::ranges::find(below, word, [](const CLI::App* app) { return app->get_name(); });
      if (arguments == 0 && named != below.end())
        commands.push_back(*named);
      else
        ++arguments;
    }
  }
};

/// What may follow `words`, the last of which is being written and may be empty.
std::vector<Candidate> candidates(const CLI::App& program, std::vector<std::string> words) {
  std::string current = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  if (current == "=") current.clear();
  Place place{{&program}};
  for (const std::string& word : words) place.pass(word);
  std::vector<Candidate> found;
  const std::vector<OptionWords> options = options_of(*place.commands.back());
  if (!place.open.empty()) {
    found = values_of_kind(place.open, current, program);
  } else if (current.starts_with("-")) {
    for (const OptionWords& option : options)
      if (!option.argument) found.push_back({option.name, option.about});
  } else {
    if (place.arguments == 0)
      for (const CLI::App* command : commands_of(*place.commands.back()))
        found.push_back({command->get_name(), command->get_description()});
    std::size_t number = 0;
    const auto next = std::ranges::find_if(options, [&](const OptionWords& option) {
      return option.argument && (number++ == place.arguments || option.many);
    });
    if (next != options.end())
      std::ranges::move(values_of_kind(next->value, current, program), std::back_inserter(found));
  }
  std::erase_if(found, [&](const Candidate& candidate) {
    return !candidate.word.starts_with(':') && !candidate.word.starts_with(current);
  });
  return found;
}

int show_completion(const std::string& shell) {
  if (shell != "bash" && shell != "zsh")
    user_error("completion: found {}; expected bash or zsh", show_text(shell));
  show("{}", embedded(shell == "bash" ? "completion/lacp.bash" : "completion/_lacp"));
  return exit_done;
}

}  // namespace

void add_completion(CLI::App& program) {
  const auto [command, shell] =
      add_command(program, "completion", "Print the completion for a shell: source <(lacp completion bash)",
                  show_completion);
  add(command, "SHELL", shell, "bash|zsh", "bash or zsh")->required();
  CLI::App* complete =
      program.add_subcommand("complete", "What the completion asks: the words that may come next");
  complete->group("");  // hidden
  complete->prefix_command();
  complete->callback([complete, &program] {
    for (const auto& [word, about] : candidates(program, complete->remaining()))
      show("{}\t{}\n", word, about);
  });
}

}  // namespace lacp
