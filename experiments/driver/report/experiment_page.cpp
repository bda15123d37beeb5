#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/conformal/predictor/predictor.hpp"
#include "report/report.hpp"

namespace lacp {
namespace {

std::string with_capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string test_points_text(const EvaluationOptions& o) {
  if (o.mode == EvaluationMode::halves && o.calibration_share != 0.5)
    return fmt::format("{:.0f} % of the test points calibrate, the others are scored",
                       100.0 * o.calibration_share);
  if (o.mode == EvaluationMode::halves) return "one half of the test points calibrates, the other is scored";
  const std::string pool = o.pool == 0 ? "all test points" : fmt::format("{} test points", o.pool);
  if (o.scored == 0) return "leave-one-out on " + pool;
  return fmt::format("leave-one-out on {}, {} of them scored at random", pool, o.scored);
}

/// What predicts, and from which rows.
std::string predictor_text(const PredictorOptions& p) {
  std::string text = "The KNN predictor has ";
  if (p.kind == CentreKind::mlp) text = "The point prediction is a network, which has ";
  if (p.kind == CentreKind::boosted) text = "The point prediction is made by boosted trees, which have ";
  if (p.kind == CentreKind::stack)
    text = "The point prediction is a stack of boosted trees, a network, neighbours and random trees, which has ";
  const bool all = p.kind != CentreKind::knn || p.knn.points == 0;
  text += (all ? "all" : fmt::format("at most {}", p.knn.points)) + " points";
  if (p.cross_fit != 0)
    text += fmt::format(" of both parts; methods learn from errors out of {} folds", p.cross_fit);
  return text;
}

/// What the page is made from.
std::string origin_of(const ReportedExperiment& e, const std::string& prefix) {
  if (e.results.in_part)
    return fmt::format(
        "[runs.csv]({}runs.csv), which has the size and validity of every run, and the checksum and settings of each task's cell (`lacp verify` of this folder computes cells again)",
        prefix);
  return "the finished tasks";
}

/// What was run, and how.
std::string opening(const ReportedExperiment& e, const std::string& prefix) {
  const Experiment& x = e.results.experiment;
  std::string text = fmt::format("# {}{}\n\n", e.title(),
                                 e.role() == ReportRole::many_runs ? fmt::format(", {} runs", x.runs) : "");
  if (x.datasets.size() == 1) text += advice_of(e);
  text += fmt::format(
      "Experiment `{}`{}: {}, {}, {}; {} of {} tasks done. {}; {}{}. [manifest.yaml]({}manifest.yaml) has every setting, the checksums of the data, commits, compiler and processor. Written by `lacp report` from {}: no number is typed by hand.\n\n",
      x.name, e.plain_title() == x.name ? ", run from " + markdown_code(e.results.source.string()) : "",
      counted(x.datasets.size(), "data set"), counted(x.methods.size(), "method"), counted(x.runs, "run"),
      e.done, e.wanted, predictor_text(x.predictor), test_points_text(x.evaluation),
      x.evaluation.sides == Sides::each ? "; each side of an interval f ± q·s(x) is calibrated by itself"
                                        : "",
      prefix, origin_of(e, prefix));
  if (const std::string note = tuning_note(e.results); !note.empty()) text += note + "\n\n";
  std::vector<std::string> samples;
  for (const auto& [name, share] : x.sample)
    if (has_dataset(e.results, name)) samples.push_back(fmt::format("{} of {}", share, name));
  if (!samples.empty())
    text += fmt::format("Of some data sets a share of the rows takes part, drawn in each run: {}.\n\n",
                        join(samples, ", "));
  if (!e.results.different.empty())
    text += fmt::format(
        "{} of {} {} stale: made with other settings or data, they are left out. To run them again: {}.\n\n",
        counted(e.results.different.size(), "cell"), x.name, e.results.different.size() == 1 ? "is" : "are",
        markdown_code(e.results.rerun));
  if (x.evaluation.mode == EvaluationMode::leave_one_out)
    text +=
        "Plain leave-one-out on n points covers ⌈n(1−α)⌉ of them whatever the method (the rank of a point among all says whether it is covered), so its validity is a constant. Scoring some of the points at random lets it vary by the draw alone; calibration and test halves measure it.\n\n";
  return text;
}

std::string table_section(const ReportedExperiment& e, const std::string& prefix) {
  const bool partial = std::ranges::any_of(
      e.entries, [](const Row& entry) { return !is_complete(entry) && entry.number("runs") > 0.0; });
  const std::string tex = e.results.in_part ? "" : fmt::format("; LaTeX: [table.tex]({}table.tex)", prefix);
  return fmt::format(
      "## Table\n\nSize is the mean half-width of the intervals in units of mean |y|, validity the share of points inside; mean ± population standard deviation over {}{}. Data: [table.csv]({}table.csv){}.\n\n{}\n",
      counted(e.results.experiment.runs, "run"), partial ? "; †k: only k runs" : "", prefix, tex,
      table_markdown(e.results, e.entries));
}

/// The numbers that are not within two standard errors, the farthest first.
std::string disagreements(const Comparison& c) {
  Frame outside = c.numbers.where({{"within_2_standard_errors", "no"}});
  if (outside.empty()) return "";
  std::ranges::stable_sort(outside.rows, std::greater{},
                           [](const Row& n) { return std::abs(n.number("z")); });
  Frame list({"data set", "method", "α", "quantity", "ours", "published", "z", "corrected p"});
  for (const Row& n : outside)
    list.add({n["dataset"], method_label(n["method"]), n["alpha"], n["quantity"], mean_and_std(n, "ours"),
              mean_and_std(n, "paper"), display(n.number("z"), 1), display(n.number("holm_p_overall"))});
  return folded(fmt::format("{} not within 2 standard errors", counted(outside.size(), "number")),
                to_markdown(list));
}

std::string comparison_section(const ReportedExperiment& e, const std::string& prefix) {
  const Comparison& c = *e.comparison;
  Frame table({"group", "within 2 standard errors", "expected if equal", "smallest corrected p", "verdict"});
  for (const Row& v : c.verdicts) {
    const bool none = v["comparable"] == "0";
    table.add({v["group"],
               none ? "–"
                    : fmt::format("{} of {} ({:.1f} %)", v["within_2_standard_errors"], v["numbers"],
                                  100.0 * v.number("share")),
               none ? "–" : fmt::format("{:.1f} %", 100.0 * v.number("share_expected_by_chance")),
               display(v.number("smallest_holm_p")), v["verdict"]});
  }
  const std::string text = fmt::format(
      "## Comparison with the published numbers\n\nOur means beside those of {0}, of which {1} of {2} are in this experiment. A standard error combines ours and the published one ({3} runs, population std / √{4}). Here all runs count as independent, as nothing else is known of the published ones; with the variance of overlapping runs more numbers would agree. With this few runs Student's t has heavy tails: \"expected if equal\" is the share that would lie within 2 standard errors if both sides had the same mean. p is corrected by Holm's method within each group; below 5 % a number differs significantly. Every number: [comparison.csv]({5}comparison.csv); every group: [verdicts.csv]({5}verdicts.csv).\n\n{6}\n",
      markdown_code(e.results.experiment.reference.file), c.overall()["numbers"], c.published, reference_runs,
      reference_runs - 1, prefix, to_markdown(table));
  return text + disagreements(c);
}

std::string failures_section(const ReportedExperiment& e) {
  Frame table({"data set", "run", "method", "reason"});
  for (const auto& [task, failure] : e.results.failed)
    table.add({task.dataset, task.run, task.method, markdown_text(failure.reason)});
  return table.empty() ? "" : "## Failed tasks\n\n" + to_markdown(table) + "\n";
}

}  // namespace

std::string tuning_note(const Results& results) {
  constexpr std::string_view tuned_on[] = {
      "energy", "concrete", "homes", "CASP",      "facebook_1", "cos",     "squared", "inverse",
      "linear", "bike",     "star",  "community", "blog_data",  "abalone", "kin8nm",  "california"};
  const std::string method = PredictorSettings::recommended().method;
  std::vector<std::string> here = results.experiment.datasets;
  std::erase_if(here, [&](const std::string& name) { return std::ranges::count(tuned_on, name) == 0; });
  if (!has_method(results, method) || here.empty()) return "";
  const std::string note = fmt::format(
      "`{}`, the method of `lacp fit`, chooses leaves, mix, inputs and epochs by its own training rows. What it chooses among, and the constants that are left, were picked by scores on {}, so that its numbers there may be a little too good; a confirmation on data sets that nobody has looked at is to follow.",
      method, here.size() == results.experiment.datasets.size() ? "these data sets" : join(here, ", "));
  std::vector<std::string> by_folds = results.experiment.datasets;
  std::erase_if(by_folds, [&](const std::string& name) {
    const auto found = results.cells.find({name, 0, method});
    return found == results.cells.end() ||
           points_of(found->second, "calibration_points") <= points_of(found->second, "rows_test");
  });
  if (by_folds.empty()) return note;
  return note +
         fmt::format(
             " Where few rows are known ({}), it calibrates in folds of all of them, as `lacp fit` does: coverage is measured there, not promised.",
             join(by_folds, ", "));
}

std::string report_figures(const ReportedExperiment& e, const std::string& prefix,
                           const std::vector<std::string>& names) {
  const std::pair<const char*, const char*> figures[] = {
      {"figure1", "Intervals on the synthetic data sets, with the true band"},
      {"sizes", "Size relative to `fixed`"},
      {"adaptivity", "Coverage by tenths of the local error: flat is adaptive"},
      {"ranks",
       "Mean ranks by Winkler score; grey: within the critical difference of the best (Nemenyi's test of all pairs)"}};
  std::string text;
  for (const auto& [name, title] : figures)
    if (std::ranges::count(names, name) > 0 && std::ranges::count(e.figures, name) > 0)
      text += fmt::format("{0} (`{3}`):\n\n![{0}]({1}figures/{2}.svg)\n\n", title, prefix, name,
                          e.results.experiment.name);
  return text;
}

std::string claims_table(const std::vector<ReportedClaim>& claims) {
  Frame table({"claim", "answer", "the numbers that show it", "file"});
  for (const auto& [claim, where] : claims)
    table.add({claim.title, "**" + claim.answer() + "**", with_capital(claim.shown), where});
  return to_markdown(claims.front().where.empty() ? table.without("file") : table) + "\n";
}

std::string claims_sections(const std::vector<Claim>& claims, const std::string& prefix) {
  std::string text = fmt::format(
      "Intervals in brackets are 95 % confidence intervals over runs, paired by run; bold: significant at 5 % after Holm's correction over all numbers of the claim, which holds although methods of one run share their split. {} Every number: [claims.csv]({}claims.csv).\n\n",
      overlap_words, prefix);
  for (const Claim& claim : claims) {
    if (claim.summary.empty()) continue;
    text += fmt::format("### {}\n\n{}.\n\n", claim.title, with_capital(claim.summary));
    if (!claim.detail.empty()) text += folded("Numbers", claim.detail);
  }
  return text;
}

std::string report_page(const ReportedExperiment& e, const std::string& prefix) {
  std::string text = opening(e, prefix) + intervals_section(e, prefix) + published_section(e.results) +
                     peers_section(e.results, prefix) + table_section(e, prefix);
  if (const std::string figures = report_figures(e, prefix, {"figure1", "sizes", "adaptivity"});
      !figures.empty())
    text += "## Figures\n\n" + figures;
  std::vector<ReportedClaim> told;
  for (const Claim& claim : e.claims)
    if (!claim.summary.empty()) told.push_back({claim});
  if (!told.empty()) text += "## What it shows\n\n" + claims_table(told) + claims_sections(e.claims, prefix);
  if (e.comparison) text += comparison_section(e, prefix);
  return text + failures_section(e);
}

}  // namespace lacp
