#include "common/command_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "common/layout.hpp"

namespace lacp {
namespace {

constexpr std::size_t words_column = 26;

std::string entry(const std::string& left, const std::string& about) {
  const std::string start = "  " + left;
  if (about.empty()) return start + "\n";
  const bool fits = text_width(start) + 2 <= words_column;
  return fmt::format("{}{}\n",
                     fits ? padded(start, words_column) : start + "\n" + std::string(words_column, ' '),
                     wrapped(about, words_column, words_column));
}

std::string argument_usage(const OptionWords& argument) {
  const std::string name = argument.name + (argument.many ? "..." : "");
  return argument.required ? name : "[" + name + "]";
}

}  // namespace

const CommandWords& CommandWords::find(const std::vector<std::string>& words) const {
  const CommandWords* here = this;
  for (const std::string& word : words)
    if (const auto next = std::ranges::find(here->commands, word, &CommandWords::name);
        next != here->commands.end())
      here = &*next;
  return *here;
}

std::string help_text(const CommandWords& command, const std::string& path) {
  std::string usage = path, arguments, options, commands;
  for (const OptionWords& option : command.options)
    if (option.argument)
      arguments += entry(option.name, option.about);
    else
      options += entry(option.value.empty() ? option.name : fmt::format("{} {}", option.name, option.value),
                       option.about);
  for (const CommandWords& below : command.commands) commands += entry(below.name, below.about);
  if (!options.empty()) usage += " [OPTIONS]";
  for (const OptionWords& option : command.options)
    if (option.argument) usage += " " + argument_usage(option);
  if (!commands.empty()) usage += " COMMAND";
  std::string text = fmt::format("{}\n\nUsage: {}\n", wrapped(command.about), wrapped(usage, 7, 7));
  for (const auto& [title, lines] :
       {std::pair{"Arguments", arguments}, {"Options", options}, {"Commands", commands}})
    if (!lines.empty()) text += fmt::format("\n{}:\n{}", title, lines);
  if (!command.footer.empty()) text += "\n" + wrapped(command.footer) + "\n";
  return text;
}

}  // namespace lacp
