#include <fmt/format.h>

#include <cmath>

#include "output/comparison.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

std::string number(double value) {
  if (std::isnan(value)) return "--";
  if (std::isinf(value)) return "$\\infty$";
  return std::abs(value) < 1e4 ? fmt::format("{:.3f}", value) : fmt::format("{:.0e}", value);
}

std::string z_text(const ComparedNumber& n) {
  if (!n.comparable()) return "--";
  const std::string z = std::isinf(n.test.z) ? "\\infty" : fmt::format("{:.1f}", std::abs(n.test.z));
  const std::string sign = n.test.z < 0 && z != "0.0" ? "-" : "";
  const std::string star = n.p_overall < error_rate ? "^{*}" : "";
  return n.within() ? fmt::format("${}{}$", sign, z) : fmt::format("$\\mathbf{{{}{}}}{}$", sign, z, star);
}

std::string block_header(const std::string& dataset, const std::string& quantity,
                         const std::vector<Level>& levels) {
  std::string names = fmt::format("\\texttt{{{}}}", tex_escape(dataset)), rules, columns = quantity;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    names += fmt::format(" & \\multicolumn{{3}}{{c}}{{$\\alpha = {}$}}", levels[i].text());
    rules += fmt::format("\\cmidrule(lr){{{}-{}}}", 3 * i + 2, 3 * i + 4);
    columns += " & ours & paper & $z$";
  }
  return fmt::format("{} \\\\*\n{}\n{} \\\\*\n\\midrule\n\\nopagebreak\n", names, rules, columns);
}

std::string block(const Results& results, const Comparison& comparison, const std::string& dataset,
                  const std::string& quantity) {
  const Experiment& e = results.experiment;
  std::string rows;
  for (const std::string& method : e.methods) {
    std::string row;
    for (const Level& level : e.levels)
      for (const ComparedNumber& n : comparison.numbers)
        if (n.dataset == dataset && n.quantity == quantity && n.method == method && n.alpha == level.text())
          row += fmt::format(" & {} & {} & {}", number(n.ours.mean), number(n.paper.mean), z_text(n));
    if (!row.empty()) rows += (rows.empty() ? "" : " \\\\*\n") + method_label_tex(method) + row;
  }
  return block_header(dataset, quantity, e.levels) + rows + " \\\\\n";
}

}  // namespace

std::string comparison_tex(const Results& results, const Comparison& comparison) {
  const Experiment& e = results.experiment;
  const Verdict& all = comparison.overall;
  std::string text = "% Written by `lacp compare`; needs \\usepackage{booktabs,longtable}.\n";
  text += "\\begingroup\\footnotesize\\setlength{\\tabcolsep}{4pt}\\setlength{\\LTcapwidth}{\\linewidth}\n";
  text += fmt::format("\\begin{{longtable}}{{l*{{{}}}{{rrr}}}}\n", e.levels.size());
  text += fmt::format(
      "\\caption{{Our means ({} runs) beside the paper's ({} runs); $z$ is their difference in units of the combined standard error, bold beyond {:.0f}, starred if significant at {:.0f}\\,\\% after Holm's correction over all {} numbers. {} of {} numbers lie within {:.0f} standard errors. {}.}}\n"
      "\\label{{table:lacp-comparison-{}}}\\\\\n",
      e.runs, reference_runs, agreement_errors, 100.0 * error_rate, all.numbers, all.within, all.numbers,
      agreement_errors, tex_escape(e.title.empty() ? "Experiment " + e.name : e.title), e.name);
  const char* rule = "\\toprule\n";
  for (const Verdict& dataset : comparison.datasets)
    for (const std::string quantity : {"size", "validity"}) {
      text += rule + block(results, comparison, dataset.group, quantity);
      rule = "\\midrule[\\heavyrulewidth]\n";
    }
  return text + "\\bottomrule\n\\end{longtable}\n\\endgroup\n";
}

}  // namespace lacp
