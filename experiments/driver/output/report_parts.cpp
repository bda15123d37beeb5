#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/labels.hpp"
#include "output/report.hpp"

namespace lacp {
namespace {

std::string share_text(const Verdict& v) {
  if (v.numbers == 0) return "none to compare";
  if (v.comparable == 0) return "–";
  return fmt::format("{} of {} ({:.1f} %)", v.within, v.numbers, 100.0 * v.share());
}

std::string expected_text(const Verdict& v) {
  return v.comparable == 0 ? "–" : fmt::format("{:.1f} %", 100.0 * v.expected);
}

/// Reproduced: no number differs beyond chance, and about as many agree as two equal sources would show.
std::string answer(const ReportedExperiment& e) {
  const Verdict& v = e.comparison->overall;
  if (v.comparable == 0)
    return e.done == 0                      ? "not run yet"
           : e.results.experiment.runs == 1 ? "one run has no standard error"
                                            : "nothing can be compared";
  if (v.comparable < v.numbers || v.numbers < e.comparison->published)
    return fmt::format("not complete: {} of {} numbers", v.comparable, e.comparison->published);
  if (e.results.experiment.runs < reference_runs) return "too few runs to tell";
  if (v.different > 0 && v.share() < 0.8) return "**not reproduced**";
  const bool as_expected = v.share() >= std::min(0.95, v.expected - 0.05);
  if (v.different == 0 && as_expected) return "**reproduced**";
  const std::string differing = v.different == 0
                                    ? "no number differs"
                                    : fmt::format("{} number{} differ{}", v.different,
                                                  v.different == 1 ? "" : "s", v.different == 1 ? "s" : "");
  return fmt::format("**{}** beyond chance{}", differing,
                     as_expected        ? "; the rest agrees"
                     : v.different == 0 ? ", but fewer agree than should"
                                        : ", and fewer agree than should");
}

/// What the answer rests on less than it should.
std::string missing_text(const ReportedExperiment& e) {
  return e.done == e.wanted ? "" : fmt::format("; {} of {} tasks missing", e.wanted - e.done, e.wanted);
}

std::string evaluation_text(const Experiment& e) {
  const EvaluationOptions& o = e.evaluation;
  if (o.mode == EvaluationMode::halves) return "calibration and test halves";
  const std::string pool = o.pool == 0 ? "all test points" : fmt::format("{} test points", o.pool);
  if (o.scored == 0) return "leave-one-out on " + pool;
  return fmt::format("leave-one-out on {}, {} of them scored at random", pool, o.scored);
}

std::string failures_markdown(const ReportedExperiment& e) {
  TextTable table{{"dataset", "run", "method", "reason"}, {}, ""};
  for (const auto& [task, failure] : e.results.failed)
    table.add({task.dataset, std::to_string(task.run), task.method, failure.reason});
  if (table.rows.empty()) return "";
  return fmt::format("<details><summary>{} failed in {}</summary>\n\n{}\n</details>\n\n", table.rows.size(),
                     e.label(), to_markdown(table));
}

/// The claim of that id from the protocol that measures best: full, else the first that can tell.
std::string best_summary(const Report& report, const std::string& id) {
  std::string text;
  for (const ReportedExperiment& e : report.experiments)
    for (const Claim& claim : e.claims)
      if (e.role == ReportRole::protocol && claim.id == id && !claim.summary.empty() &&
          (text.empty() || e.results.experiment.name == "full"))
        text = fmt::format("{} (`{}`)", claim.summary, e.results.experiment.name);
  if (const std::string cause = ablation_summary(report.ablation); id == "error_fit" && !cause.empty())
    text += ". " + cause + " ([ablation](ablation/README.md))";
  return text;
}

}  // namespace

std::string report_first_screen(const Report& report) {
  std::string text = "# Does the paper reproduce?\n\n";
  text +=
      "Colombo, \"On training locally adaptive CP\" (COPA 2023), rerun. Written by `lacp report` from the cells; nothing here is typed by hand.\n\n";
  TextTable table{{"protocol", "what", "runs", "numbers of Table 1 within 2 standard errors",
                   "expected if equal", "differ after Holm, 5 %", "answer"},
                  {},
                  ""};
  for (const ReportedExperiment& e : report.experiments) {
    if (e.role == ReportRole::single_level || !e.comparison) continue;
    const Verdict& v = e.comparison->overall;
    table.add({fmt::format("[{}]({})", e.results.experiment.name, e.link), e.results.experiment.title,
               std::to_string(e.results.experiment.runs), share_text(v), expected_text(v),
               std::to_string(v.different), answer(e) + missing_text(e)});
  }
  if (!table.rows.empty())
    text +=
        to_markdown(table) +
        "\nA standard error combines ours and the paper's (five runs, population std / √4). With so few runs Student's t has heavy tails: \"expected if equal\" is the share that would lie within 2 standard errors if both sides had the same mean.\n\n";
  text += "## What to know before using the method\n\n";
  const std::pair<const char*, const char*> bullets[] = {
      {"efficiency", "Smaller intervals?"},         {"validity", "Valid?"},      {"class", "Which class?"},
      {"error_fit", "Fitting the errors instead?"}, {"mixture", "The mixture?"}, {"adaptivity", "Adaptive?"}};
  for (const auto& [id, question] : bullets)
    if (const std::string summary = best_summary(report, id); !summary.empty())
      text +=
          fmt::format("- **{}** {}.\n", question,
                      std::isupper(static_cast<unsigned char>(summary[0])) ? summary
                      : std::isalpha(static_cast<unsigned char>(summary[0]))
                          ? std::string(1, static_cast<char>(std::toupper(summary[0]))) + summary.substr(1)
                          : summary);
  return text + "\n";
}

std::string report_runs(const std::vector<ReportedExperiment>& experiments) {
  std::string text = "## What was run\n\n";
  TextTable table{
      {"experiment", "data sets", "methods", "runs", "tasks done", "KNN points", "evaluation", "commit"},
      {},
      ""};
  std::string notes;
  for (const ReportedExperiment& e : experiments) {
    const Experiment& x = e.results.experiment;
    table.add({fmt::format("[{}]({}/manifest.yaml)", e.label(), e.link), std::to_string(x.datasets.size()),
               std::to_string(x.methods.size()), std::to_string(x.runs),
               fmt::format("{} of {}", e.done, e.wanted),
               x.predictor.knn.points == 0 ? "all" : fmt::format("≤ {}", x.predictor.knn.points),
               evaluation_text(x), fmt::format("`{}`", fmt::join(e.results.commits, "`, `"))});
    if (!e.results.different.empty())
      notes += fmt::format(
          "{} cells of {} are stale: made with other settings or data, they are left out. To do them again: `{}`.\n\n",
          e.results.different.size(), x.name, e.results.rerun);
    notes += failures_markdown(e);
  }
  text += to_markdown(table) + "\n" + notes;
  text +=
      "Plain leave-one-out on n points covers ⌈n(1−α)⌉ of them whatever the method (the rank of a point among all says whether it is covered), so its validity is a constant. Scoring some of the points at random lets it vary by the draw alone; calibration and test halves measure it.\n\n";
  text +=
      "Settings in full, sums of the data, compiler and processor are in each `manifest.yaml`. All outputs are remade from the cells by `lacp report results`; the cells by `lacp run experiments/<experiment>.yaml`.\n\n";
  return text;
}

std::string report_comparison(const ReportedExperiment& e) {
  const Comparison& c = *e.comparison;
  std::string text = fmt::format(
      "### {}: {} within 2 standard errors\n\nEvery number: [comparison.csv]({}/comparison.csv); verdicts corrected by Holm's method within each group, 5 %: [verdicts.csv]({}/verdicts.csv).\n\n",
      e.label(), share_text(c.overall), e.link, e.link);
  TextTable table{
      {"group", "within 2 standard errors", "expected if equal", "smallest corrected p", "verdict"}, {}, ""};
  const auto add = [&](const Verdict& v) {
    table.add({v.group, share_text(v), expected_text(v), display(v.smallest_p), v.text()});
  };
  for (const auto* group : {&c.datasets, &c.methods, &c.quantities}) std::ranges::for_each(*group, add);
  add(c.overall);
  text += to_markdown(table) + "\n";

  std::vector<ComparedNumber> outside;
  for (const ComparedNumber& n : c.numbers)
    if (!n.within()) outside.push_back(n);
  if (outside.empty() || c.overall.comparable == 0) return text;
  std::ranges::stable_sort(outside, std::greater{},
                           [](const ComparedNumber& n) { return std::abs(n.test.z); });
  TextTable list{{"data set", "method", "α", "quantity", "ours", "paper", "z", "corrected p"}, {}, ""};
  for (const ComparedNumber& n : outside)
    list.add({n.dataset, method_label(n.method), n.alpha, n.quantity,
              fmt::format("{} ± {}", display(n.ours.mean), display(n.ours.deviation)),
              fmt::format("{} ± {}", display(n.paper.mean), display(n.paper.deviation)), display(n.test.z, 1),
              display(n.p_overall)});
  return text + fmt::format(
                    "<details><summary>The {} numbers that are not within 2 standard errors</summary>\n\n{}\n"
                    "</details>\n\n",
                    outside.size(), to_markdown(list));
}

}  // namespace lacp
