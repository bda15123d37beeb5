#include <fmt/format.h>

#include <algorithm>

#include "report/report.hpp"

// One answer to "does Table 1 reproduce?" from few runs and from many, which can tell more.
namespace lacp {
namespace {

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

/// Many runs decide; where few runs saw no difference that many do see, the headline says both.
std::string headline(const ReportedExperiment* few, const ReportedExperiment* many) {
  const auto tells = [](const ReportedExperiment* e) { return e != nullptr && obstacle(*e).empty(); };
  const auto differ = [](const Row& v) { return v.number("significant_after_holm") > 0.0; };
  if (!tells(few) && !tells(many)) return "cannot be compared with Table 1 yet";
  const Row& v = (tells(many) ? many : few)->comparison->overall();
  if (!differ(v))
    return as_expected(v)
               ? "reproduces Table 1"
               : "does not differ from Table 1 beyond chance, though fewer numbers agree than expected";
  if (tells(few) && !differ(few->comparison->overall()) && as_expected(few->comparison->overall()))
    return fmt::format("reproduces Table 1 as far as {} runs can tell, but {} runs tell the two apart",
                       few->results.experiment.runs, many->results.experiment.runs);
  return v.number("share") < 0.8 ? "does not reproduce Table 1" : "reproduces Table 1 in part";
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

std::vector<std::string> protocol_answers(const std::vector<ReportedExperiment>& experiments) {
  std::vector<std::string> answers;
  for (const ReportedExperiment& e : experiments) {
    if (e.role() == ReportRole::single_level || !e.reproduces_paper()) continue;
    const auto is_many = [](const ReportedExperiment& one) { return one.role() == ReportRole::many_runs; };
    if (is_many(e) && base_of(e, experiments) != nullptr) continue;  // said with the protocol
    const ReportedExperiment* many = is_many(e) ? &e : nullptr;
    for (const ReportedExperiment& other : experiments)
      if (is_many(other) && other.reproduces_paper() && base_of(other, experiments) == &e) many = &other;
    answers.push_back(protocol_answer(many == &e ? nullptr : &e, many));
  }
  return answers;
}

}  // namespace lacp
