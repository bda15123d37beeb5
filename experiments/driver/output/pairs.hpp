#pragma once

#include <string>

#include "output/results.hpp"

namespace lacp {

/// The sizes of two experiments on the tasks that both have, paired by run, with 95 % intervals of the change
/// and Holm's correction over all of them. `format`: text, csv or markdown. UserError if they share no task.
std::string paired_text(const Results& base, const Results& changed, const std::string& format);

}  // namespace lacp
