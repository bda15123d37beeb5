// `lacp help`, `lacp methods`, the completion of shells, and what several commands share.
#include <algorithm>
#include <memory>

#include "commands/commands.hpp"
#include "common/completion.hpp"
#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "settings/method_help.hpp"
#include "settings/setting_help.hpp"
#include "work/value_words.hpp"

namespace lacp {
CommandWords words_of(const CLI::App& app) {
  CommandWords words{app.get_name(), app.get_description(), app.get_footer(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden, as the commands below
    const bool flag = option->get_items_expected_max() == 0, argument = option->get_positional();
    const std::string type = option->get_type_name();  // its checks follow a colon
    words.options.push_back({argument ? option->get_name(true) : "--" + option->get_lnames().at(0),
                             flag ? "" : type.substr(0, type.find(':')), option->get_description(), argument,
                             option->get_required(), option->get_items_expected_max() > 1});
  }
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) words.commands.push_back(words_of(*command));
  return words;
}

void check_command(const CLI::App& app, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> known;
  for (const CommandWords& command : words_of(app).commands) known.push_back(command.name);
  if (word != "complete" && std::ranges::find(known, word) == known.end())
    user_error("there is no command {}{}; known: {}", show_text(word), did_you_mean(word, known),
               join(known, ", "));
}

void add_quiet(CLI::App& command) { command.add_flag("--quiet", quiet, "print errors only"); }

CLI::Option* add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats) {
  return command.add_option("--format", format, "how to print it (default: text)")
      ->check(CLI::IsMember(formats))
      ->type_name(join(formats, "|"));
}

namespace {

void add_completion_commands(CLI::App& app) {
  CLI::App* completion =
      app.add_subcommand("completion", "Print the completion for a shell: source <(lacp completion bash)");
  auto shell = std::make_shared<std::string>();
  completion->add_option("SHELL", *shell, "bash or zsh")->required()->type_name("bash|zsh");
  completion->callback([shell] { show("{}", completion_script(*shell)); });
  CLI::App* complete =
      app.add_subcommand("complete", "What the completion asks: the words that may come next");
  complete->group("");  // hidden
  complete->prefix_command();
  complete->callback([complete, &app] {
    const CommandWords program = words_of(app);
    const auto values = [&](const std::string& kind) { return value_words(kind, program); };
    for (const auto& [word, about] : lacp::complete(program, complete->remaining(), values))
      show("{}\t{}\n", word, about);
  });
}

}  // namespace

void add_help_commands(CLI::App& app) {
  struct Options {
    std::vector<std::string> about;
    bool markdown = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* methods = app.add_subcommand("methods", "List the methods, with their equations");
  methods->add_flag("--markdown", options->markdown, "as a page has them");
  methods->callback([options] { show("{}", options->markdown ? methods_markdown() : methods_text()); });
  CLI::App* help = app.add_subcommand("help", "Explain a command, or the settings of an experiment");
  help->add_option("TOPIC", options->about, "a command, or: settings [KEY]")->type_name("TOPIC");
  help->add_flag("--markdown", options->markdown, "the settings as a page has them");
  help->callback([options, &app] {
    const std::vector<std::string>& about = options->about;
    if (!about.empty() && about[0] == "settings") {
      if (about.size() > 2) user_error("help settings: found {} keys; expected one", about.size() - 1);
      show("{}", options->markdown ? settings_markdown() : settings_text(about.size() > 1 ? about[1] : ""));
      return;
    }
    const CommandWords program = words_of(app);
    if (!about.empty()) check_command(app, about[0]);
    show("{}", help_text(program.find(about), "lacp" + (about.empty() ? "" : " " + join(about, " "))));
  });
  add_completion_commands(app);
}

}  // namespace lacp
