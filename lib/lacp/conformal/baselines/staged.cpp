// Centre, scale, shape: intervals in stages, each learnt by boosted trees and stopped by validation rows, so
// that where rows are few it falls back to the stage before. `adapt_trees` learns a scale s(x) from errors
// out of folds; `shape` the two ends as quantiles of z = (y − f)/s on (f, log s); `blend` takes the mean of
// these ends and of quantiles of y itself on (x, f, log s); `cqr_trees` is conformalised quantile regression
// (Romano, Patterson and Candès, NeurIPS 2019) with quantiles of y on x alone; `auto` is whichever validates
// best.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "lacp/base/math.hpp"
#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/baselines/baselines.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
namespace {

using RowList = std::vector<std::uint32_t>;

RowList run_of_rows(std::size_t begin, std::size_t end) {
  RowList rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return rows;
}

/// The rows, which are in random order already, in five runs. The last one validates; where rows are few,
/// each does in its turn.
constexpr std::size_t last_run = 4;

std::vector<std::size_t> run_starts(std::size_t rows) {
  std::vector<std::size_t> starts;
  for (std::size_t run = 0; run <= last_run + 1; ++run) starts.push_back(run * rows / (last_run + 1));
  return starts;
}

/// Smaller leaves where rows are few.
BoostedOptions stage_options(std::size_t rows) {
  return {.rounds = 200, .least_rows = std::clamp<std::size_t>(rows / 50, 5, 20)};
}

arma::mat columns_between(const arma::mat& X, std::size_t begin, std::size_t end) {
  return begin == end ? arma::mat(X.n_rows, 0) : arma::mat(X.cols(begin, end - 1));
}

// ---- The scale

/// s(x) = e^F(x) + floor: trees of the mean error, kept away from 0.
struct ScaleTrees {
  BoostedTrees trees;
  double floor = 0.0;

  /// log s at each column of X.
  arma::vec log_scale(const arma::mat& X) const { return log_of(trees.predict(X)); }
  arma::vec log_of(arma::vec F) const {
    return F.transform([&](double value) { return math::log(math::exp(value) + floor); });
  }
};

struct LearntScale {
  ScaleTrees scale;   ///< of all rows
  arma::vec log_out;  ///< log s of each row by trees that have not seen it
};

LearntScale learn_scale(const BinnedAttributes& bins, const arma::mat& X, const arma::vec& errors,
                        std::size_t jobs) {
  const BoostedOptions options = stage_options(errors.n_elem);
  CrossBoosted grown = boost_folds(bins, X, run_starts(errors.n_elem), options,
                                   ScaleObjective(errors, options.learning_rate), RoundsBy::last_fold, jobs);
  LearntScale learnt{{std::move(grown.trees), 0.05 * mean_of(errors)}, {}};
  learnt.log_out = learnt.scale.log_of(grown.out);
  return learnt;
}

// ---- The ends

/// Levels from the smallest α on: the order in which ends lie from outside to inside.
std::vector<std::size_t> ranks_of(std::span<const Level> levels) {
  std::vector<std::size_t> order(levels.size()), ranks(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return levels[k].value(); });
  for (std::size_t r = 0; r < order.size(); ++r) ranks[order[r]] = r;
  return ranks;
}

/// Quantiles at α/2 and at 1 − α/2 of each level. The two sides have trees of their own: slopes of both would
/// cancel.
struct QuantileTrees {
  BoostedOutputs lower, upper;

  /// In increasing order, a column for each column of A.
  arma::mat at(const arma::mat& A) const {
    arma::mat ends = arma::join_cols(lower.predict(A), upper.predict(A));
    for (arma::uword n = 0; n < ends.n_cols; ++n) std::sort(ends.begin_col(n), ends.end_col(n));
    return ends;
  }
};

/// A set of them to be learnt, on all rows but those of a run, which say when to stop.
struct QuantileTask {
  const BinnedAttributes& bins;
  const arma::mat& A;
  const arma::vec& targets;
  std::size_t run = last_run;
};

