#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/sums.hpp"
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

/// How many times as large the larger of both sizes is as the other; NaN if they cannot be compared.
double factor_of(const Row& n) {
  const double ratio = n.number("ours_mean") / n.number("paper_mean");
  return std::isfinite(ratio) && ratio > 0.0 ? std::max(ratio, 1.0 / ratio) : std::nan("");
}

/// " The largest ratios of sizes: erc (error fit) on homes, 3.0 / 1.4 / 0.5 (medians over runs 0.9 / 0.6 /
/// 0.3) against 1.7 / 0.9 / 0.2; ...", of the methods and data sets that differ most at some level.
std::string largest_ratios(const ReportedExperiment& e) {
  constexpr std::size_t most = 2;
  std::vector<std::pair<double, Frame>> places;
  for (const Frame& dataset : e.comparison->numbers.where({{"quantity", "size"}}).by("dataset"))
    for (const Frame& levels : dataset.by("method")) {
      std::vector<double> factors;
      for (const Row& n : levels) factors.push_back(factor_of(n));
      std::erase_if(factors, [](double factor) { return std::isnan(factor); });
      if (!factors.empty()) places.emplace_back(std::ranges::max(factors), levels);
    }
  std::ranges::stable_sort(places, std::greater{}, [](const auto& place) { return place.first; });
  places.resize(std::min(places.size(), most));
  const auto text = [&](const std::pair<double, Frame>& place) {
    const Frame& levels = place.second;
    const auto means = [&](const char* column) {
      return join_each(levels, " / ", [&](const Row& n) { return display(n.number(column)); });
    };
    const auto median = [&](const Row& n) {
      return display(
          median_of(values_of(by_run(e.results, {n["dataset"], n["method"], size_metric, n["alpha"]}))));
    };
    return fmt::format("{} on {}, {}{} against {}", method_label(levels.rows[0]["method"]),
                       levels.rows[0]["dataset"], means("ours_mean"),
                       e.results.cells.empty()
                           ? ""
                           : fmt::format(" (medians over runs {})", join_each(levels, " / ", median)),
                       means("paper_mean"));
  };
  return fmt::format(" The largest ratios of sizes, by level: {}.", join_each(places, "; ", text));
}

/// " By medians over runs 87 of 90 sizes lie within 2 robust standard errors (84 by means)."
std::string medians(const ReportedExperiment& e) {
  if (e.results.cells.empty()) return "";
  const Frame sizes = e.comparison->numbers.where({{"quantity", "size"}});
  std::size_t within = 0;
  for (const Row& n : sizes) {
    const std::vector<double> runs =
        values_of(by_run(e.results, {n["dataset"], n["method"], size_metric, n["alpha"]}));
    const Moments paper{n.number("paper_mean"), n.number("paper_std"), n.count("paper_runs")};
    const double ours = median_error(runs), theirs = paper.standard_error();
    const double error = std::sqrt(ours * ours + theirs * theirs);
    within += std::abs(median_of(runs) - paper.mean) <= agreement_errors * error ? 1 : 0;
  }
  return fmt::format(
      " By medians over runs {} of {} sizes lie within {:.0f} robust standard errors (by means {}).", within,
      sizes.size(), agreement_errors, agreement(sizes, agreement_errors).within);
}

/// The sizes that agree only because single runs exploded: a mean with such a spread agrees with almost
/// anything. " 9 of the sizes that agree by means (exp on CASP; linear on concrete) vary by more than ...".
std::string exploded(const ReportedExperiment& e) {
  const Frame wide = e.comparison->numbers.where([](const Row& n) {
    return n["quantity"] == "size" && n["within_2_standard_errors"] == "yes" &&
           n.number("ours_std") > 2.0 * n.number("ours_mean");
  });
  if (wide.empty()) return "";
  std::vector<std::string> places;
  for (const Row& n : wide) {
    std::string place = fmt::format("{} on {}", method_label(n["method"]), n["dataset"]);
    if (std::ranges::count(places, place) == 0) places.push_back(std::move(place));
  }
  const Row& v = e.comparison->overall();
  return fmt::format(
      " {} of the sizes that agree by means ({}) vary over runs by more than twice their mean: single runs exploded, and such a mean agrees with almost anything. Counted as misses they leave {} of {} numbers.",
      wide.size(), join(places, "; "), v.count("within_2_standard_errors") - wide.size(), v["numbers"]);
}

