#include <fmt/format.h>

#include <algorithm>

#include "lacp/conformal/predictor/predictor.hpp"
#include "report/analysis/choice.hpp"
#include "report/report.hpp"

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

std::string claims_section(const Report& report) {
  const std::vector<ReportedClaim> claims = told_claims(report);
  if (claims.empty()) return "";
  return "## The claims\n\nThe cases of a claim (data set, method, level; paired by run) are tested at 5 % with Holm's correction over all of them. It holds if all cases support it, with exceptions if more than half of them do, and not if more than half contradict it. Otherwise it is undecided, and so it is with fewer than five runs where only the absence of a difference would support it. " +
         std::string(overlap_words) + "\n\n" + claims_table(claims);
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
  Frame table({"experiment", "what", "data sets", "methods", "runs", "tasks done"});
  for (const ReportedExperiment& e : report.experiments) {
    const Experiment& x = e.results.experiment;
    table.add({fmt::format("[{}]({}/README.md)", e.label(), e.link), e.title(), x.datasets.size(),
               x.methods.size(), x.runs, fmt::format("{} of {}", e.done, e.wanted)});
  }
  std::string text =
      "## The experiments\n\nEach page has the table, the figures, what they show and what failed.\n\n" +
      to_markdown(table) + "\n";
  if (!report.ablation.empty()) text += "- [ablation](ablation/README.md): one setting changed at a time\n";
  if (report.has_drift) text += "- [drift](drift/README.md): what `lacp update` does when rows drift\n";
  if (!report.cross_claims.empty())
    text += "- [claims.md](claims.md): experiments compared with each other\n";
  return text;
}

/// What stands for the author's program, which is in Python.
std::string released_code_note(const Experiments& experiments) {
  const auto is_release = [](const ReportedExperiment& e) { return e.results.experiment.name == "release"; };
  if (find(experiments, is_release) == nullptr) return "";
  return " `release` is our own implementation of the code that was released with the paper: each of its departures from the text is a setting (`lib/released_code.md` lists them). The released Python itself was not run here.";
}

/// If the method that `lacp fit` uses is nowhere provably worse than the best.
std::string advice_to_fit(const Experiments& experiments) {
  const std::string method = PredictorSettings::recommended().method;
  for (const ReportedExperiment& e : experiments) {
    if (!e.is_protocol() || !compares_intervals(e.results) || !has_method(e.results, method)) continue;
    const Experiment& x = e.results.experiment;
    std::vector<std::string> ranks, ratios, alphas;
    bool like_best = true;
    for (const Frame& level : mean_ranks(e.results).by("alpha")) {
      const Row& own = *level.find({{"method", method}});
      like_best = like_best && is_like_best(own);
      const Frame records = records_against(e.results, "fixed", Level::parse(own["alpha"]));
      ranks.push_back(display(own.number("rank"), 1));
      alphas.push_back(own["alpha"]);
      ratios.push_back(display(records.find({{"method", method}})->number("ratio"), 2));
    }
    const std::string note = tuning_note(e.results);
    if (like_best && !ranks.empty())
      return fmt::format(
          "**Take `{}` around a stack, as `lacp fit` does.** In [{}]({}/README.md) its Winkler score is {} × that of `fixed` at α = {} (medians over {}), its mean rank among {} is {}, and no method is provably better.{}\n\n",
          method, x.name, e.link, join(ratios, " / "), join(alphas, " / "),
          counted(x.datasets.size(), "data set"), counted(x.methods.size(), "method"), join(ranks, " / "),
          note.empty() ? "" : " " + note);
  }
  return "";
}

}  // namespace

std::vector<ReportedClaim> told_claims(const Report& report) {
  std::vector<ReportedClaim> claims;
  const bool explained = !ablation_summary(report.ablation).empty();
  // Whichever experiment has claims has all of them, in the same order.
  const ReportedExperiment* any = find(report.experiments, [](const auto& e) { return !e.claims.empty(); });
  for (std::size_t i = 0; any != nullptr && i < any->claims.size(); ++i) {
    const auto tells = [&](const ReportedExperiment& e) {
      return !e.claims.empty() && e.claims[i].cases > 0;
    };
    const ReportedExperiment* e =
        find(report.experiments, [&](const ReportedExperiment& one) { return is_main(one) && tells(one); });
    if (e == nullptr) e = find(report.experiments, tells);
    if (e != nullptr)
      claims.push_back(
          {e->claims[i],
           fmt::format("[{}]({}/README.md){}", e->results.experiment.name, e->link,
                       explained && e->claims[i].id == "error_fit" ? "; [why](ablation/README.md)" : "")});
  }
  for (const Claim& claim : report.cross_claims)
    if (claim.cases > 0) claims.push_back({claim, "[numbers](claims.md)"});
  return claims;
}

std::string intervals_advice(const Experiments& experiments) {
  if (std::string text = advice_to_fit(experiments); !text.empty()) return text;
  for (const bool one : {false, true})  // several data sets tell more than one
    for (const ReportedExperiment& e : experiments)
      if (e.is_protocol() && (e.results.experiment.datasets.size() == 1) == one)
        if (std::string text = advice_of(e); !text.empty()) return text;
  return "";
}

std::string intervals_top(const Experiments& experiments) {
  for (const ReportedExperiment& e : experiments)
    if (const std::string answer = e.is_protocol() ? intervals_answer(e) : ""; !answer.empty())
      return fmt::format("## Which intervals should I use?\n\n{}{} ([{}]({}/README.md)):\n\n{}\n",
                         intervals_advice(experiments), e.title(), e.results.experiment.name, e.link, answer);
  return "";
}

std::string report_top(const Report& report) {
  const Experiments& experiments = report.experiments;
  std::string paper;
  for (const std::string& answer : protocol_answers(experiments)) paper += fmt::format("- {}\n", answer);
  if (!paper.empty())
    return "# Does the paper reproduce?\n\nN. Colombo, *On training locally adaptive CP* (COPA 2023), rerun. Its Table 1 has the size of prediction intervals (mean half-width in units of mean |y|) and their validity (the share of points inside) at several levels α, each a mean over five runs." +
           released_code_note(experiments) + "\n\n" + paper +
           "\nA standard error combines ours and the paper's; a robust one of ours is 1.4826 times the median distance of the runs from their median, times √(π/2n). A number differs beyond chance if its p-value is below 5 % after Holm's correction over all numbers. All runs count as independent here, as nothing else is known of the paper's. Written by `lacp report` from the finished tasks: no number is typed by hand. To look at, sort, filter and draw: [index.html](index.html), in a browser.\n\n" +
           protocol_tables(experiments) + claims_section(report) + intervals_top(experiments) +
           figures_section(experiments) + experiments_section(report);
  if (experiments.size() == 1) return report_page(experiments.front(), experiments.front().link + "/");
  std::string text = "# Results\n\n" + intervals_top(experiments) + experiments_section(report);
  for (const ReportedExperiment& e : experiments) text += report_figures(e, e.link + "/", {"sizes"});
  return text;
}

}  // namespace lacp
