#include "lacp/model/boosted.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "lacp/base/error.hpp"

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

/// Trees of one output: a leaf's value stands in its node.
Trees plain_trees(const std::vector<OutputTree>& trees) {
  Trees all;
  for (const OutputTree& tree : trees)
    for (TreeNode& node : all.emplace_back(tree.nodes))
      if (node.left == 0) node = {.value = tree.values[node.attribute]};
  return all;
}

}  // namespace

Boosting boost(const BinnedAttributes& bins, TableRows fitted, TableRows held, const arma::mat& X_held,
               const BoostedOptions& options, BoostedObjective& objective) {
  const std::size_t outputs = objective.outputs();
  Boosting out{.base = objective.start(fitted), .trees = {}};
  std::vector<std::size_t> best(outputs, 0);
  std::vector<double> least;
  for (std::size_t k = 0; k < outputs; ++k) least.push_back(objective.loss(held, k));
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
    for (std::size_t i = 0; i < held.size(); ++i)
      held_in[leaf_of(tree.nodes, X_held.colptr(i)).attribute].push_back(held[i]);
    for (std::size_t leaf = 0; leaf < held_in.size(); ++leaf)
      if (!held_in[leaf].empty()) objective.add(held_in[leaf], tree.values.data() + leaf * outputs);
    out.trees.push_back(std::move(tree));
    for (std::size_t k = 0; k < outputs && !held.empty(); ++k)
      if (const double loss = objective.loss(held, k); loss < least[k])
        least[k] = loss, best[k] = out.trees.size();
  }
  if (held.empty()) return out;
  out.trees.resize(std::ranges::max(best));
  for (std::size_t t = 0; t < out.trees.size(); ++t)
    for (std::size_t i = 0; i < out.trees[t].values.size(); ++i)
      if (t >= best[i % outputs]) out.trees[t].values[i] = 0.0;
  return out;
}

BoostedTrees BoostedTrees::fit(const arma::mat& X, const arma::vec& y, const BoostedOptions& options,
                               Stream& stream) {
  refuse("boosted trees", find_problem(options));
  if (X.n_cols != y.n_elem || y.empty())
    user_error("boosted trees: {} columns of attributes but {} targets; expected as many, and at least one",
               X.n_cols, y.n_elem);
  require_finite(X);
  if (!y.is_finite()) user_error("boosted trees: targets must be finite numbers");
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
  std::vector<std::uint32_t> rows(y.n_elem);
  std::iota(rows.begin(), rows.end(), 0u);
  Boosting all = boost(make_bins(X, options.bins), rows, {}, {}, chosen, objective);
  for (OutputTree& tree : all.trees)
    for (double& value : tree.values) value = objective.real(value);
  return BoostedTrees(X.n_rows, objective.centre() + objective.real(all.base.front()),
                      plain_trees(all.trees));
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
  arma::vec f(X.n_cols);
  for (arma::uword n = 0; n < X.n_cols; ++n) {
    double sum = base_;
    for (const std::vector<TreeNode>& tree : trees_) sum += leaf_of(tree, X.colptr(n)).value;
    f(n) = sum;
  }
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
  for (arma::uword n = 0; n < X.n_cols; ++n) {
    double* sums = F.colptr(n);
    std::ranges::copy(boosting_.base, sums);
    for (const OutputTree& tree : boosting_.trees) {
      const double* values = tree.values.data() + leaf_of(tree.nodes, X.colptr(n)).attribute * outputs();
      for (std::size_t k = 0; k < outputs(); ++k) sums[k] += values[k];
    }
  }
  return F;
}

}  // namespace lacp
