#include "lacp/model/trees/forest_grower.hpp"

#include <bit>
#include <cmath>

#include "lacp/base/threads.hpp"
#include "lacp/model/trees/boosting.hpp"

namespace lacp {
namespace {

/// Sorts different rows, by a mark for each row of the table; leaves no mark.
void sort_rows(std::span<std::uint32_t> rows, std::vector<std::uint64_t>& marks) {
  for (const std::uint32_t row : rows) marks[row / 64] |= std::uint64_t{1} << row % 64;
  auto next = rows.begin();
  for (std::size_t word = 0; word < marks.size(); ++word)
    for (; marks[word] != 0; marks[word] &= marks[word] - 1)
      *next++ =
          static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(marks[word]));
}

}  // namespace

/// The rows of a tree, those that grow it first, side by side, so that the codes of an attribute fit into the
/// nearest cache.
struct ForestGrower::Sample {
  std::vector<std::uint32_t> rows;
  std::size_t grown = 0;  // how many of them grow the tree
  BinnedAttributes bins = {};
  std::vector<std::int64_t> residuals = {};
  std::vector<std::uint64_t> marks = {};
};

ForestGrower::ForestGrower(const BinnedAttributes& bins, const arma::vec& targets, const arma::vec& values,
                           const ForestOptions& options, std::uint64_t seed, Groups groups)
    : bins_(bins),
      options_(options),
      seed_(seed),
      groups_(std::move(groups)),
      values_(bin_values(values, options.bins)),
      every_(values.n_elem) {
  std::iota(every_.begin(), every_.end(), 0u);
  SquaredObjective objective(targets, 1.0);
  objective.start(every_);
  residuals_.assign(objective.residuals().begin(), objective.residuals().end());
  bags_.codes.assign(values_.codes.begin(), values_.codes.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                        options.known, every_.size())));
}

ForestGrower::BinnedValues ForestGrower::bin_values(const arma::vec& values, std::size_t bins) {
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

void ForestGrower::draw(Sample& sample, Stream& drawn) const {
  const std::size_t n = every_.size();
  const std::size_t most = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::ceil(options_.sample_share * static_cast<double>(n))), 1,
      std::min(options_.sample, n));
  sample.rows = every_;
  sample.grown = most;
  if (groups_.empty()) {
    const std::size_t size = std::min(std::max(options_.rows_in_leaves, most), n);
    for (std::size_t i = 0; i < size; ++i) std::swap(sample.rows[i], sample.rows[i + drawn.below(n - i)]);
    sample.rows.resize(size);
  } else if (groups_.front() != groups_.back()) {
    const std::vector<arma::uword> bag = divide_rows(n, most, groups_, drawn).first;
    sample.rows.assign(bag.begin(), bag.end());
    sample.grown = bag.size();
  } else {
    sample.grown = n;
  }
  // In their order, which changes no tree, they are close in memory.
  sample.marks.resize(n / 64 + 1);
  sort_rows(std::span(sample.rows).first(sample.grown), sample.marks);
  sort_rows(std::span(sample.rows).subspan(sample.grown), sample.marks);
}

void ForestGrower::grow_tree(std::size_t t, Sample& sample, TreeGrower& grower) {
  Stream drawn(seed_ + t);
  draw(sample, drawn);
  const std::size_t size = sample.rows.size(), attributes = bins_.cuts.size();
  sample.bins.rows = size;
  sample.bins.codes.resize(size * attributes);
  sample.residuals.resize(size);
  for (std::size_t a = 0; a < attributes; ++a)
    for (std::size_t i = 0; i < size; ++i) sample.bins.codes[a * size + i] = bins_.of(a)[sample.rows[i]];
  for (std::size_t i = 0; i < size; ++i) sample.residuals[i] = residuals_[sample.rows[i]];
  grower.use(TableRows(every_).first(sample.grown), TableRows(every_).first(size).subspan(sample.grown));
  std::vector<TreeNode> nodes = grower.grow_fully(sample.residuals, options_.attributes, drawn);
  trees_[t] = filled(std::move(nodes), grower.leaves(), sample.rows);
  std::vector<ForestBags::Role>& roles = bags_.roles[t];
  roles.assign(bags_.codes.size(), ForestBags::Role::absent);
  for (std::size_t i = 0; i < size; ++i)
    if (sample.rows[i] < roles.size())
      roles[sample.rows[i]] = i < sample.grown ? ForestBags::Role::grew : ForestBags::Role::fills;
}

void ForestGrower::grow_to(std::size_t trees, std::size_t jobs) {
  const std::size_t before = trees_.size();
  if (trees <= before) return;
  trees_.resize(trees);
  bags_.roles.resize(trees);
  const std::size_t parts = std::clamp<std::size_t>(jobs, 1, trees - before);
  std::vector<std::function<void()>> tasks;
  for (std::size_t part = 0; part < parts; ++part)
    tasks.emplace_back([&, part] {
      Sample sample;
      sample.bins.cuts = bins_.cuts;
      TreeGrower grower(sample.bins, {.leaves = 0, .least_rows = options_.least_rows});
      for (std::size_t t = before + part; t < trees; t += parts) grow_tree(t, sample, grower);
    });
  do_all(tasks, jobs);
}

/// The leaves' rows are places among `rows`.
QuantileForest::Tree ForestGrower::filled(std::vector<TreeNode> nodes, const std::vector<GrownLeaf>& leaves,
                                          TableRows rows) const {
  QuantileForest::Tree tree{std::move(nodes), {0}, {}};
  for (std::uint32_t leaf = 0; leaf < leaves.size(); ++leaf) {
    tree.nodes[leaves[leaf].node].attribute = leaf;
    for (const TableRows places : {leaves[leaf].rows, leaves[leaf].held})
      for (const std::uint32_t place : places) tree.codes.push_back(values_.codes[rows[place]]);
    std::sort(tree.codes.begin() + tree.first.back(), tree.codes.end());
    tree.first.push_back(static_cast<std::uint32_t>(tree.codes.size()));
  }
  return tree;
}

arma::mat ForestGrower::out_of_bag(const arma::mat& X, std::span<const double> taus, std::size_t jobs) const {
  const QuantileForest grown = forest();
  arma::mat out(taus.size(), X.n_cols);
  in_blocks(X.n_cols, CodedTrees::block, jobs, [&](std::size_t begin, std::size_t end) {
    out.cols(begin, end - 1) = grown.out_of_bag(X.cols(begin, end - 1), taus, bags_, begin);
  });
  return out;
}

QuantileForest QuantileForest::fit(const BinnedAttributes& bins, const arma::vec& targets,
                                   const arma::vec& values, const ForestOptions& options, Stream& stream,
                                   std::size_t jobs) {
  ForestGrower grower(bins, targets, values, options, stream.bits());
  grower.grow_to(options.trees, jobs);
  return grower.forest();
}

}  // namespace lacp
