// The two ends of an interval as quantiles: of z = (y − f)/s on (f, log s), of y itself, or the mean of both.
#include <algorithm>
#include <numeric>

#include "lacp/base/model_bytes.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/conformal/baselines/tree_stages.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {
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
    return bounds_of(ends(local, f), unit(local), f, q, index_of(level));
  }
  std::vector<Bounds> bounds_for_each(const arma::mat& local, const arma::vec& f, std::span<const double> q,
                                      const Level& level) const override {
    const arma::mat all = ends(local, f);
    const arma::vec s = unit(local);
    std::vector<Bounds> each;
    for (const double threshold : q)
      each.push_back(
          bounds_of(all, s, f, arma::vec(f.n_elem, arma::fill::value(threshold)), index_of(level)));
    return each;
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
  void write(ModelWriter& out) const override {
    out.number(std::uint64_t{levels_.size()});
    for (const Level& level : levels_) out.array(level.text());
    if (scale_) lacp::write(out, *scale_);
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
  Bounds bounds_of(const arma::mat& ends, const arma::vec& s, const arma::vec& f, const arma::vec& q,
                   std::size_t k) const {
    return {f - lower(ends, k) + q % s, upper(ends, k) - f + q % s};
  }

  std::vector<Level> levels_;
  std::vector<std::size_t> ranks_;
  std::optional<ScaleTrees> scale_;
  std::optional<QuantileTrees> of_z_, of_y_;
};

QuantileTrees read_quantiles(ModelReader& in, std::size_t attributes, std::size_t levels) {
  QuantileTrees trees{read_outputs(in, attributes), read_outputs(in, attributes)};
  if (trees.lower.outputs() != levels || trees.upper.outputs() != levels)
    in.refuse("has parts whose sizes do not fit together");
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
      const HeldOut rows(targets.n_elem, run);
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
  std::vector<Level> levels;
  for (auto left = in.number<std::uint64_t>(); left > 0; --left) levels.push_back(in.level(levels));
  if (levels.empty()) in.refuse("has no levels");
  std::optional<ScaleTrees> scale;
  std::optional<QuantileTrees> of_z, of_y;
  const bool plain = method.both_parts;
  if (!plain) scale = read_scale(in, inputs), of_z = read_quantiles(in, 2, levels.size());
  if (plain || method.name == "blend") of_y = read_quantiles(in, plain ? inputs : inputs + 2, levels.size());
  return ends_score(std::move(levels), std::move(scale), std::move(of_z), std::move(of_y));
}

}  // namespace lacp
