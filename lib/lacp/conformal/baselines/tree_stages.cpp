#include "lacp/conformal/baselines/tree_stages.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {

// The scale s(x), which `adapt_trees` uses to the power θ, and the other stages as the unit of their ends.

namespace {

void write_scale(ModelWriter& out, const ScaleTrees& scale) {
  write(out, scale.trees);
  out.number(scale.floor);
}

ScaleTrees read_scale(ModelReader& in, std::size_t inputs) {
  ScaleTrees scale{read_boosted(in, inputs), in.number<double>()};
  in.require_numbers(scale.floor >= 0.0 && std::isfinite(scale.floor));
  return scale;
}

class TreeScaleScore : public ErrorScore {
 public:
  TreeScaleScore(ScaleTrees trees, double theta) : trees_(std::move(trees)), theta_(theta) {}

  arma::mat local(const arma::mat& X) const override { return trees_.log_scale(X).t(); }
  arma::vec scale(const arma::mat& log_s) const override { return power_of(log_s.t(), theta_); }
  std::optional<double> adaptation() const override { return theta_; }
  void write(ModelWriter& out) const override {
    write_scale(out, trees_);
    out.number(theta_);
  }

 private:
  ScaleTrees trees_;
  double theta_;
};

}  // namespace

std::vector<std::size_t> run_starts(std::size_t rows) {
  std::vector<std::size_t> starts;
  for (std::size_t run = 0; run <= last_run + 1; ++run) starts.push_back(run * rows / (last_run + 1));
  return starts;
}

BoostedOptions stage_options(std::size_t rows) {
  return {.rounds = 200, .least_rows = std::clamp<std::size_t>(rows / 50, 5, 20)};
}

arma::vec ScaleTrees::log_of(arma::vec F) const {
  return F.transform([&](double value) { return math::log(math::exp(value) + floor); });
}

LearntScale learn_scale(const BinnedAttributes& bins, const arma::mat& X, const arma::vec& errors,
                        std::size_t jobs) {
  const BoostedOptions options = stage_options(errors.n_elem);
  CrossBoosted grown = boost_folds(bins, X, run_starts(errors.n_elem), options,
                                   ScaleObjective(errors, options.learning_rate), RoundsBy::last_fold, jobs);
  LearntScale learnt{{std::move(grown.trees), 0.05 * mean_of(errors)}, {}};
  learnt.log_out = learnt.scale.log_of(grown.out);
  return learnt;
}

std::shared_ptr<const FittedScore> scale_score(ScaleTrees scale, double theta) {
  return std::make_shared<TreeScaleScore>(std::move(scale), theta);
}

std::shared_ptr<const FittedScore> read_scale_score(const Method&, ModelReader& in, std::size_t inputs) {
  ScaleTrees scale = read_scale(in, inputs);
  const auto theta = in.number<double>();
  in.require_numbers(theta >= 0.0 && theta <= 1.0);
  return scale_score(std::move(scale), theta);
}

// The two ends of an interval as quantiles: of z = (y − f)/s on (f, log s), of y itself, or the mean of both.

namespace {

/// Levels from the smallest α on: the order in which ends lie from outside to inside.
std::vector<std::size_t> ranks_of(std::span<const Level> levels) {
  std::vector<std::size_t> order(levels.size()), ranks(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return levels[k].value(); });
  for (std::size_t r = 0; r < order.size(); ++r) ranks[order[r]] = r;
  return ranks;
}

