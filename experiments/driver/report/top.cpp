#include <fmt/format.h>

#include <algorithm>

#include "lacp/base/text.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

namespace lacp {
namespace {

using Experiments = std::vector<ReportedExperiment>;

// One answer to "does Table 1 reproduce?" from few runs and from many, which can tell more.

enum class Agreement { unknown, whole, partial, none };

/// Why an experiment cannot tell; "" if it can.
std::string obstacle(const ReportedExperiment& e) {
  const Row& v = e.comparison->overall();
  if (e.done == 0) return "nothing was run yet";
  if (e.results.experiment.runs == 1) return "one run has no standard error";
  if (v["comparable"] != v["numbers"])
    return fmt::format("{} of {} numbers are there", v["comparable"], v["numbers"]);
  return e.results.experiment.runs < reference_runs ? "the runs are too few to tell" : "";
}

/// About as many agree as two equal sources would show.
bool as_expected(const Row& verdict) {
  return verdict.number("share") >= std::min(0.95, verdict.number("share_expected_by_chance") - 0.05);
}

Agreement agreement(const ReportedExperiment* e) {
  if (e == nullptr || !obstacle(*e).empty()) return Agreement::unknown;
  const Row& v = e->comparison->overall();
  const bool differs = v.number("significant_after_holm") > 0.0;
  if (differs && v.number("share") < 0.8) return Agreement::none;
  return !differs && as_expected(v) ? Agreement::whole : Agreement::partial;
}

/// Many runs decide; where few runs saw no difference that many do see, the headline says both.
std::string headline(const ReportedExperiment* few, const ReportedExperiment* many) {
  const Agreement by_few = agreement(few), by_many = agreement(many);
  const Agreement decided = by_many == Agreement::unknown ? by_few : by_many;
  if (decided == Agreement::unknown) return "cannot be compared with Table 1 yet";
  if (decided == Agreement::whole) return "reproduces Table 1";
  if (by_few == Agreement::whole)
    return fmt::format("reproduces Table 1 as far as {} runs can tell, but {} runs tell the two apart",
                       few->results.experiment.runs, many->results.experiment.runs);
  return decided == Agreement::partial ? "reproduces Table 1 in part" : "does not reproduce Table 1";
}

/// The numbers that differ significantly, by name.
std::string different_numbers(const Comparison& c) {
  std::vector<std::string> texts;
  for (const Row& n : c.numbers)
    if (n.number("holm_p_overall") < error_rate)
      texts.push_back(fmt::format("the {} of {} on {} at α = {}, {} against {}", n["quantity"],
                                  method_label(n["method"]), n["dataset"], n["alpha"],
                                  display(n.number("ours_mean")), display(n.number("paper_mean"))));
  constexpr std::size_t most = 3;
  const std::size_t left_off = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left_off);
  return join(texts, "; ") + (left_off == 0 ? "" : fmt::format("; and {} more", left_off));
}

/// Where fewer agree than should: the method and the data set that miss most.
std::string weakest(const Comparison& c) {
  const auto worst = [&](const char* kind) {
    const Frame groups = c.verdicts.where({{"kind", kind}});
    const Row& v = *std::ranges::max_element(groups, {}, [](const Row& group) {
      return group.number("share_expected_by_chance") - group.number("share");
    });
    return fmt::format("{} ({} of {})", method_label(v["group"]), v["within_2_standard_errors"],
                       v["numbers"]);
  };
  return fmt::format(" Fewest agree for {} and on {}.", worst("method"), worst("dataset"));
}

/// "With 5 runs 166 of its 180 numbers lie within 2 standard errors (164 expected if nothing differed) and
/// none differs beyond chance."
std::string evidence(const ReportedExperiment& e) {
  const Row& v = e.comparison->overall();
  const std::size_t different = v.count("significant_after_holm");
  const std::string runs =
      fmt::format("[{}]({}/README.md)", counted(e.results.experiment.runs, "run"), e.link);
  if (const std::string why = obstacle(e); !why.empty()) return fmt::format(" With {}: {}.", runs, why);
  const std::string text = fmt::format(
      " With {} {} of its {} numbers lie within 2 standard errors ({:.0f} expected if nothing differed) and {} beyond chance{}.",
      runs, v["within_2_standard_errors"], v["numbers"],
      v.number("share_expected_by_chance") * v.number("numbers"),
      different == 0 ? "none differs" : fmt::format("{} differ{}", different, different == 1 ? "s" : ""),
      different == 0 ? "" : ": " + different_numbers(*e.comparison));
  return as_expected(v) ? text : text + weakest(*e.comparison);
}

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
  const std::string memory =
      report.memory.empty() ? "" : "; memory is the peak that was measured ([memory.csv](memory.csv))";
  return "## The claims\n\nThe cases of a claim (data set, method, level; paired by run) are tested at 5 % with Holm's correction over all of them. It holds if all cases support it, with exceptions if more than half of them do, and not if more than half contradict it. Otherwise it is undecided, and so it is with fewer than five runs where only the absence of a difference would support it. A command computes the numbers again and compares the bytes; minutes are those of the tasks in the results, shared by two cores" +
         memory + ".\n\n" + to_markdown(claims_table(claims, report.memory)) + "\n";
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
  if (!report.cross_claims.empty())
    text += "- [claims.md](claims.md): experiments compared with each other\n";
  return text;
}

}  // namespace

std::string protocol_answer(const ReportedExperiment* few, const ReportedExperiment* many) {
  const ReportedExperiment& named = few != nullptr ? *few : *many;
  std::string text =
      fmt::format("**{} (`{}`) {}.**", named.title(), named.results.experiment.name, headline(few, many));
  std::size_t wanted = 0, missing = 0;
  for (const ReportedExperiment* e : {few, many}) {
    if (e == nullptr) continue;
    text += evidence(*e);
    wanted += e->wanted, missing += e->wanted - e->done;
  }
  if (missing > 0)
    text += fmt::format(" {} of {} failed or {} missing, and {} left out.", missing, counted(wanted, "task"),
                        missing == 1 ? "is" : "are", missing == 1 ? "is" : "are");
  return text;
}

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
          {claim,
           fmt::format("[{}]({}/README.md){}", e->results.experiment.name, e->link,
                       claim.id == "error_fit" && explained ? "; [why](ablation/README.md)" : ""),
           {e}});
    }
  for (const Claim& claim : report.cross_claims) {
    if (claim.cases == 0) continue;
    const std::vector<std::string> names = claim.numbers.distinct("experiment");
    ReportedClaim told{claim, "[numbers](claims.md)"};
    for (const ReportedExperiment& e : report.experiments) {
      if (e.role() != ReportRole::single_level || std::ranges::count(names, e.results.experiment.name) == 0)
        continue;
      if (told.from.empty()) told.from.push_back(base_of(e, report.experiments));
      told.from.push_back(&e);
    }
    claims.push_back(told);
  }
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
