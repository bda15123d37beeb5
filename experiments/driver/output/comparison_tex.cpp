#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "output/comparison.hpp"
#include "output/labels.hpp"
#include "output/latex.hpp"
#include "output/pool.hpp"

namespace lacp {
namespace {

std::string z_text(const ComparedNumber& n) {
  if (!n.comparable()) return "--";
  const std::string z = std::isinf(n.test.z) ? "\\infty" : fmt::format("{:.1f}", std::abs(n.test.z));
  const std::string sign = n.test.z < 0 && z != "0.0" ? "-" : "";
  const std::string star = n.p_overall < error_rate ? "^{*}" : "";
  return n.within() ? fmt::format("${}{}$", sign, z) : fmt::format("$\\mathbf{{{}{}}}{}$", sign, z, star);
}

TexBlock block(const Experiment& e, const Comparison& comparison, const std::string& dataset,
               const std::string& quantity) {
  TexBlock block{dataset, quantity, {}};
  for (const std::string& method : e.methods) {
    std::string row;
    bool any = false;
    for (const Level& level : e.levels) {
      const auto found = std::ranges::find_if(comparison.numbers, [&](const ComparedNumber& n) {
        return n.dataset == dataset && n.quantity == quantity && n.method == method &&
               n.alpha == level.text();
      });
      const bool there = found != comparison.numbers.end();
      any = any || there;
      row += !there ? " & & &"
                    : fmt::format(" & ${}$ & ${}$ & {}", tex_number(found->ours.mean),
                                  tex_number(found->paper.mean), z_text(*found));
    }
    if (any) block.rows.push_back(method_label_tex(method) + row);
  }
  return block;
}

}  // namespace

std::string comparison_tex(const Results& results, const Comparison& comparison) {
  const Experiment& e = results.experiment;
  const Verdict& all = comparison.overall;
  TexTable table{"lacp compare", "", "comparison-" + e.name, e.levels, "rrr", {"ours", "paper", "$z$"}, {}};
  const std::string note = log_target_note(results);
  table.caption = fmt::format(
      "Our means ({} runs) beside the paper's ({} runs); $z$ is their difference in units of the combined standard error, bold beyond {:.0f}, starred if significant at {:.0f}\\,\\% after Holm's correction over all {} numbers. {} of {} numbers lie within {:.0f} standard errors. {}.{}",
      e.runs, reference_runs, agreement_errors, 100.0 * error_rate, all.numbers, all.within, all.numbers,
      agreement_errors, tex_escape(e.title.empty() ? "Experiment " + e.name : e.title),
      note.empty() ? "" : fmt::format(" {}", tex_escape(note)));
  for (const Verdict& dataset : comparison.datasets)
    for (const char* quantity : {"size", "validity"})
      table.blocks.push_back(block(e, comparison, dataset.group, quantity));
  return to_tex(table);
}

}  // namespace lacp
