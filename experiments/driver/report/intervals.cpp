#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/choice.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

// "Which intervals should I use?", of an experiment, and of several on the same rows.
namespace lacp {
namespace {

/// Coverage of the hardest tenth this much below 1 − α still counts as equal coverage.
constexpr double nearly = 0.03;

std::string code(const std::string& method) { return "`" + method + "`"; }

/// Of a list "a, b, c": the names while they are few, else how many.
std::string few(const std::string& list) {
  constexpr std::size_t most = 4;
  if (list.empty()) return "–";
  const std::vector<std::string> names = split_text(list, ',');
  return names.size() <= most ? list : fmt::format("{}: {} …", names.size(), names.front());
}

/// "`adapt` at α = 0.1 (mean rank 1.5", without an end.
std::string rank_text(const Row& method) {
  return fmt::format("{} at α = {} (mean rank {}", code(method["method"]), method["alpha"],
                     display(method.number("rank"), 1));
}

std::string best_by_winkler(const std::vector<Frame>& levels) {
  std::vector<std::string> texts;
  for (const Frame& level : levels) {
    std::vector<std::string> near;
    for (const Row& method : level)
      if (&method != &level.rows[0] && is_like_best(method, level)) near.push_back(code(method["method"]));
    texts.push_back(fmt::format("{}; {})", rank_text(level.rows[0]),
                                near.empty() ? "better than all others"
                                : near.size() > 4
                                    ? fmt::format("not provably better than {} others", near.size())
                                    : "not provably better than " + join(near, ", ")));
  }
  return texts.empty() ? ""
                       : fmt::format("- **Best by Winkler score** over {}: {}.\n",
                                     counted(levels[0].count(0, "datasets"), "data set"), join(texts, "; "));
}

/// Whether it predicts for itself, as cqr does, instead of being laid around the prediction of the others.
bool has_own_centre(const Row& rank) {
  const std::vector<std::string> known = method_names();
  return std::ranges::find(known, rank["method"]) != known.end() && find_method(rank["method"]).both_parts;
}

/// Where a method with a centre of its own is the best: a better centre may be all that it has to offer.
std::string best_around_centre(const std::vector<Frame>& levels) {
  if (std::ranges::none_of(levels, [](const Frame& level) { return has_own_centre(level.rows[0]); }))
    return "";
  std::vector<std::string> texts;
  for (const Frame& level : levels)
    if (const auto best = std::ranges::find_if_not(level, has_own_centre); best != level.end())
      texts.push_back(rank_text(*best) + ")");
  return texts.empty()
             ? ""
             : fmt::format("- **Best around the shared prediction** f (the `cqr` rows make their own): {}.\n",
                           join(texts, "; "));
}

/// `one`: there is one data set, and so no median.
std::string best_by_cost(const Frame& all, const Level& level, bool one) {
  const auto smallest = [](const Frame& some) -> const Row& {
    return *std::ranges::min_element(some, {}, [](const Row& cost) { return cost.number("size"); });
  };
  if (all.empty()) return "";
  const auto shown = [](const Row& cost, const char* column) { return display(cost.number(column), 2); };
  const double target = 1.0 - level.value();
  const Row& small = smallest(all);
  const std::string text =
      fmt::format("- **Smallest** at α = {}: {}, {}size {} × `fixed`; it covers {} of the hardest tenth{}.\n",
                  level.text(), code(small["method"]), one ? "" : "median ", shown(small, "size"),
                  shown(small, "hardest"),
                  one ? "" : fmt::format(" (median; {} on {})", shown(small, "lowest"), small["lowest_at"]));
  const Frame equal = all.where([&](const Row& cost) { return cost.number("hardest") >= target - nearly; });
  const Row& nearest = equal.empty() ? all.rows.front() : smallest(equal);
  if (equal.empty())
    return text +
           fmt::format(
               "- **Equal coverage**: no method covers the hardest tenth to within {} of {}{}; {} comes nearest with {}, at {} × the size of `fixed`.\n",
               nearly, display(target, 2), one ? "" : " (median over data sets)", code(nearest["method"]),
               shown(nearest, "hardest"), shown(nearest, "size"));
  return text +
         fmt::format(
             "- **Equal coverage**: of the {} whose {}coverage of the hardest tenth is at least {}, {} is the smallest: {} × `fixed`.\n",
             counted(equal.size(), "method"), one ? "" : "median ", display(target - nearly, 2),
             code(nearest["method"]), shown(nearest, "size"));
}

std::string ranks_section(const std::vector<Frame>& levels) {
  if (levels.empty()) return "";
  const Frame& middle = levels[levels.size() / 2];
  std::vector<std::string> header{"method"}, tests;
  for (const Frame& level : levels) {
    const std::string& alpha = level.rows[0]["alpha"];
    const double p = level.number(0, "friedman_p");
    header.push_back("rank, α = " + alpha);
    tests.push_back(fmt::format("{} at α = {}", p < 0.001 ? "below 0.001" : display(p), alpha));
  }
  Frame table(header);
  for (const Row& method : middle) {
    std::vector<Field> row{method_label(method["method"])};
    for (const Frame& level : levels) {
      const Row& own = *level.find({{"method", method["method"]}});
      const std::string rank = display(own.number("rank"), 2);
      row.push_back(&own == &level.rows[0] ? "**" + rank + "**"
                                           : rank + (is_like_best(own, level) ? "°" : ""));
    }
    table.add(std::move(row));
  }
  return fmt::format(
      "### Ranks\n\nMean rank by Winkler score (mean over runs) over {}, 1 is best. Two methods differ at 5 % if their mean ranks are {} apart (critical difference of Nemenyi); °: not significantly worse than the best. p of Friedman's test that all rank alike: {}. A failed task and an infinite interval rank last.\n\n{}\n",
      counted(middle.count(0, "datasets"), "data set"), display(middle.number(0, "critical_difference"), 2),
      join(tests, ", "), to_markdown(table));
}

std::string records_section(const Results& results) {
  std::vector<std::pair<std::string, Frame>> columns;
  std::vector<std::string> bases;
  for (const std::string base : {"fixed", "exp", "cqr"}) {
    if (!has_method(results, base)) continue;
    bases.push_back(code(base));
    for (const Level& level : results.experiment.levels)
      columns.emplace_back(fmt::format("{}, α = {}", base, level.text()),
                           records_against(results, results, base, level, results.experiment.datasets));
  }
  if (columns.empty()) return "";
  const std::string last = bases.back();
  bases.pop_back();
  return fmt::format(
      "### Wins and losses against {}\n\nData sets on which the method's Winkler score is smaller (win), not provably different, larger (loss): the scores of a run are a pair, Student's t on the logarithms, 5 % after Holm's correction over methods × data sets at each level. A score that is not finite loses against one that is.\n\n{}\n",
      bases.empty() ? last : join(bases, ", ") + " and " + last,
      to_markdown(records_table(results.experiment.methods, columns, false)));
}

std::string costs_section(const Frame& all, const Level& level, bool one) {
  if (all.empty()) return "";
  const bool risks = std::ranges::any_of(all.numbers("excess_risk"), [](double r) { return !std::isnan(r); });
  std::vector<std::string> header{"method", "size / fixed", "hardest tenth"};
  if (!one) header.insert(header.end(), {"its lowest", "on"});
  if (risks) header.push_back("excess risk");
  Frame table(header);
  for (const Row& c : all) {
    std::vector<Field> row{method_label(c["method"]), display(c.number("size"), 2),
                           display(c.number("hardest"), 2)};
    if (!one) row.insert(row.end(), {display(c.number("lowest"), 2), c["lowest_at"]});
    if (risks) row.push_back(display(c.number("excess_risk"), 4));
    table.add(std::move(row));
  }
  return fmt::format(
      "### What equal coverage costs\n\nAt α = {}{}: size relative to `fixed` of the same run, and coverage of the tenth of the points with the largest local error, where {} is wanted{}.\n\n{}\n",
      level.text(), one ? "" : ", medians over data sets", display(1.0 - level.value(), 2),
      risks
          ? "; excess risk of target coverage: how much better than 1 − α a classifier predicts from x whether a point is covered (Brier score; 0 is best, and below 0 is noise)"
          : "",
      to_markdown(table));
}

std::string troubles_section(const ReportedExperiment& e, const Frame& all, const Level& level) {
  Frame table({"method", "failed tasks", "infinite intervals on", "validity below its promise on", "above",
               "hardest tenth below " + display(0.9 - level.value(), 2)});
  const auto validity = std::ranges::find(e.claims, "validity", &Claim::id);
  for (const Row& t : troubles(e.results, validity == e.claims.end() ? Frame() : validity->numbers)) {
    const Row* cost = all.find({{"method", t["method"]}});
    table.add({method_label(t["method"]), t["failed"] == "0" ? "–" : t["failed"], few(t["infinite"]),
               few(t["below"]), few(t["above"]), cost == nullptr ? "–" : few((*cost)["missed"])});
  }
  return fmt::format(
      "### Where each method fails\n\nInfinite intervals and validity at any level (validity: significantly off what the rank of q̂ promises, after Holm's correction), the hardest tenth at α = {}.\n\n{}\n",
      level.text(), to_markdown(table));
}

}  // namespace

Frame records_table(const std::vector<std::string>& methods,
                    const std::vector<std::pair<std::string, Frame>>& records, bool ratios) {
  std::vector<std::string> header{"method"};
  for (const auto& [name, column] : records) header.push_back(name);
  Frame table(header);
  for (const std::string& method : methods) {
    std::vector<Field> row{method_label(method)};
    for (const auto& [name, column] : records) {
      const Row* found = column.find({{"method", method}});
      const std::string text =
          found == nullptr ? ""
                           : fmt::format("{}–{}–{}", (*found)["wins"], (*found)["ties"], (*found)["losses"]);
      row.push_back(
          text.empty() || !ratios ? text : fmt::format("{} ({})", display(found->number("ratio"), 2), text));
    }
    table.add(std::move(row));
  }
  return table;
}

std::string advice_of(const ReportedExperiment& e) {
  if (!compares_intervals(e.results) || e.results.cells.empty()) return "";
  const Level& level = drawn_level(e.results.experiment);
  if (e.results.experiment.datasets.size() == 1) return advice_on_one(e.results, level);
  const Frame ranks = mean_ranks(e.results).where({{"alpha", level.text()}});
  return ranks.empty()
             ? ""
             : fmt::format(
                   "**Take {}.** It has the best mean rank by Winkler score at α = {}: {} of {} on {}.\n\n",
                   code(ranks.rows[0]["method"]), level.text(), display(ranks.number(0, "rank"), 1),
                   counted(e.results.experiment.methods.size(), "method"),
                   counted(ranks.count(0, "datasets"), "data set"));
}

std::string intervals_answer(const ReportedExperiment& e) {
  if (!compares_intervals(e.results)) return "";
  const Level& level = drawn_level(e.results.experiment);
  const std::vector<Frame> ranks = mean_ranks(e.results).by("alpha");
  return best_on_one(e.results) + best_by_winkler(ranks) + best_around_centre(ranks) + peers_answer(e) +
         best_by_cost(costs(e.results, level), level, e.results.experiment.datasets.size() == 1);
}

std::string intervals_section(const ReportedExperiment& e, const std::string& prefix) {
  if (!compares_intervals(e.results) || e.results.cells.empty()) return "";
  const Level& level = drawn_level(e.results.experiment);
  const bool one = e.results.experiment.datasets.size() == 1;
  const Frame all = costs(e.results, level);
  return "## Which intervals should I use?\n\n" + intervals_answer(e) + "\n" +
         report_figures(e, prefix, {"frontier", "ranks"}) + ranks_section(mean_ranks(e.results).by("alpha")) +
         (one ? "" : records_section(e.results)) + costs_section(all, level, one) +
         troubles_section(e, all, level);
}

}  // namespace lacp
