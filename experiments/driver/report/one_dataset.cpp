#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/choice.hpp"
#include "analysis/pairs.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

// "Which intervals should I use?" on one data set, where scores are compared run by run.
namespace lacp {
namespace {

/// One data set has no ranks: the method with the lowest mean score at a level, "" if none has a score, and
/// those that are not provably worse.
struct Lowest {
  std::string method = {};
  double score = std::numeric_limits<double>::infinity();
  std::vector<std::string> like = {};

  bool is_like(const std::string& name) const {
    return name == method || std::ranges::find(like, name) != like.end();
  }
};

Lowest lowest_score(const Results& results, const Level& level) {
  const Experiment& e = results.experiment;
  Lowest lowest;
  for (const std::string& method : e.methods)
    if (const Moments score = summarise(results, {e.datasets[0], method, "winkler", level.text()});
        score.n > 0 && score.mean < lowest.score)
      lowest.score = score.mean, lowest.method = method;
  if (!lowest.method.empty())
    for (const Row& record : records_against(results, results, lowest.method, level, e.datasets))
      if (record.count("ties") > 0) lowest.like.push_back(record["method"]);
  return lowest;
}

/// "`exp`, `erc`", or how many.
std::string others_text(const std::vector<std::string>& methods) {
  constexpr std::size_t most = 4;
  if (methods.size() > most) return fmt::format("{} others", methods.size());
  std::vector<std::string> texts;
  for (const std::string& method : methods) texts.push_back(markdown_code(method));
  return join(texts, ", ");
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
  const double others = static_cast<double>(results.experiment.methods.size() - 1);
  for (std::size_t n = ratio.n + 1; ratio.n > 1 && n <= 1000; ++n) {
    const double error =
        ratio.standard_error() * std::sqrt(static_cast<double>(ratio.n) / static_cast<double>(n));
    if (student_two_sided_p(ratio.mean / error, static_cast<double>(n - 1)) * others < error_rate) return n;
  }
  return 0;
}

}  // namespace

// Where runs are too few to tell the best, what `lacp fit` uses is as good a choice as any.
std::string advice_on_one(const Results& results, const Level& level) {
  const Experiment& e = results.experiment;
  const Lowest lowest = lowest_score(results, level);
  if (lowest.method.empty()) return "";
  const std::string& dataset = e.datasets[0];
  if (lowest.like.empty())
    return fmt::format("**Take {} on {}.** It has the lowest Winkler score at α = {}: {}.\n\n",
                       markdown_code(lowest.method), dataset, level.text(), display(lowest.score));
  const std::string usual = PredictorSettings::recommended().method;
  const bool keep = lowest.is_like(usual);
  const std::string& rival = keep && usual != lowest.method ? usual : lowest.like.front();
  const std::size_t runs = runs_to_tell(results, level, lowest.method, rival);
  return fmt::format(
      "**{} cannot tell which intervals are best on {}{}.** The lowest Winkler score at α = {} is that of {}, {}, not provably better than {}.{}\n\n",
      counted(e.runs, "run"), dataset, keep ? fmt::format("; keep {}", markdown_code(usual)) : "",
      level.text(), markdown_code(lowest.method), display(lowest.score), others_text(lowest.like),
      e.runs < 2 ? " Two runs are the least that can."
      : runs > 0
          ? fmt::format(" If the runs go on like these, {} would tell it from {}.", runs,
                        markdown_code(rival))
          : fmt::format(" Not even 1000 runs like these would tell it from {}.", markdown_code(rival)));
}

std::string best_on_one(const Results& results) {
  const Experiment& e = results.experiment;
  if (e.datasets.size() != 1 || e.methods.size() < 2) return "";
  std::vector<std::string> texts;
  for (const Level& level : e.levels) {
    if (const Lowest lowest = lowest_score(results, level); !lowest.method.empty())
      texts.push_back(fmt::format(
          "{} at α = {} ({}{})", markdown_code(lowest.method), level.text(), display(lowest.score),
          lowest.like.empty() ? "" : "; not provably better than " + others_text(lowest.like)));
  }
  return texts.empty()
             ? ""
             : fmt::format("- **Lowest Winkler score** on {}: {}.\n", e.datasets[0], join(texts, "; "));
}

}  // namespace lacp
