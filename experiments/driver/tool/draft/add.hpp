#pragma once

#include "tool/draft/draft.hpp"

namespace lacp {

struct AddOptions {
  std::filesystem::path folder, file;
  std::string name;  ///< of the data set; "": that of the file
  DraftOptions draft;
};

/// Writes a draft of the description of a file into the folder, with a copy of the file if it lies elsewhere;
/// then checks it. UserError, and nothing changed, if either is there already or cannot be read again.
/// Returns the exit code.
int add_dataset(const AddOptions& options);

}  // namespace lacp
