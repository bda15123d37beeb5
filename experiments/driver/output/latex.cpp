#include "output/latex.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lacp/base/text.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

std::string block_tex(const TexTable& table, const TexBlock& block) {
  std::string names = "\\texttt{" + tex_escape(block.heading) + "}", rules, columns = block.corner;
  const std::size_t width = table.columns.size();
  for (std::size_t i = 0; i < table.levels.size(); ++i) {
    names += fmt::format(" & \\multicolumn{{{}}}{{c}}{{$\\alpha = {}$}}", width, table.levels[i].text());
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", width * i + 2, width * (i + 1) + 1);
    columns += " & " + join(table.columns, " & ");
  }
  return fmt::format("{} \\\\\n{}\n{} \\\\\n\\midrule\n{} \\\\\n", names, rules, columns,
                     join(block.rows, " \\\\\n"));
}

}  // namespace

std::string tex_number(double value) {
  if (std::isnan(value)) return "\\textrm{--}";
  if (std::isinf(value)) return "\\infty";
  if (std::abs(value) < 1e4) return fmt::format("{:.3f}", value);
  const std::string text = fmt::format("{:.1e}", value);
  const std::size_t e = text.find('e');
  return fmt::format("{}{{\\cdot}}10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string to_tex(const TexTable& table) {
  // The stretch, which a page with a ragged bottom never uses, and the penalty make the end of a block the
  // best place for the end of a page. Starred line ends would not do: booktabs puts glue, where a page may
  // end, below every rule.
  std::string text = fmt::format(
      "% Written by `{}`; needs \\usepackage{{booktabs,longtable}}.\n"
      "\\begingroup\\footnotesize\\setlength{{\\tabcolsep}}{{4pt}}\\setlength{{\\LTcapwidth}}{{\\linewidth}}\n"
      "\\begin{{longtable}}{{l*{{{}}}{{{}}}}}\n\\caption{{{}}}\n\\label{{table:lacp-{}}}\\\\\n"
      "\\toprule\n\\endfirsthead\n\\toprule\n\\endhead\n",
      table.command, table.levels.size(), table.alignment, table.caption, table.label);
  for (std::size_t i = 0; i < table.blocks.size(); ++i)
    text += (i == 0 ? "" : "\\midrule[\\heavyrulewidth]\n\\noalign{\\vskip 0pt plus 1000pt\\penalty-200}\n") +
            block_tex(table, table.blocks[i]);
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
