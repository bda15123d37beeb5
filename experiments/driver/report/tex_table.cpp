#include "report/tex_table.hpp"

#include <fmt/format.h>

#include "lacp/base/text.hpp"
#include "report/words.hpp"

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

/// On the page of a plain article, which is narrower than three levels, a table gets smaller, and may leave
/// the lines by some points on both sides.
constexpr std::string_view for_narrow_pages =
    R"(\ifdim\linewidth<440pt\scriptsize\setlength{\tabcolsep}{2pt}\medmuskip=1mu)"
    R"(\setlength{\LTleft}{0pt plus 1fil minus 1fil}\setlength{\LTright}{\LTleft}\fi)";

/// How a table begins: the command that writes it, for_narrow_pages, its columns, caption and label.
constexpr const char* beginning = R"(% Written by `{}`; needs \usepackage{{booktabs,longtable}}.
\begingroup\footnotesize\setlength{{\tabcolsep}}{{4pt}}\setlength{{\LTcapwidth}}{{\linewidth}}
{}
\begin{{longtable}}{{l*{{{}}}{{{}}}}}
\caption{{{}}}
\label{{table:lacp-{}}}\\
\toprule
\endfirsthead
\toprule
\endhead
)";

}  // namespace

std::string to_tex(const TexTable& table) {
  // The stretch, which a page with a ragged bottom never uses, and the penalty make the end of a block the
  // best place for the end of a page. Starred line ends would not do: booktabs puts glue, where a page may
  // end, below every rule.
  std::string text = fmt::format(beginning, table.command, for_narrow_pages, table.levels.size(),
                                 table.alignment, table.caption, table.label);
  for (std::size_t i = 0; i < table.blocks.size(); ++i)
    text += (i == 0 ? "" : "\\midrule[\\heavyrulewidth]\n\\noalign{\\vskip 0pt plus 1000pt\\penalty-200}\n") +
            block_tex(table, table.blocks[i]);
  return text + "\\bottomrule\n\\end{longtable}\n\\endgroup\n";
}

}  // namespace lacp
