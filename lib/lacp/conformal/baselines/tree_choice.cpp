// The methods that boosted trees make in stages, and `auto`, the one of them that validates best.
#include <algorithm>

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/baselines/baselines.hpp"
#include "lacp/conformal/baselines/tree_stages.hpp"

namespace lacp {
namespace {

/// The rows of a run, on which stages are compared: by the Winkler score, with q by leave-one-out, in units
/// of that of `fixed`; the mean over the levels that the rows are enough for.
class HeldRows {
 public:
  HeldRows(const FitInput& input, std::size_t run)
      : rows_(HeldOut(run_starts(input.y.n_elem), run).held),
        y_(held(input.y)),
        f_(held(input.f)),
        rule_(input.training.quantile),
        two_sided_(two_sided(training_for(Learning::adaptation, input.training).selection)) {
    for (const Level& level : input.levels)
      if (y_.n_elem > 1 && (two_sided_ ? level.half() : level).rank(y_.n_elem - 1, rule_) < y_.n_elem) {
        levels_.push_back(level);
        fixed_.push_back(adapted(arma::ones(y_.n_elem), level));
      }
  }

  arma::mat held(const arma::mat& columns) const { return columns_of(columns, rows_); }
  arma::vec held(const arma::vec& values) const { return held(arma::mat(values.t())).t(); }

  /// Of f ± q·s.
  double score(const arma::vec& s) const {
    return in_units_of_fixed([&](std::size_t k) { return adapted(s, levels_[k]); });
  }
  double score(const FittedScore& score, const arma::mat& local) const {
    if (levels_.empty()) return 1.0;
    const auto each = arma::regspace<arma::uvec>(0, y_.n_elem - 1);
    const std::vector<Bounds> bounds =
        score.intervals({.scores = score.scores(local, f_, y_), .local = {}},
                        {.local = local, .left_out = &each}, f_, levels_, rule_);
    return in_units_of_fixed([&](std::size_t k) { return winkler_score(bounds[k], f_, y_, levels_[k]); });
  }

 private:
  double adapted(const arma::vec& s, const Level& level) const {
    if (two_sided_) return winkler_of_sides(y_ - f_, s, level, rule_);
    const arma::vec errors = arma::abs(y_ - f_);
    return winkler_score(leave_one_out(errors / s, level, rule_) % s, errors, level);
  }
  template <class Winkler>
  double in_units_of_fixed(Winkler winkler) const {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      ratios.push_back(fixed_[k] == 0.0 ? 1.0 : winkler(k) / fixed_[k]);
    return ratios.empty() ? 1.0 : mean_of(ratios);
  }

  std::vector<std::uint32_t> rows_;
  arma::vec y_, f_;
  QuantileRule rule_;
  bool two_sided_;
  std::vector<Level> levels_;
  std::vector<double> fixed_;
};

using Validated = std::pair<double, std::shared_ptr<const FittedScore>>;  ///< its validation score first

/// What the stages share: the scale, and the rows that validate.
class Stages {
 public:
  explicit Stages(const FitInput& input, std::vector<std::size_t> runs = {last_run})
      : input_(input),
        runs_(std::move(runs)),
        bins_(make_bins(input.X, BoostedOptions{}.bins)),
        scale_(learn_scale(bins_, input.X, arma::abs(input.y - input.f), input.jobs)) {
    for (const std::size_t run : runs_) held_.emplace_back(input, run);
  }

  /// s^θ with the θ that validates best.
  Validated adapted() const {
    double best = 1.0, theta = 0.0;
    for (const double power : {0.25, 0.5, 0.75, 1.0}) {
      const arma::vec s = power_of(scale_.log_out, power);
      std::vector<double> scores;
      for (const HeldRows& held : held_) scores.push_back(held.score(held.held(s)));
      if (const double score = mean_of(scores); score < best) best = score, theta = power;
    }
    return {best, scale_score(scale_.scale, theta)};
  }

  /// `shape`, and `blend` if it is wanted. The ends are those that the last run has stopped.
  std::vector<Validated> shaped(bool blend) const {
    const arma::mat behind = arma::join_cols(input_.f.t(), scale_.log_out.t());
    const BinnedAttributes bins_behind = make_bins(behind, BoostedOptions{}.bins);
    const arma::vec z = (input_.y - input_.f) / power_of(scale_.log_out, 1.0);
    const arma::mat all = blend ? arma::mat(arma::join_cols(input_.X, behind)) : arma::mat();
    const BinnedAttributes bins_all = blend ? joined(bins_, bins_behind) : BinnedAttributes();
    std::vector<QuantileTask> tasks;
    for (const std::size_t run : runs_) {
      tasks.push_back({bins_behind, behind, z, run});
      if (blend) tasks.push_back({bins_all, all, input_.y, run});
    }
    const std::vector<QuantileTrees> trees = learn_quantiles(tasks, input_.levels, input_.jobs);

    std::vector<Validated> validated;
    const std::size_t kinds = blend ? 2 : 1;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      std::vector<double> scores;
      std::shared_ptr<const FittedScore> score;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        const std::size_t of_z = i * kinds;
        score = ends_score(input_.levels, scale_.scale, trees[of_z],
                           kind == 1 ? std::optional(trees[of_z + 1]) : std::nullopt);
        arma::mat local = held_[i].held(arma::mat(scale_.log_out.t()));
        if (kind == 1) local = arma::join_cols(local, held_[i].held(input_.X));
        scores.push_back(held_[i].score(*score, local));
      }
      validated.emplace_back(mean_of(scores), score);
    }
    return validated;
  }

