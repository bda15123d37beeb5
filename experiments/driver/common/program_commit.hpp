#pragma once

#include <string>

namespace lacp {

/// What the program was built from; main says it.
inline std::string program_commit = "unknown";

}  // namespace lacp
