#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lacp/base/text.hpp"
#include "output/ablation.hpp"
#include "output/claims.hpp"
#include "output/comparison.hpp"
#include "output/labels.hpp"

namespace lacp {
namespace {

/// A change of the spread counts if it is at least this factor.
constexpr double notable = 2.0;

/// The rows at the first level, with Holm's correction over all of them that a change could touch.
std::vector<AblationRow> at_first_level(const std::vector<AblationRow>& rows) {
  std::vector<AblationRow> chosen;
  std::vector<double> p;
  for (const AblationRow& row : rows)
    if (row.alpha == rows.front().alpha) {
      chosen.push_back(row);
      p.push_back(row.is_base() || !row.touched() ? std::nan("") : row.ratio.p);
    }
  p = holm(p);
  for (std::size_t i = 0; i < p.size(); ++i) chosen[i].p_holm = p[i];
  return chosen;
}

std::string size_text(const Moments& size) {
  return fmt::format("{} ± {}", display(size.mean), display(size.deviation));
}

std::string cell_text(const AblationRow& row) {
  if (!row.is_base() && !row.touched()) return "as before";
  std::string text = size_text(row.size);
  if (!row.is_base()) text += ", " + percent(row.ratio, row.p_holm < error_rate);
  return row.failed() == 0 ? text : fmt::format("{} ({} failed)", text, row.failed());
}

std::vector<std::string> distinct(const std::vector<AblationRow>& rows, std::string AblationRow::*field) {
  std::vector<std::string> values;
  for (const AblationRow& row : rows)
    if (std::ranges::find(values, row.*field) == values.end()) values.push_back(row.*field);
  return values;
}

/// One row per variant and data set, one column per method.
std::string group_table(const std::vector<AblationRow>& rows) {
  const std::vector<std::string> methods = distinct(rows, &AblationRow::method);
  TextTable table{{"protocol", "changed", "data set"}, {}, ""};
  for (const std::string& method : methods) table.header.push_back(method_label(method));
  for (const std::string& variant : distinct(rows, &AblationRow::variant))
    for (const std::string& dataset : distinct(rows, &AblationRow::dataset)) {
      std::vector<std::string> line(3 + methods.size(), "–");
      bool any = false;
      for (const AblationRow& row : rows) {
        if (row.variant != variant || row.dataset != dataset) continue;
        const auto place = std::ranges::find(methods, row.method) - methods.begin();
        line[0] = row.protocol, line[1] = row.is_base() ? "nothing" : row.changed, line[2] = dataset;
        line[3 + static_cast<std::size_t>(place)] = cell_text(row);
        any = true;
      }
      if (any) table.add(std::move(line));
    }
  return to_markdown(table);
}

/// The changes after which a size differs significantly.
TextTable significant_changes(const std::vector<AblationRow>& rows) {
  TextTable table{{"protocol", "changed", "data set", "method", "size", "size, changed", "change"}, {}, ""};
  for (const AblationRow& row : rows)
    if (row.p_holm < error_rate)
      table.add({row.protocol, row.changed, row.dataset, method_label(row.method), size_text(row.base),
                 size_text(row.size), percent(row.ratio, true)});
  return table;
}

/// The error fit where a change makes its spread at least twice or at most half as large.
TextTable spread_changes(const std::vector<AblationRow>& rows) {
  TextTable table{
      {"protocol", "changed", "data set", "std / mean", "std / mean, changed", "size", "size, changed"},
      {},
      ""};
  for (const AblationRow& row : rows) {
    if (row.is_base() || row.method != "erc_error_fit") continue;
    const double factor = row.spread() / row.base_spread();
    if (!(factor >= notable || factor <= 1.0 / notable)) continue;
    table.add({row.protocol, row.changed, row.dataset, display(row.base_spread(), 2),
               display(row.spread(), 2), size_text(row.base), size_text(row.size)});
  }
  return table;
}

/// The changes that make a difference, and what makes the error fit unstable.
std::string what_matters(const std::vector<AblationRow>& rows, const std::string& calming) {
  const auto tried = std::ranges::count_if(rows, [](const auto& row) { return !std::isnan(row.p_holm); });
  const TextTable changes = significant_changes(rows), spreads = spread_changes(rows);
  std::string text = fmt::format(
      "## Which setting matters\n\nOf {} sizes that a change could touch (change, data set, method), {} differ{}\n\n",
      tried, changes.rows.size(), changes.rows.empty() ? "." : ":");
  if (!changes.rows.empty()) text += to_markdown(changes) + "\n";
  if (spreads.rows.empty()) return text;
  return text +
         fmt::format(
             "## What makes `erc_error_fit` unstable\n\nThe changes that make its spread over runs (std / mean) at least {:.0f} times as large or as small.{}\n\n{}\n",
             notable, calming.empty() ? "" : " " + calming + ".", to_markdown(spreads));
}

}  // namespace

std::string ablation_document(const std::vector<AblationRow>& all) {
  std::string text = "# One setting at a time\n\n";
  if (all.empty()) return text + "Nothing was run.\n";
  text += fmt::format(
      "Size at α = {}, mean ± standard deviation over runs, of the protocols as they are and with a setting changed; then the change, paired by run, with its 95 % interval, bold where it is significant at 5 % after Holm's correction over all changes that this page shows. Measured by `make ablation`; [ablation.csv](ablation.csv) has all levels.\n\n",
      all.front().alpha);
  const std::vector<AblationRow> rows = at_first_level(all);
  text += what_matters(rows, ablation_summary(all));
  for (const std::string& group : distinct(rows, &AblationRow::group)) {
    std::vector<AblationRow> members;
    std::ranges::copy_if(rows, std::back_inserter(members),
                         [&](const auto& row) { return row.group == group; });
    text += fmt::format("## {}, {}\n\n{}\n", join(distinct(members, &AblationRow::dataset), ", "),
                        counted(members.front().runs_wanted, "run"), group_table(members));
  }
  return text;
}

std::string ablation_summary(const std::vector<AblationRow>& all) {
  if (all.empty()) return "";
  const std::vector<AblationRow> rows = at_first_level(all);
  // A change calms the error fit if it does so on every data set it was tried on.
  std::vector<std::string> calming;
  for (const std::string& variant : distinct(rows, &AblationRow::variant)) {
    std::string what;
    std::vector<std::string> numbers;
    bool everywhere = true;
    for (const AblationRow& row : rows) {
      if (row.variant != variant || row.is_base() || row.method != "erc_error_fit") continue;
      everywhere = everywhere && row.spread() * notable <= row.base_spread();
      what = fmt::format("`{}` in `{}`", row.changed, row.protocol);
      numbers.push_back(
          fmt::format("{} → {} on {}", display(row.base_spread(), 2), display(row.spread(), 2), row.dataset));
    }
    if (everywhere && !numbers.empty()) calming.push_back(fmt::format("{} ({})", what, join(numbers, ", ")));
  }
  if (calming.empty()) return "";
  return fmt::format("Its spread (std / mean) falls to half or less on every data set tried with {}",
                     join(calming, "; with "));
}

}  // namespace lacp
