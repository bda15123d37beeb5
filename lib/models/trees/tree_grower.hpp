#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lacp/base/random.hpp"
#include "models/trees/bins.hpp"
#include "models/trees/tree.hpp"

namespace lacp {

/// A leaf that has been grown: its node, its rows, those held out that lie in it, the sum of its residuals.
struct GrownLeaf {
  std::size_t node = 0;
  TableRows rows, held;
  std::int64_t sum = 0;
};

/// How far trees are grown.
struct GrowOptions {
  std::size_t leaves = 31;  ///< at most
  std::size_t least_rows = 20;
  double columns = 1.0;    ///< share of the attributes that may split a tree, drawn for each of grow()
  std::uint64_t seed = 0;  ///< of these draws
};

/// Grows trees best-first: the leaf whose split takes most from the sum of squares is split next; of equal
/// splits the one with the lowest attribute, then the lowest cut. Residuals are integers, so the sums of a
/// histogram are exact, in whatever order the rows come.
class TreeGrower {
 public:
  /// The bins are kept by reference. Large leaves are looked at by several threads, with the same trees.
  TreeGrower(const BinnedAttributes& bins, const GrowOptions& options, std::size_t jobs = 1);

  /// The rows that trees are grown for, and others that are only led to their leaves.
  void use(TableRows fitted, TableRows held);

  /// A tree for the residuals of the fitted rows, which are in their places of the table. Its leaves have no
  /// value yet: that is up to who knows what is minimised.
  std::vector<TreeNode> grow(std::span<const std::int64_t> residuals);

  /// One of a forest, with as many leaves as there can be: each is split by the best of some attributes,
  /// this part of those that could split it, drawn at random. Thresholds are numbered as the bins' cuts, and
  /// leaves() come those to the left first.
  std::vector<CodedNode> grow_fully(std::span<const std::int64_t> residuals, double part, Stream& stream);

  /// Those of the last tree; valid until the next one is grown.
  const std::vector<GrownLeaf>& leaves() const { return grown_; }

 private:
  /// Bin after bin of all attributes. Counts are apart, so that more sums fit into the nearest cache.
  struct Histogram {
    std::vector<std::int64_t> sums;
    std::vector<std::uint32_t> rows;
  };
  /// A sum of residuals and a number of rows, added at once.
  typedef std::int64_t SumAndRows __attribute__((vector_size(16)));
  using SmallHistogram = std::array<SumAndRows, 256>;  // of one attribute
  static constexpr std::size_t at_once = 4;            // small histograms
  struct Split {
    double gain = 0.0;  ///< 0: there is none
    std::uint32_t attribute = 0;
    std::uint8_t cut = 0;
    std::int64_t left_sum = 0;
  };
  struct Run {
    std::size_t begin = 0, end = 0;
    std::size_t size() const { return end - begin; }
  };
  /// Rows leaf after leaf, in one of two places: a split moves those of its leaf to the other.
  using Rows = std::array<std::vector<std::uint32_t>, 2>;
  /// A leaf so far: a run of rows_, and one of held_.
  struct Leaf {
    std::size_t node = 0, place = 0;
    Run rows = {}, held = {};
    std::int64_t sum = 0;
    Split best = {};
    Histogram histogram = {};                    ///< where the leaf may be split and has many rows
    std::vector<std::uint32_t> attributes = {};  ///< by which it, or a part of it, could be
    std::size_t size() const { return rows.size(); }
  };
  class Scan;
  using BinSet = std::array<std::uint64_t, 4>;  // a bit for each bin of an attribute

  static TableRows run_of(const Rows& rows, std::size_t place, Run run) {
    return TableRows(rows[place]).subspan(run.begin, run.size());
  }
  TableRows rows_of(const Leaf& leaf) const { return run_of(rows_, leaf.place, leaf.rows); }
  bool is_small(const Leaf& leaf, std::span<const std::uint32_t> attributes) const;
  Leaf all_rows();
  void draw_attributes();
  Leaf make_root();
  template <int sign, bool counts>
  void add(Histogram& histogram, std::span<const std::uint32_t> attributes, TableRows rows) const;
  void fill_frequent(Histogram& histogram, std::span<const std::uint32_t> attributes, const Leaf& leaf) const;
  template <bool counts>
  void fill(Histogram& histogram, std::span<const std::uint32_t> attributes, const Leaf& leaf) const;
  void consider(Leaf& leaf, std::span<const std::uint32_t> attributes) const;
  void consider_small(Leaf& leaf, std::span<const std::uint32_t> attributes);
  template <std::size_t count>
  void consider_some(Scan& scan, std::span<const std::uint32_t, count> attributes, TableRows rows);
  std::size_t divide(Rows& rows, std::size_t place, Run run, const Split& split) const;
  void look_for_splits(Leaf& smaller, Leaf& larger, Leaf& parent);
  void look_at_some(Leaf& leaf, double part, Stream& stream);
  std::pair<Leaf, Leaf> split(const Leaf& leaf, std::size_t left_node);
  void keep(const Leaf& leaf);
  Histogram spare_histogram();
  void put_back(Histogram& histogram);

  const BinnedAttributes& bins_;
  GrowOptions options_;
  std::size_t jobs_;
  std::vector<std::size_t> first_bin_;     // of each attribute in a histogram; one more for the end
  std::vector<std::uint32_t> splittable_;  // attributes with more than one bin
  std::vector<std::uint32_t> drawn_;       // those of them that may split the tree that is grown
  Stream stream_;
  TableRows fitted_, held_out_;
  std::vector<std::uint32_t> root_rows_;     // of a histogram of all fitted rows: the same for every tree
  std::span<const std::int64_t> residuals_;  // of the tree that is grown
  Rows rows_, held_;
  std::vector<SumAndRows> ordered_;                // each row of a small leaf
  std::array<SmallHistogram, at_once> scratch_{};  // of attributes in a small leaf; zero elsewhere
  std::vector<Histogram> spare_;
  std::vector<GrownLeaf> grown_;
};

}  // namespace lacp
