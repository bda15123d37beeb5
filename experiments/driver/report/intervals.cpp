#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "report/analysis/choice.hpp"
#include "report/analysis/pairs.hpp"
#include "report/report.hpp"

// "Which intervals should I use?", of an experiment.
namespace lacp {
namespace {

/// Coverage of the hardest tenth this much below 1 − α still counts as equal coverage.
constexpr double nearly = 0.03;

/// Of a list "a, b, c": the names while they are few, else how many.
std::string few(const std::string& list) {
  if (list.empty()) return "–";
  const std::vector<std::string> names = split_text(list, ',');
  return names.size() <= 4 ? list : fmt::format("{}: {} …", names.size(), names.front());
}

/// "`exp`, `erc`", or how many.
std::string others_text(const std::vector<std::string>& methods) {
  if (methods.size() > 4) return fmt::format("{} others", methods.size());
  return join_each(methods, ", ", markdown_code);
}

/// One data set has no ranks: the method with the lowest mean score at a level, "" if none has a score, and
/// those that are not provably worse.
struct Lowest {
  std::string method = {};
  double score = std::numeric_limits<double>::infinity();
  std::vector<std::string> like = {};
};

Lowest lowest_score(const Results& results, const Level& level) {
  const Experiment& e = results.experiment;
  Lowest lowest;
  for (const std::string& method : e.methods)
    if (const double score = summarise(results, {e.datasets[0], method, "winkler", level.text()}).mean;
        score < lowest.score) {
      lowest.score = score;
      lowest.method = method;
    }
  if (!lowest.method.empty())
    for (const Row& record : records_against(results, lowest.method, level))
      if (record.count("ties") > 0) lowest.like.push_back(record["method"]);
  return lowest;
}

/// With how many runs the scores of two methods would differ provably among those of `methods`, if
/// differences go on as they are (paired by run, Student's t on logarithms, the first step of Holm); 0: more
/// than 1000.
std::size_t runs_to_tell(const Results& results, const Level& level, const std::string& a,
                         const std::string& b) {
  const auto scores = [&](const std::string& method) {
    return by_run(results, {results.experiment.datasets[0], method, "winkler", level.text()});
  };
  const Moments ratio = moments(paired(scores(a), scores(b)).log_ratios());
  const double others = static_cast<double>(results.experiment.methods.size() - 1),
               overlap = overlap_of(results, results.experiment.datasets[0]),
               variance = ratio.standard_error() * ratio.standard_error() * static_cast<double>(ratio.n);
  for (std::size_t n = ratio.n + 1; ratio.n > 1 && n <= 1000; ++n) {
    const double error = std::sqrt(variance * (1.0 / static_cast<double>(n) + overlap));
    if (student_two_sided_p(ratio.mean / error, static_cast<double>(n - 1)) * others < error_rate) return n;
  }
  return 0;
}

/// Where runs are too few to tell the best, what `lacp fit` uses is as good a choice as any.
std::string advice_on_one(const Results& results, const Level& level) {
  const Experiment& e = results.experiment;
  const Lowest lowest = lowest_score(results, level);
  if (lowest.method.empty()) return "";
  const std::string& dataset = e.datasets[0];
  const std::string best = markdown_code(lowest.method), score = display(lowest.score);
  if (lowest.like.empty())
    return fmt::format("**Take {} on {}.** It has the lowest Winkler score at α = {}: {}.\n\n", best, dataset,
                       level.text(), score);
  const std::string usual = PredictorSettings::recommended().method;
  const bool is_like = std::ranges::count(lowest.like, usual) > 0;
  const std::string& rival = is_like ? usual : lowest.like.front();
  const std::size_t runs = runs_to_tell(results, level, lowest.method, rival);
  const std::string how_many = runs > 0 ? fmt::format("If the runs go on like these, {} would", runs)
                                        : "Not even 1000 runs like these would";
  return fmt::format(
      "**{} cannot tell which intervals are best on {}{}.** The lowest Winkler score at α = {} is that of {}, {}, not provably better than {}. {}\n\n",
      counted(e.runs, "run"), dataset,
      is_like || usual == lowest.method ? fmt::format("; keep {}", markdown_code(usual)) : "", level.text(),
      best, score, others_text(lowest.like),
      e.runs < 2 ? "Two runs are the least that can."
                 : fmt::format("{} tell it from {}.", how_many, markdown_code(rival)));
}

/// The lowest scores at each level; "" where there are several data sets.
std::string best_on_one(const Results& results) {
  const Experiment& e = results.experiment;
  if (e.datasets.size() != 1 || e.methods.size() < 2) return "";
  std::vector<std::string> texts;
  for (const Level& level : e.levels)
    if (const Lowest lowest = lowest_score(results, level); !lowest.method.empty())
      texts.push_back(fmt::format(
          "{} at α = {} ({}{})", markdown_code(lowest.method), level.text(), display(lowest.score),
          lowest.like.empty() ? "" : "; not provably better than " + others_text(lowest.like)));
  if (texts.empty()) return "";
  return fmt::format("- **Lowest Winkler score** on {}: {}.\n", e.datasets[0], join(texts, "; "));
}

/// "`adapt` at α = 0.1 (mean rank 1.5", without an end.
std::string rank_text(const Row& method) {
  return fmt::format("{} at α = {} (mean rank {}", markdown_code(method["method"]), method["alpha"],
                     display(method.number("rank"), 1));
}

std::string best_by_winkler(const std::vector<Frame>& levels) {
  if (levels.empty()) return "";
  return fmt::format("- **Best by Winkler score** over {}: {}.\n",
                     counted(levels[0].count(0, "datasets"), "data set"),
                     join_each(levels, "; ", [](const Frame& level) {
                       std::vector<std::string> near = level.where(is_like_best).distinct("method");
                       near.erase(near.begin());  // the best
                       return fmt::format("{}; {})", rank_text(level.rows[0]),
                                          near.empty() ? "provably better than every other method"
                                                       : "not provably better than " + others_text(near));
                     }));
}

/// Whether it predicts for itself, as cqr does, instead of being laid around the prediction of the others.
bool has_own_centre(const Row& rank) {
  return std::ranges::count(method_names(), rank["method"]) > 0 && find_method(rank["method"]).both_parts;
}

/// Where a method with a centre of its own is the best: a better centre may be all that it has to offer.
std::string best_around_centre(const std::vector<Frame>& levels) {
  if (std::ranges::none_of(levels, [](const Frame& level) { return has_own_centre(level.rows[0]); }))
    return "";
  std::vector<std::string> texts;
  for (const Frame& level : levels)
    if (const auto best = std::ranges::find_if_not(level, has_own_centre); best != level.end())
      texts.push_back(rank_text(*best) + ")");
  if (texts.empty()) return "";
  return fmt::format("- **Best around the shared prediction** f (the `cqr` rows make their own): {}.\n",
                     join(texts, "; "));
}

/// `one`: there is one data set, and so no median.
std::string best_by_cost(const Frame& all, const Level& level, bool one) {
  if (all.empty()) return "";
  const auto smallest = [](const Frame& some) -> const Row& {
    return *std::ranges::min_element(some, {}, [](const Row& cost) { return cost.number("size"); });
  };
  const auto shown = [](const Row& cost, const char* column) { return display(cost.number(column), 2); };
  const double target = 1.0 - level.value();
  const Row& small = smallest(all);
  std::string text =
      fmt::format("- **Smallest** at α = {}: {}, {}size {} × `fixed`; it covers {} of the hardest tenth{}.\n",
                  level.text(), markdown_code(small["method"]), one ? "" : "median ", shown(small, "size"),
                  shown(small, "hardest"),
                  one ? "" : fmt::format(" (median; {} on {})", shown(small, "lowest"), small["lowest_at"]));
  const Frame equal = all.where([&](const Row& cost) { return cost.number("hardest") >= target - nearly; });
  const Row& nearest = equal.empty() ? all.rows.front() : smallest(equal);
  if (equal.empty())
    text += fmt::format(
        "- **Equal coverage**: no method covers the hardest tenth to within {} of {}{}; {} comes nearest with {}, at {} × the size of `fixed`.\n",
        nearly, display(target, 2), one ? "" : " (median over data sets)", markdown_code(nearest["method"]),
        shown(nearest, "hardest"), shown(nearest, "size"));
  else
    text += fmt::format(
        "- **Equal coverage**: of the {} whose {}coverage of the hardest tenth is at least {}, {} is the smallest: {} × `fixed`.\n",
        counted(equal.size(), "method"), one ? "" : "median ", display(target - nearly, 2),
        markdown_code(nearest["method"]), shown(nearest, "size"));
  return text;
}

/// Of the tests against the best of a level.
std::string largest_p(const Frame& level) {
  std::vector<double> p = level.numbers("p_holm");
  std::erase_if(p, [](double value) { return std::isnan(value); });
  return fmt::format("{:.2g}", std::ranges::max(p));
}

std::string ranks_section(const std::vector<Frame>& levels) {
  if (levels.empty()) return "";
  const Frame& middle = middle_of(levels);
  WideTable table{.header = {"method"}};
  for (const Row& method : middle)
    for (const Frame& level : levels) {
      const Row& own = *level.find({{"method", method["method"]}});
      const std::string rank = display(own.number("rank"), 2);
      table.set({method_label(method["method"])}, "rank, α = " + own["alpha"],
                &own == &level.rows[0] ? "**" + rank + "**" : rank + (is_like_best(own) ? "°" : ""));
    }
  return fmt::format(
      "### Ranks\n\nMean rank by Winkler score (mean over runs) over {}, 1 is best; °: not provably worse than the best (Wilcoxon's signed-rank tests of the scores over data sets, 5 % after Holm's correction over the other methods, as Demšar recommends against one control; that the control is the best of these ranks favours it a little); the largest p of the others: {}. Of all pairs two methods differ at 5 % if their mean ranks are {} apart (critical difference of Nemenyi). p of Friedman's test that all rank alike: {}. A failed task and an infinite interval rank last.\n\n{}\n",
      counted(middle.count(0, "datasets"), "data set"), join_each(levels, " / ", largest_p),
      display(middle.number(0, "critical_difference"), 2),
      join_each(levels, ", ",
                [](const Frame& level) {
                  const double p = level.number(0, "friedman_p");
                  return fmt::format("{} at α = {}", p < 0.001 ? "below 0.001" : display(p),
                                     level.rows[0]["alpha"]);
                }),
      table.markdown());
}

/// A column of wins–ties–losses of the methods.
void add_records(WideTable& table, const std::string& column, const std::vector<std::string>& methods,
                 const Frame& records) {
  for (const std::string& method : methods) {
    const Row* r = records.find({{"method", method}});
    const std::string text =
        r == nullptr ? "" : fmt::format("{}–{}–{}", (*r)["wins"], (*r)["ties"], (*r)["losses"]);
    table.set({method_label(method)}, column, text);
  }
}

std::string records_section(const Results& results) {
  WideTable table{.header = {"method"}};
  std::vector<std::string> bases;
  for (const std::string base : {"fixed", "exp", "cqr"}) {
    if (!has_method(results, base)) continue;
    bases.push_back(markdown_code(base));
    for (const Level& level : results.experiment.levels)
      add_records(table, fmt::format("{}, α = {}", base, level.text()), results.experiment.methods,
                  records_against(results, base, level));
  }
  if (bases.empty()) return "";
  const std::string last = bases.back();
  bases.pop_back();
  return fmt::format(
      "### Wins and losses against {}\n\nData sets on which the method's Winkler score is smaller (win), not provably different, larger (loss): the scores of a run are a pair, Student's t on the logarithms, 5 % after Holm's correction over methods × data sets at each level. A score that is not finite loses against one that is. {}\n\n{}\n",
      bases.empty() ? last : join(bases, ", ") + " and " + last, overlap_words, table.markdown());
}

std::string costs_section(const Frame& all, const Level& level, bool one) {
  if (all.empty()) return "";
  const bool risks = std::ranges::any_of(all.numbers("excess_risk"), [](double r) { return !std::isnan(r); });
  Frame table({"method", "size / fixed", "hardest tenth", "its lowest", "on", "excess risk"});
  for (const Row& c : all)
    table.add({method_label(c["method"]), display(c.number("size"), 2), display(c.number("hardest"), 2),
               display(c.number("lowest"), 2), c["lowest_at"], display(c.number("excess_risk"), 4)});
  if (one) table = table.without("its lowest").without("on");
  if (!risks) table = table.without("excess risk");
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

std::string advice_of(const ReportedExperiment& e) {
  if (!compares_intervals(e.results) || e.results.cells.empty()) return "";
  const Level& level = drawn_level(e.results.experiment);
  if (e.results.experiment.datasets.size() == 1) return advice_on_one(e.results, level);
  const Frame ranks = mean_ranks(e.results).where({{"alpha", level.text()}});
  if (ranks.empty()) return "";
  return fmt::format("**Take {}.** It has the best mean rank by Winkler score at α = {}: {} of {} on {}.\n\n",
                     markdown_code(ranks.rows[0]["method"]), level.text(),
                     display(ranks.number(0, "rank"), 1),
                     counted(e.results.experiment.methods.size(), "method"),
                     counted(ranks.count(0, "datasets"), "data set"));
}

std::string intervals_answer(const ReportedExperiment& e) {
  if (!compares_intervals(e.results)) return "";
  const Level& level = drawn_level(e.results.experiment);
  const std::vector<Frame> ranks = mean_ranks(e.results).by("alpha");
  return best_on_one(e.results) + best_by_winkler(ranks) + best_around_centre(ranks) +
         peers_answer(e.results) +
         best_by_cost(costs(e.results, level), level, e.results.experiment.datasets.size() == 1);
}

std::string intervals_section(const ReportedExperiment& e, const std::string& prefix) {
  if (!compares_intervals(e.results) || e.results.cells.empty()) return "";
  const Level& level = drawn_level(e.results.experiment);
  const bool one = e.results.experiment.datasets.size() == 1;
  const Frame all = costs(e.results, level);
  return "## Which intervals should I use?\n\n" + intervals_answer(e) + "\n" +
         report_figures(e, prefix, {"ranks"}) + ranks_section(mean_ranks(e.results).by("alpha")) +
         (one ? "" : records_section(e.results)) + costs_section(all, level, one) +
         troubles_section(e, all, level);
}

}  // namespace lacp
