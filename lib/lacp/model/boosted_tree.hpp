#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

#include "lacp/base/options.hpp"

namespace lacp {

/// Places of rows in a table, in any order.
using TableRows = std::span<const std::uint32_t>;

/// Their columns.
inline arma::mat columns_of(const arma::mat& X, TableRows rows) {
  arma::mat some(X.n_rows, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) some.col(i) = X.col(rows[i]);
  return some;
}

/// Attributes in bins: what is left of their values is which cuts they exceed.
struct BinnedAttributes {
  std::size_t rows = 0;
  std::vector<std::vector<double>> cuts;  ///< of each attribute, increasing; none if it is constant
  std::vector<std::uint8_t> codes;        ///< number of cuts below the value; attribute after attribute

  /// The same, row after row, for histograms. Where most codes are their attribute's most frequent one, as
  /// with categories, only the others are here, each as a place among the bins of all attributes.
  std::vector<std::uint8_t> by_row;
  std::vector<std::uint8_t> frequent;              ///< of each attribute
  std::vector<std::uint32_t> others, first_other;  ///< rows + 1 of the latter; none: by_row holds all

  const std::uint8_t* of(std::size_t attribute) const { return codes.data() + attribute * rows; }
  bool sparse() const { return !first_other.empty(); }
};

/// At most `bins` ≤ 255 bins for each attribute, a row of X. Where an attribute has no more different values
/// than that among the table's rows `of`, a cut lies between any two; else the cuts are the quantiles j/bins
/// of these values. All columns of X are coded.
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of);
BinnedAttributes make_bins(const arma::mat& X, std::size_t bins);  ///< of all rows

/// The attributes of both, which have the same rows.
BinnedAttributes joined(BinnedAttributes first, const BinnedAttributes& second);

/// A node of a regression tree. The children of an inner node are neighbours: `left`, where the attribute is
/// no larger than the threshold, and left + 1.
struct TreeNode {
  double value = 0.0;           ///< threshold; of a leaf what it predicts
  std::uint32_t attribute = 0;  ///< in a leaf 0, or its number where trees have several outputs
  std::uint32_t left = 0;       ///< place in the tree, behind this node's; 0: a leaf
};

/// The leaf in which x lies.
inline const TreeNode& leaf_of(std::span<const TreeNode> tree, const double* x) {
  const TreeNode* node = tree.data();
  while (node->left != 0) node = &tree[node->left + (x[node->attribute] <= node->value ? 0 : 1)];
  return *node;
}

/// The same for columns begin to end of X: use(n, leaf) for each. Several go down side by side, so that one
/// does not wait for another.
template <class Use>
void for_leaves(std::span<const TreeNode> tree, const arma::mat& X, arma::uword begin, arma::uword end,
                const Use& use) {
  constexpr std::size_t lanes = 8;
  arma::uword n = begin;
  for (; n + lanes <= end; n += lanes) {
    const double* x[lanes];
    const TreeNode* node[lanes];
    for (std::size_t l = 0; l < lanes; ++l) x[l] = X.colptr(n + l), node[l] = tree.data();
    for (bool inner = tree.front().left != 0; inner;) {
      inner = false;
      for (std::size_t l = 0; l < lanes; ++l) {
        const bool splits = node[l]->left != 0;
        const double value = x[l][splits ? node[l]->attribute : 0];
        const TreeNode* child = tree.data() + node[l]->left + (value <= node[l]->value ? 0 : 1);
        node[l] = splits ? child : node[l];
        inner |= node[l]->left != 0;
      }
    }
    for (std::size_t l = 0; l < lanes; ++l) use(n + l, *node[l]);
  }
  for (; n < end; ++n) use(n, leaf_of(tree, X.colptr(n)));
}

/// Whether every number is finite, there is a root, and children stand behind their parents and attributes
/// below `attributes`: whether `leaf_of` finds a leaf.
bool is_sound(std::span<const TreeNode> tree, std::size_t attributes);

/// A leaf that has been grown: its node, its rows, and the sum of their residuals.
struct GrownLeaf {
  std::size_t node = 0;
  TableRows rows;
  std::int64_t sum = 0;
};

/// Grows trees best-first: the leaf whose split takes most from the sum of squares is split next; of equal
/// splits the one with the lowest attribute, then the lowest cut. Residuals are integers, so the sums of a
/// histogram are exact, in whatever order the rows come.
class TreeGrower {
 public:
  /// Both are kept by reference.
  TreeGrower(const BinnedAttributes& bins, const BoostedOptions& options);

  /// A tree for the residuals of these rows, which are in their places of the table. Its leaves have no value
  /// yet: that is up to who knows what is minimised.
  std::vector<TreeNode> grow(TableRows rows, std::span<const std::int64_t> residuals);

  /// Those of the last tree; valid until the next one is grown.
  const std::vector<GrownLeaf>& leaves() const { return grown_; }

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

  Leaf make_root(TableRows rows);
  void fill(std::vector<Bin>& histogram, std::span<const std::uint32_t> attributes, const Leaf& leaf) const;
  void consider(Leaf& leaf, std::uint32_t attribute) const;
  std::size_t move_rows(const Leaf& leaf);
  void look_for_splits(Leaf& smaller, Leaf& larger, Leaf& parent);
  std::vector<Bin> spare_histogram();
  void put_back(std::vector<Bin>& histogram);

  const BinnedAttributes& bins_;
  const BoostedOptions& options_;
  std::vector<std::size_t> first_bin_;  // of each attribute in a histogram; one more for the end
  std::span<const std::int64_t> residuals_;  // of the tree that is grown
  std::vector<std::uint32_t> rows_, moved_;  // leaf after leaf
  std::vector<std::vector<Bin>> spare_;
  std::vector<std::uint32_t> splittable_;  // attributes with more than one bin
  std::vector<GrownLeaf> grown_;
};

}  // namespace lacp
