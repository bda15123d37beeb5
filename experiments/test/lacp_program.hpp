#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/frame.hpp"
#include "common/process.hpp"
#include "experiment/store/store.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "said.hpp"
#include "temporary_folder.hpp"

namespace fs = std::filesystem;

inline const fs::path source_folder = LACP_SOURCE_DIR, smoke_yaml = source_folder / "experiments/smoke.yaml";
inline const std::string source_datasets = (source_folder / "datasets").string();

/// Tests may run in any folder.
inline const int datasets_are_named = ::setenv("LACP_DATASETS", source_datasets.c_str(), 0);

/// The program under test: LACP_PROGRAM, or the one that was built with this test.
inline const std::string lacp_executable = [] {
  const char* named = std::getenv("LACP_PROGRAM");
  const fs::path built = fs::canonical("/proc/self/exe").parent_path() / "../../lacp";
  return named != nullptr ? std::string(named) : built.lexically_normal().string();
}();
/// LACP_ALL_SEEDS: every case of tests that `make test` does in part.
inline const bool all_cases = std::getenv("LACP_ALL_SEEDS") != nullptr;
/// LACP_SANITIZED is "address" or "thread" if that program was built so: slow, with memory of its own.
inline const bool sanitized = std::getenv("LACP_SANITIZED") != nullptr && *std::getenv("LACP_SANITIZED") != 0;

using Ran = lacp::ProgramResult;
using Words = std::vector<std::string>;

inline Ran program(const Words& command) { return lacp::run_program(command, {.keep_output = true}); }

inline Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The same of lacp, with `more` behind the arguments.
inline Ran lacp_program(const Words& arguments, const Words& more = {}) {
  return program(joined(joined({lacp_executable}, arguments), more));
}

/// Checks how a program ended, and what stands in its messages and in its output.
inline Ran check_ran(Ran ran, int status, const Parts& messages = {}, const Parts& output = {}) {
  REQUIRE_MESSAGE(ran.status == status, ran.output, ran.messages);
  check_has(ran.messages, messages);
  check_has(ran.output, output);
  return ran;
}

/// One that was refused in one line.
inline void check_refused(const Ran& ran, int status, const std::string& part) {
  CHECK(ran.status == status);
  check_has(ran.messages, part);
  CHECK(std::ranges::count(ran.messages, '\n') == 0);  // one line, whose end is cut off here
}

inline Ran must_run(const Words& arguments, const Words& more = {}) {
  return check_ran(lacp_program(arguments, more), 0);
}

/// `lacp run smoke.yaml` with everything cut down to a second of work.
inline Words quick_run(const fs::path& results, const Words& more = {}) {
  return joined({"run", smoke_yaml.string(), "--results", results.string(), "--datasets-folder",
                 source_datasets, "--set", "network.hidden=[4]", "--set", "training.epochs=2"},
                more);
}

/// That command by another name: `status` of what it does.
inline Words as(const char* name, Words command) {
  command[0] = name;
  return command;
}

/// Options of a training that fails at once; `fixed` does not train.
inline const Words diverging = {"--set", "training.learning_rate=1e30"};

/// A shell script with these arguments from $1; `$0` is the program.
inline Ran shell(const std::string& script, const Words& arguments = {}) {
  return program(joined({"bash", "-c", script, lacp_executable}, arguments));
}

/// The command without the powers of root, who may write where others may not.
inline Words as_anyone(const Words& command) {
  if (::geteuid() != 0) return command;
  return joined({"setpriv", "--bounding-set", "-dac_override,-dac_read_search"}, command);
}

/// Starts a program in the background, its output in a file. `prepare`: what its process does before.
inline pid_t start(Words command, const fs::path& output = "/dev/null",
                   const std::function<void()>& prepare = {}) {
  std::vector<char*> argv;
  for (std::string& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    if (prepare) prepare();
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO), ::dup2(file, STDERR_FILENO);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  return child;
}

inline pid_t start_program(const Words& arguments) { return start(joined({lacp_executable}, arguments)); }

/// Whether it has not ended yet; only looks.
inline bool at_work(pid_t child) {
  siginfo_t ended{};
  REQUIRE(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0);
  return ended.si_pid == 0;
}

