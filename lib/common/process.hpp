#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// Surroundings and limits of a program that is run as a child.
struct ProgramOptions {
  std::filesystem::path folder = {};   ///< it runs in this folder; empty: in ours
  std::filesystem::path input = {};    ///< a file for its standard input, which can seek in it; empty: none
  std::string_view input_bytes = {};   ///< or these
  bool keep_output = false;            ///< its standard output is in the result
  std::filesystem::path scratch = {};  ///< folder that holds output meanwhile; empty: for temporary files
  std::uint64_t most_bytes = 1 << 30;  ///< the largest file that it may write; 0: our limit
  unsigned most_seconds = 600;         ///< of processor time; 0: our limit
  std::uint64_t most_memory = 0;       ///< bytes of its own, mapped files aside; 0: our limit
  bool show_messages = false;  ///< standard error goes to ours (a progress bar) instead of into the result
};

struct ProgramResult {
  int status = 0;           ///< its exit code, or 128 + the signal that ended it
  std::string messages;     ///< the first 4 kB of its standard error, trimmed
  std::string output = {};  ///< if asked for
};

/// Runs a program found on PATH with exactly these arguments: no shell, so nothing in them is expanded.
/// It ends with us, however we end. RunError if it cannot be started.
ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options = {});

/// A word as a shell takes it for one, in advice for people.
std::string shell_quoted(const std::string& word);

}  // namespace lacp
