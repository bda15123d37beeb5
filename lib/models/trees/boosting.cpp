#include "models/trees/boosting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>

#include "lacp/base/threads.hpp"

namespace lacp {

SquaredObjective::SquaredObjective(const arma::vec& y, double learning_rate)
    : centre_(y.min() < y.max() ? 0.5 * y.min() + 0.5 * y.max() : y.min()), learning_rate_(learning_rate) {
  std::frexp(std::max(y.max() - centre_, centre_ - y.min()), &exponent_);
  exponent_ -= std::min(51, 60 - static_cast<int>(std::bit_width(std::uint64_t{y.n_elem})));
  targets_.reserve(y.n_elem);
  for (const double value : y) targets_.push_back(std::llround(std::ldexp(value - centre_, -exponent_)));
}

double SquaredObjective::final_value(double value) const { return std::ldexp(value, exponent_); }

double SquaredObjective::start(TableRows fitted) {
  std::int64_t mean = 0;
  for (const std::uint32_t row : fitted) mean += targets_[row];
  mean /= static_cast<std::int64_t>(fitted.size());
  residuals_ = targets_;
  for (std::int64_t& residual : residuals_) residual -= mean;
  return static_cast<double>(mean);
}

double SquaredObjective::leaf_value(const GrownLeaf& leaf) const {
  return static_cast<double>(
      std::llround(learning_rate_ * static_cast<double>(leaf.sum) / static_cast<double>(leaf.rows.size())));
}

void SquaredObjective::add(TableRows rows, double value) {
  const auto step = static_cast<std::int64_t>(value);
  for (const std::uint32_t row : rows) residuals_[row] -= step;
}

double SquaredObjective::loss(TableRows rows) const {
  double squares = 0.0;
  for (const std::uint32_t row : rows)
    squares += static_cast<double>(residuals_[row]) * static_cast<double>(residuals_[row]);
  return squares;
}

Booster::Booster(const BinnedAttributes& bins, TableRows fitted, TableRows held,
                 const BoostedOptions& options, SquaredObjective objective, std::size_t jobs,
                 std::uint64_t seed)
    : fitted_(fitted),
      held_(held),
      objective_(std::move(objective)),
      grower_(bins,
              {.leaves = options.leaves,
               .least_rows = options.least_rows,
               .columns = options.columns,
               .seed = seed},
              jobs),
      base_(objective_.start(fitted)) {
  grower_.use(fitted, held);
  if (holds_out()) losses_.push_back(objective_.loss(held_));
}

void Booster::grow_to(std::size_t rounds) {
  while (trees_.size() < rounds && !ended_) {
    std::vector<TreeNode> tree = grower_.grow(objective_.residuals());
    ended_ = tree.size() == 1;  // nothing is left to split, now or later
    if (ended_) return;
    for (const GrownLeaf& leaf : grower_.leaves()) {
      const double value = objective_.leaf_value(leaf);
      tree[leaf.node].value = value;
      objective_.add(leaf.rows, value);
      objective_.add(leaf.held, value);
    }
    trees_.push_back(std::move(tree));
    if (holds_out()) losses_.push_back(objective_.loss(held_));
  }
}

Boosting Booster::cut(std::size_t rounds) {
  Boosting out{.base = objective_.final_base(base_), .trees = std::move(trees_)};
  out.trees.resize(std::min(out.trees.size(), rounds));
  for (std::vector<TreeNode>& tree : out.trees)
    for (TreeNode& node : tree)
      if (node.left == 0) node.value = objective_.final_value(node.value);
  return out;
}

ChosenRounds grow_together(std::span<Booster* const> all, const BoostedOptions& options, std::size_t jobs) {
  if (std::ranges::none_of(all, &Booster::holds_out)) {
    for (Booster* one : all) one->grow_to(options.rounds);
    return {options.rounds, {}};
  }
  const auto sum_of = [&](std::size_t round) {
    double sum = 0.0;
    for (const Booster* one : all) sum += one->loss(round);
    return sum;
  };
  // Threads get several rounds at a time, in as many pieces as there are threads, so that all of them have
  // as much to do; what is grown beyond the end is not looked at.
  const std::size_t at_a_time = jobs > 1 && all.size() > 1 ? 10 : 1;
  const std::size_t pieces = std::clamp<std::size_t>(jobs, 1, at_a_time);
  std::vector<std::mutex> growing(all.size());
  double least = sum_of(0);
  ChosenRounds out{0, {least}};
  std::size_t grown = 0;
  for (std::size_t round = 1; round <= options.rounds; ++round) {
    if (round - 1 - out.rounds >= options.patience) break;
    if (round > grown) {
      const std::size_t more = std::min(at_a_time, options.rounds - grown);
      std::vector<std::function<void()>> tasks;
      for (std::size_t piece = 1; piece <= pieces; ++piece)
        for (std::size_t k = 0; k < all.size(); ++k)
          tasks.emplace_back([&, k, to = grown + more * piece / pieces] {
            const std::lock_guard alone(growing[k]);
            all[k]->grow_to(to);
          });
      do_all(tasks, jobs);
      grown += more;
    }
    if (std::ranges::all_of(all, [&](const Booster* one) { return one->rounds() < round; })) break;
    const double sum = sum_of(round);
    if (sum < least) {
      least = sum;
      out.rounds = round;
    }
    out.losses.push_back(sum);
  }
  return out;
}

Boosting boost(const BinnedAttributes& bins, TableRows fitted, TableRows held, const BoostedOptions& options,
               const SquaredObjective& objective, std::size_t jobs) {
  Booster booster(bins, fitted, held, options, objective, jobs);
  Booster* const all[] = {&booster};
  return booster.cut(grow_together(all, options, 1).rounds);
}

}  // namespace lacp
