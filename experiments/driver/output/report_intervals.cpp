#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "output/choice.hpp"
#include "output/labels.hpp"
#include "output/report.hpp"

// "Which intervals should I use?", of an experiment.
namespace lacp {
namespace {

/// Coverage of the hardest tenth this much below 1 − α still counts as equal coverage.
constexpr double nearly = 0.03;

std::vector<MeanRanks> ranks_by_level(const Results& results) {
  std::vector<MeanRanks> ranks;
  for (const Level& level : results.experiment.levels)
    if (const auto found = mean_ranks(results, level)) ranks.push_back(*found);
  return ranks;
}

std::string code(const std::string& method) { return "`" + method + "`"; }

std::string code_list(const std::vector<std::string>& methods) {
  std::vector<std::string> names;
  for (const std::string& method : methods) names.push_back(code(method));
  return join(names, ", ");
}

/// The names while they are few, else how many.
std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  if (names.empty()) return "–";
  return names.size() <= most ? join(names, ", ") : fmt::format("{}: {} …", names.size(), names.front());
}

std::string best_by_winkler(const std::vector<MeanRanks>& levels) {
  std::vector<std::string> texts;
  for (const MeanRanks& r : levels) {
    const std::vector<std::string> near = r.like_best();
    texts.push_back(fmt::format(
        "{} at α = {} (mean rank {}; {})", code(r.methods.front()), r.alpha, display(r.ranks.front(), 1),
        near.empty()      ? "better than all others"
        : near.size() > 4 ? fmt::format("not provably better than {} others", near.size())
                          : "not provably better than " + code_list(near)));
  }
  return texts.empty() ? ""
                       : fmt::format("- **Best by Winkler score** over {}: {}.\n",
                                     counted(levels.front().datasets, "data set"), join(texts, "; "));
}

/// Whether it predicts for itself, as cqr does, instead of being laid around the prediction of the others.
bool has_own_centre(const std::string& method) {
  const std::vector<std::string> known = method_names();
  return std::ranges::find(known, method) != known.end() && method_traits(method).both_parts;
}

/// Where a method with a centre of its own is the best: a better centre may be all that it has to offer.
std::string best_around_centre(const std::vector<MeanRanks>& levels) {
  if (std::ranges::none_of(levels, [](const MeanRanks& r) { return has_own_centre(r.methods.front()); }))
    return "";
  std::vector<std::string> texts;
  for (const MeanRanks& r : levels)
    if (const auto best = std::ranges::find_if_not(r.methods, has_own_centre); best != r.methods.end())
      texts.push_back(
          fmt::format("{} at α = {} (mean rank {})", code(*best), r.alpha, display(r.rank(*best), 1)));
  return texts.empty()
             ? ""
             : fmt::format("- **Best around the shared prediction** f (the `cqr` rows make their own): {}.\n",
                           join(texts, "; "));
}

std::string best_by_cost(const std::vector<Cost>& all, const Level& level) {
  const auto smallest = [](const std::vector<Cost>& some) {
    return std::ranges::min_element(some, {}, &Cost::size);
  };
  if (all.empty()) return "";
  const double target = 1.0 - level.value();
  const auto small = smallest(all);
  std::string text = fmt::format(
      "- **Smallest** at α = {}: {}, median size {} × `fixed`; it covers {} of the hardest tenth (median; {} on {}).\n",
      level.text(), code(small->method), display(small->size, 2), display(small->hardest, 2),
      display(small->lowest, 2), small->lowest_at);
  std::vector<Cost> equal;
  for (const Cost& cost : all)
    if (cost.hardest >= target - nearly) equal.push_back(cost);
  if (equal.empty())
    return text +
           fmt::format(
               "- **Equal coverage**: no method covers the hardest tenth to within {} of {} (median over data sets); {} comes nearest with {}, at {} × the size of `fixed`.\n",
               nearly, display(target, 2), code(all.front().method), display(all.front().hardest, 2),
               display(all.front().size, 2));
  const auto cheapest = smallest(equal);
  return text +
         fmt::format(
             "- **Equal coverage**: of the {} whose median coverage of the hardest tenth is at least {}, {} is the smallest: {} × `fixed`.\n",
             counted(equal.size(), "method"), display(target - nearly, 2), code(cheapest->method),
             display(cheapest->size, 2));
}

std::string ranks_section(const std::vector<MeanRanks>& levels) {
  if (levels.empty()) return "";
  const MeanRanks& middle = levels[levels.size() / 2];
  TextTable table{{"method"}, {}, ""};
  std::vector<std::string> tests;
  for (const MeanRanks& r : levels) {
    table.header.push_back("rank, α = " + r.alpha);
    tests.push_back(fmt::format("{} at α = {}", r.p < 0.001 ? "below 0.001" : display(r.p), r.alpha));
  }
  for (const std::string& method : middle.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const MeanRanks& r : levels) {
      const std::string rank = display(r.rank(method), 2);
      const bool like_best = r.rank(method) - r.ranks.front() < r.critical_difference;
      row.push_back(method == r.methods.front() ? "**" + rank + "**" : rank + (like_best ? "°" : ""));
    }
    table.add(std::move(row));
  }
  return fmt::format(
      "### Ranks\n\nMean rank by Winkler score (mean over runs) over {}, 1 is best. Two methods differ at 5 % if their mean ranks are {} apart (critical difference of Nemenyi); °: cannot be told from the best. p of Friedman's test that all rank alike: {}. A failed task and an infinite interval rank last.\n\n{}\n",
      counted(middle.datasets, "data set"), display(middle.critical_difference, 2), join(tests, ", "),
      to_markdown(table));
}

