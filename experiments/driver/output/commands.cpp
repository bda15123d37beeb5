#include "output/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "output/ablation.hpp"
#include "output/comparison.hpp"
#include "output/figures.hpp"
#include "output/pool.hpp"
#include "output/report.hpp"
#include "output/table.hpp"

namespace lacp {
namespace {

void print_note_on_missing(const Results& results) {
  const std::size_t failed = results.failed.size(), unfinished = results.missing.size() - failed,
                    stale = results.different.size();
  std::string notes;
  const auto add = [&notes](const std::string& note) {
    notes.append(notes.empty() ? "" : "; ").append(note);
  };
  if (results.cells.empty()) {
    add("no cell is finished, so nothing is written");
  } else {
    if (failed > 0) add(fmt::format("{} failed, failures.csv says why", counted(failed, "task")));
    if (unfinished > 0)
      add(fmt::format("{} {} not finished", counted(unfinished, "task"), unfinished == 1 ? "is" : "are"));
    if (stale > 0)
      add(fmt::format("{} {} stale, made with other settings or data", counted(stale, "cell"),
                      stale == 1 ? "is" : "are"));
    if (notes.empty()) return;
    add("entries are marked");
  }
  if (unfinished + stale > 0) add("to do them: " + results.rerun);
  tell("{}: {}\n", results.folder.string(), notes);
}

void each(const Folders& folders, const std::function<void(const Results&)>& action) {
  for (const auto& folder : folders) {
    const Results results = load_results(folder);
    print_note_on_missing(results);
    // Without cells there is nothing to write, and perhaps something to lose: a table kept without its cells.
    if (!results.cells.empty()) action(results);
  }
}

}  // namespace

void make_tables(const Folders& folders) {
  each(folders, [](const Results& results) {
    write_table(results, table_entries(results));
    fmt::print("{}: wrote table.csv, table.tex, table_standalone.tex\n", results.folder.string());
    for (const std::string& note : pool_notes(results)) fmt::print("{}\n", note);
  });
}

void make_comparisons(const Folders& folders) {
  each(folders, [](const Results& results) {
    const auto comparison = compare(results, table_entries(results));
    if (!comparison) {
      fmt::print("{}: names no reference to compare with\n", results.folder.string());
      return;
    }
    write_comparison(results, *comparison);
    const Verdict& v = comparison->overall;
    fmt::print("{}: {} of {} numbers within 2 standard errors; {}\n", results.folder.string(), v.within,
               v.numbers, v.text());
  });
}

void make_figures(const Folders& folders) {
  each(folders, [](const Results& results) {
    for (const std::string& figure : write_figures(results))
      fmt::print("{}\n", (results.folder / "figures" / (figure + ".svg")).string());
  });
}

void make_ablation(const Folders& groups, const std::filesystem::path& output) {
  std::vector<AblationRow> rows;
  for (const auto& group : groups) std::ranges::copy(ablate(group), std::back_inserter(rows));
  write_ablation(rows, output);
  fmt::print("{}: wrote ablation.csv, README.md\n", output.string());
}

void make_report(const Folders& folders) {
  for (const auto& page : write_report(folders)) fmt::print("{}\n", page.string());
}

}  // namespace lacp
