#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// The program with these arguments. Prints what went wrong, if anything did; returns the exit code.
int lacp_main(const std::vector<std::string>& arguments);

/// An option or a command of older versions, and what to use instead.
struct RemovedWord {
  std::string_view command;  ///< "predict", "datasets add"
  std::string_view option;   ///< "--samples"; "" for the command itself
  std::string_view instead;
};
std::span<const RemovedWord> removed_words();

/// UserError if older versions had this option of a command, or with "" this command.
void refuse_removed(std::string_view command, std::string_view option);

}  // namespace lacp
