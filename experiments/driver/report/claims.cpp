#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/analysis/pairs.hpp"
#include "report/report.hpp"

namespace lacp {
namespace {

std::string percent_of(const Row& n) {
  return percent(n.number("value"), n.number("lower"), n.number("upper"), is_significant(n));
}

/// One row per data set and level, one column per method.
std::string by_method(const Claim& claim) {
  WideTable table{.header = {"data set", "α"}};
  for (const Row& n : claim.numbers)
    table.set({n["dataset"], n["alpha"]}, method_label(n["method"]), percent_of(n));
  return table.markdown();
}

/// ". Larger: on homes at α = 0.32 (erc +3.7 %, exp +3.5 %); ..." for the comparisons with that finding; ""
/// if there is none.
std::string places(const Claim& claim, const char* found, const char* heading) {
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const Frame& dataset : claim.numbers.where({{"finding", found}}).by("dataset"))
    for (const Frame& place : dataset.by("alpha"))
      texts.push_back(fmt::format("on {} at α = {} ({})", place.rows[0]["dataset"], place.rows[0]["alpha"],
                                  join_each(place, ", ", [](const Row& n) {
                                    return n["method"] + " " + percent(n.number("value"));
                                  })));
  if (texts.empty()) return "";
  const std::size_t left_off = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left_off);
  return fmt::format(". {}: {}{}", heading, join(texts, "; "),
                     left_off == 0 ? "" : fmt::format("; and in {}", counted(left_off, "more place")));
}

/// Mean over numbers, with three decimals.
std::string mean_text(const Frame& numbers) { return display(moments(numbers.numbers("value")).mean); }

/// "0.952", or "0.900–1.000" of a range: mean over data sets.
std::string promise_text(const Frame& promised) {
  std::vector<double> most;
  for (const Row& n : promised)
    most.push_back(std::isnan(n.number("upper")) ? n.number("value") : n.number("upper"));
  const std::string low = mean_text(promised), high = display(moments(most).mean);
  return low == high ? low : low + "–" + high;
}

std::string validity_table(const Claim& claim, const Experiment& e) {
  WideTable table{.header = {"method"}};
  // Methods that promise the same share a row.
  std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> promises;
  for (const std::string& method : e.methods) {
    std::vector<std::string> promised;
    for (const Level& level : e.levels) {
      const Frame own = claim.numbers.where({{"method", method}, {"alpha", level.text()}});
      const std::size_t below = own.where({{"finding", "below"}}).size();
      table.set({method_label(method)}, "α = " + level.text(),
                mean_text(own.where({{"quantity", "validity"}})) +
                    (below == 0 ? "" : fmt::format(" ({} below)", below)));
      promised.push_back(promise_text(own.where({{"quantity", "promised validity"}})));
    }
    auto same = std::ranges::find(promises, promised, [](const auto& p) { return p.first; });
    if (same == promises.end()) same = promises.insert(same, {promised, {}});
    same->second.push_back(method_label(method));
  }
  for (auto& [texts, methods] : promises) {
    texts.insert(texts.begin(), promises.size() == 1 ? "promised" : "promised by " + join(methods, ", "));
    table.rows.push_back(std::move(texts));
  }
  return table.markdown();
}

void tell_validity(const Results& results, Claim& claim) {
  const Experiment& e = results.experiment;
  const Frame validity = claim.numbers.where({{"quantity", "validity"}}),
              promised = claim.numbers.where({{"quantity", "promised validity"}});
  const auto means = [&](const Frame& numbers) {
    return join_each(e.levels, " / ", [&](const Level& level) {
      return mean_text(numbers.where({{"alpha", level.text()}}));
    });
  };
  std::size_t single_below = 0, single_above = 0;  // without Holm's correction
  bool ranges = false;
  for (std::size_t i = 0; i < validity.size(); ++i) {
    const Row &v = validity.rows[i], &p = promised.rows[i];
    const bool range = !std::isnan(p.number("upper")), tested = !std::isnan(v.number("p"));
    ranges = ranges || range;
    single_below += tested && v.number("upper") < p.number("value");
    single_above += tested && v.number("lower") > p.number(range ? "upper" : "value");
  }
  claim.summary =
      fmt::format("mean coverage {} at α = {}, where the rank of q̂ promises {}{}", means(validity),
                  join_each(e.levels, " / ", &Level::text), ranges ? "at least " : "", means(promised));
  claim.shown = claim.summary;
  const std::size_t tested = claim.cases, constant = validity.size() - tested;
  if (tested > 0) {
    claim.shown += fmt::format("; {} of {} means significantly below the promise", claim.against, tested);
    claim.summary += fmt::format(
        "; of {} means (data set, method, level) {} lie significantly below the promise and {} above it after Holm's correction over all {}, which allows for methods that share a split; without it {} and {}, where independent tests would by chance put about {:.0f} on either side",
        tested, claim.against, validity.where({{"finding", "above"}}).size(), tested, single_below,
        single_above, 0.025 * static_cast<double>(tested));
  }
  if (constant > 0)
    claim.summary += fmt::format(
        "; {} every point of the pool is scored by leave-one-out, which makes coverage a constant of the ranks and not a measurement",
        tested == 0 ? "in all cases" : fmt::format("in {} more cases", constant));
  if (e.evaluation.quantile == QuantileRule::floor_index)
    claim.summary += "; the quantile is the released code's, one rank too low for the guarantee";
  claim.detail = validity_table(claim, e);
}

