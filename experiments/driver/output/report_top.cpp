#include <fmt/format.h>

#include <algorithm>

#include "output/report.hpp"

namespace lacp {
namespace {

using Experiments = std::vector<ReportedExperiment>;

/// The first that is so; null if there is none.
template <class Is>
const ReportedExperiment* find(const Experiments& experiments, const Is& is) {
  const auto found = std::ranges::find_if(experiments, is);
  return found == experiments.end() ? nullptr : &*found;
}

bool is_main(const ReportedExperiment& e) { return e.role() == ReportRole::main; }

/// The claim of that id from the main experiment, else from the first that can tell.
const ReportedExperiment* best_for(const Experiments& experiments, std::size_t claim) {
  const auto tells = [&](const ReportedExperiment& e) {
    return claim < e.claims.size() && e.claims[claim].cases > 0;
  };
  const ReportedExperiment* best =
      find(experiments, [&](const ReportedExperiment& e) { return is_main(e) && tells(e); });
  return best != nullptr ? best : find(experiments, tells);
}

std::string claims_section(const Report& report) {
  const std::vector<ReportedClaim> claims = told_claims(report);
  if (claims.empty()) return "";
  return "## The claims\n\nThe cases of a claim (data set, method, level; paired by run) are tested at 5 % with Holm's correction over all of them. It holds if all cases speak for it, with exceptions if more than half of them do, and not if more than half speak against it; else, or with fewer than five runs where only the absence of a difference would speak for it, it is undecided.\n\n" +
         claims_table(claims);
}

/// Figure 1 of the paper as the paper has it; sizes and coverage from the main experiment.
std::string figures_section(const Experiments& experiments) {
  const ReportedExperiment* paper = find(
      experiments, [](const ReportedExperiment& e) { return e.is_protocol() && e.comparison.has_value(); });
  const ReportedExperiment* full = find(experiments, is_main);
  std::string text;
  if (paper != nullptr) text += report_figures(*paper, paper->link + "/", {"figure1"});
  if (const ReportedExperiment* e = full != nullptr ? full : paper)
    text += report_figures(*e, e->link + "/", {"sizes", "adaptivity"});
  return text.empty() ? "" : "## The figures\n\n" + text;
}

std::string experiments_section(const Report& report) {
  TextTable table{{"experiment", "what", "data sets", "methods", "runs", "tasks done"}, {}, ""};
  for (const ReportedExperiment& e : report.experiments) {
    const Experiment& x = e.results.experiment;
    table.add({fmt::format("[{}]({}/README.md)", e.label(), e.link), e.title(),
               std::to_string(x.datasets.size()), std::to_string(x.methods.size()), std::to_string(x.runs),
               fmt::format("{} of {}", e.done, e.wanted)});
  }
  std::string text =
      "## The experiments\n\nEach page has the table, the figures, what they show and what failed.\n\n" +
      to_markdown(table) + "\n";
  if (!report.ablation.empty()) text += "- [ablation](ablation/README.md): one setting changed at a time\n";
  if (!report.cross_claims.empty())
    text += "- [claims.md](claims.md): experiments compared with each other\n";
  return text;
}

}  // namespace

std::vector<std::string> protocol_answers(const Experiments& experiments) {
  std::vector<std::string> answers;
  for (const ReportedExperiment& e : experiments) {
    if (e.role() == ReportRole::single_level || !e.reproduces_paper()) continue;
    const bool is_many = e.role() == ReportRole::many_runs;
    const ReportedExperiment* few = is_many ? base_of(e, experiments) : &e;
    if (is_many && few != nullptr) continue;  // said with the protocol
    const ReportedExperiment* many = is_many ? &e : find(experiments, [&](const ReportedExperiment& other) {
      return other.role() == ReportRole::many_runs && base_of(other, experiments) == &e;
    });
    if (many != nullptr && !many->reproduces_paper()) many = nullptr;
    answers.push_back(protocol_answer(few, many));
  }
  return answers;
}

std::vector<ReportedClaim> told_claims(const Report& report) {
  std::vector<ReportedClaim> claims;
  const bool explained = !ablation_summary(report.ablation).empty();
  for (std::size_t i = 0; i < report.experiments.front().claims.size(); ++i)
    if (const ReportedExperiment* e = best_for(report.experiments, i)) {
      const Claim& claim = e->claims[i];
      claims.push_back(
          {claim, fmt::format(" ([{}]({}/README.md){})", e->results.experiment.name, e->link,
                              claim.id == "error_fit" && explained ? "; [why](ablation/README.md)" : "")});
    }
  const std::string numbers = " ([numbers](claims.md))";
  for (const Claim& claim : report.cross_claims)
    if (claim.cases > 0) claims.push_back({claim, numbers});
  return claims;
}

std::string report_top(const Report& report) {
  const Experiments& experiments = report.experiments;
  std::string paper;
  for (const std::string& answer : protocol_answers(experiments)) paper += fmt::format("- {}\n", answer);
  if (!paper.empty())
    return "# Does the paper reproduce?\n\nN. Colombo, *On training locally adaptive CP* (COPA 2023), rerun. Its Table 1 has the size of prediction intervals (mean half-width in units of mean |y|) and their validity (the share of points inside) at several levels α, each a mean over five runs.\n\n" +
           paper +
           "\nA standard error combines ours and the paper's; a number differs beyond chance if its p-value is below 5 % after Holm's correction over all numbers. Written by `lacp report` from the finished tasks: no number is typed by hand. To look at, sort, filter and draw: [index.html](index.html), in a browser.\n\n" +
           claims_section(report) + intervals_top(experiments) + figures_section(experiments) +
           experiments_section(report);
  if (experiments.size() == 1) return report_page(experiments.front(), experiments.front().link + "/");
  std::string text = "# Results\n\n" + intervals_top(experiments) + experiments_section(report);
  for (const ReportedExperiment& e : experiments) text += report_figures(e, e.link + "/", {"sizes"});
  return text;
}

}  // namespace lacp
