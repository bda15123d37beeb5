#include "output/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>

#include "common/message.hpp"
#include "output/ablation.hpp"
#include "output/comparison.hpp"
#include "output/figures.hpp"
#include "output/pool.hpp"
#include "output/report.hpp"
#include "output/table.hpp"

namespace lacp {
namespace {

void print_note_on_missing(const Results& results) {
  if (results.cells.empty())
    tell("{}: no cell is finished yet\n", results.folder.string());
  else if (!results.missing.empty() || !results.different.empty())
    tell(
        "{}: {} tasks are not finished, {} are stale, made with other settings or data; entries are marked; to do them: {}\n",
        results.folder.string(), results.missing.size(), results.different.size(), results.rerun);
}

void each(const Folders& folders, const std::function<void(const Results&)>& action) {
  for (const auto& folder : folders) {
    const Results results = load_results(folder);
    print_note_on_missing(results);
    action(results);
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

void make_report(const Folders& folders) { fmt::print("{}\n", write_report(folders).string()); }

}  // namespace lacp