/// "With 5 runs 166 of its 180 numbers lie within 2 standard errors (164 expected if nothing differed; 110
/// and 174 within 1 and 3, 112 and 178 expected) and none differs beyond chance."
std::string evidence(const ReportedExperiment& e) {
  const Row& v = e.comparison->overall();
  const std::size_t different = v.count("significant_after_holm");
  const std::string runs =
      fmt::format("[{}]({}/README.md)", counted(e.results.experiment.runs, "run"), e.link);
  if (const std::string why = obstacle(e); !why.empty()) return fmt::format(" With {}: {}.", runs, why);
  const Agreement one = agreement(e.comparison->numbers, 1.0), three = agreement(e.comparison->numbers, 3.0);
  const std::string text = fmt::format(
      " With {} {} of its {} numbers lie within 2 standard errors ({:.0f} expected if nothing differed; {} within 1, {:.0f} expected; {} within 3, {:.0f} expected) and {} beyond chance{}.",
      runs, v["within_2_standard_errors"], v["numbers"],
      v.number("share_expected_by_chance") * v.number("numbers"), one.within, one.expected, three.within,
      three.expected,
      different == 0 ? "none differs" : fmt::format("{} differ{}", different, different == 1 ? "s" : ""),
      different == 0 ? "" : ": " + different_numbers(*e.comparison));
  return as_expected(v) ? text : text + weakest(*e.comparison);
}

/// A protocol that is compared with Table 1: over as many runs as the paper's and over many; either may be
/// null.
struct Protocol {
  const ReportedExperiment *few = nullptr, *many = nullptr;

  const ReportedExperiment& first() const { return few != nullptr ? *few : *many; }
  /// The one that decides.
  const ReportedExperiment& most() const {
    return many != nullptr && (few == nullptr || obstacle(*many).empty()) ? *many : *few;
  }
};

std::vector<Protocol> protocols(const std::vector<ReportedExperiment>& experiments) {
  std::vector<Protocol> found;
  for (const ReportedExperiment& e : experiments) {
    if (e.role() == ReportRole::single_level || !e.reproduces_paper()) continue;
    const auto is_many = [](const ReportedExperiment& one) { return one.role() == ReportRole::many_runs; };
    if (is_many(e) && base_of(e, experiments) != nullptr) continue;  // said with the protocol
    Protocol& protocol = found.emplace_back();
    (is_many(e) ? protocol.many : protocol.few) = &e;
    for (const ReportedExperiment& other : experiments)
      if (is_many(other) && other.reproduces_paper() && base_of(other, experiments) == &e)
        protocol.many = &other;
  }
  return found;
}

/// "[table.csv](paper/table.csv), [table.tex](paper/table.tex) and [comparison.csv](paper/comparison.csv) (5
/// runs)"
std::string files_of(const ReportedExperiment& e) {
  std::vector<std::string> names = {"table.csv", e.results.in_part ? "comparison.tex" : "table.tex",
                                    "comparison.csv"};
  return fmt::format(
      "{} ({})",
      join_each(names, ", ", [&](const std::string& n) { return fmt::format("[{}]({}/{})", n, e.link, n); }),
      counted(e.results.experiment.runs, "run"));
}

}  // namespace

std::string protocol_answer(const ReportedExperiment* few, const ReportedExperiment* many) {
  const ReportedExperiment& named = Protocol{few, many}.first();
  std::string text =
      fmt::format("**{} (`{}`) {}.**", named.title(), named.results.experiment.name, headline(few, many));
  std::size_t wanted = 0, missing = 0;
  for (const ReportedExperiment* e : {few, many}) {
    if (e == nullptr) continue;
    text += evidence(*e);
    wanted += e->wanted;
    missing += e->wanted - e->done;
  }
  if (const ReportedExperiment& most = Protocol{few, many}.most(); obstacle(most).empty())
    text += medians(most) + exploded(most) + largest_ratios(most);
  if (missing > 0)
    text += fmt::format(" {} of {} failed or {} missing, and {} left out.", missing, counted(wanted, "task"),
                        missing == 1 ? "is" : "are", missing == 1 ? "is" : "are");
  return text;
}

std::vector<std::string> protocol_answers(const std::vector<ReportedExperiment>& experiments) {
  return texts_of(protocols(experiments), [](const Protocol& p) { return protocol_answer(p.few, p.many); });
}

std::string protocol_tables(const std::vector<ReportedExperiment>& experiments) {
  std::string text;
  for (const Protocol& protocol : protocols(experiments)) {
    const ReportedExperiment& e = protocol.most();
    std::vector<std::string> files;
    for (const ReportedExperiment* one : {protocol.few, protocol.many})
      if (one != nullptr) files.push_back(files_of(*one));
    const Row& v = e.comparison->overall();
    text += folded(
        fmt::format("<b>{}</b>, {}: {} of {} numbers within 2 standard errors",
                    protocol.first().results.experiment.name, counted(e.results.experiment.runs, "run"),
                    v["within_2_standard_errors"], v["numbers"]),
        fmt::format("{}\nFiles: {}.\n", comparison_markdown(e.results, *e.comparison), join(files, "; ")),
        true);
  }
  if (text.empty()) return "";
  const auto notes = table_notes(protocols(experiments).front().most().results);
  return fmt::format(
      "## Table 1 beside ours\n\nMean size and validity, ours / the paper's. Bold: they are more than 2 standard errors apart; \\*: beyond chance. {}\n\n{}",
      join_each(notes, " ", markdown_text), text);
}

}  // namespace lacp
