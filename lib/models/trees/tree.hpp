#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lacp {

/// A node of a regression tree. The children of an inner node are neighbours: `left`, where the attribute is
/// no larger than the threshold, and left + 1.
struct TreeNode {
  double value = 0.0;           ///< threshold; of a leaf what it predicts
  std::uint32_t attribute = 0;  ///< in a leaf 0
  std::uint32_t left = 0;       ///< place in the tree, behind this node's; 0: a leaf
};

/// The same where thresholds have numbers: those of its attribute that lie below a value are its code.
struct CodedNode {
  static constexpr std::uint32_t no_code_above = 255;

  static CodedNode leaf(std::size_t place) { return {static_cast<std::uint32_t>(place), no_code_above}; }
  static CodedNode inner(std::uint32_t left, std::uint32_t attribute, std::size_t threshold) {
    return {left, attribute << 8 | static_cast<std::uint32_t>(threshold)};
  }
  bool is_leaf(std::size_t place) const { return left == place; }
  std::uint32_t attribute() const { return key >> 8; }
  std::uint32_t threshold() const { return key & 255; }

  std::uint32_t left = 0;  ///< place of the left child; a leaf leads to itself
  std::uint32_t key = 0;
};

/// visit(place) for each node from the root on, a left child and all below it before the right one. Where
/// visit adds the children of a node, they are visited, too.
template <class Nodes, class Visit>
void for_nodes(const Nodes& nodes, const Visit& visit) {
  std::vector<std::uint32_t> open = {0};
  while (!open.empty()) {
    const std::uint32_t place = open.back();
    open.pop_back();
    visit(place);
    const std::uint32_t left = nodes[place].left;
    if (left <= place) continue;  // a leaf
    open.push_back(left + 1);
    open.push_back(left);
  }
}

/// Trees in the form in which many rows are led to their leaves at once: a row is the number of thresholds
/// below each of its attributes, and a node takes eight bytes.
class CodedTrees {
 public:
  /// std::invalid_argument where a row would not find a leaf of a tree (a number is not finite, there is no
  /// root, a child does not stand behind its parent, an attribute is none of `attributes`), or if an
  /// attribute has more than 255 different thresholds, which no bins make.
  CodedTrees(std::size_t attributes, const std::vector<std::span<const TreeNode>>& trees);

  /// By thresholds, of each attribute in increasing order. std::invalid_argument as above.
  CodedTrees(std::vector<std::vector<double>> thresholds,
             const std::vector<std::span<const CodedNode>>& trees);

  /// Of each attribute, in increasing order; at most 255.
  const std::vector<std::vector<double>>& thresholds() const { return thresholds_; }

  std::size_t size() const { return first_.size(); }
  std::span<const CodedNode> nodes(std::size_t tree) const {
    const std::size_t end = tree + 1 < first_.size() ? first_[tree + 1] : nodes_.size();
    return std::span(nodes_).subspan(first_[tree], end - first_[tree]);
  }

  /// Rows of a block; all trees see one before the next, so that it stays in the cache.
  static constexpr arma::uword block = 1024;

  /// The columns begin to end of X, at most a block.
  void code(const arma::mat& X, arma::uword begin, arma::uword end, std::vector<std::uint8_t>& codes) const;

  /// For each of the rows that were coded the place of its leaf: use(row of the block, place in the tree).
  template <class Use>
  void for_leaves(std::size_t tree, std::size_t rows, std::span<const std::uint8_t> codes,
                  const Use& use) const {
    // Several rows go down side by side, so that one does not wait for another.
    constexpr std::size_t lanes = 8;
    const CodedNode* const nodes = nodes_.data() + first_[tree];
    const auto below = [&](std::uint32_t at, const std::uint8_t* row) {
      return nodes[at].left + (row[nodes[at].attribute()] > nodes[at].threshold() ? 1 : 0);
    };
    std::size_t begin = 0;
    for (; begin + lanes <= rows; begin += lanes) {
      const std::uint8_t* const row = codes.data() + begin * attributes_;
      std::uint32_t at[lanes] = {};
      for (std::uint32_t changes = 1; changes != 0;) {
        changes = 0;
#pragma GCC unroll 8
        for (std::size_t l = 0; l < lanes; ++l) {
          const std::uint32_t next = below(at[l], row + l * attributes_);
          changes |= next ^ at[l];
          at[l] = next;
        }
      }
      for (std::size_t l = 0; l < lanes; ++l) use(begin + l, at[l]);
    }
    for (; begin < rows; ++begin) {
      std::uint32_t at = 0;
      for (std::uint32_t last = 1; at != last;)
        last = std::exchange(at, below(at, codes.data() + begin * attributes_));
      use(begin, at);
    }
  }

  /// For each tree and column of X, block after block: use(tree, column, place of its leaf in the tree).
  template <class Use>
  void for_columns(const arma::mat& X, const Use& use) const {
    std::vector<std::uint8_t> codes;
    for (arma::uword begin = 0; begin < X.n_cols; begin += block) {
      const arma::uword end = std::min(begin + block, X.n_cols);
      code(X, begin, end, codes);
      for (std::size_t t = 0; t < first_.size(); ++t)
        for_leaves(t, end - begin, codes,
                   [&](std::size_t row, std::uint32_t place) { use(t, begin + row, place); });
    }
  }

 private:
  std::size_t attributes_;
  std::vector<std::vector<double>> thresholds_;  // of each attribute, increasing
  std::vector<std::size_t> first_;               // node of each tree
  std::vector<CodedNode> nodes_;
};

}  // namespace lacp