/// Each of them, on at most `jobs` threads.
std::vector<QuantileTrees> learn_quantiles(const std::vector<QuantileTask>& wanted,
                                           std::span<const Level> levels, std::size_t jobs) {
  std::vector<double> low, high;
  for (const Level& level : levels) low.push_back(0.5 * level.value());
  std::ranges::sort(low);
  for (auto tau = low.rbegin(); tau != low.rend(); ++tau) high.push_back(1.0 - *tau);
  std::vector<std::optional<BoostedOutputs>> grown(2 * wanted.size());
  std::vector<std::function<void()>> tasks;
  for (std::size_t i = 0; i < grown.size(); ++i)
    tasks.emplace_back([&, i] {
      const auto& [bins, A, targets, run] = wanted[i / 2];
      const std::size_t rows = targets.n_elem, begin = run_starts(rows)[run], end = run_starts(rows)[run + 1];
      RowList fitted = run_of_rows(0, begin);
      const RowList held = run_of_rows(begin, end), behind = run_of_rows(end, rows);
      fitted.insert(fitted.end(), behind.begin(), behind.end());
      const BoostedOptions options = stage_options(rows);
      QuantileObjective objective(targets, i % 2 == 0 ? low : high, options.learning_rate);
      grown[i].emplace(A.n_rows,
                       boost(bins, fitted, held, columns_between(A, begin, end), options, objective));
    });
  do_all(tasks, jobs);
  std::vector<QuantileTrees> all;
  for (std::size_t i = 0; i < grown.size(); i += 2)
    all.push_back({std::move(*grown[i]), std::move(*grown[i + 1])});
  return all;
}

// ---- Scores

/// |y − f| / s^θ; intervals f ± q·s^θ.
class TreeScaleScore : public FittedScore {
 public:
  TreeScaleScore(ScaleTrees trees, double theta) : trees_(std::move(trees)), theta_(theta) {}

  arma::mat local(const arma::mat& X) const override { return trees_.log_scale(X).t(); }
  std::vector<arma::vec> scores(const arma::mat& log_s, const arma::vec& f,
                                const arma::vec& y) const override {
    return {arma::abs(y - f) / scale(log_s)};
  }
  Bounds bounds(const arma::mat& log_s, const arma::vec&, const arma::vec& q, const Level&) const override {
    return Bounds::symmetric(q % scale(log_s));
  }
  arma::vec scale(const arma::mat& log_s) const override {
    return arma::vec(log_s.t()).transform([&](double value) { return math::exp(theta_ * value); });
  }
  std::optional<double> adaptation() const override { return theta_; }
  void write(ModelWriter& out) const override;

 private:
  ScaleTrees trees_;
  double theta_;
};

/// max((lo − y)/s, (y − hi)/s) with ends lo and hi for each level, and s = 1 where there is no scale.
class EndsScore : public FittedScore {
 public:
  /// `of_z`: ends in units of s, on (f, log s); `of_y`: ends themselves, on (x, f, log s), or on x without a
  /// scale.
  EndsScore(std::vector<Level> levels, std::optional<ScaleTrees> scale, std::optional<QuantileTrees> of_z,
            std::optional<QuantileTrees> of_y)
      : levels_(std::move(levels)),
        ranks_(ranks_of(levels_)),
        scale_(std::move(scale)),
        of_z_(std::move(of_z)),
        of_y_(std::move(of_y)) {}

