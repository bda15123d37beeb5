#include "output/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/layout.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "output/ablation.hpp"
#include "output/claims.hpp"
#include "output/labels.hpp"
#include "output/sizes.hpp"

namespace lacp {
namespace {

std::vector<AblationRow> shared_rows(const Results& base, const Results& changed) {
  if (const std::string problem = unit_problem(changed, base); !problem.empty()) user_error("{}", problem);
  std::vector<AblationRow> rows = ablation_rows("", changed.folder.string(), changed, base);
  std::erase_if(rows, [](const AblationRow& row) { return row.ratio.n == 0; });
  if (rows.empty())
    user_error(
        "{} and {} have no task in common that is done in both: the first has the data sets {} and the methods {}, the second {} and {}",
        base.folder.string(), changed.folder.string(), join(base.experiment.datasets, ", "),
        join(base.experiment.methods, ", "), join(changed.experiment.datasets, ", "),
        join(changed.experiment.methods, ", "));
  const SizeBase partner = base_by_published_name(changed, base);
  for (AblationRow& row : rows) {  // means over the runs that the change is of, in one unit
    auto before = by_run(base, {partner.name(row.dataset), row.method, size_metric, row.alpha});
    auto after = by_run(changed, {row.dataset, row.method, size_metric, row.alpha}, base);
    keep_common(before, after);
    row.base = moments(before), row.size = moments(after);
  }
  std::vector<double> p;
  for (const AblationRow& row : rows) p.push_back(row.touched() ? row.ratio.p : std::nan(""));
  p = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) rows[i].p_holm = p[i];
  return rows;
}

std::string size_text(const Moments& size) {
  return display(size.mean) + (std::isnan(size.deviation) ? "" : "±" + display(size.deviation));
}

std::string change_text(const AblationRow& row) {
  if (!row.touched()) return "as before";
  return percent(row.ratio, false) + (row.p_holm < error_rate ? " *" : "");
}

/// Methods and levels of one data set.
std::string aligned(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], text_width(line[i]));
  std::string text;
  for (const auto& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i)
      row.append("  ").append(i == 0 || i + 1 == line.size() ? padded(line[i], widths[i])
                                                             : padded_left(line[i], widths[i]));
    text.append(row.substr(0, row.find_last_not_of(' ') + 1)).append("\n");
  }
  return text;
}

}  // namespace

std::string paired_text(const Results& base, const Results& changed, const std::string& format) {
  const std::vector<AblationRow> rows = shared_rows(base, changed);
  if (format == "csv") return to_text(ablation_csv(rows));
  const std::vector<std::string> names = {"method", "α", "size", "changed", "change, 95 % interval"};
  TextTable table{names, {}, ""};
  table.header.insert(table.header.begin(), "data set");
  std::string text, dataset;
  std::vector<std::vector<std::string>> lines;
  const auto end_block = [&] {
    if (!lines.empty()) text += fmt::format("data set {}\n{}\n", dataset, aligned(lines));
    lines = {names};
  };
  for (const AblationRow& row : rows) {
    if (row.dataset != dataset) end_block(), dataset = row.dataset;
    lines.push_back(
        {method_label(row.method), row.alpha, size_text(row.base), size_text(row.size), change_text(row)});
    std::vector<std::string> line = lines.back();
    line.insert(line.begin(), dataset);
    table.add(std::move(line));
  }
  end_block();
  const std::vector<SettingChange> settings = changes(base.experiment, changed.experiment);
  std::vector<std::string> notes = {
      fmt::format("{} (changed) against {} (size).", changed.folder.string(), base.folder.string()),
      settings.empty() ? "No setting that numbers depend on differs."
                       : "Settings: " + to_text(settings) + ".",
      fmt::format(
          "Sizes are means ± standard deviations over the runs that both have, and the change is paired by run, over up to {}; * marks what is significant at {:.0f} % after Holm's correction over all changes.",
          counted(std::ranges::max(rows, {}, [](const AblationRow& r) { return r.ratio.n; }).ratio.n, "pair"),
          100.0 * error_rate)};
  if (base.experiment.seed != changed.experiment.seed)
    notes.push_back(
        "The seeds differ, so that runs of the same number have nothing in common: the intervals are wider than with one seed.");
  if ((base.experiment.predictor.cross_fit == 0) != (changed.experiment.predictor.cross_fit == 0))
    notes.push_back(fmt::format("All sizes are in the unit of {}.", base.folder.string()));
  if (format == "markdown") return to_markdown(table) + "\n" + join(notes, " ") + "\n";
  for (const std::string& note : notes) text += wrapped(note) + "\n";
  return text;
}

}  // namespace lacp
