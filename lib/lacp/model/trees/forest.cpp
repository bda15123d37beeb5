#include "lacp/model/trees/forest.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "lacp/base/threads.hpp"
#include "lacp/model/trees/boosting.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_trees = 255;  // whose weights fit into 32 bits
constexpr std::uint32_t most_bins = 65536;
constexpr std::uint32_t weight_of_tree = std::uint32_t{1} << 24;

/// Values in bins, and the middle one of each bin. Equal values share a bin; towards both ends, where
/// neighbours are far apart, bins have fewer and fewer rows: up to bin u of 1 there are 3u² − 2u³ of all.
struct BinnedValues {
  std::vector<double> middles;
  std::vector<std::uint16_t> codes;  ///< of each value
};

BinnedValues bin_values(const arma::vec& values, std::size_t bins) {
  const std::size_t n = values.n_elem;
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t row) { return values(row); });
  BinnedValues out{{}, std::vector<std::uint16_t>(n)};
  std::size_t place = 0;
  for (std::size_t begin = 0; begin < n;) {
    const std::size_t bin = out.middles.size();
    std::size_t end = begin;
    while (end <= begin) {
      const double u = static_cast<double>(++place) / static_cast<double>(bins);
      end = place >= bins ? n : static_cast<std::size_t>(u * u * (3.0 - 2.0 * u) * static_cast<double>(n));
      if (n <= bins) end = begin + 1;
    }
    while (end < n && values(order[end]) == values(order[end - 1])) ++end;
    out.middles.push_back(values(order[(begin + end - 1) / 2]));
    for (std::size_t i = begin; i < end; ++i) out.codes[order[i]] = static_cast<std::uint16_t>(bin);
    begin = end;
  }
  return out;
}

/// Sorts different rows, by a mark for each row of the table; leaves no mark.
void sort_rows(std::span<std::uint32_t> rows, std::vector<std::uint64_t>& marks) {
  for (const std::uint32_t row : rows) marks[row / 64] |= std::uint64_t{1} << row % 64;
  auto next = rows.begin();
  for (std::size_t word = 0; word < marks.size(); ++word)
    for (; marks[word] != 0; marks[word] &= marks[word] - 1)
      *next++ =
          static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(marks[word]));
}

/// The leaves' rows are places among `rows`.
QuantileForest::Tree filled(std::vector<TreeNode> nodes, const std::vector<GrownLeaf>& leaves, TableRows rows,
                            const std::vector<std::uint16_t>& codes) {
  QuantileForest::Tree tree{std::move(nodes), {0}, {}};
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    tree.nodes[leaves[leaf].node].attribute = leaf;
    for (const TableRows places : {leaves[leaf].rows, leaves[leaf].held})
      for (const std::uint32_t place : places) tree.codes.push_back(codes[rows[place]]);
    std::sort(tree.codes.begin() + tree.first.back(), tree.codes.end());
    tree.first.push_back(static_cast<std::uint32_t>(tree.codes.size()));
  }
  return tree;
}

std::vector<std::vector<TreeNode>> nodes_of(const std::vector<QuantileForest::Tree>& trees) {
  std::vector<std::vector<TreeNode>> all;
  for (const QuantileForest::Tree& tree : trees) all.push_back(tree.nodes);
  return all;
}

}  // namespace

