#include "models/trees/forest.hpp"

#include <cmath>
#include <stdexcept>

namespace lacp {
namespace {

constexpr std::size_t most_trees = 255;  // whose weights fit into 32 bits
constexpr std::uint32_t most_bins = 65536;
constexpr std::uint32_t weight_of_tree = std::uint32_t{1} << 24;

std::vector<std::span<const CodedNode>> nodes_of(const std::vector<QuantileForest::Tree>& trees) {
  std::vector<std::span<const CodedNode>> all;
  for (const QuantileForest::Tree& tree : trees) all.emplace_back(tree.nodes);
  return all;
}

}  // namespace

QuantileForest::QuantileForest(std::vector<std::vector<double>> thresholds, std::vector<double> middles,
                               std::vector<Tree> trees)
    : middles_(std::move(middles)), coded_(std::move(thresholds), nodes_of(trees)) {
  bool sound =
      !middles_.empty() && middles_.size() <= most_bins && !trees.empty() && trees.size() <= most_trees;
  for (std::size_t i = 0; i < middles_.size(); ++i)
    sound = sound && std::isfinite(middles_[i]) && (i == 0 || middles_[i - 1] < middles_[i]);
  for (Tree& tree : trees) {
    sound = sound && !tree.first.empty() && tree.first.front() == 0 && tree.first.back() == tree.codes.size();
    for (std::size_t i = 1; sound && i < tree.first.size(); ++i) sound = tree.first[i - 1] < tree.first[i];
    for (const std::uint16_t code : tree.codes) sound = sound && code < middles_.size();
    sound = sound && add_leaves(tree);
    rows_.push_back({std::move(tree.first), std::move(tree.codes)});
  }
  if (!sound) throw std::invalid_argument("QuantileForest: not a forest");
}

/// False if the tree has more or fewer leaves than it says.
bool QuantileForest::add_leaves(const Tree& tree) {
  constexpr std::uint32_t one = most_bins;
  std::vector<std::uint32_t>& at = leaf_at_.emplace_back(tree.nodes.size());
  std::size_t leaf = 0;
  for_nodes(tree.nodes, [&](std::uint32_t place) {
    if (!tree.nodes[place].is_leaf(place) || ++leaf >= tree.first.size()) return;
    const std::uint32_t begin = tree.first[leaf - 1], end = tree.first[leaf];
    at[place] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.insert(leaves_.end(), {0, weight_of_tree / (end - begin)});
    for (std::uint32_t i = begin; i < end; ++i)
      if (i != begin && tree.codes[i] == tree.codes[i - 1] && leaves_.back() < -one)
        leaves_.back() += one;
      else {
        leaves_.push_back(one + tree.codes[i]);
        ++leaves_[at[place]];
      }
  });
  return leaf + 1 == tree.first.size();
}

/// add_up_of(column of X, its leaves, weights): the weights of the bins, and their sum, which is 0 if the
/// column has no quantiles.
template <class AddUp>
arma::mat QuantileForest::quantiles_by(const arma::mat& X, std::span<const double> taus,
                                       const AddUp& add_up_of) const {
  const std::size_t trees = size();
  arma::mat out(taus.size(), X.n_cols);
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> found(CodedTrees::block * trees), weights(middles_.size());
  for (arma::uword begin = 0; begin < X.n_cols; begin += CodedTrees::block) {
    const arma::uword end = std::min(begin + CodedTrees::block, X.n_cols);
    coded_.code(X, begin, end, codes);
    for (std::size_t t = 0; t < trees; ++t)
      coded_.for_leaves(t, end - begin, codes, [&](std::size_t row, std::uint32_t node) {
        found[row * trees + t] = leaf_at_[t][node];
      });
    for (arma::uword n = begin; n < end; ++n) {
      const auto total =
          static_cast<double>(add_up_of(n, std::span(found).subspan((n - begin) * trees, trees), weights));
      std::int64_t sum = 0;
      std::size_t bin = 0;
      for (std::size_t k = 0; k < taus.size(); ++k) {
        const double exact = taus[k] * total;
        auto wanted = static_cast<std::int64_t>(exact);
        if (static_cast<double>(wanted) < exact) ++wanted;  // as std::ceil, which is a call
        while (bin + 1 < weights.size() && sum + weights[bin] < wanted) sum += weights[bin++];
        out(k, n) = total > 0 ? middles_[bin] : arma::datum::nan;
      }
    }
  }
  return out;
}

arma::mat QuantileForest::quantiles(const arma::mat& X, std::span<const double> taus) const {
  return quantiles_by(X, taus, [&](arma::uword, std::span<const std::uint32_t> leaves, auto& weights) {
    return add_up(leaves, weights);
  });
}

arma::mat QuantileForest::out_of_bag(const arma::mat& X, std::span<const double> taus, const ForestBags& bags,
                                     std::span<const std::uint32_t> rows) const {
  std::vector<std::uint32_t> others;
  return quantiles_by(X, taus, [&](arma::uword n, std::span<const std::uint32_t> leaves, auto& weights) {
    others.clear();
    std::uint32_t own = 0;
    for (std::size_t t = 0; t < leaves.size(); ++t) {
      const ForestBags::Role role = bags.roles[t][rows[n]];
      if (role == ForestBags::Role::grew) continue;
      others.push_back(leaves[t]);
      if (role == ForestBags::Role::fills) own += leaves_[leaves[t] + 1];
    }
    const std::uint64_t total = add_up(others, weights);
    // Of a file that no fit made it may be less.
    std::uint32_t& of_own = weights[bags.codes[rows[n]]];
    own = std::min(own, of_own);
    of_own -= own;
    return total - own;
  });
}

/// The weights of the bins that these leaves give; returns their sum.
std::uint64_t QuantileForest::add_up(std::span<const std::uint32_t> leaves,
                                     std::vector<std::uint32_t>& weights) const {
  constexpr std::size_t ahead = 12;  // leaves lie far apart in memory
  std::uint64_t total = 0;
  std::ranges::fill(weights, 0u);
  for (std::size_t t = 0; t < leaves.size(); ++t) {
    const std::uint32_t* const soon = leaves_.data() + leaves[std::min(t + ahead, leaves.size() - 1)];
    __builtin_prefetch(soon);
    __builtin_prefetch(soon + 15);
    const std::uint32_t* const leaf = leaves_.data() + leaves[t];
    for (std::uint32_t i = 0; i < leaf[0]; ++i) {
      const std::uint32_t weight = leaf[1] * (leaf[2 + i] / most_bins);
      weights[leaf[2 + i] % most_bins] += weight;
      total += weight;
    }
  }
  return total;
}

}  // namespace lacp
