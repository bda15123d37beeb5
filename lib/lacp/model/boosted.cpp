#include "lacp/model/boosted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "lacp/base/error.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace {

using Trees = std::vector<std::vector<TreeNode>>;

void require_finite(const arma::mat& X) {
  if (!X.is_finite()) user_error("boosted trees: attributes must be finite numbers");
}

void require_queries(const arma::mat& X, std::size_t attributes) {
  if (X.n_rows != attributes)
    user_error("boosted trees: {} attributes; the model was fitted on {}", X.n_rows, attributes);
  require_finite(X);
}

/// A tree stays in the cache while it is asked for a block of columns.
template <class Work>
void in_blocks(arma::uword columns, const Work& work) {
  constexpr arma::uword block = 256;
  for (arma::uword begin = 0; begin < columns; begin += block) work(begin, std::min(begin + block, columns));
}

/// Trees of one output: a leaf's value stands in its node.
Trees plain_trees(const std::vector<OutputTree>& trees) {
  Trees all;
  for (const OutputTree& tree : trees)
    for (TreeNode& node : all.emplace_back(tree.nodes))
      if (node.left == 0) node = {.value = tree.values[node.attribute]};
  return all;
}

}  // namespace

HeldOut::HeldOut(const std::vector<std::size_t>& starts, std::size_t fold) {
  for (std::size_t row = 0; row < starts.back(); ++row)
    (starts[fold] <= row && row < starts[fold + 1] ? held : fitted)
        .push_back(static_cast<std::uint32_t>(row));
}

Boosting boost(const BinnedAttributes& bins, TableRows fitted, TableRows held, const arma::mat& X_held,
               const BoostedOptions& options, BoostedObjective& objective) {
  const std::size_t outputs = objective.outputs();
  Boosting out{.base = objective.start(fitted), .trees = {}};
  std::vector<std::size_t> best(outputs, 0);
  std::vector<double> least;
  for (std::size_t k = 0; k < outputs; ++k) least.push_back(objective.loss(held, k));
  out.held_losses = {least.front()};
  const auto patience = [&] { return out.trees.size() - std::ranges::max(best) < options.patience; };

  TreeGrower grower(bins, options);
  std::vector<std::vector<std::uint32_t>> held_in(options.leaves);  // rows of each leaf
  while (out.trees.size() < options.rounds && (held.empty() || patience())) {
    OutputTree tree{.nodes = grower.grow(fitted, objective.residuals(fitted)), .values = {}};
    if (tree.nodes.size() == 1) break;  // nothing is left to split, now or later
    tree.values.resize(grower.leaves().size() * outputs);
    for (std::uint32_t leaf = 0; leaf < grower.leaves().size(); ++leaf) {
      const GrownLeaf& grown = grower.leaves()[leaf];
      double* values = tree.values.data() + leaf * outputs;
      tree.nodes[grown.node].attribute = leaf;
      objective.leaf_values(grown, values);
      objective.add(grown.rows, values);
    }
    for (auto& rows : held_in) rows.clear();
    for_leaves(tree.nodes, X_held, 0, held.size(),
               [&](arma::uword i, const TreeNode& leaf) { held_in[leaf.attribute].push_back(held[i]); });
    for (std::size_t leaf = 0; leaf < held_in.size(); ++leaf)
      if (!held_in[leaf].empty()) objective.add(held_in[leaf], tree.values.data() + leaf * outputs);
    out.trees.push_back(std::move(tree));
    for (std::size_t k = 0; k < outputs && !held.empty(); ++k) {
      const double loss = objective.loss(held, k);
      if (loss < least[k]) least[k] = loss, best[k] = out.trees.size();
      if (k == 0) out.held_losses.push_back(loss);
    }
  }
  if (!held.empty()) out.trees.resize(std::ranges::max(best));
  for (double& base : out.base) base = objective.final_base(base);
  for (std::size_t t = 0; t < out.trees.size(); ++t)
    for (std::size_t i = 0; i < out.trees[t].values.size(); ++i) {
      double& value = out.trees[t].values[i];
      value = held.empty() || t < best[i % outputs] ? objective.final_value(value) : 0.0;
    }
  return out;
}

