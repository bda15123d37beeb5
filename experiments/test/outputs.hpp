#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <optional>

#include "lacp_program.hpp"

/// What a run of the smoke grid leaves for its user. Two runs of the same work agree in every byte of it,
/// whatever happened to them on the way.
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

/// The same of a run that nothing disturbed, made once per program.
inline const Outputs& undisturbed() {
  static const Outputs outputs = [] {
    const TemporaryFolder results;
    must_run(quick_run(results.path()));
    return outputs_of(results.path());
  }();
  return outputs;
}

/// Continues a run that was disturbed and checks that it ends as if it had not been.
/// `done`: this many tasks are done, and not done again.
inline void check_continuation(const std::vector<std::string>& command, const fs::path& results,
                               std::optional<std::size_t> done = {}) {
  const Ran last = must_run(command);
  if (done) CHECK_MESSAGE(has(last.messages, fmt::format("28 tasks, {} done before", *done)), last.messages);
  const Outputs found = outputs_of(results);
  CHECK(found.cells == undisturbed().cells);
  CHECK(found.intervals == undisturbed().intervals);
  CHECK(found.table == undisturbed().table);
  CHECK(found.tex == undisturbed().tex);
}

/// Temporary files that were left in a folder and below.
inline std::vector<fs::path> leftovers(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".tmp") found.push_back(entry.path());
  return found;
}

/// How often a text occurs in another.
inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++times;
  return times;
}