  /// Without a scale the ends; else log s, and x if the ends need it.
  arma::mat local(const arma::mat& X) const override {
    if (!scale_) return of_y_->at(X);
    const arma::mat log_s = scale_->log_scale(X).t();
    return of_y_ ? arma::mat(arma::join_cols(log_s, X)) : log_s;
  }
  std::span<const Level> levels() const override { return levels_; }
  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                const arma::vec& y) const override {
    const arma::mat all = ends(local, f);
    const arma::vec s = unit(local);
    std::vector<arma::vec> scores;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      scores.push_back(arma::max(lower(all, k) - y, y - upper(all, k)) / s);
    return scores;
  }
  Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                const Level& level) const override {
    return bounds_of(ends(local, f), unit(local), f, q, index_of(level));
  }
  std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries, const arma::vec& f,
                                std::span<const Level> levels, QuantileRule rule) const override {
    const arma::mat q = thresholds(calibration, queries, levels, rule), all = ends(queries.local, f);
    const arma::vec s = unit(queries.local);
    std::vector<Bounds> intervals;
    for (std::size_t l = 0; l < levels.size(); ++l)
      intervals.push_back(bounds_of(all, s, f, q.row(l).t(), index_of(levels[l])));
    return intervals;
  }
  void write(ModelWriter& out) const override;

  /// All ends in increasing order, those of the smallest α outermost.
  arma::mat ends(const arma::mat& local, const arma::vec& f) const {
    if (!scale_) return local;
    const arma::mat log_s = local.row(0);
    arma::mat ends;
    if (of_z_) {
      ends = of_z_->at(arma::join_cols(f.t(), log_s));
      const arma::vec s = unit(local);
      for (arma::uword n = 0; n < ends.n_cols; ++n) ends.col(n) = f(n) + s(n) * ends.col(n);
    }
    if (!of_y_) return ends;
    const arma::mat direct = of_y_->at(arma::join_cols(local.tail_rows(local.n_rows - 1), f.t(), log_s));
    return of_z_ ? arma::mat(0.5 * (ends + direct)) : direct;
  }
  arma::vec unit(const arma::mat& local) const {
    if (!scale_) return arma::ones(local.n_cols);
    return arma::vec(local.row(0).t()).transform([](double value) { return math::exp(value); });
  }

 private:
  arma::vec lower(const arma::mat& ends, std::size_t k) const { return ends.row(ranks_[k]).t(); }
  arma::vec upper(const arma::mat& ends, std::size_t k) const {
    return ends.row(ends.n_rows - 1 - ranks_[k]).t();
  }
  Bounds bounds_of(const arma::mat& ends, const arma::vec& s, const arma::vec& f, const arma::vec& q,
                   std::size_t k) const {
    return {f - lower(ends, k) + q % s, upper(ends, k) - f + q % s};
  }

  std::vector<Level> levels_;
  std::vector<std::size_t> ranks_;
  std::optional<ScaleTrees> scale_;
  std::optional<QuantileTrees> of_z_, of_y_;
};

/// The score that validated best, with the name of its method.
class ChosenScore : public FittedScore {
 public:
  ChosenScore(std::string method, std::shared_ptr<const FittedScore> inner)
      : method_(std::move(method)), inner_(std::move(inner)) {}

  arma::mat local(const arma::mat& X) const override { return inner_->local(X); }
  std::vector<arma::vec> scores(const arma::mat& local, const arma::vec& f,
                                const arma::vec& y) const override {
    return inner_->scores(local, f, y);
  }
  Bounds bounds(const arma::mat& local, const arma::vec& f, const arma::vec& q,
                const Level& level) const override {
    return inner_->bounds(local, f, q, level);
  }
  std::span<const Level> levels() const override { return inner_->levels(); }
  std::vector<Bounds> intervals(const Calibration& calibration, const Queries& queries, const arma::vec& f,
                                std::span<const Level> levels, QuantileRule rule) const override {
    return inner_->intervals(calibration, queries, f, levels, rule);
  }
  std::optional<double> adaptation() const override { return inner_->adaptation(); }
  void write(ModelWriter& out) const override {
    out.array(method_);
    inner_->write(out);
  }

 private:
  std::string method_;
  std::shared_ptr<const FittedScore> inner_;
};

// ---- Validation and fits

/// The rows of a run, on which stages are compared: by the Winkler score, with q by leave-one-out, in units
/// of that of `fixed`; the mean over the levels that the rows are enough for.
class HeldRows {
 public:
  HeldRows(const FitInput& input, std::size_t run)
      : begin_(run_starts(input.y.n_elem)[run]),
        end_(run_starts(input.y.n_elem)[run + 1]),
        y_(held(input.y)),
        f_(held(input.f)),
        rule_(input.training.quantile),
        two_sided_(two_sided(training_for(Learning::adaptation, input.training).selection)) {
    for (std::size_t k = 0; k < input.levels.size(); ++k)
      if (y_.n_elem > 1 && half(input.levels[k]).rank(y_.n_elem - 1, rule_) < y_.n_elem) {
        levels_.push_back(input.levels[k]);
        fixed_.push_back(adapted(arma::ones(y_.n_elem), input.levels[k]));
      }
  }

  arma::vec held(const arma::vec& values) const {
    return begin_ == end_ ? arma::vec() : arma::vec(values.subvec(begin_, end_ - 1));
  }
  arma::mat held(const arma::mat& columns) const { return columns_between(columns, begin_, end_); }

  /// Of f ± q·s.
  double score(const arma::vec& s) const {
    return in_units_of_fixed([&](const Level& level) { return adapted(s, level); });
  }
  double score(const EndsScore& score, const arma::mat& local) const {
    const std::vector<arma::vec> scores = score.scores(local, f_, y_);
    return in_units_of_fixed([&](const Level& level) {
      const arma::vec q = leave_one_out(scores[score.index_of(level)], level, rule_);
      return winkler_score(score.bounds(local, f_, q, level), f_, y_, level);
    });
  }

