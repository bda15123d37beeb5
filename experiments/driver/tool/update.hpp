#pragma once

#include "tool/table_stream.hpp"

namespace lacp {

struct UpdateOptions : StreamOptions {
  std::filesystem::path output;
  std::string known, group, sides;
  bool instead = false;
  std::uint64_t window = 0;
};

/// Writes the model that new rows calibrate, too, and says what became of it. Returns the exit code.
int update_model(const UpdateOptions& options);

}  // namespace lacp
