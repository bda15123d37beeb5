#include "lacp/model/boosted_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace lacp {

bool is_sound(std::span<const TreeNode> tree, std::size_t attributes) {
  bool sound = !tree.empty();
  for (std::size_t i = 0; i < tree.size(); ++i)
    sound = sound && std::isfinite(tree[i].value) &&
            (tree[i].left == 0 || (tree[i].attribute < attributes && tree[i].left > i &&
                                   std::size_t{tree[i].left} + 1 < tree.size()));
  return sound;
}

TreeGrower::TreeGrower(const BinnedAttributes& bins, const BoostedOptions& options)
    : bins_(bins), options_(options), first_bin_{0} {
  for (std::uint32_t a = 0; a < bins.cuts.size(); ++a) {
    first_bin_.push_back(first_bin_.back() + bins.cuts[a].size() + 1);
    if (!bins.cuts[a].empty()) splittable_.push_back(a);
  }
}

std::vector<TreeGrower::Bin> TreeGrower::spare_histogram() {
  if (spare_.empty()) return std::vector<Bin>(first_bin_.back());
  std::vector<Bin> histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
}

void TreeGrower::put_back(std::vector<Bin>& histogram) {
  if (!histogram.empty()) spare_.push_back(std::move(histogram));
  histogram.clear();
}

/// Row after row: the bins of different attributes do not wait for each other, as those of one attribute do
/// where rows have the same value.
void TreeGrower::fill(std::vector<Bin>& histogram, std::span<const std::uint32_t> attributes,
                      const Leaf& leaf) const {
  for (const std::uint32_t a : attributes)
    std::fill(histogram.begin() + static_cast<std::ptrdiff_t>(first_bin_[a]),
              histogram.begin() + static_cast<std::ptrdiff_t>(first_bin_[a + 1]), Bin{});
  const TableRows rows = TableRows(rows_).subspan(leaf.begin, leaf.size());
  if (!bins_.sparse()) {
    std::vector<std::pair<std::uint32_t, Bin*>> places;
    for (const std::uint32_t a : attributes) places.emplace_back(a, histogram.data() + first_bin_[a]);
    for (const std::uint32_t row : rows) {
      const std::uint8_t* codes = bins_.by_row.data() + row * bins_.cuts.size();
      const std::int64_t residual = residuals_[row];
      for (const auto& [a, bins] : places) {
        Bin& bin = bins[codes[a]];
        bin.sum += residual;
        bin.rows += 1;
      }
    }
    return;
  }
  for (const std::uint32_t row : rows) {
    const std::int64_t residual = residuals_[row];
    const std::uint32_t end = bins_.first_other[row + 1];
    for (std::uint32_t i = bins_.first_other[row]; i < end; ++i) {
      Bin& bin = histogram[bins_.others[i]];
      bin.sum += residual;
      bin.rows += 1;
    }
  }
  for (const std::uint32_t a : attributes) {  // the most frequent code has what the others leave
    Bin rest{leaf.sum, static_cast<std::int64_t>(leaf.size())};
    for (std::size_t bin = first_bin_[a]; bin < first_bin_[a + 1]; ++bin)
      rest.sum -= histogram[bin].sum, rest.rows -= histogram[bin].rows;
    histogram[first_bin_[a] + bins_.frequent[a]] = rest;
  }
}

/// The gain of a split into L and R is n_L·n_R/n·(mean_L − mean_R)² = n/(n_L·n_R)·(S_L − n_L·S/n)². An
/// attribute that cannot split this leaf cannot split a part of it either.
void TreeGrower::consider(Leaf& leaf, std::uint32_t attribute) const {
  const Bin* histogram = leaf.histogram.data() + first_bin_[attribute];
  const std::size_t cuts = bins_.cuts[attribute].size();
  const auto n = static_cast<std::int64_t>(leaf.size()),
             least = static_cast<std::int64_t>(options_.least_rows);
  const double mean = static_cast<double>(leaf.sum) / static_cast<double>(n);
  // Sums whose means are equal differ by no more than roundings of the whole sum.
  const double rounding = 0x1p-50 * std::abs(static_cast<double>(leaf.sum));
  Bin left;
  bool usable = false;
  for (std::size_t cut = 0; cut < cuts; ++cut) {
    if (histogram[cut].rows == 0) continue;
    left.sum += histogram[cut].sum;
    left.rows += histogram[cut].rows;
    const std::int64_t right = n - left.rows;
    if (left.rows < least) continue;
    if (right < least) break;
    usable = true;
    const double excess = static_cast<double>(left.sum) - mean * static_cast<double>(left.rows);
    const double gain = excess * excess / (static_cast<double>(left.rows) * static_cast<double>(right));
    if (gain > leaf.best.gain && std::abs(excess) > rounding)
      leaf.best = {
          .gain = gain, .attribute = attribute, .cut = static_cast<std::uint8_t>(cut), .left_sum = left.sum};
  }
  if (usable) leaf.attributes.push_back(attribute);
}