void tell_efficiency(const Results&, Claim& claim) {
  const Tally t = tally(claim.numbers);
  claim.summary = fmt::format(
      "of {} comparisons with `fixed` (data set, method, level; paired by run; Holm's correction over all {}) the trained class is significantly smaller in {}, larger in {}, undecided in {}; differences range from {} to {}",
      t.total, t.total, t.smaller, t.larger, t.total - t.smaller - t.larger, percent(t.least),
      percent(t.most));
  claim.shown = fmt::format(
      "significantly smaller in {}, larger in {}, undecided in {} of {} comparisons, {} to {}", t.smaller,
      t.larger, t.total - t.smaller - t.larger, t.total, percent(t.least), percent(t.most));
  for (std::string* text : {&claim.summary, &claim.shown}) *text += places(claim, "larger", "Larger");
  claim.detail = by_method(claim);
}

void tell_class(const Results&, Claim& claim) {
  const auto is_exp_renamed = [](const Row& n) { return n["method"] == "linear" || n["method"] == "sigma"; };
  const Tally same = tally(claim.numbers.where(is_exp_renamed)),
              different = tally(claim.numbers.where(std::not_fn(is_exp_renamed)));
  std::vector<std::string> shown;
  if (same.total > 0) {
    shown.push_back(fmt::format("{} of {} sizes of linear and sigma, which are exp under other names, differ",
                                same.smaller + same.larger, same.total));
    claim.summary = fmt::format(
        "linear and sigma are exp under other names (φ_m⁻¹(φ_n(A)) is the same), so only their random numbers differ: {} of {} comparisons with exp are significant, and sizes differ by {} to {}",
        same.smaller + same.larger, same.total, percent(same.least), percent(same.most));
  }
  if (different.total > 0) {
    shown.push_back(
        fmt::format("{} of {} of the other classes", different.smaller + different.larger, different.total));
    claim.summary +=
        fmt::format("{}he other classes against exp: {} significantly smaller, {} larger, of {}; {} to {}",
                    claim.summary.empty() ? "t" : ". T", different.smaller, different.larger, different.total,
                    percent(different.least), percent(different.most));
  }
  claim.shown = fmt::format("against exp: {}{}{}", join(shown, "; "), places(claim, "smaller", "Smaller"),
                            places(claim, "larger", "Larger"));
  claim.detail = by_method(claim);
}

void tell_mixture(const Results&, Claim& claim) {
  std::vector<std::string> summaries;
  for (const std::string other : {"exp", "erc"})
    if (const Tally t = tally(claim.numbers.where({{"quantity", "size / size of " + other}})); t.total > 0)
      summaries.push_back(
          fmt::format("against {} it is significantly smaller in {}, larger in {} of {} cases ({} to {})",
                      other, t.smaller, t.larger, t.total, percent(t.least), percent(t.most)));
  claim.summary = claim.shown = join(summaries, "; ");
}

void tell_error_fit(const Results& results, Claim& claim) {
  Frame table({"data set", "α", "size / size of fixed", "spread, error fit", "spread, fixed", "largest run"});
  for (std::size_t i = 0; i < claim.cases; ++i) {
    const Row& b = claim.beside.rows[i];
    table.add({b["dataset"], b["alpha"], percent_of(claim.numbers.rows[i]), display(b.number("spread"), 2),
               display(b.number("fixed"), 2), fmt::format("× {}", display(b.number("largest"), 2))});
  }
  const std::size_t worse = claim.numbers.where({{"finding", "larger"}}).size(),
                    unsteady = claim.numbers.where({{"finding", "unsteady"}}).size();
  claim.summary = fmt::format(
      "with g(x)/g(0) {}, `erc_error_fit` is significantly larger than `fixed` in {} of {} cases, and its spread over runs (std / mean) is more than twice that of `fixed` in {}, significantly (Pitman and Morgan's test on the logarithms) in {}",
      results.experiment.network.released.divide_by_origin ? "on" : "off", worse, claim.cases, unsteady,
      claim.in_favour);
  claim.shown = fmt::format(
      "spread over runs (std / mean) more than twice that of `fixed` in {} of {} cases, significantly in {}; sizes significantly larger in {}",
      unsteady, claim.cases, claim.in_favour, worse);
  claim.detail = to_markdown(table);
}

