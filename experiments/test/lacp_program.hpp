#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "../../lib/test/temporary_folder.hpp"
#include "cell_edits.hpp"
#include "io/process.hpp"
#include "lacp/base/files.hpp"

namespace fs = std::filesystem;

const fs::path smoke_yaml = fs::path(LACP_SOURCE_DIR) / "experiments" / "smoke.yaml";

/// Tests may run in any folder.
inline const int datasets_of_source =
    ::setenv("LACP_DATASETS", (fs::path(LACP_SOURCE_DIR) / "datasets").c_str(), 0);

/// The program under test: LACP_PROGRAM, or the one that was built with this test.
inline const std::string lacp_executable = [] {
  const char* named = std::getenv("LACP_PROGRAM");
  const fs::path built = fs::canonical("/proc/self/exe").parent_path() / "../../lacp";
  return named != nullptr ? std::string(named) : built.lexically_normal().string();
}();
/// LACP_SANITIZED: "address" or "thread" if that program was built so. It is slow then, and keeps memory of
/// its own.
inline const std::string sanitizer =
    std::getenv("LACP_SANITIZED") == nullptr ? "" : std::getenv("LACP_SANITIZED");
inline const bool sanitized = !sanitizer.empty();

struct Ran {
  int status = 0;
  std::string output, messages;
};

/// Runs any program and waits for it.
inline Ran program(const std::vector<std::string>& command) {
  const lacp::ProgramResult result = lacp::run_program(command, {.keep_output = true});
  return {result.status, result.output, result.messages};
}

/// The same of lacp.
inline Ran lacp_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), lacp_executable);
  return program(arguments);
}

/// `lacp run smoke.yaml` with everything cut down to a second of work.
inline std::vector<std::string> quick_run(const fs::path& results,
                                          const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"run",
                                        smoke_yaml.string(),
                                        "--results",
                                        results.string(),
                                        "--datasets-folder",
                                        (fs::path(LACP_SOURCE_DIR) / "datasets").string(),
                                        "--set",
                                        "network.hidden=[4]",
                                        "--set",
                                        "training.epochs=2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Starts the program in the background, its output thrown away.
inline pid_t start_program(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), lacp_executable);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

/// Contents of all csv files in a folder and below, by their path within it.
inline std::map<std::string, std::string> csv_files(const fs::path& folder) {
  std::map<std::string, std::string> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".csv")
      files[fs::relative(entry.path(), folder).string()] = lacp::read_file(entry.path());
  return files;
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
