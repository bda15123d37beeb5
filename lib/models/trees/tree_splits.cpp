// Which split of a leaf is best: by a histogram of its rows, or, where they are few, by the bins in use.
#include <bit>
#include <cmath>

#include "lacp/base/threads.hpp"
#include "models/trees/tree_grower.hpp"

namespace lacp {
namespace {

/// Sums of attributes that are added in vain grow from tree to tree: nobody reads them or sets them to zero.
/// They may wrap around, as unsigned numbers do.
std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

TreeGrower::Histogram TreeGrower::spare_histogram() {
  if (spare_.empty())
    return {std::vector<std::int64_t>(first_bin_.back()), std::vector<std::uint32_t>(first_bin_.back())};
  Histogram histogram = std::move(spare_.back());
  spare_.pop_back();
  return histogram;
}

void TreeGrower::put_back(Histogram& histogram) {
  if (!histogram.sums.empty()) spare_.push_back(std::move(histogram));
  histogram = {};
}

/// Adds the residuals of these rows to the bins of the attributes, or takes them away with a sign of −1, and
/// counts the rows. Row after row: the bins of different attributes do not wait for each other, as those of
/// one attribute do where rows have the same value. Where bins are sparse, the most frequent ones are left
/// out.
template <int sign, bool counts>
void TreeGrower::add(Histogram& histogram, std::span<const std::uint32_t> attributes, TableRows rows) const {
  if (attributes.empty()) return;
  const auto add_to = [sums = histogram.sums.data(), numbers = histogram.rows.data()](std::size_t bin,
                                                                                      std::int64_t residual) {
    sums[bin] = wrapping_sum(sums[bin], residual);
    if constexpr (counts) numbers[bin] += static_cast<std::uint32_t>(sign);
  };
  if (bins_.sparse()) {
    for (const std::uint32_t row : rows) {
      const std::size_t end = bins_.first_other[row + 1];
      for (std::size_t i = bins_.first_other[row]; i < end; ++i)
        add_to(bins_.others[i], sign * residuals_[row]);
    }
    return;
  }
  constexpr std::size_t ahead = 16;
  const std::size_t width = bins_.cuts.size();
  const std::size_t first = attributes.front(), end = attributes.back() + std::size_t{1};
  const bool nearly_all = attributes.size() > (end - first) / 4 * 3;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t soon = rows[std::min(i + ahead, rows.size() - 1)];
    __builtin_prefetch(bins_.by_row.data() + soon * width + first);
    __builtin_prefetch(bins_.by_row.data() + soon * width + end - 1);  // often in the next line of the cache
    __builtin_prefetch(residuals_.data() + soon);
    const std::uint16_t* const bins = bins_.by_row.data() + rows[i] * width;
    const std::int64_t residual = sign * residuals_[rows[i]];
    if (nearly_all) {  // a few in vain take less time than looking up which
      for (std::size_t a = first; a < end; ++a) add_to(bins[a], residual);
    } else {
      for (const std::uint32_t a : attributes) add_to(bins[a], residual);
    }
  }
}

/// Where bins are sparse, the most frequent code has what the others leave.
void TreeGrower::fill_frequent(Histogram& histogram, std::span<const std::uint32_t> attributes,
                               const Leaf& leaf) const {
  if (!bins_.sparse()) return;
  for (const std::uint32_t a : attributes) {
    const std::size_t frequent = first_bin_[a] + bins_.frequent[a];
    std::int64_t sum = leaf.sum;
    auto rows = static_cast<std::uint32_t>(leaf.size());
    for (std::size_t bin = first_bin_[a]; bin < first_bin_[a + 1]; ++bin)
      if (bin != frequent) {
        sum -= histogram.sums[bin];
        rows -= histogram.rows[bin];
      }
    histogram.sums[frequent] = sum;
    histogram.rows[frequent] = rows;
  }
}

/// Threads have attributes of their own, where that is worth their start.
template <bool counts>
void TreeGrower::fill(Histogram& histogram, std::span<const std::uint32_t> attributes,
                      const Leaf& leaf) const {
  constexpr std::size_t worth = std::size_t{1} << 18;
  const std::size_t parts =
      bins_.sparse() || leaf.size() * attributes.size() < worth ? 1 : std::min(jobs_, attributes.size());
  std::vector<std::function<void()>> tasks;
  for (std::size_t part = 0; part < parts; ++part)
    tasks.emplace_back([&, part] {
      const std::size_t begin = part * attributes.size() / parts,
                        end = (part + 1) * attributes.size() / parts;
      for (const std::uint32_t a : attributes.subspan(begin, end - begin)) {
        std::fill(histogram.sums.data() + first_bin_[a], histogram.sums.data() + first_bin_[a + 1], 0);
        if constexpr (counts)
          std::fill(histogram.rows.data() + first_bin_[a], histogram.rows.data() + first_bin_[a + 1], 0u);
      }
      add<1, counts>(histogram, attributes.subspan(begin, end - begin), rows_of(leaf));
    });
  do_all(tasks, jobs_);
  fill_frequent(histogram, attributes, leaf);
}

/// The cuts of an attribute from the lowest on. The gain of a split into L and R is
/// n_L·n_R/n·(mean_L − mean_R)² = n/(n_L·n_R)·(S_L − n_L·S/n)²; n is multiplied in at the end.
class TreeGrower::Scan {
 public:
  Scan(Leaf& leaf, std::size_t least)
      : leaf_(leaf),
        best_(leaf.best),
        n_(static_cast<std::int64_t>(leaf.size())),
        least_(static_cast<std::int64_t>(least)),
        mean_(static_cast<double>(leaf.sum) / static_cast<double>(n_)),
        rounding_(0x1p-50 * std::abs(static_cast<double>(leaf.sum))) {}

