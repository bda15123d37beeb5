// `lacp help`, `lacp methods`, and what `--help` prints.
#include <algorithm>
#include <array>

#include "commands/commands.hpp"
#include "commands/program.hpp"
#include "common/frame.hpp"
#include "experiment/settings/experiment.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

/// What to type, for those who look at the end of the help first.
constexpr std::array examples = {
    "lacp fit houses.csv --target price --model houses.lacp",
    "lacp fit visits.xlsx --target days --group patient --coverage 0.9 --model visits.lacp",
    "lacp predict houses.lacp new.csv --output intervals.csv",
    "lacp evaluate houses.lacp held_out.csv --by district",
    "lacp info houses.lacp",
    "lacp datasets add houses.csv --target price",
    "lacp datasets fetch energy",
    "lacp run frontier --datasets houses --runs 5 --name houses",
    "lacp run paper --name wide --set network.hidden=[200,200]",
    "lacp compare results/paper results/wide",
    "lacp report results/houses",
    "lacp verify results/paper",
};

/// Every method with its equation and a line of words, as the registry has them.
int show_methods(const bool& markdown) {
  constexpr std::size_t column = 16;
  Frame table({"method", "equation", "what it does"});
  std::string text = wrapped(
      "A = (f(x) − y)², g = g(x) a network; intervals: f(x) ± q·s(x), q² a quantile of A/s². Others state a score, at most q inside.");
  text += "\n\n";
  for (const std::string& name : method_names()) {
    const Method& method = find_method(name);
    table.add({"`" + name + "`", std::string(method.equation), std::string(method.about)});
    text += fmt::format("{}{}\n{}{}\n", padded(name, column), wrapped(method.equation, column, column),
                        std::string(column, ' '), wrapped(method.about, column, column));
  }
  show("{}", markdown ? to_markdown(table) : text);
  return exit_done;
}

struct HelpOptions {
  const CLI::App* program = nullptr;
  std::vector<std::string> about;
  bool markdown = false;
};

/// All commands and options below one, as a page has them.
std::string options_markdown(const CLI::App& command, const std::string& path) {
  std::string text;
  for (const CLI::App* below : commands_of(command)) {
    const std::string name = path + " " + below->get_name();
    Frame table({"option", "what it does"});
    for (const OptionWords& option : options_of(*below))
      if (option.name != "--help")
        table.add(
            {"`" + option.name + (option.value.empty() || option.argument ? "" : " " + option.value) + "`",
             option.about});
    text += fmt::format("## {}\n\n{}\n\n{}", name, below->get_description(),
                        table.empty() ? "" : to_markdown(table) + "\n");
    text += options_markdown(*below, name);
  }
  return text;
}

int show_help(const HelpOptions& options) {
  const std::vector<std::string>& about = options.about;
  if (about.empty() && options.markdown) {
    show("{}", options_markdown(*options.program, "lacp"));
    return exit_done;
  }
  if (!about.empty() && about[0] == "settings") {
    if (about.size() > 2) user_error("help settings: found {} keys; expected one", about.size() - 1);
    show("{}", settings_text(about.size() > 1 ? about[1] : ""));
    return exit_done;
  }
  if (!about.empty()) check_command(*options.program, about[0]);
  const CLI::App* command = options.program;  // that these words lead to
  for (const std::string& word : about)
    for (const CLI::App* below : commands_of(*command))
      if (below->get_name() == word) command = below;
  show("{}", help_text(*command, "lacp" + (about.empty() ? "" : " " + join(about, " "))));
  return exit_done;
}

}  // namespace

std::vector<OptionWords> options_of(const CLI::App& command) {
  std::vector<OptionWords> words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    const bool flag = option->get_items_expected_max() == 0, argument = option->get_positional();
    const std::string type = option->get_type_name();  // its checks follow a colon
    words.push_back({argument ? option->get_name(true) : "--" + option->get_lnames().at(0),
                     flag ? "" : type.substr(0, type.find(':')), option->get_description(), argument,
                     option->get_required(), option->get_items_expected_max() > 1});
  }
  return words;
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  std::vector<const CLI::App*> commands = command.get_subcommands([](const CLI::App*) { return true; });
  std::erase_if(commands, [](const CLI::App* below) { return below->get_group().empty(); });
  return commands;
}

void check_command(const CLI::App& program, const std::string& word) {
  if (word.empty() || word.front() == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : commands_of(program)) known.push_back(command->get_name());
  if (std::ranges::find(known, word) != known.end()) return;
  refuse_removed(word, "");
  user_error("there is no command {}{}; known: {}", show_text(word), did_you_mean(word, known),
             join(known, ", "));
}

std::string help_text(const CLI::App& command, const std::string& path) {
  constexpr std::size_t column = 26;
  const auto entry = [](const std::string& left, const std::string& about) {
    const std::string start = "  " + left;
    if (about.empty()) return start + "\n";
    const bool fits = text_width(start) + 2 <= column;
    return fmt::format("{}{}\n", fits ? padded(start, column) : start + "\n" + std::string(column, ' '),
                       wrapped(about, column, column));
  };
  std::string usage, arguments, options, commands;
  for (const OptionWords& option : options_of(command)) {
    (option.argument ? arguments : options) +=
        entry(option.argument || option.value.empty() ? option.name : option.name + " " + option.value,
              option.about);
    const std::string name = option.name + (option.many ? "..." : "");
    if (option.argument) usage += option.required ? " " + name : " [" + name + "]";
  }
  for (const CLI::App* below : commands_of(command))
    commands += entry(below->get_name(), below->get_description());
  usage = path + (options.empty() ? "" : " [OPTIONS]") + usage + (commands.empty() ? "" : " COMMAND");
  std::string text =
      fmt::format("{}\n\nUsage: {}\n", wrapped(command.get_description()), wrapped(usage, 7, 7));
  for (const auto& [title, lines] :
       {std::pair{"Arguments", arguments}, {"Options", options}, {"Commands", commands}})
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", title, lines);
  std::string shown;
  for (const std::string example : examples)
    if (commands.empty() && example.starts_with(path + " "))
      shown += fmt::format("  {}\n", wrapped(example, 6, 2));
  if (!shown.empty()) text += "\nExamples:\n" + shown;
  if (!command.get_footer().empty()) text += "\n" + wrapped(command.get_footer()) + "\n";
  return text;
}

void add_methods(CLI::App& program) {
  const auto [command, markdown] = add_command(program, "methods", "List the methods", show_methods);
  command.add_flag("--markdown", markdown, "as a page has them");
}

void add_help(CLI::App& program) {
  const auto [command, o] = add_command(program, "help", "Explain a command or settings", show_help);
  o.program = &program;
  add(command, "TOPIC", o.about, "TOPIC", "a command, or: settings [KEY]");
  command.add_flag("--markdown", o.markdown, "all options, as a page");
}

}  // namespace lacp
