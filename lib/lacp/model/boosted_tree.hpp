#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lacp/model/boosted_bins.hpp"
#include "lacp/model/options.hpp"

namespace lacp {

/// A node of a regression tree. The children of an inner node are neighbours: `left`, where the attribute is
/// no larger than the threshold, and left + 1.
struct TreeNode {
  double value = 0.0;           ///< threshold; of a leaf what it predicts
  std::uint32_t attribute = 0;  ///< unused in a leaf
  std::uint32_t left = 0;       ///< place in the tree, behind this node's; 0: a leaf
};

/// The value of the leaf in which x lies.
inline double leaf_value(std::span<const TreeNode> tree, const double* x) {
  const TreeNode* node = tree.data();
  while (node->left != 0) node = &tree[node->left + (x[node->attribute] <= node->value ? 0 : 1)];
  return node->value;
}

/// Grows trees best-first: the leaf whose split takes most from the sum of squares is split next; of equal
/// splits the one with the lowest attribute, then the lowest cut. Residuals are integers, so the sums of a
/// histogram are exact, in whatever order the rows come.
class TreeGrower {
 public:
  /// Both are kept by reference.
  TreeGrower(const BinnedAttributes& bins, const BoostedOptions& options);

  /// A tree for these residuals. The value of a leaf, a whole number, is subtracted from those that lie in
  /// it.
  std::vector<TreeNode> grow(std::vector<std::int64_t>& residuals);

 private:
  struct Bin {
    std::int64_t sum = 0, rows = 0;
  };
  struct Split {
    double gain = 0.0;  ///< 0: there is none
    std::uint32_t attribute = 0;
    std::uint8_t cut = 0;
    std::int64_t left_sum = 0;
  };
  /// A leaf so far: a run of rows_.
  struct Leaf {
    std::size_t node = 0, begin = 0, end = 0;
    std::int64_t sum = 0;
    Split best = {};
    std::vector<Bin> histogram = {};             ///< where the leaf may be split
    std::vector<std::uint32_t> attributes = {};  ///< by which it, or a part of it, could be
    std::size_t size() const { return end - begin; }
  };

  Leaf make_root(const std::vector<std::int64_t>& residuals);
  void fill(Bin* histogram, std::uint32_t attribute, const Leaf& leaf) const;
  void consider(Leaf& leaf, std::uint32_t attribute) const;
  std::size_t move_rows(const Leaf& leaf);
  void look_for_splits(Leaf& smaller, Leaf& larger, Leaf& parent);
  std::vector<Bin> spare_histogram();
  void put_back(std::vector<Bin>& histogram);

  const BinnedAttributes& bins_;
  const BoostedOptions& options_;
  std::vector<std::size_t> first_bin_;  // of each attribute in a histogram; one more for the end
  std::vector<std::uint32_t> rows_, moved_rows_;
  std::vector<std::int64_t> residuals_, moved_residuals_;  // in the order of rows_
  std::vector<std::vector<Bin>> spare_;
};

}  // namespace lacp
