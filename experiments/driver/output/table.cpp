#include "output/table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "lacp/base/files.hpp"
#include "output/latex.hpp"
#include "output/pool.hpp"

namespace lacp {
namespace {

/// Marks the smallest printed mean size of each data set and level. A mean over fewer runs than the others
/// is not comparable, so it cannot win.
void mark_best(std::vector<TableEntry>& entries) {
  const auto printed = [](const TableEntry& e) {
    return e.complete() ? std::round(e.size.mean * 1000.0) : std::numeric_limits<double>::infinity();
  };
  for (TableEntry& e : entries) {
    e.best = std::isfinite(printed(e));
    for (const TableEntry& other : entries)
      if (other.dataset == e.dataset && other.alpha == e.alpha && printed(other) < printed(e)) e.best = false;
  }
}

}  // namespace

std::vector<TableEntry> table_entries(const Results& results) {
  std::vector<TableEntry> entries;
  const Experiment& e = results.experiment;
  for (const std::string& dataset : e.datasets)
    for (const std::string& method : e.methods)
      for (const Level& level : e.levels) {
        const auto of = [&](std::string_view metric) {
          return summarise(results, {dataset, method, metric, level.text()});
        };
        const Moments validity = of("validity");
        entries.push_back({dataset, method, level.text(), validity.n, e.runs, of(size_metric), validity,
                           of("infinite").mean, of("empty").mean, false});
      }
  mark_best(entries);
  return entries;
}

TextTable table_csv(const std::vector<TableEntry>& entries) {
  TextTable table{{"dataset", "method", "alpha", "runs", "size_mean", "size_std", "validity_mean",
                   "validity_std", "infinite", "empty", "runs_wanted"},
                  {},
                  "table.csv"};
  for (const TableEntry& e : entries)
    table.add({e.dataset, e.method, e.alpha, std::to_string(e.runs), number_text(e.size.mean),
               number_text(e.size.deviation), number_text(e.validity.mean), number_text(e.validity.deviation),
               number_text(e.infinite), number_text(e.empty), std::to_string(e.runs_wanted)});
  return table;
}

std::vector<TableEntry> read_table_csv(const std::filesystem::path& file) {
  const TextTable table = read_text_table(file);
  std::vector<TableEntry> entries;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto text = [&](std::string_view name) { return table.rows[i][table.column(name)]; };
    const auto count = [&](std::string_view name) { return table.count(i, name); };
    const auto moments_of = [&](const std::string& name) {
      return Moments{table.number(i, name + "_mean"), table.number(i, name + "_std"), count("runs")};
    };
    entries.push_back({text("dataset"), text("method"), text("alpha"), count("runs"), count("runs_wanted"),
                       moments_of("size"), moments_of("validity"), table.number(i, "infinite"),
                       table.number(i, "empty"), false});
  }
  mark_best(entries);
  return entries;
}

std::string table_markdown(const Results& results, const std::vector<TableEntry>& entries) {
  TextTable table{{"data set", "method"}, {}, "table"};
  for (const Level& level : results.experiment.levels) {
    table.header.push_back(fmt::format("size, α = {}", level.text()));
    table.header.push_back("validity");
  }
  const std::size_t levels = results.experiment.levels.size();
  for (std::size_t i = 0; i < entries.size(); i += levels) {
    std::vector<std::string> row{entries[i].dataset, entries[i].method};
    for (std::size_t j = i; j < i + levels; ++j) {
      const TableEntry& e = entries[j];
      const std::string mark = e.complete() || e.runs == 0 ? "" : fmt::format(" †{}", e.runs);
      const std::string bold = e.best ? "**" : "";
      row.push_back(e.runs == 0 ? "missing"
                                : fmt::format("{0}{1}{0} ± {2}{3}", bold, display(e.size.mean),
                                              display(e.size.deviation), mark));
      row.push_back(e.runs == 0
                        ? "missing"
                        : fmt::format("{} ± {}", display(e.validity.mean), display(e.validity.deviation)));
    }
    table.add(std::move(row));
  }
  std::string text = to_markdown(table);
  for (const std::string& note : pool_notes(results)) text += "\n" + note + "\n";
  return text;
}

void write_table(const Results& results, const std::vector<TableEntry>& entries) {
  write_file(results.folder / "table.csv", to_text(table_csv(entries)));
  write_file(results.folder / "table.tex", table_tex(results, entries));
  write_file(results.folder / "table_standalone.tex", standalone_tex("table"));
}

}  // namespace lacp