TreeGrower::Leaf TreeGrower::make_root(TableRows rows) {
  rows_.assign(rows.begin(), rows.end());
  moved_.resize(rows.size());
  Leaf root{.end = rows.size()};
  for (const std::uint32_t row : rows) root.sum += residuals_[row];
  if (root.size() < 2 * options_.least_rows) return root;
  root.histogram = spare_histogram();
  fill(root.histogram, splittable_, root);
  for (const std::uint32_t attribute : splittable_) consider(root, attribute);
  root.best.gain *= static_cast<double>(root.size());
  return root;
}

/// The rows of either side stay in their order. Returns where the right ones begin.
std::size_t TreeGrower::move_rows(const Leaf& leaf) {
  const std::uint8_t* codes = bins_.of(leaf.best.attribute);
  std::size_t left = leaf.begin, right = 0;
  for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
    const std::uint32_t row = rows_[i];
    const bool stays = codes[row] <= leaf.best.cut;
    rows_[left] = moved_[right] = row;
    left += stays ? 1 : 0;
    right += stays ? 0 : 1;
  }
  std::copy_n(moved_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
  return left;
}

/// The larger part's histogram is the parent's less the smaller part's.
void TreeGrower::look_for_splits(Leaf& smaller, Leaf& larger, Leaf& parent) {
  const std::size_t least = 2 * options_.least_rows;
  if (larger.size() < least) return;
  smaller.histogram = spare_histogram();
  larger.histogram = std::move(parent.histogram);
  fill(smaller.histogram, parent.attributes, smaller);
  for (const std::uint32_t attribute : parent.attributes) {
    const Bin* few = smaller.histogram.data() + first_bin_[attribute];
    Bin* many = larger.histogram.data() + first_bin_[attribute];
    for (std::size_t i = 0; i <= bins_.cuts[attribute].size(); ++i) {
      many[i].sum -= few[i].sum;
      many[i].rows -= few[i].rows;
    }
    consider(larger, attribute);
    if (smaller.size() >= least) consider(smaller, attribute);
  }
  for (Leaf* leaf : {&smaller, &larger}) {
    leaf->best.gain *= static_cast<double>(leaf->size());
    if (leaf->best.gain == 0.0) put_back(leaf->histogram);
  }
}

std::vector<TreeNode> TreeGrower::grow(TableRows rows, std::span<const std::int64_t> residuals) {
  std::vector<TreeNode> tree(1);
  std::vector<Leaf> leaves;
  residuals_ = residuals;
  leaves.push_back(make_root(rows));
  while (leaves.size() < options_.leaves) {
    const auto best = std::ranges::max_element(leaves, {}, [](const Leaf& leaf) { return leaf.best.gain; });
    if (best->best.gain == 0.0) break;
    const Split& split = best->best;
    tree[best->node] = {.value = bins_.cuts[split.attribute][split.cut],
                        .attribute = split.attribute,
                        .left = static_cast<std::uint32_t>(tree.size())};
    const std::size_t middle = move_rows(*best);
    Leaf left{.node = tree.size(), .begin = best->begin, .end = middle, .sum = split.left_sum};
    Leaf right{.node = tree.size() + 1, .begin = middle, .end = best->end, .sum = best->sum - split.left_sum};
    tree.resize(tree.size() + 2);
    if (leaves.size() + 1 < options_.leaves) {
      if (left.size() <= right.size())
        look_for_splits(left, right, *best);
      else
        look_for_splits(right, left, *best);
    }
    put_back(best->histogram);
    *best = std::move(left);
    leaves.push_back(std::move(right));
  }
  grown_.clear();
  for (Leaf& leaf : leaves) {
    put_back(leaf.histogram);
    grown_.push_back(
        {.node = leaf.node, .rows = TableRows(rows_).subspan(leaf.begin, leaf.size()), .sum = leaf.sum});
  }
  return tree;
}

