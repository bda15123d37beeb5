#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/command_words.hpp"

namespace lacp {

/// A word that may come next, and what it means. The words ":files" and ":folders" stand for those that there
/// are.
struct Candidate {
  std::string word, about;
};

/// Words for a kind of value ("DATASETS", "KEY=VALUE"), as an option names it in its help.
using ValueWords = std::function<std::vector<Candidate>(const std::string& kind)>;

/// What may follow `words`, the last of which is being written and may be empty.
std::vector<Candidate> complete(const CommandWords& program, std::vector<std::string> words,
                                const ValueWords& values);

/// The completion function of a shell, bash or zsh, which asks `lacp complete`; UserError for another.
std::string completion_script(const std::string& shell);

}  // namespace lacp