/// Waits for its end: its exit code, or minus the signal that ended it.
inline int end_of(pid_t child) {
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/// The tasks of which a folder of results has something.
inline std::set<lacp::Task> tasks_in(const fs::path& folder) {
  std::set<lacp::Task> tasks;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "cells", error)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() == ".csv" && !name.starts_with('.'))
      for (const auto& [task, found] : lacp::read_cells(folder, name.substr(0, name.find('.'))).cells)
        tasks.insert(task);
  }
  return tasks;
}

/// The newest cell of a task that has numbers.
inline std::optional<lacp::Cell> newest(const lacp::Cells& cells, const lacp::Task& task) {
  for (lacp::FoundCell& found : cells.find(task))
    if (found.cell && found.cell->failure.empty()) return std::move(found.cell);
  return std::nullopt;
}

/// All whole cells of a folder, as texts without how they came to be, by "<dataset>/<run>/<method>".
inline std::map<std::string, std::string> cells_in(const fs::path& folder) {
  const std::set<lacp::Task> tasks = tasks_in(folder);
  const lacp::Cells cells(folder);
  std::map<std::string, std::string> texts;
  for (const lacp::Task& task : tasks)
    if (const auto cell = newest(cells, task))
      texts[fmt::format("{}/{}/{}", task.dataset, task.run, task.method)] = lacp::to_text(*cell);
  return texts;
}

/// Puts rows in the place of those of a task, in the file of its data set. "": takes them out.
inline void put_rows(const fs::path& folder, const lacp::Task& task, const std::string& rows) {
  std::multimap<lacp::Task, std::string> all;
  const lacp::CellFiles files = lacp::read_cells(folder, task.dataset);
  for (const auto& [other, found] : files.cells)
    if (other != task) all.emplace(other, found.rows);
  if (!rows.empty()) all.emplace(task, rows);
  std::string text(lacp::cell_header);
  for (const auto& [other, part] : all) text += part;
  lacp::write_file(lacp::cells_path(folder, task.dataset), text);
}

inline lacp::FoundCell found_in(const fs::path& folder, const lacp::Task& task) {
  return lacp::Cells(folder).find(task).at(0);
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

/// What a run of the smoke grid leaves for its user: the same bytes, whatever happened on the way.
struct Outputs {
  std::map<std::string, std::string> cells, intervals;
  std::string table, tex;
};

/// Whether every file of `part` is in `whole`, with the same bytes.
inline bool within(const std::map<std::string, std::string>& part,
                   const std::map<std::string, std::string>& whole) {
  for (const auto& [name, text] : part)
    if (const auto found = whole.find(name); found == whole.end() || found->second != text) return false;
  return true;
}

/// The outputs in a folder of results. Fails unless `lacp table` finds every task done.
inline Outputs outputs_of(const fs::path& results) {
  const fs::path folder = results / "smoke";
  const Ran table = must_run({"table", folder.string()});
  REQUIRE(table.messages == "");
  return {cells_in(folder), csv_files(folder / "intervals"), lacp::read_file(folder / "table.csv"),
          lacp::read_file(folder / "table.tex")};
}

/// Results of a run that nothing disturbed, made once per program, and its outputs.
inline const fs::path& undisturbed_results() {
  static const TemporaryFolder results;
  static const Ran ran = must_run(quick_run(results.path()));
  return results.path();
}
inline const Outputs& undisturbed() {
  static const Outputs outputs = outputs_of(undisturbed_results());
  return outputs;
}

/// A copy of these results, in which all is done, to be disturbed.
struct DoneRun {
  TemporaryFolder results;
  Words command = quick_run(results.path());
  fs::path folder = results / "smoke";

  DoneRun() { fs::copy(undisturbed_results() / "smoke", folder, fs::copy_options::recursive); }
};

/// Continues a run that was disturbed and checks that it ends as if it had not been.
/// `done`: this many tasks are done, and not done again.
inline void check_continuation(const Words& command, const fs::path& results,
                               std::optional<std::size_t> done = {}) {
  const Ran last = must_run(command);
  if (done) CHECK_MESSAGE(has(last.messages, fmt::format("28 tasks, {} done before", *done)), last.messages);
  const Outputs found = outputs_of(results);
  CHECK(found.cells == undisturbed().cells);
  CHECK(found.intervals == undisturbed().intervals);
  CHECK(found.table == undisturbed().table);
  CHECK(found.tex == undisturbed().tex);
}

inline std::vector<fs::path> leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".tmp") found.push_back(entry.path());
  return found;
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++times;
  return times;
}
