#include <fmt/format.h>

#include <algorithm>

#include "common/embedded.hpp"
#include "report/report.hpp"
#include "report/tables.hpp"

// The page on top of a folder of experiments.
namespace lacp {
namespace {

/// The first experiment of those that are compared with the same published table; null if there is none.
const ReportedExperiment* first_compared(const Report& report) {
  const auto found = std::ranges::find_if(report.experiments, [](const ReportedExperiment& e) {
    return !e.comparison.entries.empty() && e.done > 0;
  });
  return found == report.experiments.end() ? nullptr : &*found;
}

std::string column_link(const PaperColumn& column) {
  if (column.experiment == nullptr) return column.title;
  return fmt::format("[{}]({})", column.title, column.experiment->page());
}

/// Trained at the first level: a row of Table 1, and how many of its runs diverged or collapsed.
struct BrokenRow {
  std::string dataset, method;
  std::size_t broken = 0;
};

/// The row with the most of them, over all columns.
BrokenRow worst_row(const std::vector<PaperColumn>& columns) {
  BrokenRow worst;
  for (const PaperColumn& column : columns)
    for (const ComparedEntry& e : column.comparison.entries) {
      const std::size_t broken = e.ours.wanted - e.ours.runs + e.ours.collapsed;
      if (broken > worst.broken) worst = {e.published.dataset, e.ours.method, broken};
    }
  return worst;
}

std::string broken_text(const PaperColumn& column, const BrokenRow& row) {
  const Level& level = column.comparison.entries.front().ours.level;
  for (const ComparedEntry& e : column.comparison.entries)
    if (e.published.dataset == row.dataset && e.ours.method == row.method && e.ours.level == level)
      return fmt::format("{} / {} of {}", e.ours.wanted - e.ours.runs, e.ours.collapsed, e.ours.wanted);
  return "–";
}

/// A line for each quantity, a column for each program: how it compares with Table 1.
std::string summary_table(const std::vector<PaperColumn>& columns) {
  WideTable table{.header = {""}};
  const BrokenRow worst = worst_row(columns);
  for (const PaperColumn& column : columns) {
    const std::string title = column_link(column);
    for (const auto& [what, value] : agreement_lines(column.comparison))
      table.set({what}, title, value.empty() ? "–" : value);
    if (worst.broken > 0)
      table.set(
          {fmt::format("of these {} on {}: diverged / collapsed", method_label(worst.method), worst.dataset)},
          title, broken_text(column, worst));
    table.set({"**Table 1 reproduced**"}, title, "**" + published_answer(column) + "**");
    const std::string released = released_answer(column);
    table.set({"**released program reproduced**"}, title, released.empty() ? "–" : "**" + released + "**");
  }
  return table.markdown();
}

std::string sizes_table(const std::vector<PaperColumn>& columns) {
  WideTable table{.header = {"data set", "method"}};
  for (const ComparedEntry& e : columns.back().comparison.entries) {
    std::string text = display(e.published.size.moments.mean);
    for (const PaperColumn& column : columns) {
      const ComparedEntry* own = entry_like(column, e.published);
      const std::string bold = own != nullptr && !own->size.agrees() ? "**" : "";
      text += " / " + (own == nullptr ? "–" : bold + size_text(own->ours) + bold);
    }
    table.set({e.published.dataset, method_label(e.ours.method)}, "size, α = " + e.ours.level.text(), text);
  }
  return table.markdown();
}

/// By data set and level, a column for each method.
std::string validity_table(const std::vector<PaperColumn>& columns) {
  WideTable table{.header = {"data set", "α"}};
  for (const ComparedEntry& e : columns.back().comparison.entries) {
    std::string text = display(e.published.validity.moments.mean);
    for (const PaperColumn& column : columns) {
      const ComparedEntry* own = entry_like(column, e.published);
      text += " / " + (own == nullptr ? "–" : display(own->ours.validity.moments.mean));
    }
    table.set({e.published.dataset, e.ours.level.text()}, method_label(e.ours.method), text);
  }
  return table.markdown();
}

/// experiments/page/first.md with its tables.
std::string paper_section(const std::vector<PaperColumn>& columns) {
  const auto name = [](const PaperColumn& column) { return column.title.substr(0, column.title.find(',')); };
  return fmt::format(fmt::runtime(embedded("page/first.md")), fmt::arg("summary", summary_table(columns)),
                     fmt::arg("programs", join_each(columns, " / ", name)), fmt::arg("legend", size_legend()),
                     fmt::arg("sizes", sizes_table(columns)), fmt::arg("validity", validity_table(columns)));
}

std::string claims_section(const std::vector<Claim>& claims) {
  if (claims.empty()) return "";
  Frame table({"claim", "answer", "for", "against", "cases", "a case is for it if", "experiment"});
  for (const Claim& claim : claims) {
    const QuestionWords& words = words_of(claim.question);
    table.add({words.claim, fmt::format("**{}**", words_of(claim.answer())), claim.count(Finding::supports),
               claim.count(Finding::against), claim.cases.size(), words.supports, claim.experiment});
  }
  return "## Claims\n\n" + to_markdown(table) + "\n[Every case](claims.csv)\n\n";
}

/// Figure 1 of the first experiment that has it.
std::string figure_section(const Report& report) {
  for (const ReportedExperiment& e : report.experiments)
    if (std::ranges::count(e.figures, "figure1") > 0)
      return "## Figure 1\n\n" + report_figures(e, e.link + "/", {"figure1"});
  return "";
}

std::string experiments_section(const Report& report) {
  Frame table({"experiment", "what", "data sets", "methods", "runs", "tasks done"});
  for (const ReportedExperiment& e : report.experiments) {
    const Experiment& x = e.results.experiment;
    table.add({fmt::format("[{}]({})", e.label(), e.page()), markdown_text(e.title()), x.datasets.size(),
               x.methods.size(), x.runs, fmt::format("{} of {}", e.done, e.wanted)});
  }
  return "## Experiments\n\nTo sort and filter: [index.html](index.html).\n\n" + to_markdown(table) + "\n";
}

}  // namespace

const ComparedEntry* entry_like(const PaperColumn& column, const Entry& published) {
  const auto found = std::ranges::find_if(column.comparison.entries, [&](const ComparedEntry& e) {
    return e.published.dataset == published.dataset && e.published.method == published.method &&
           e.published.level == published.level;
  });
  return found == column.comparison.entries.end() ? nullptr : &*found;
}

std::vector<PaperColumn> paper_columns(const Report& report) {
  std::vector<PaperColumn> columns;
  const ReportedExperiment* first = first_compared(report);
  if (first == nullptr) return columns;
  for (const ReportedExperiment& e : report.experiments) {
    if (e.comparison.entries.empty() || e.done == 0 ||
        e.results.experiment.reference.file != first->results.experiment.reference.file)
      continue;
    const PaperColumn column{fmt::format("`{}`, {}", e.name(), counted(e.results.experiment.runs, "run")),
                             e.comparison, &e};
    const auto same =
        std::ranges::find_if(columns, [&](const PaperColumn& c) { return c.experiment->name() == e.name(); });
    if (same == columns.end())
      columns.push_back(column);
    else if (same->experiment->results.experiment.runs < e.results.experiment.runs)
      *same = column;
  }
  std::ranges::stable_sort(columns, std::greater{},
                           [](const PaperColumn& c) { return with_released(c.comparison).means; });
  if (first->references->released.empty()) return columns;
  const TableComparison released = compare_released(*first->references);
  if (!released.entries.empty())
    columns.insert(columns.begin(),
                   {fmt::format("released Python, {}", counted(released.entries.front().ours.wanted, "run")),
                    released, nullptr});
  return columns;
}

std::string published_answer(const PaperColumn& column) {
  if (!column.comparison.is_whole()) return "unknown";
  const Reproduction found = reproduces_published(with_published(column.comparison));
  if (found == Reproduction::but_for_broken_runs) return "but for broken runs";
  return found == Reproduction::yes ? "yes" : "no";
}

std::string released_answer(const PaperColumn& column) {
  const Agreement agreement = with_released(column.comparison);
  if (agreement.sizes == 0) return "";
  return reproduces_released(agreement) == Reproduction::yes ? "yes" : "no";
}

std::string report_top(const Report& report) {
  const std::vector<PaperColumn> columns = paper_columns(report);
  if (columns.empty() && report.experiments.size() == 1)
    return report_page(report.experiments.front(), report.experiments.front().link + "/") + "\n" +
           claims_section(report.claims);
  std::string text = columns.empty() ? "# Results\n\n" : paper_section(columns);
  text += experiments_section(report) + claims_section(report.claims) + figure_section(report);
  return text + "Written by `lacp report`.\n";
}

}  // namespace lacp