namespace {

/// Between a < b, so that a ≤ cut < b even where they are neighbours among the doubles.
double between(double a, double b) {
  const double middle = 0.5 * a + 0.5 * b;
  return a <= middle && middle < b ? middle : a;
}

std::vector<double> cuts_of(const std::vector<double>& sorted, std::size_t bins) {
  std::vector<double> cuts, distinct;
  for (const double x : sorted) {
    if (distinct.empty() || x != distinct.back()) distinct.push_back(x);
    if (distinct.size() > bins) break;
  }
  if (distinct.size() <= bins) {
    for (std::size_t i = 1; i < distinct.size(); ++i) cuts.push_back(between(distinct[i - 1], distinct[i]));
    return cuts;
  }
  for (std::size_t j = 1; j < bins; ++j) {  // the value at (n − 1)·j/bins, or between its two neighbours
    const std::size_t place = (sorted.size() - 1) * j, low = place / bins;
    const double a = sorted[low], b = sorted[low + (place % bins != 0 ? 1 : 0)];
    const double cut = a < b ? between(a, b) : a;
    if (cut < sorted.back() && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

void fill_by_row(BinnedAttributes& bins) {
  const std::size_t width = bins.cuts.size();
  std::size_t others = 0;
  bins.frequent.clear();
  for (std::size_t a = 0; a < width; ++a) {
    std::array<std::size_t, 256> counts{};
    for (std::size_t n = 0; n < bins.rows; ++n) ++counts[bins.of(a)[n]];
    const auto most = std::ranges::max_element(counts);
    bins.frequent.push_back(static_cast<std::uint8_t>(most - counts.begin()));
    others += bins.rows - *most;
  }
  bins.by_row.clear(), bins.others.clear(), bins.first_other.clear();
  if (others > bins.codes.size() / 4 * 3 || others > std::numeric_limits<std::uint32_t>::max()) {
    bins.by_row.resize(bins.codes.size());
    for (std::size_t a = 0; a < width; ++a)
      for (std::size_t n = 0; n < bins.rows; ++n) bins.by_row[n * width + a] = bins.of(a)[n];
    return;
  }
  bins.others.reserve(others);
  for (std::size_t n = 0; n < bins.rows; ++n) {
    bins.first_other.push_back(static_cast<std::uint32_t>(bins.others.size()));
    std::size_t first_bin = 0;
    for (std::size_t a = 0; a < width; first_bin += bins.cuts[a++].size() + 1)
      if (const std::uint8_t code = bins.of(a)[n]; code != bins.frequent[a])
        bins.others.push_back(static_cast<std::uint32_t>(first_bin + code));
  }
  bins.first_other.push_back(static_cast<std::uint32_t>(bins.others.size()));
}

}  // namespace

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of) {
  BinnedAttributes out;
  out.rows = X.n_cols;
  out.cuts.resize(X.n_rows);
  out.codes.resize(X.n_rows * X.n_cols);
  std::vector<double> sorted(of.size());
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    for (std::size_t k = 0; k < of.size(); ++k) sorted[k] = X(i, of[k]);
    std::sort(sorted.begin(), sorted.end());
    const std::vector<double>& cuts = out.cuts[i] = cuts_of(sorted, bins);
    for (arma::uword n = 0; n < X.n_cols; ++n)
      out.codes[i * X.n_cols + n] =
          static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), X(i, n)) - cuts.begin());
  }
  fill_by_row(out);
  return out;
}

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins) {
  std::vector<std::uint32_t> all(X.n_cols);
  std::iota(all.begin(), all.end(), 0u);
  return make_bins(X, bins, all);
}

BinnedAttributes joined(BinnedAttributes first, const BinnedAttributes& second) {
  first.cuts.insert(first.cuts.end(), second.cuts.begin(), second.cuts.end());
  first.codes.insert(first.codes.end(), second.codes.begin(), second.codes.end());
  fill_by_row(first);
  return first;
}

}  // namespace lacp
