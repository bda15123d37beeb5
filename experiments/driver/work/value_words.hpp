#pragma once

#include "common/completion.hpp"

namespace lacp {

/// The words for a kind of value that an option or argument of the program takes: DATASETS, METHODS,
/// KEY=VALUE, TOPIC, EXPERIMENT, FOLDER.
std::vector<Candidate> value_words(const std::string& kind, const CommandWords& program);

}  // namespace lacp