void tell_adaptivity(const Results& results, Claim& claim) {
  const std::string alpha = claim.numbers.rows[0]["alpha"], chosen = adaptive_method(results);
  const auto mean_of = [&](const std::string& method, std::size_t which, int decimals = 3) {
    std::vector<double> values =
        claim.numbers.where({{"method", method}, {"quantity", adaptivity_quantities()[which].first}})
            .numbers("value");
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    return display(moments(values).mean, decimals);
  };
  std::vector<std::string> named{"fixed", chosen};
  if (chosen != "mixture") named.push_back("mixture");
  for (const std::string& method : named) {
    if (!has_method(results, method)) continue;
    claim.summary += fmt::format(
        "{}`{}` covers {} of the tenth of the points with the smallest local error and {} of that with the largest",
        claim.summary.empty() ? fmt::format("at α = {}, mean over data sets, ", alpha) : "; ", method,
        mean_of(method, 0), mean_of(method, 1));
  }
  if (has_method(results, chosen))
    claim.summary += fmt::format(". The size of `{}` has a rank correlation of {} with the error", chosen,
                                 mean_of(chosen, 4, 2));
  claim.shown = claim.summary;
  if (claim.cases > 0)
    claim.shown = fmt::format(
        "at α = {} `{}` covers {} of the tenth of the points with the largest error, `fixed` {}; significantly more on {} of {}",
        alpha, chosen, mean_of(chosen, 1), mean_of("fixed", 1), claim.in_favour,
        counted(claim.cases, "data set"));
  WideTable table{.header = {"data set", "method"}};
  for (const Row& n : claim.numbers.where({{"finding", ""}}))
    table.set({n["dataset"], method_label(n["method"])}, n["quantity"], display(n.number("value")));
  claim.detail = table.markdown();
}

struct AboutOne {
  Claim (*judge)(const Results&);
  const char* title;
  void (*tell)(const Results&, Claim&);  ///< in words, if there are numbers
};
const AboutOne about_one[] = {
    {judge_validity, "The intervals are marginally valid", tell_validity},
    {judge_efficiency, "Trained intervals are smaller than those of `fixed`", tell_efficiency},
    {judge_class, "The choice of the class is not crucial", tell_class},
    {judge_error_fit, "ERC fitted to the residuals is unstable", tell_error_fit},
    {judge_mixture, "`mixture` is smaller than the single classes", tell_mixture},
    {judge_adaptivity, "The intervals adapt: points with large errors are covered more often than by `fixed`",
     tell_adaptivity},
};

}  // namespace

std::vector<Claim> claims_about(const Results& results) {
  std::vector<Claim> claims;
  for (const AboutOne& one : about_one) {
    Claim& claim = claims.emplace_back(one.judge(results));
    claim.title = one.title;
    if (!claim.numbers.empty()) one.tell(results, claim);
  }
  return claims;
}

Claim claim_single_levels(const Results& base, const std::vector<const Results*>& singles) {
  Claim claim = judge_single_levels(base, singles);
  claim.title = "Training for all levels (ℓ_all) costs nothing at a single one (ℓ_α)";
  if (claim.numbers.empty()) return claim;
  claim.summary =
      "the size of intervals trained for one level, at that level, against that of intervals trained for all: " +
      join_each(claim.numbers.by("experiment"), "; ", [](const Frame& single) {
        const Tally t = tally(single);
        return fmt::format("at α = {} significantly smaller in {}, larger in {} of {} cases",
                           single.rows[0]["alpha"], t.smaller, t.larger, t.total);
      });
  const Tally all = tally(claim.numbers);
  claim.shown = fmt::format(
      "trained for one level, sizes at that level are significantly smaller in {}, larger in {} of {} cases",
      all.smaller, all.larger, all.total);
  WideTable table{.header = {"data set", "method"}};
  for (const Row& n : claim.numbers)
    table.set({n["dataset"], method_label(n["method"])}, "ℓ_α / ℓ_all at α = " + n["alpha"], percent_of(n));
  claim.detail = table.markdown();
  return claim;
}

Claim claim_protocols(const Results& a, const Results& b) {
  Claim claim = judge_protocols(a, b);
  claim.title = fmt::format("What `{}` changes against `{}`", a.experiment.name, b.experiment.name);
  std::vector<double> ratios = claim.numbers.where({{"method", "fixed"}}).numbers("value");
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
  if (ratios.empty()) return claim;
  const auto [low, high] = std::ranges::minmax(ratios);
  claim.summary = fmt::format(
      "sizes of `fixed` change by {} to {} (bold in the table: Welch's p < 0.05 after Holm's correction over its {} ratios)",
      percent(low), percent(high), claim.numbers.size());
  const SizeBase base = base_by_published_name(a, b);
  WideTable table{.header = {"data set", "method"}};
  for (const Row& n : claim.numbers) {
    const std::string other = base.name(n["dataset"]);
    table.set({other == n["dataset"] ? other : n["dataset"] + " / " + other, n["method"]},
              "size ratio, α = " + n["alpha"], percent_of(n));
  }
  claim.detail = table.markdown();
  return claim;
}

std::string claims_csv(const std::vector<Claim>& claims) {
  Frame numbers;
  for (const Claim& claim : claims) numbers.append(claim.numbers);
  return to_text(numbers);
}

}  // namespace lacp