QuantileForest QuantileForest::fit(const BinnedAttributes& bins, const arma::vec& targets,
                                   const arma::vec& values, const ForestOptions& options, Stream& stream,
                                   std::size_t jobs) {
  const std::size_t n = values.n_elem;
  const std::size_t grown = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::ceil(options.sample_share * static_cast<double>(n))), 1,
      std::min(options.sample, n));
  const std::size_t filling = std::min(std::max(options.rows_in_leaves, grown), n) - grown;
  const BinnedValues binned = bin_values(values, options.bins);
  std::vector<std::uint32_t> every(n);
  std::iota(every.begin(), every.end(), 0u);
  SquaredObjective objective(targets, 1.0);
  objective.start(every);
  const std::span<const std::int64_t> residuals = objective.residuals();
  const std::uint64_t seed = stream.bits();
  std::vector<Tree> trees(options.trees);
  const std::size_t parts = std::clamp<std::size_t>(jobs, 1, trees.size());
  std::vector<std::function<void()>> tasks;
  for (std::size_t part = 0; part < parts; ++part)
    tasks.emplace_back([&, part] {
      // The rows of a tree side by side, so that the codes of an attribute fit into the nearest cache.
      const std::size_t size = grown + filling;
      BinnedAttributes sample;
      sample.rows = size;
      sample.cuts = bins.cuts;
      sample.codes.resize(size * bins.cuts.size());
      std::vector<std::int64_t> of_sample(size);
      TreeGrower grower(sample, {.leaves = 0, .least_rows = options.least_rows});
      std::vector<std::uint32_t> rows;
      std::vector<std::uint64_t> marks(n / 64 + 1);
      for (std::size_t t = part; t < trees.size(); t += parts) {
        Stream drawn(seed + t);
        rows = every;
        for (std::size_t i = 0; i < size; ++i) std::swap(rows[i], rows[i + drawn.below(n - i)]);
        rows.resize(size);
        // In their order, which changes no tree, they are close in memory.
        sort_rows(std::span(rows).first(grown), marks);
        sort_rows(std::span(rows).subspan(grown), marks);
        for (std::size_t a = 0; a < bins.cuts.size(); ++a)
          for (std::size_t i = 0; i < size; ++i) sample.codes[a * size + i] = bins.of(a)[rows[i]];
        for (std::size_t i = 0; i < size; ++i) of_sample[i] = residuals[rows[i]];
        grower.use(TableRows(every).first(grown), TableRows(every).subspan(grown, filling));
        std::vector<TreeNode> nodes = grower.grow_fully(of_sample, options.attributes, drawn);
        trees[t] = filled(std::move(nodes), grower.leaves(), rows, binned.codes);
      }
    });
  do_all(tasks, jobs);
  return QuantileForest(bins.cuts.size(), binned.middles, std::move(trees));
}

QuantileForest::QuantileForest(std::size_t attributes, std::vector<double> middles, std::vector<Tree> trees)
    : middles_(std::move(middles)), trees_(std::move(trees)), coded_(attributes, nodes_of(trees_)) {
  bool sound =
      !middles_.empty() && middles_.size() <= most_bins && !trees_.empty() && trees_.size() <= most_trees;
  for (std::size_t i = 0; i < middles_.size(); ++i)
    sound = sound && std::isfinite(middles_[i]) && (i == 0 || middles_[i - 1] < middles_[i]);
  for (const Tree& tree : trees_) {
    sound = sound && !tree.first.empty() && tree.first.front() == 0 && tree.first.back() == tree.codes.size();
    for (std::size_t i = 1; sound && i < tree.first.size(); ++i) sound = tree.first[i - 1] < tree.first[i];
    for (const TreeNode& node : tree.nodes)
      sound = sound && (node.left != 0 || std::size_t{node.attribute} + 1 < tree.first.size());
    for (const std::uint16_t code : tree.codes) sound = sound && code < middles_.size();
  }
  if (!sound) throw std::invalid_argument("QuantileForest: not a forest");
  for (const Tree& tree : trees_) add_leaves(tree);
}

void QuantileForest::add_leaves(const Tree& tree) {
  constexpr std::uint32_t one = most_bins;
  std::vector<std::uint32_t>& at = leaf_at_.emplace_back(tree.nodes.size());
  for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
    if (tree.nodes[node].left != 0) continue;
    const std::uint32_t begin = tree.first[tree.nodes[node].attribute],
                        end = tree.first[tree.nodes[node].attribute + 1];
    at[node] = static_cast<std::uint32_t>(leaves_.size());
    leaves_.insert(leaves_.end(), {0, weight_of_tree / (end - begin)});
    for (std::uint32_t i = begin; i < end; ++i)
      if (i != begin && tree.codes[i] == tree.codes[i - 1] && leaves_.back() < -one)
        leaves_.back() += one;
      else {
        leaves_.push_back(one + tree.codes[i]);
        ++leaves_[at[node]];
      }
  }
}

arma::mat QuantileForest::quantiles(const arma::mat& X, std::span<const double> taus) const {
  const std::size_t trees = trees_.size();
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
      const std::uint64_t total = add_up(std::span(found).subspan((n - begin) * trees, trees), weights);
      std::int64_t sum = 0;
      std::size_t bin = 0;
      for (std::size_t k = 0; k < taus.size(); ++k) {
        const double exact = taus[k] * static_cast<double>(total);
        auto wanted = static_cast<std::int64_t>(exact);
        if (static_cast<double>(wanted) < exact) ++wanted;  // as std::ceil, which is a call
        while (bin + 1 < weights.size() && sum + weights[bin] < wanted) sum += weights[bin++];
        out(k, n) = middles_[bin];
      }
    }
  }
  return out;
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
