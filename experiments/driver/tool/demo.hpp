#pragma once

#include <filesystem>

namespace lacp {

struct DemoOptions {
  std::filesystem::path figure;
};

/// Shows the tool on a table that the program has. Returns the exit code.
int run_demo(const DemoOptions& options);

}  // namespace lacp