namespace {

void require_table(const arma::mat& X, const arma::vec& y, const BoostedOptions& options) {
  refuse("boosted trees", find_problem(options));
  if (X.n_cols != y.n_elem || y.empty())
    user_error("boosted trees: {} columns of attributes but {} targets; expected as many, and at least one",
               X.n_cols, y.n_elem);
  require_finite(X);
  if (!y.is_finite()) user_error("boosted trees: targets must be finite numbers");
}

std::vector<std::uint32_t> rows_between(std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return rows;
}

/// The boostings of a cross-fit, a fold each.
class Folds {
 public:
  Folds(const BinnedAttributes& bins, const arma::mat& X, const std::vector<std::size_t>& starts,
        const BoostedObjective& objective, std::size_t jobs)
      : bins_(bins), X_(X), starts_(starts), objective_(objective), jobs_(jobs), grown_(starts.size() - 1) {}

  std::size_t count() const { return grown_.size(); }
  std::size_t rows() const { return starts_.back(); }
  Boosting& operator[](std::size_t fold) { return grown_[fold]; }

  /// Grows that fold's trees on the rows of the others; if they are held out, its own rows say when to stop.
  void grow(std::size_t fold, const BoostedOptions& options, bool held_out) {
    HeldOut of(starts_, fold);
    if (!held_out) of.held.clear();
    grown_[fold] = boost(bins_, of.fitted, of.held, columns_of(X_, of.held), options, *objective_.copy());
  }
  void grow_all(const BoostedOptions& options) {
    std::vector<std::function<void()>> tasks;
    for (std::size_t fold = 0; fold < count(); ++fold)
      tasks.emplace_back([this, fold, &options] { grow(fold, options, true); });
    do_all(tasks, jobs_);
  }

  /// All but the last `done` folds, and trees of all rows.
  BoostedTrees finish(const BoostedOptions& options, std::size_t done) {
    Boosting all;
    std::vector<std::function<void()>> tasks = {
        [&] { all = boost(bins_, rows_between(0, rows()), {}, {}, options, *objective_.copy()); }};
    for (std::size_t fold = 0; fold + done < count(); ++fold)
      tasks.emplace_back([this, fold, &options] { grow(fold, options, false); });
    do_all(tasks, jobs_);
    return BoostedTrees(X_.n_rows, all);
  }

  arma::vec predicted() const {
    arma::vec out(rows());
    for (std::size_t fold = 0; fold < count(); ++fold)
      if (const std::size_t begin = starts_[fold], end = starts_[fold + 1]; begin < end)
        out.subvec(begin, end - 1) = BoostedTrees(X_.n_rows, grown_[fold]).predict(X_.cols(begin, end - 1));
    return out;
  }

 private:
  const BinnedAttributes& bins_;
  const arma::mat& X_;
  const std::vector<std::size_t>& starts_;
  const BoostedObjective& objective_;
  std::size_t jobs_;
  std::vector<Boosting> grown_;
};

/// The rounds, and the smallest leaves of 20, 5 and 2 rows, with the least loss over all folds.
BoostedOptions chosen_by_all(Folds& folds, BoostedOptions options) {
  BoostedOptions best = options;
  double least = std::numeric_limits<double>::infinity();
  options.patience = options.rounds;
  for (const std::size_t rows : {options.least_rows, std::size_t{5}, std::size_t{2}}) {
    if (rows > options.least_rows) continue;
    options.least_rows = rows;
    folds.grow_all(options);
    std::vector<double> losses;
    for (std::size_t fold = 0; fold < folds.count(); ++fold) {
      const std::vector<double>& own = folds[fold].held_losses;
      losses.resize(std::max(losses.size(), own.size()), 0.0);
      for (std::size_t t = 0; t < losses.size(); ++t) losses[t] += own[std::min(t, own.size() - 1)];
    }
    const auto place = std::ranges::min_element(losses);
    if (*place < least) {
      least = *place;
      best = options;
      best.rounds = static_cast<std::size_t>(place - losses.begin());
    }
  }
  return best;
}

}  // namespace

CrossBoosted boost_folds(const BinnedAttributes& bins, const arma::mat& X,
                         const std::vector<std::size_t>& starts, BoostedOptions options,
                         const BoostedObjective& objective, RoundsBy by, std::size_t jobs) {
  Folds folds(bins, X, starts, objective, jobs);
  const bool all_choose = by == RoundsBy::few_rows && folds.rows() <= few_rows_to_boost;
  if (all_choose) {
    options = chosen_by_all(folds, options);
  } else {
    folds.grow(folds.count() - 1, options, true);
    options.rounds = folds[folds.count() - 1].trees.size();
  }
  BoostedTrees trees = folds.finish(options, all_choose ? 0 : 1);
  return {std::move(trees), folds.predicted()};
}