 private:
  Level half(const Level& level) const { return two_sided_ ? level.half() : level; }
  double adapted(const arma::vec& s, const Level& level) const {
    const arma::vec z = (y_ - f_) / s;
    if (!two_sided_) {
      const arma::vec q = leave_one_out(arma::abs(z), level, rule_);
      return winkler_score(Bounds::symmetric(q % s), f_, y_, level);
    }
    const Bounds bounds{leave_one_out(-z, level.half(), rule_) % s,
                        leave_one_out(z, level.half(), rule_) % s};
    return winkler_score(bounds, f_, y_, level);
  }
  template <class Winkler>
  double in_units_of_fixed(Winkler winkler) const {
    std::vector<double> ratios;
    for (std::size_t k = 0; k < levels_.size(); ++k)
      ratios.push_back(fixed_[k] == 0.0 ? 1.0 : winkler(levels_[k]) / fixed_[k]);
    return ratios.empty() ? 1.0 : mean_of(ratios);
  }

  std::size_t begin_, end_;
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
      const arma::vec s = scale_to_the(power);
      std::vector<double> scores;
      for (const HeldRows& held : held_) scores.push_back(held.score(held.held(s)));
      if (const double score = mean_of(scores); score < best) best = score, theta = power;
    }
    return {best, std::make_shared<TreeScaleScore>(scale_.scale, theta)};
  }

  /// `shape`, and `blend` if it is wanted. The ends are those that the last run has stopped.
  std::vector<Validated> shaped(bool blend) const {
    const arma::mat behind = arma::join_cols(input_.f.t(), scale_.log_out.t());
    const BinnedAttributes bins_behind = make_bins(behind, BoostedOptions{}.bins);
    const arma::vec z = (input_.y - input_.f) / scale_to_the(1.0);
    const arma::mat all = blend ? arma::mat(arma::join_cols(input_.X, behind)) : arma::mat();
    const BinnedAttributes bins_all = blend ? joined(bins_, bins_behind) : BinnedAttributes();
    std::vector<QuantileTask> tasks;
    for (const std::size_t run : runs_) {
      tasks.push_back({bins_behind, behind, z, run});
      if (blend) tasks.push_back({bins_all, all, input_.y, run});
    }
    const std::vector<QuantileTrees> trees = learn_quantiles(tasks, input_.levels, input_.jobs);

    std::vector<Validated> validated;
    for (const bool with_y : {false, true}) {
      if (with_y && !blend) continue;
      std::vector<double> scores;
      std::shared_ptr<const EndsScore> score;
      for (std::size_t i = 0; i < runs_.size(); ++i) {
        const std::size_t of_z = i * (blend ? 2 : 1);
        score = std::make_shared<EndsScore>(input_.levels, scale_.scale, trees[of_z],
                                            with_y ? std::optional(trees[of_z + 1]) : std::nullopt);
        const arma::mat log_s = held_[i].held(arma::mat(scale_.log_out.t()));
        scores.push_back(held_[i].score(
            *score, with_y ? arma::mat(arma::join_cols(log_s, held_[i].held(input_.X))) : log_s));
      }
      validated.emplace_back(mean_of(scores), score);
    }
    return validated;
  }

 private:
  /// s^θ of each row.
  arma::vec scale_to_the(double theta) const {
    return arma::vec(scale_.log_out).transform([&](double value) { return math::exp(theta * value); });
  }

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
  return {.score =
              std::make_shared<EndsScore>(input.levels, std::nullopt, std::nullopt, std::move(trees[0]))};
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
  const auto least = std::ranges::min_element(result.validation_scores);
  if (network && !result.failure && least != result.validation_scores.end())
    stages.emplace_back("adapt", Validated(network_handicap * *least, result.score));
  const auto best =
      std::ranges::min_element(stages, {}, [](const auto& stage) { return stage.second.first; });
  result.failure.reset();
  result.score = std::make_shared<ChosenScore>(best->first, best->second.second);
  for (const auto& [name, validated] : stages) result.stages.push_back({name, validated.first});
  result.chosen = best->first;
  return result;
}

// ---- Files

void write_scale(ModelWriter& out, const ScaleTrees& scale) {
  write(out, scale.trees);
  out.number(scale.floor);
}

