#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/labels.hpp"
#include "output/table.hpp"

namespace lacp {
namespace {

/// A number inside $...$; the powers of ten of a diverged mean must not burst the column.
std::string tex_number(double value) {
  if (std::isnan(value)) return "\\textrm{--}";
  if (std::isinf(value)) return "\\infty";
  if (std::abs(value) < 1e4) return fmt::format("{:.3f}", value);
  const int power = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.1f}{{\\cdot}}10^{{{}}}", value / std::pow(10.0, power), power);
}

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

std::string block_header(const std::string& dataset, const std::vector<Level>& levels) {
  std::string names = "\\texttt{" + tex_escape(dataset) + "}", rules, columns;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    names += fmt::format(" & \\multicolumn{{2}}{{c}}{{$\\alpha = {}$}}", levels[i].text());
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", 2 * i + 2, 2 * i + 3);
    columns += " & size & val";
  }
  // The starred line ends forbid a page break inside the block.
  return fmt::format("{} \\\\*\n{}\n{} \\\\*\n\\midrule\n\\nopagebreak\n", names, rules, columns);
}

std::string notes(const Results& results, const std::vector<TableEntry>& entries) {
  std::string text;
  if (std::ranges::any_of(entries, [](const TableEntry& e) { return !e.complete(); }))
    text += fmt::format(" $^{{\\dagger k}}$: mean of only $k$ of the {} runs; --: none.",
                        results.experiment.runs);
  if (std::ranges::any_of(entries, [](const TableEntry& e) { return std::isinf(e.size.mean); }))
    text += " $\\infty$: at least one interval was infinite.";
  return text;
}

}  // namespace

std::string table_tex(const Results& results, const std::vector<TableEntry>& entries) {
  const Experiment& e = results.experiment;
  std::string text = "% Written by `lacp table`; needs \\usepackage{booktabs,longtable}.\n";
  text += "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\setlength{\\LTcapwidth}{\\linewidth}\n";
  text += fmt::format("\\begin{{longtable}}{{l*{{{}}}{{c}}}}\n", 2 * e.levels.size());
  text += fmt::format(
      "\\caption{{Size (left) and empirical validity (right) of the prediction intervals, mean $\\pm$ standard deviation over {} runs; smallest mean size in bold. {}.{}}}\n\\label{{table:lacp-{}}}\\\\\n",
      e.runs, tex_escape(e.title.empty() ? "Experiment " + e.name : e.title), notes(results, entries),
      e.name);
  const std::size_t levels = e.levels.size();
  std::string dataset;
  for (std::size_t i = 0; i < entries.size(); i += levels) {
    if (entries[i].dataset != dataset) {
      text += dataset.empty() ? "\\toprule\n" : "\\midrule[\\heavyrulewidth]\n";
      dataset = entries[i].dataset;
      text += block_header(dataset, e.levels);
    }
    text += method_label_tex(entries[i].method);
    for (std::size_t j = i; j < i + levels; ++j) text += entry_tex(entries[j]);
    const bool last = i + levels >= entries.size() || entries[i + levels].dataset != dataset;
    text += last ? " \\\\\n" : " \\\\*\n";
  }
  return text + "\\bottomrule\n\\end{longtable}\n\\endgroup\n";
}

std::string standalone_tex(const std::string& file) {
  return fmt::format(
      "\\documentclass[10pt]{{article}}\n\\usepackage[a4paper,margin=18mm]{{geometry}}\n"
      "\\usepackage{{booktabs,longtable}}\n\\begin{{document}}\n\\thispagestyle{{empty}}\n\\input{{{}}}\n"
      "\\end{{document}}\n",
      file);
}

}  // namespace lacp
