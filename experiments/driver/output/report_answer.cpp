#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "output/labels.hpp"
#include "output/report.hpp"

// One answer to "does Table 1 reproduce?" from few runs and from many, which can tell more.
namespace lacp {
namespace {

enum class Agreement { unknown, whole, partial, none };

/// Why an experiment cannot tell; "" if it can.
std::string obstacle(const ReportedExperiment& e) {
  const Verdict& v = e.comparison->overall;
  if (e.done == 0) return "nothing was run yet";
  if (e.results.experiment.runs == 1) return "one run has no standard error";
  if (v.comparable < v.numbers) return fmt::format("{} of {} numbers are there", v.comparable, v.numbers);
  return e.results.experiment.runs < reference_runs ? "the runs are too few to tell" : "";
}

/// About as many agree as two equal sources would show.
bool as_expected(const Verdict& v) { return v.share() >= std::min(0.95, v.expected - 0.05); }

Agreement agreement(const ReportedExperiment* e) {
  if (e == nullptr || !obstacle(*e).empty()) return Agreement::unknown;
  const Verdict& v = e->comparison->overall;
  if (v.different > 0 && v.share() < 0.8) return Agreement::none;
  return v.different == 0 && as_expected(v) ? Agreement::whole : Agreement::partial;
}

/// Many runs decide; where few runs saw no difference that many do see, the headline says both.
std::string headline(const ReportedExperiment* few, const ReportedExperiment* many) {
  const Agreement by_few = agreement(few), by_many = agreement(many);
  const Agreement decided = by_many == Agreement::unknown ? by_few : by_many;
  switch (decided) {
    case Agreement::unknown:
      return "cannot be compared with Table 1 yet";
    case Agreement::whole:
      return "reproduces Table 1";
    case Agreement::partial:
    case Agreement::none:
      break;
  }
  if (by_few == Agreement::whole)
    return fmt::format("reproduces Table 1 as far as {} runs can tell, but {} runs tell the two apart",
                       few->results.experiment.runs, many->results.experiment.runs);
  return decided == Agreement::partial ? "reproduces Table 1 in part" : "does not reproduce Table 1";
}

/// The numbers that differ significantly, by name.
std::string different_numbers(const Comparison& c) {
  std::vector<std::string> texts;
  for (const ComparedNumber& n : c.numbers)
    if (n.p_overall < error_rate)
      texts.push_back(fmt::format("the {} of {} on {} at α = {}, {} against {}", n.quantity,
                                  method_label(n.method), n.dataset, n.alpha, display(n.ours.mean),
                                  display(n.paper.mean)));
  constexpr std::size_t most = 3;
  const std::size_t left_off = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left_off);
  return join(texts, "; ") + (left_off == 0 ? "" : fmt::format("; and {} more", left_off));
}

/// Where fewer agree than should: the method and the data set that miss most.
std::string weakest(const Comparison& c) {
  const auto worst = [](const std::vector<Verdict>& groups) -> const Verdict& {
    return *std::ranges::max_element(groups, {}, [](const Verdict& v) { return v.expected - v.share(); });
  };
  const Verdict &method = worst(c.methods), &dataset = worst(c.datasets);
  return fmt::format(" Fewest agree for {} ({} of {}) and on {} ({} of {}).", method_label(method.group),
                     method.within, method.numbers, dataset.group, dataset.within, dataset.numbers);
}

/// "With 5 runs 166 of its 180 numbers lie within 2 standard errors (164 expected if nothing differed) and
/// none differs beyond chance."
std::string evidence(const ReportedExperiment& e) {
  const Verdict& v = e.comparison->overall;
  const std::string runs =
      fmt::format("[{}]({}/README.md)", counted(e.results.experiment.runs, "run"), e.link);
  if (const std::string why = obstacle(e); !why.empty()) return fmt::format(" With {}: {}.", runs, why);
  std::string text = fmt::format(
      " With {} {} of its {} numbers lie within 2 standard errors ({:.0f} expected if nothing differed) and {} beyond chance",
      runs, v.within, v.numbers, v.expected * static_cast<double>(v.numbers),
      v.different == 0 ? "none differs"
                       : fmt::format("{} differ{}", v.different, v.different == 1 ? "s" : ""));
  text += v.different == 0 ? "." : fmt::format(": {}.", different_numbers(*e.comparison));
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

}  // namespace lacp