CrossBoosted boost_folds(const arma::mat& X, const arma::vec& y, const std::vector<std::size_t>& starts,
                         const BoostedOptions& options, std::size_t jobs) {
  require_table(X, y, options);
  return boost_folds(make_bins(X, options.bins), X, starts, options,
                     SquaredObjective(y, options.learning_rate), RoundsBy::few_rows, jobs);
}

CrossBoosted boost_before(const arma::mat& X, const arma::vec& y, std::size_t begin,
                          const BoostedOptions& options) {
  require_table(X, y, options);
  SquaredObjective objective(y, options.learning_rate);
  const std::vector<std::uint32_t> fitted = rows_between(0, begin), held = rows_between(begin, y.n_elem);
  const arma::mat X_held = X.tail_cols(held.size());
  BoostedTrees trees(X.n_rows,
                     boost(make_bins(X, options.bins, fitted), fitted, held, X_held, options, objective));
  arma::vec out = trees.predict(X_held);
  return {std::move(trees), std::move(out)};
}

BoostedTrees BoostedTrees::fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                               Stream& stream) {
  require_table(X, y, options);
  SquaredObjective objective(y, options.learning_rate);
  BoostedOptions chosen = options;
  const auto count = static_cast<std::size_t>(options.validation_share * static_cast<double>(y.n_elem));
  if (count > 0) {
    std::vector<std::uint32_t> order = stream.permutation<std::uint32_t>(y.n_elem);
    const std::span held = std::span(order).first(count), fitted = std::span(order).subspan(count);
    std::ranges::sort(fitted);  // trees are the same, and rows that follow each other are close in memory
    chosen.rounds =
        boost(make_bins(X, options.bins, fitted), fitted, held, columns_of(X, held), options, objective)
            .trees.size();
  }
  return BoostedTrees(
      X.n_rows, boost(make_bins(X, options.bins), rows_between(0, y.n_elem), {}, {}, chosen, objective));
}

BoostedTrees::BoostedTrees(std::size_t attributes, double base, Trees trees)
    : attributes_(attributes), base_(base), trees_(std::move(trees)) {
  if (!std::isfinite(base) ||
      !std::ranges::all_of(trees_, [&](const auto& tree) { return is_sound(tree, attributes); }))
    throw std::invalid_argument("BoostedTrees: not trees");
}

BoostedTrees::BoostedTrees(std::size_t attributes, const Boosting& boosting)
    : BoostedTrees(attributes, boosting.base.front(), plain_trees(boosting.trees)) {}

arma::vec BoostedTrees::predict(const arma::mat& X) const {
  require_queries(X, attributes_);
  arma::vec f(X.n_cols, arma::fill::value(base_));
  in_blocks(X.n_cols, [&](arma::uword begin, arma::uword end) {
    for (const std::vector<TreeNode>& tree : trees_)
      for_leaves(tree, X, begin, end, [&](arma::uword n, const TreeNode& leaf) { f(n) += leaf.value; });
  });
  return f;
}

BoostedOutputs::BoostedOutputs(std::size_t attributes, Boosting boosting)
    : attributes_(attributes), boosting_(std::move(boosting)) {
  const auto finite = [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  };
  bool sound = outputs() > 0 && finite(boosting_.base);
  for (const OutputTree& tree : boosting_.trees) {
    sound = sound && is_sound(tree.nodes, attributes) && finite(tree.values);
    for (const TreeNode& node : tree.nodes)
      sound =
          sound && (node.left != 0 || (std::size_t{node.attribute} + 1) * outputs() <= tree.values.size());
  }
  if (!sound) throw std::invalid_argument("BoostedOutputs: not trees");
}

arma::mat BoostedOutputs::predict(const arma::mat& X) const {
  require_queries(X, attributes_);
  arma::mat F(outputs(), X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) std::ranges::copy(boosting_.base, F.colptr(n));
  in_blocks(X.n_cols, [&](arma::uword begin, arma::uword end) {
    for (const OutputTree& tree : boosting_.trees)
      for_leaves(tree.nodes, X, begin, end, [&](arma::uword n, const TreeNode& leaf) {
        const double* values = tree.values.data() + leaf.attribute * outputs();
        for (std::size_t k = 0; k < outputs(); ++k) F(k, n) += values[k];
      });
  });
  return F;
}

}  // namespace lacp