ScaleTrees read_scale(ModelReader& in, std::size_t inputs) {
  ScaleTrees scale{read_boosted(in, inputs), in.number<double>()};
  if (!(scale.floor >= 0.0) || !std::isfinite(scale.floor))
    in.refuse("holds numbers that no fitted model has");
  return scale;
}

QuantileTrees read_quantiles(ModelReader& in, std::size_t attributes, std::size_t levels) {
  QuantileTrees trees{read_outputs(in, attributes), read_outputs(in, attributes)};
  if (trees.lower.outputs() != levels || trees.upper.outputs() != levels)
    in.refuse("has parts whose sizes do not fit together");
  return trees;
}

void TreeScaleScore::write(ModelWriter& out) const {
  write_scale(out, trees_);
  out.number(theta_);
}

std::shared_ptr<const FittedScore> read_adapt_trees(const Method&, ModelReader& in, std::size_t inputs) {
  ScaleTrees scale = read_scale(in, inputs);
  const auto theta = in.number<double>();
  if (!(theta >= 0.0 && theta <= 1.0)) in.refuse("holds numbers that no fitted model has");
  return std::make_shared<TreeScaleScore>(std::move(scale), theta);
}

void EndsScore::write(ModelWriter& out) const {
  out.number(std::uint64_t{levels_.size()});
  for (const Level& level : levels_) out.array(level.text());
  if (scale_) write_scale(out, *scale_);
  for (const auto* trees : {&of_z_, &of_y_})
    if (*trees) lacp::write(out, (*trees)->lower), lacp::write(out, (*trees)->upper);
}

std::shared_ptr<const FittedScore> read_ends(const Method& method, ModelReader& in, std::size_t inputs) {
  std::vector<Level> levels;
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) levels.push_back(in.level(levels));
  if (levels.empty()) in.refuse("has no levels");
  std::optional<ScaleTrees> scale;
  std::optional<QuantileTrees> of_z, of_y;
  const bool plain = method.both_parts;
  if (!plain) scale = read_scale(in, inputs), of_z = read_quantiles(in, 2, levels.size());
  if (plain || method.name == "blend") of_y = read_quantiles(in, plain ? inputs : inputs + 2, levels.size());
  return std::make_shared<EndsScore>(std::move(levels), std::move(scale), std::move(of_z), std::move(of_y));
}

std::shared_ptr<const FittedScore> read_auto(const Method&, ModelReader& in, std::size_t inputs) {
  const auto name = in.array<std::string>();
  if (name != "adapt" && name != "adapt_trees" && name != "shape" && name != "blend")
    in.refuse("names a method that is not chosen from");
  const Method& method = find_method(name);
  return std::make_shared<ChosenScore>(name, method.read(method, in, inputs));
}

Method made(std::string name, std::string about, std::string equation,
            FitResult (*fit)(const Method&, const FitInput&), decltype(Method::read) read) {
  Method method;
  method.name = std::move(name);
  method.about = std::move(about);
  method.equation = std::move(equation);
  method.fit = fit;
  method.read = read;
  return method;
}

}  // namespace

std::vector<Method> staged_methods() {
  std::vector<Method> all = {
      made(
          "adapt_trees",
          "adapt with boosted trees in place of the network: s(x) is the mean error, learnt out of folds; θ is the power that validates best",
          "|y − f| / s^θ, θ ∈ {0, ¼, ½, ¾, 1}", &fit_adapt_trees, &read_adapt_trees),
      made(
          "shape",
          "both ends in units of the s of adapt_trees: quantiles of (y − f) / s by boosted trees on f and log s; calibration moves them by q·s",
          "max(lo − y, y − hi) / s", &fit_shape, &read_ends),
      made(
          "blend",
          "ends in the middle between those of shape and quantiles of y itself by boosted trees on x, f and log s",
          "max(lo − y, y − hi) / s", &fit_blend, &read_ends),
      made(
          "cqr_trees",
          "conformalised quantile regression by boosted trees: quantiles of y on x alone, as scikit-learn's users have it",
          "max(lo − y, y − hi)", &fit_cqr_trees, &read_ends),
      made(
          "auto",
          "adapt, adapt_trees, shape or blend: the least Winkler score on validation rows; adapt is tried with 100 to 8,000 rows",
          "that of the chosen one", &fit_auto, &read_auto),
  };
  all[0].scale_family = true;
  all[3].both_parts = true;
  all[4].learning = Learning::adaptation;  // that of adapt, which it may try
  return all;
}

}  // namespace lacp