 private:
  const FitInput& input_;
  std::vector<std::size_t> runs_;  // the last one at their end
  BinnedAttributes bins_;
  LearntScale scale_;
  std::vector<HeldRows> held_;
};

FitResult fit_adapt_trees(const Method&, const FitInput& input) {
  return {.score = Stages(input).adapted().second};
}
FitResult fit_shape(const Method&, const FitInput& input) {
  return {.score = Stages(input).shaped(false).back().second};
}
FitResult fit_blend(const Method&, const FitInput& input) {
  return {.score = Stages(input).shaped(true).back().second};
}
FitResult fit_cqr_trees(const Method&, const FitInput& input) {
  const arma::mat X = arma::join_rows(input.X_first, input.X);
  const BinnedAttributes bins = make_bins(X, BoostedOptions{}.bins);
  const arma::vec y = arma::join_cols(input.y_first, input.y);
  std::vector<QuantileTrees> trees = learn_quantiles({{bins, X, y}}, input.levels, input.jobs);
  return {.score = ends_score(input.levels, std::nullopt, std::nullopt, std::move(trees[0]))};
}

/// A network is worth its time where rows are few, but enough to validate it. It must be better by some,
/// since fewer rows validate it.
constexpr std::size_t least_rows_for_network = 100, most_rows_for_network = 8000;
constexpr double network_handicap = 1.03;

/// Up to this many rows all runs validate.
constexpr std::size_t few_rows_to_validate = 10'000;

FitResult fit_auto(const Method&, const FitInput& input) {
  FitResult result;
  std::vector<std::pair<std::string, Validated>> stages;
  const auto of_trees = [&] {
    std::vector<std::size_t> runs = {0, 1, 2, 3, last_run};
    if (input.y.n_elem > few_rows_to_validate) runs = {last_run};
    const Stages learnt(input, std::move(runs));
    stages.emplace_back("adapt_trees", learnt.adapted());
    const std::vector<Validated> ends = learnt.shaped(true);
    stages.emplace_back("shape", ends[0]);
    stages.emplace_back("blend", ends[1]);
  };
  const auto of_network = [&] {
    const Method& adapt = find_method("adapt");
    FitInput own = input;
    own.training = training_for(adapt.learning, input.training);
    result = adapt.fit(adapt, own);
  };
  const bool network = input.y.n_elem >= least_rows_for_network && input.y.n_elem <= most_rows_for_network;
  std::vector<std::function<void()>> tasks = {of_trees};
  if (network) tasks.insert(tasks.begin(), of_network);
  do_all(tasks, input.jobs);
  if (result.failure) result = {};
  const auto least = std::ranges::min_element(result.validation_scores);
  if (least != result.validation_scores.end())
    stages.emplace_back("adapt", Validated(network_handicap * *least, result.score));
  const auto best =
      std::ranges::min_element(stages, {}, [](const auto& stage) { return stage.second.first; });
  result.score = best->second.second;
  for (const auto& [name, validated] : stages) result.stages.push_back({name, validated.first});
  result.chosen = best->first;
  return result;
}

}  // namespace

std::vector<Method> staged_methods() {
  return {
      {.name = "adapt_trees",
       .about =
           "adapt with boosted trees in place of the network: s(x) is the mean error, learnt out of folds; θ is the power that validates best",
       .equation = "|y − f| / s^θ, θ ∈ {0, ¼, ½, ¾, 1}",
       .scale_family = true,
       .fit = &fit_adapt_trees,
       .read = &read_scale_score},
      {.name = "shape",
       .about =
           "both ends in units of the s of adapt_trees: quantiles of (y − f) / s by boosted trees on f and log s; calibration moves them by q·s",
       .equation = "max(lo − y, y − hi) / s",
       .fit = &fit_shape,
       .read = &read_ends_score},
      {.name = "blend",
       .about =
           "ends in the middle between those of shape and quantiles of y itself by boosted trees on x, f and log s",
       .equation = "max(lo − y, y − hi) / s",
       .fit = &fit_blend,
       .read = &read_ends_score},
      // Romano, Patterson and Candès, NeurIPS 2019.
      {.name = "cqr_trees",
       .about =
           "conformalised quantile regression by boosted trees: quantiles of y on x alone, as scikit-learn's users have it",
       .equation = "max(lo − y, y − hi)",
       .both_parts = true,
       .fit = &fit_cqr_trees,
       .read = &read_ends_score},
      {.name = "auto",
       .about =
           "adapt, adapt_trees, shape or blend: the least Winkler score on validation rows; adapt is tried with 100 to 8,000 rows",
       .equation = "that of the chosen one",
       .learning = Learning::adaptation,  // that of adapt, which it may try
       .choices = {"adapt", "adapt_trees", "shape", "blend"},
       .fit = &fit_auto},
  };
}

}  // namespace lacp