  /// Each cut that has rows below it, of those that were not below the last one: for_each_cut(next), with
  /// next(cut, sum, rows), which is false if no cut above can be used.
  template <class Cuts>
  void look_at(std::uint32_t attribute, Cuts for_each_cut) {
    // Copies, which stay in registers.
    const std::int64_t n = n_, least = least_;
    const double mean = mean_, rounding = rounding_;
    std::int64_t sum = 0, rows = 0;
    Split best = best_;
    bool usable = false;
    for_each_cut([&](std::size_t cut, std::int64_t own_sum, std::int64_t own_rows) {
      sum += own_sum;
      rows += own_rows;
      const std::int64_t right = n - rows;
      if (rows < least) return true;
      if (right < least) return false;
      usable = true;
      const double excess = static_cast<double>(sum) - mean * static_cast<double>(rows);
      const double square = excess * excess, parts = static_cast<double>(rows) * static_cast<double>(right);
      if (square < best.gain * parts) return true;  // a division for few: no quotient below is above
      // Sums whose means are equal differ by no more than roundings of the whole sum.
      if (const double gain = square / parts; gain > best.gain && std::abs(excess) > rounding)
        best = {.gain = gain, .attribute = attribute, .cut = static_cast<std::uint8_t>(cut), .left_sum = sum};
      return true;
    });
    best_ = best;
    // An attribute that cannot split this leaf cannot split a part of it either.
    if (usable) leaf_.attributes.push_back(attribute);
  }

  void end() { leaf_.best = best_; }