std::string records_section(const Results& results) {
  TextTable table{{"method"}, {}, ""};
  std::vector<std::vector<Record>> columns;
  std::vector<std::string> bases;
  for (const std::string base : {"fixed", "exp", "cqr"}) {
    if (!has_method(results, base)) continue;
    bases.push_back(code(base));
    for (const Level& level : results.experiment.levels) {
      table.header.push_back(fmt::format("{}, α = {}", base, level.text()));
      columns.push_back(records_against(results, results, base, level, results.experiment.datasets));
    }
  }
  if (columns.empty()) return "";
  const std::string last = bases.back();
  bases.pop_back();
  for (const std::string& method : results.experiment.methods) {
    std::vector<std::string> row{method_label(method)};
    for (const std::vector<Record>& column : columns) {
      const auto found = std::ranges::find(column, method, &Record::method);
      row.push_back(found == column.end() ? "" : found->text());
    }
    table.add(std::move(row));
  }
  return fmt::format(
      "### Wins and losses against {}\n\nData sets on which the method's Winkler score is smaller (win), not provably different, larger (loss): the scores of a run are a pair, Student's t on the logarithms, 5 % after Holm's correction over methods × data sets at each level. A score that is not finite loses against one that is.\n\n{}\n",
      bases.empty() ? last : join(bases, ", ") + " and " + last, to_markdown(table));
}

std::string costs_section(const std::vector<Cost>& all, const Level& level) {
  if (all.empty()) return "";
  const bool risks = std::ranges::any_of(all, [](const Cost& c) { return !std::isnan(c.excess_risk); });
  TextTable table{{"method", "size / fixed", "hardest tenth", "its lowest", "on"}, {}, ""};
  if (risks) table.header.push_back("excess risk");
  for (const Cost& c : all) {
    std::vector<std::string> row{method_label(c.method), display(c.size, 2), display(c.hardest, 2),
                                 display(c.lowest, 2), c.lowest_at};
    if (risks) row.push_back(display(c.excess_risk, 4));
    table.add(std::move(row));
  }
  return fmt::format(
      "### What equal coverage costs\n\nAt α = {}, medians over data sets: size relative to `fixed` of the same run, and coverage of the tenth of the points with the largest local error, where {} is wanted{}.\n\n{}\n",
      level.text(), display(1.0 - level.value(), 2),
      risks
          ? "; excess risk of target coverage: how much better than 1 − α a classifier predicts from x whether a point is covered (Brier score; 0 is best, and below 0 is noise)"
          : "",
      to_markdown(table));
}

std::string troubles_section(const ReportedExperiment& e, const std::vector<Cost>& all, const Level& level) {
  TextTable table{{"method", "failed tasks", "infinite intervals on", "validity below its promise on",
                   "above", "hardest tenth below " + display(0.9 - level.value(), 2)},
                  {},
                  ""};
  for (const Trouble& t : troubles(e.results, e.claims)) {
    const auto cost = std::ranges::find(all, t.method, &Cost::method);
    table.add({method_label(t.method), t.failed == 0 ? "–" : std::to_string(t.failed), few(t.infinite),
               few(t.below), few(t.above), cost == all.end() ? "–" : few(cost->missed)});
  }
  return fmt::format(
      "### Where each method fails\n\nInfinite intervals and validity at any level (validity: significantly off what the rank of q̂ promises, after Holm's correction), the hardest tenth at α = {}.\n\n{}\n",
      level.text(), to_markdown(table));
}

}  // namespace

std::string intervals_answer(const ReportedExperiment& e) {
  if (!compares_intervals(e.results)) return "";
  const Level& level = drawn_level(e.results.experiment);
  const std::vector<MeanRanks> ranks = ranks_by_level(e.results);
  return best_by_winkler(ranks) + best_around_centre(ranks) + best_by_cost(costs(e.results, level), level);
}

std::string intervals_section(const ReportedExperiment& e, const std::string& prefix) {
  if (!compares_intervals(e.results) || e.results.cells.empty()) return "";
  const Level& level = drawn_level(e.results.experiment);
  const std::vector<Cost> all = costs(e.results, level);
  return "## Which intervals should I use?\n\n" + intervals_answer(e) + "\n" +
         report_figures(e, prefix, {"frontier", "ranks"}) + ranks_section(ranks_by_level(e.results)) +
         records_section(e.results) + costs_section(all, level) + troubles_section(e, all, level);
}

}  // namespace lacp
