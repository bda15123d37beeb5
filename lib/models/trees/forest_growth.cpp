// How the trees of a forest are grown, and what they know of their own rows.
#include <array>
#include <atomic>
#include <bit>
#include <cmath>

#include "lacp/base/threads.hpp"
#include "models/trees/boosting.hpp"
#include "models/trees/forest.hpp"

namespace lacp {
namespace {

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

/// Pointers of its own: a byte that is written might, for all the compiler knows, change those of a vector,
/// which it would read again for every row.
void copy_codes(const std::uint8_t* from, TableRows rows, std::uint8_t* to) {
  for (const std::uint32_t row : rows) *to++ = from[row];
}

/// The leaves' rows are places among `rows`.
QuantileForest::Tree filled(std::vector<CodedNode> nodes, const std::vector<GrownLeaf>& leaves,
                            TableRows rows, const std::vector<std::uint16_t>& codes) {
  QuantileForest::Tree tree{std::move(nodes), {0}, {}};
  tree.first.reserve(leaves.size() + 1);
  tree.codes.reserve(rows.size());
  for (const GrownLeaf& leaf : leaves) {
    for (const TableRows places : {leaf.rows, leaf.held})
      for (const std::uint32_t place : places) tree.codes.push_back(codes[rows[place]]);
    std::sort(tree.codes.begin() + tree.first.back(), tree.codes.end());
    tree.first.push_back(static_cast<std::uint32_t>(tree.codes.size()));
  }
  return tree;
}

/// Of each attribute the cuts that split a node, which are numbered anew.
std::vector<std::vector<double>> thresholds_in(std::vector<QuantileForest::Tree>& trees,
                                               const std::vector<std::vector<double>>& cuts) {
  std::vector<std::array<std::uint32_t, 256>> number(cuts.size(), std::array<std::uint32_t, 256>{});
  const auto for_inner = [&](const auto& use) {
    for (QuantileForest::Tree& tree : trees)
      for (std::size_t place = 0; place < tree.nodes.size(); ++place)
        if (CodedNode& node = tree.nodes[place]; !node.is_leaf(place)) use(node);
  };
  for_inner([&](const CodedNode& node) { number[node.attribute()][node.threshold()] = 1; });
  std::vector<std::vector<double>> used(cuts.size());
  for (std::size_t a = 0; a < cuts.size(); ++a)
    for (std::size_t cut = 0; cut < cuts[a].size(); ++cut)
      if (number[a][cut] != 0) {
        number[a][cut] = static_cast<std::uint32_t>(used[a].size());
        used[a].push_back(cuts[a][cut]);
      }
  for_inner([&](CodedNode& node) {
    node = CodedNode::inner(node.left, node.attribute(), number[node.attribute()][node.threshold()]);
  });
  return used;
}

/// Draws the rows of a tree from all of them, and returns how many, the first ones, grow it.
std::size_t draw_rows(std::vector<std::uint32_t>& rows, const ForestOptions& options, const Groups& groups,
                      Stream& drawn) {
  const std::size_t n = rows.size();
  const std::size_t most = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::ceil(options.sample_share * static_cast<double>(n))), 1,
      std::min(options.sample, n));
  if (groups.empty()) {
    const std::size_t size = std::min(std::max(options.rows_in_leaves, most), n);
    for (std::size_t i = 0; i < size; ++i) std::swap(rows[i], rows[i + drawn.below(n - i)]);
    rows.resize(size);
    return most;
  }
  if (groups.front() == groups.back()) return n;
  const std::vector<arma::uword> bag = divide_rows(n, most, groups, drawn).first;
  rows.assign(bag.begin(), bag.end());
  return bag.size();
}

}  // namespace

BaggedForest grow_forest(const BinnedAttributes& bins, const arma::vec& targets, const arma::vec& values,
                         const ForestOptions& options, std::uint64_t seed, const Groups& groups,
                         std::size_t jobs) {
  const std::size_t n = values.n_elem, attributes = bins.cuts.size();
  const BinnedValues binned = bin_values(values, options.bins);
  std::vector<std::uint32_t> every(n);
  std::iota(every.begin(), every.end(), 0u);
  SquaredObjective objective(targets, 1.0);
  objective.start(every);
  const std::span<const std::int64_t> residuals = objective.residuals();
  std::vector<QuantileForest::Tree> trees(options.trees);
  ForestBags bags{.codes = binned.codes, .roles = std::vector<std::vector<ForestBags::Role>>(options.trees)};
  bags.codes.resize(std::min(options.known, n));
  std::atomic<std::size_t> next = 0;
  std::vector<std::function<void()>> tasks;
  for (std::size_t part = 0; part < std::clamp<std::size_t>(jobs, 1, trees.size()); ++part)
    tasks.emplace_back([&] {
      // The rows of a tree side by side, so that the codes of an attribute fit into the nearest cache.
      BinnedAttributes sample;
      sample.cuts = bins.cuts;
      std::vector<std::int64_t> of_sample;
      TreeGrower grower(sample, {.leaves = 0, .least_rows = options.least_rows});
      std::vector<std::uint32_t> rows;
      std::vector<std::uint64_t> marks(n / 64 + 1);
      for (std::size_t t = next++; t < trees.size(); t = next++) {
        Stream drawn(seed + t);
        rows = every;
        const std::size_t grown = draw_rows(rows, options, groups, drawn), size = rows.size();
        // In their order, which changes no tree, they are close in memory.
        sort_rows(std::span(rows).first(grown), marks);
        sort_rows(std::span(rows).subspan(grown), marks);
        sample.rows = size;
        sample.codes.resize(size * attributes);
        of_sample.resize(size);
        for (std::size_t a = 0; a < attributes; ++a) copy_codes(bins.of(a), rows, &sample.codes[a * size]);
        for (std::size_t i = 0; i < size; ++i) of_sample[i] = residuals[rows[i]];
        grower.use(TableRows(every).first(grown), TableRows(every).first(size).subspan(grown));
        std::vector<CodedNode> nodes = grower.grow_fully(of_sample, options.attributes, drawn);
        trees[t] = filled(std::move(nodes), grower.leaves(), rows, binned.codes);
        bags.roles[t].assign(bags.codes.size(), ForestBags::Role::absent);
        for (std::size_t i = 0; i < size; ++i)
          if (rows[i] < bags.codes.size())
            bags.roles[t][rows[i]] = i < grown ? ForestBags::Role::grew : ForestBags::Role::fills;
      }
    });
  do_all(tasks, jobs);
  std::vector<std::vector<double>> thresholds = thresholds_in(trees, bins.cuts);
  return {QuantileForest(std::move(thresholds), binned.middles, std::move(trees)), std::move(bags)};
}

arma::mat BaggedForest::out_of_bag(const arma::mat& X, std::span<const double> taus,
                                   std::span<const std::uint32_t> rows, std::size_t jobs) const {
  arma::mat out(taus.size(), X.n_cols);
  in_blocks(X.n_cols, CodedTrees::block, jobs, [&](std::size_t begin, std::size_t end) {
    out.cols(begin, end - 1) =
        forest.out_of_bag(X.cols(begin, end - 1), taus, bags, rows.subspan(begin, end - begin));
  });
  return out;
}

}  // namespace lacp
