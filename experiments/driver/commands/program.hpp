#pragma once

#include <string>
#include <vector>

namespace lacp {

/// The program with these arguments. Prints what went wrong, if anything did; returns the exit code.
int lacp_main(const std::vector<std::string>& arguments);

}  // namespace lacp
