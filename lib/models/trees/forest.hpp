#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

#include "lacp/base/groups.hpp"
#include "models/trees/tree_grower.hpp"

namespace lacp {

class ModelReader;
class ModelWriter;

struct ForestOptions {
  std::size_t trees = 100;     ///< at most 255
  std::size_t sample = 30000;  ///< rows that grow a tree, at most; of fewer rows this share:
  double sample_share = 0.63;  ///< as many different ones as a bootstrap has
  double attributes = 0.4;     ///< share of the attributes that a node may be split by, drawn for each
  std::size_t least_rows = 5;  ///< in a leaf, of those that grew the tree
  std::size_t rows_in_leaves = 60000;  ///< of a tree, at most
  std::size_t bins = 512;              ///< of the values, at most
  std::size_t known = 8000;            ///< first rows whose part in the trees is remembered
};

/// What the first rows of a table are to the trees of a forest.
struct ForestBags {
  enum class Role : std::uint8_t { absent, grew, fills };  ///< `fills`: in a leaf of a tree that others grew
  std::vector<std::uint16_t> codes;                        ///< the bin of each row's value
  std::vector<std::vector<Role>> roles;                    ///< of each tree, row by row
};

/// A forest of regression trees (Breiman, 2001) as a conditional distribution (Meinshausen, 2006): rows that
/// share a leaf with x weigh 1 / (rows of the leaf), and the distribution at x is that of their values, by
/// the mean weight over the trees. Values lie in bins, of fewer and fewer rows towards both ends, and each
/// counts as the middle one of its bin. Weights are whole numbers, so that nothing depends on the order of
/// the rows or on threads.
class QuantileForest {
 public:
  struct Tree {
    std::vector<CodedNode> nodes;
    std::vector<std::uint32_t> first;  ///< of each leaf in `codes`, those to the left first; and the end
    std::vector<std::uint16_t> codes;  ///< bins of the values of the rows, leaf after leaf
  };

  /// As grown or stored; thresholds of each attribute increase. std::invalid_argument if no fit makes such.
  QuantileForest(std::vector<std::vector<double>> thresholds, std::vector<double> middles,
                 std::vector<Tree> trees);

  /// Quantiles τ, which increase, of each column of X, all of whose numbers are finite: |τ| × columns.
  arma::mat quantiles(const arma::mat& X, std::span<const double> taus) const;

  /// The same of these rows of the fit out of bag: see BaggedForest.
  arma::mat out_of_bag(const arma::mat& X, std::span<const double> taus, const ForestBags& bags,
                       std::span<const std::uint32_t> rows) const;

  /// That split trees, of each attribute in increasing order.
  const std::vector<std::vector<double>>& thresholds() const { return coded_.thresholds(); }
  const std::vector<double>& middles() const { return middles_; }
  std::size_t size() const { return coded_.size(); }
  /// The parts of a Tree.
  struct View {
    std::span<const CodedNode> nodes;
    std::span<const std::uint32_t> first;
    std::span<const std::uint16_t> codes;
  };
  View tree(std::size_t t) const { return {coded_.nodes(t), rows_[t].first, rows_[t].codes}; }

 private:
  /// Of a tree, as there.
  struct Leaves {
    std::vector<std::uint32_t> first;
    std::vector<std::uint16_t> codes;
  };
  bool add_leaves(const Tree& tree);
  std::uint64_t add_up(std::span<const std::uint32_t> leaves, std::vector<std::uint32_t>& weights) const;
  template <class AddUp>
  arma::mat quantiles_by(const arma::mat& X, std::span<const double> taus, const AddUp& add_up_of) const;

  std::vector<double> middles_;  // of the bins, increasing
  CodedTrees coded_;
  std::vector<Leaves> rows_;  // of each tree
  // What is added up at x. Of each leaf: the number of its bins, the weight of a row, then for each bin of
  // its rows how many times 65,536 there are, and the bin.
  std::vector<std::uint32_t> leaves_;
  std::vector<std::vector<std::uint32_t>> leaf_at_;  // of each node of each tree: its place in leaves_
};

/// A forest that knows what the rows of its fit are to its trees.
struct BaggedForest {
  QuantileForest forest;
  ForestBags bags;

  /// Quantiles τ of these rows, among the first ForestOptions::known, whose attributes are X: of each by the
  /// trees that it has not grown, with all values of its leaves but its own. NaN where it has grown them all.
  arma::mat out_of_bag(const arma::mat& X, std::span<const double> taus, std::span<const std::uint32_t> rows,
                       std::size_t jobs) const;
};

/// Trees are grown by squared error for `targets`, which are finite, on attributes X (d × n) in these bins;
/// what they distribute is `values`. The rows that grow a tree are whole groups, and where there are groups,
/// no others are in its leaves. The same on however many threads.
BaggedForest grow_forest(const BinnedAttributes& bins, const arma::vec& targets, const arma::vec& values,
                         const ForestOptions& options, std::uint64_t seed, const Groups& groups,
                         std::size_t jobs);

/// As a part of a model file, and back. The reader refuses what no fit makes.
void write(ModelWriter& out, const QuantileForest& forest);
QuantileForest read_forest(ModelReader& in, std::size_t attributes);
void write(ModelWriter& out, const ForestBags& bags);
ForestBags read_bags(ModelReader& in, const QuantileForest& forest);

}  // namespace lacp
