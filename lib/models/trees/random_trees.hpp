#pragma once

#include <armadillo>
#include <cstdint>
#include <span>
#include <vector>

#include "models/trees/bins.hpp"
#include "models/trees/tree.hpp"

namespace lacp {

class ModelReader;
class ModelWriter;

/// Extremely randomised trees (Geurts, Ernst and Wehenkel, 2006): a node is split by the best of one random
/// cut of some attributes, until a leaf has one row, or rows with the same target or the same attributes.
/// f(x) = base + the mean of the leaves in which x lies. Where rows nearly repeat, a leaf of one row
/// knows what those of boosted trees average away.
class RandomTrees {
 public:
  struct Tree {
    std::vector<CodedNode> nodes;
    std::vector<float> values;  ///< of each leaf, those to the left first: how far above the base
  };

  /// Grown on the rows `fitted` of a table in these bins, whose targets are finite. Sums are of whole
  /// numbers, so that nothing depends on the order of the rows.
  static RandomTrees fit(const BinnedAttributes& bins, const arma::vec& y, TableRows fitted,
                         std::size_t trees, std::uint64_t seed);

  /// As grown or stored; thresholds of each attribute increase. std::invalid_argument if no fit makes such.
  RandomTrees(std::vector<std::vector<double>> thresholds, double base, const std::vector<Tree>& trees);

  /// f(x) for each column of X, all of whose numbers are finite. Infinite where targets are beyond floats.
  arma::vec predict(const arma::mat& X) const;

  const std::vector<std::vector<double>>& thresholds() const { return coded_.thresholds(); }
  double base() const { return base_; }
  std::size_t size() const { return coded_.size(); }
  struct View {
    std::span<const CodedNode> nodes;
    std::span<const float> value_at;  ///< of each node; those of leaves are a Tree's values
  };
  View tree(std::size_t t) const { return {coded_.nodes(t), value_at_[t]}; }

 private:
  double base_;
  CodedTrees coded_;
  std::vector<std::vector<float>> value_at_;  // of each node of each tree
};

/// As a part of a model file, and back. The reader refuses what no fit makes.
void write(ModelWriter& out, const RandomTrees& trees);
RandomTrees read_random_trees(ModelReader& in, std::size_t attributes);

}  // namespace lacp
