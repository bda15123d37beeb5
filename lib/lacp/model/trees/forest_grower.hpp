#pragma once

#include "lacp/base/groups.hpp"
#include "lacp/model/trees/forest.hpp"

namespace lacp {

/// Grows the trees of a forest by squared error for `targets`, which are finite, on attributes X (d × n) in
/// these bins, which are kept by reference; what the forest distributes is `values`. The rows that
/// grow a tree are whole groups, and where there are groups, no others are in its leaves.
class ForestGrower {
 public:
  ForestGrower(const BinnedAttributes& bins, const arma::vec& targets, const arma::vec& values,
               const ForestOptions& options, std::uint64_t seed, Groups groups = {});

  /// Up to this many trees. One is the same however many there are, and on however many threads.
  void grow_to(std::size_t trees, std::size_t jobs);

  QuantileForest forest() const { return QuantileForest(bins_.cuts.size(), values_.middles, trees_); }

  /// Quantiles τ of the first rows, ForestOptions::known at most, whose attributes are X: of each by the
  /// trees that it has not grown, with all values of its leaves but its own. NaN where it has grown them all.
  arma::mat out_of_bag(const arma::mat& X, std::span<const double> taus, std::size_t jobs) const;

 private:
  /// Values in bins, and the middle one of each bin. Equal values share a bin; towards both ends, where
  /// neighbours are far apart, bins have fewer and fewer rows: up to bin u of 1 there are 3u² − 2u³ of all.
  struct BinnedValues {
    std::vector<double> middles;
    std::vector<std::uint16_t> codes;  ///< of each value
  };
  struct Sample;
  static BinnedValues bin_values(const arma::vec& values, std::size_t bins);
  void draw(Sample& sample, Stream& drawn) const;
  void grow_tree(std::size_t t, Sample& sample, TreeGrower& grower);
  QuantileForest::Tree filled(std::vector<TreeNode> nodes, const std::vector<GrownLeaf>& leaves,
                              TableRows rows) const;

  const BinnedAttributes& bins_;
  ForestOptions options_;
  std::uint64_t seed_;
  Groups groups_;
  BinnedValues values_;
  std::vector<std::int64_t> residuals_;
  std::vector<std::uint32_t> every_;  // row
  std::vector<QuantileForest::Tree> trees_;
  ForestBags bags_;
};

}  // namespace lacp