 private:
  Leaf& leaf_;
  Split best_;
  std::int64_t n_, least_;
  double mean_, rounding_;
};

void TreeGrower::consider(Leaf& leaf, std::span<const std::uint32_t> attributes) const {
  Scan scan(leaf, options_.least_rows);
  for (const std::uint32_t a : attributes) {
    const std::int64_t* const sums = leaf.histogram.sums.data() + first_bin_[a];
    const std::uint32_t* const rows = leaf.histogram.rows.data() + first_bin_[a];
    scan.look_at(a, [&, end = bins_.cuts[a].size()](auto next) {
      for (std::size_t cut = 0; cut < end; ++cut)
        if (rows[cut] != 0 && !next(cut, sums[cut], rows[cut])) break;
    });
  }
  scan.end();
}

/// Fewer rows than bins: only the bins in use are visited, attribute by attribute. Rows are added to the bins
/// of several attributes at a time: where many rows share a bin, one addition waits for the one before.
void TreeGrower::consider_small(Leaf& leaf, std::span<const std::uint32_t> attributes) {
  const TableRows rows = rows_of(leaf);
  ordered_.clear();
  for (const std::uint32_t row : rows) ordered_.push_back(SumAndRows{residuals_[row], 1});
  Scan scan(leaf, options_.least_rows);
  for (; attributes.size() >= at_once; attributes = attributes.subspan(at_once))
    consider_some<at_once>(scan, attributes.first<at_once>(), rows);
  for (; !attributes.empty(); attributes = attributes.subspan(1))
    consider_some<1>(scan, attributes.first<1>(), rows);
  scan.end();
}

/// 1 << i % 64, which takes longer.
constexpr std::array<std::uint64_t, 256> bit_of = [] {
  std::array<std::uint64_t, 256> bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = std::uint64_t{1} << i % 64;
  return bits;
}();

template <std::size_t count>
void TreeGrower::consider_some(Scan& scan, std::span<const std::uint32_t, count> attributes, TableRows rows) {
  std::array<const std::uint8_t*, count> codes;
  std::array<BinSet, count> used{};
  for (std::size_t k = 0; k < count; ++k) codes[k] = bins_.of(attributes[k]);
  const auto add_rows = [&](auto note) {
    const SumAndRows* row = ordered_.data();
    for (const std::uint32_t place : rows) {
      for (std::size_t k = 0; k < count; ++k) {
        const std::uint8_t code = codes[k][place];
        scratch_[k][code] += *row;
        note(k, code);
      }
      ++row;
    }
  };
  if (rows.size() < scratch_[0].size()) {
    add_rows([&](std::size_t k, std::uint8_t code) { used[k][code / 64] |= bit_of[code]; });
  } else {  // it takes less time to look at all bins afterwards
    add_rows([](std::size_t, std::uint8_t) {});
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t bin = 0; bin <= bins_.cuts[attributes[k]].size(); ++bin)
        if (scratch_[k][bin][1] != 0) used[k][bin / 64] |= bit_of[bin];
  }
  for (std::size_t k = 0; k < count; ++k)
    scan.look_at(attributes[k], [&bins = scratch_[k], &in_use = used[k]](auto next) {
      bool more = true;
      for (std::size_t word = 0; word < in_use.size(); ++word)
        for (std::uint64_t bits = in_use[word]; bits != 0; bits &= bits - 1) {
          const std::size_t cut = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
          more = more && next(cut, bins[cut][0], bins[cut][1]);
          bins[cut] = SumAndRows{};
        }
    });
}

bool TreeGrower::is_small(const Leaf& leaf, std::span<const std::uint32_t> attributes) const {
  std::size_t bins = 0;
  for (const std::uint32_t a : attributes) bins += first_bin_[a + 1] - first_bin_[a];
  return leaf.size() * attributes.size() < bins;
}

TreeGrower::Leaf TreeGrower::make_root() {
  Leaf root = all_rows();
  if (root.size() < 2 * options_.least_rows) return root;
  if (is_small(root, drawn_)) {
    consider_small(root, drawn_);
  } else {
    root.histogram = spare_histogram();
    if (root_rows_.empty()) {  // of all attributes: later trees may be split by others
      fill<true>(root.histogram, splittable_, root);
      root_rows_ = root.histogram.rows;
    } else {
      root.histogram.rows = root_rows_;
      fill<false>(root.histogram, drawn_, root);
    }
    consider(root, drawn_);
  }
  root.best.gain *= static_cast<double>(root.size());
  return root;
}

/// The larger part's histogram is the parent's less the smaller part's.
void TreeGrower::look_for_splits(Leaf& smaller, Leaf& larger, Leaf& parent) {
  const std::size_t least = 2 * options_.least_rows;
  const std::vector<std::uint32_t>& attributes = parent.attributes;
  if (larger.size() < least) return;
  if (parent.histogram.sums.empty() || is_small(larger, attributes)) {
    consider_small(larger, attributes);
    if (smaller.size() >= least) consider_small(smaller, attributes);
  } else {
    larger.histogram = std::move(parent.histogram);
    parent.histogram = {};
    if (smaller.size() < least || is_small(smaller, attributes)) {
      add<-1, true>(larger.histogram, attributes, rows_of(smaller));
      fill_frequent(larger.histogram, attributes, larger);
      if (smaller.size() >= least) consider_small(smaller, attributes);
    } else {
      smaller.histogram = spare_histogram();
      fill<true>(smaller.histogram, attributes, smaller);
      for (const std::uint32_t a : attributes)
        for (std::size_t bin = first_bin_[a]; bin < first_bin_[a + 1]; ++bin) {
          larger.histogram.sums[bin] -= smaller.histogram.sums[bin];
          larger.histogram.rows[bin] -= smaller.histogram.rows[bin];
        }
      consider(smaller, attributes);
    }
    consider(larger, attributes);
  }
  for (Leaf* leaf : {&smaller, &larger}) {
    leaf->best.gain *= static_cast<double>(leaf->size());
    if (leaf->best.gain == 0.0) put_back(leaf->histogram);
  }
}

}  // namespace lacp
