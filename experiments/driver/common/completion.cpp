#include "common/completion.hpp"

#include <algorithm>
#include <iterator>

#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// "text|csv": these; a kind in the plural: a list with commas, of which the last item is being written.
std::vector<Candidate> value_candidates(const std::string& kind, const std::string& current,
                                        const ValueWords& values) {
  std::vector<Candidate> found;
  if (kind.find('|') != std::string::npos) {
    for (const std::string& word : split_text(kind, '|')) found.push_back({word, ""});
    return found;
  }
  found = values(kind);
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
  std::vector<const CommandWords*> commands;  // from the program to the current one
  const OptionWords* open = nullptr;          // an option that waits for its value
  std::size_t arguments = 0;

  const OptionWords* option(const std::string& name) const {
    for (const CommandWords* command : commands)
      for (const OptionWords& option : command->options)
        if (!option.argument && option.name == name) return &option;
    return nullptr;
  }

  void pass(const std::string& word) {
    if (word == "=") return;  // bash makes a word of it
    if (open != nullptr) {
      open = nullptr;
    } else if (word.starts_with("--")) {
      const OptionWords* found = option(word);
      if (found != nullptr && !found->value.empty()) open = found;
    } else {
      const CommandWords& here = *commands.back();
      const auto below = std::ranges::find(here.commands, word, &CommandWords::name);
      if (arguments == 0 && below != here.commands.end())
        commands.push_back(&*below);
      else
        ++arguments;
    }
  }

  /// The argument that is next, if the command takes one more.
  const OptionWords* argument() const {
    std::size_t place = 0;
    for (const OptionWords& option : commands.back()->options)
      if (option.argument && (place++ == arguments || option.many)) return &option;
    return nullptr;
  }
};

}  // namespace

std::vector<Candidate> complete(const CommandWords& program, std::vector<std::string> words,
                                const ValueWords& values) {
  std::string current = words.empty() ? "" : words.back();
  if (!words.empty()) words.pop_back();
  if (current == "=") current.clear();
  Place place{{&program}};
  for (const std::string& word : words) place.pass(word);
  std::vector<Candidate> found;
  if (place.open != nullptr) {
    found = value_candidates(place.open->value, current, values);
  } else if (current.starts_with("-")) {
    for (const OptionWords& option : place.commands.back()->options)
      if (!option.argument) found.push_back({option.name, option.about});
  } else {
    if (place.arguments == 0)
      for (const CommandWords& command : place.commands.back()->commands)
        found.push_back({command.name, command.about});
    if (const OptionWords* argument = place.argument())
      std::ranges::move(value_candidates(argument->value, current, values), std::back_inserter(found));
  }
  std::erase_if(found, [&](const Candidate& candidate) {
    return !candidate.word.starts_with(':') && !candidate.word.starts_with(current);
  });
  return found;
}

}  // namespace lacp