class EndsScore : public FittedScore {
 public:
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
    return all_bounds(local, f, q.t(), {&level, 1}).front();
  }
  std::vector<Bounds> all_bounds(const arma::mat& local, const arma::vec& f, const arma::mat& q,
                                 std::span<const Level> levels) const override {
    const arma::mat all = ends(local, f);
    const arma::vec s = unit(local);
    std::vector<Bounds> bounds;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      const std::size_t k = index_of(levels[l]);
      const arma::vec moved = q.row(l).t() % s;
      bounds.push_back({f - lower(all, k) + moved, upper(all, k) - f + moved});
    }
    return bounds;
  }
  void write(ModelWriter& out) const override {
    out.levels(levels_);
    if (scale_) write_scale(out, *scale_);
    for (const auto* trees : {&of_z_, &of_y_})
      if (*trees) lacp::write(out, (*trees)->lower), lacp::write(out, (*trees)->upper);
  }

 private:
  /// All ends in increasing order, those of the smallest α outermost.
  arma::mat ends(const arma::mat& local, const arma::vec& f) const {
    if (!scale_) return local;
    const arma::mat behind = arma::join_cols(f.t(), local.row(0));
    const arma::vec s = unit(local);
    arma::mat ends = of_z_->at(behind);
    for (arma::uword n = 0; n < ends.n_cols; ++n) ends.col(n) = f(n) + s(n) * ends.col(n);
    if (!of_y_) return ends;
    return 0.5 * (ends + of_y_->at(arma::join_cols(local.tail_rows(local.n_rows - 1), behind)));
  }
  arma::vec unit(const arma::mat& local) const {
    return scale_ ? power_of(local.row(0).t(), 1.0) : arma::vec(local.n_cols, arma::fill::ones);
  }
  arma::vec lower(const arma::mat& ends, std::size_t k) const { return ends.row(ranks_[k]).t(); }
  arma::vec upper(const arma::mat& ends, std::size_t k) const {
    return ends.row(ends.n_rows - 1 - ranks_[k]).t();
  }
  std::vector<Level> levels_;
  std::vector<std::size_t> ranks_;
  std::optional<ScaleTrees> scale_;
  std::optional<QuantileTrees> of_z_, of_y_;
};

QuantileTrees read_quantiles(ModelReader& in, std::size_t attributes, std::size_t levels) {
  QuantileTrees trees{read_outputs(in, attributes), read_outputs(in, attributes)};
  in.require_sizes(trees.lower.outputs() == levels && trees.upper.outputs() == levels);
  return trees;
}

}  // namespace

arma::mat QuantileTrees::at(const arma::mat& A) const {
  arma::mat ends = arma::join_cols(lower.predict(A), upper.predict(A));
  for (arma::uword n = 0; n < ends.n_cols; ++n) std::sort(ends.begin_col(n), ends.end_col(n));
  return ends;
}

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
      const HeldOut rows(run_starts(targets.n_elem), run);
      const BoostedOptions options = stage_options(targets.n_elem);
      QuantileObjective objective(targets, i % 2 == 0 ? low : high, options.learning_rate);
      grown[i].emplace(A.n_rows,
                       boost(bins, rows.fitted, rows.held, columns_of(A, rows.held), options, objective));
    });
  do_all(tasks, jobs);
  std::vector<QuantileTrees> all;
  for (std::size_t i = 0; i < grown.size(); i += 2)
    all.push_back({std::move(*grown[i]), std::move(*grown[i + 1])});
  return all;
}

std::shared_ptr<const FittedScore> ends_score(std::vector<Level> levels, std::optional<ScaleTrees> scale,
                                              std::optional<QuantileTrees> of_z,
                                              std::optional<QuantileTrees> of_y) {
  return std::make_shared<EndsScore>(std::move(levels), std::move(scale), std::move(of_z), std::move(of_y));
}

std::shared_ptr<const FittedScore> read_ends_score(const Method& method, ModelReader& in,
                                                   std::size_t inputs) {
  std::vector<Level> levels = in.levels();
  std::optional<ScaleTrees> scale;
  std::optional<QuantileTrees> of_z, of_y;
  const bool plain = method.both_parts;
  if (!plain) scale = read_scale(in, inputs), of_z = read_quantiles(in, 2, levels.size());
  if (plain || method.name == "blend") of_y = read_quantiles(in, plain ? inputs : inputs + 2, levels.size());
  return ends_score(std::move(levels), std::move(scale), std::move(of_z), std::move(of_y));
}

}  // namespace lacp
