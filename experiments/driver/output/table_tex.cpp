#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/labels.hpp"
#include "output/latex.hpp"
#include "output/pool.hpp"
#include "output/table.hpp"

namespace lacp {
namespace {

std::string tex_pair(const Moments& m, bool bold) {
  const std::string mean = tex_number(m.mean);
  if (std::isinf(m.mean)) return mean;
  return fmt::format("{} \\pm {}", bold ? "\\mathbf{" + mean + "}" : mean, tex_number(m.deviation));
}

std::string entry_tex(const TableEntry& e) {
  if (e.runs == 0) return " & -- & --";
  const std::string mark = e.complete() ? "" : fmt::format("^{{\\dagger {}}}", e.runs);
  return fmt::format(" & ${}{}$ & ${}$", tex_pair(e.size, e.best), mark, tex_pair(e.validity, false));
}

std::string notes(const Results& results, const std::vector<TableEntry>& entries) {
  std::string text;
  if (std::ranges::any_of(entries, [](const TableEntry& e) { return !e.complete(); }))
    text += fmt::format(" $^{{\\dagger k}}$: mean of only $k$ of the {}; --: none.",
                        counted(results.experiment.runs, "run"));
  if (std::ranges::any_of(entries, [](const TableEntry& e) { return std::isinf(e.size.mean); }))
    text += " $\\infty$: at least one interval was infinite.";
  for (const std::string& note : pool_notes(results)) text.append(" ").append(tex_escape(note));
  return text;
}

}  // namespace

std::string table_tex(const Results& results, const std::vector<TableEntry>& entries) {
  const Experiment& e = results.experiment;
  TexTable table{"lacp table", "", e.name, e.levels, "cc", {"size", "val"}, {}};
  table.caption = fmt::format(
      "Size, the mean half-width in units of the mean $|y|$ (left), and empirical validity (right) of the prediction intervals, mean $\\pm$ standard deviation over {}; smallest mean size in bold. {}.{}",
      counted(e.runs, "run"), tex_escape(e.title.empty() ? "Experiment " + e.name : e.title),
      notes(results, entries));
  const std::size_t levels = e.levels.size();
  for (std::size_t i = 0; i < entries.size(); i += levels) {
    if (table.blocks.empty() || table.blocks.back().heading != entries[i].dataset)
      table.blocks.push_back({entries[i].dataset, "", {}});
    std::string row = method_label_tex(entries[i].method);
    for (std::size_t j = i; j < i + levels; ++j) row += entry_tex(entries[j]);
    table.blocks.back().rows.push_back(std::move(row));
  }
  return to_tex(table);
}

}  // namespace lacp
