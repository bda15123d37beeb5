#include "models/trees/random_trees.hpp"

#include <cmath>
#include <stdexcept>

#include "lacp/base/random.hpp"
#include "models/trees/boosting.hpp"

namespace lacp {
namespace {

/// Of the attributes that can split a node as many get a random cut. All of them would take half as long
/// again, and are no better.
constexpr double share_of_attributes = 0.7;

/// Uniform on {0, ..., bound − 1}, but for 2^-32: without a division.
std::size_t quick_below(Stream& stream, std::size_t bound) {
  return static_cast<std::size_t>((stream.bits() >> 32) * bound >> 32);
}

/// Codes of sixteen attributes of a row, signs of as many comparisons, and numbers of rows.
typedef std::uint8_t Sixteen __attribute__((vector_size(16)));
typedef std::int8_t Signs __attribute__((vector_size(16)));
typedef std::uint32_t Counts __attribute__((vector_size(64)));
typedef std::int64_t Two __attribute__((vector_size(16)));
constexpr std::size_t lanes = sizeof(Sixteen);

/// The numbers of two places each: those of each place where the sign is set, added up.
struct Sums {
  Two of[lanes / 2] = {};

  std::int64_t operator[](std::size_t lane) const { return of[lane / 2][lane % 2]; }

  void add(Signs below, std::int64_t number) {
    typedef std::int16_t Eight __attribute__((vector_size(16)));
    typedef std::int32_t Four __attribute__((vector_size(16)));
    const Two both = {number, number};
    // Each sign is repeated until it has 64 bits.
    const auto add_four = [&](Two* to, Four signs) {
      to[0] += reinterpret_cast<Two>(__builtin_shufflevector(signs, signs, 0, 0, 1, 1)) & both;
      to[1] += reinterpret_cast<Two>(__builtin_shufflevector(signs, signs, 2, 2, 3, 3)) & both;
    };
    const auto add_eight = [&](Two* to, Eight signs) {
      add_four(to, reinterpret_cast<Four>(__builtin_shufflevector(signs, signs, 0, 0, 1, 1, 2, 2, 3, 3)));
      add_four(to + 2, reinterpret_cast<Four>(__builtin_shufflevector(signs, signs, 4, 4, 5, 5, 6, 6, 7, 7)));
    };
    add_eight(of, reinterpret_cast<Eight>(
                      __builtin_shufflevector(below, below, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7)));
    add_eight(of + 4, reinterpret_cast<Eight>(__builtin_shufflevector(below, below, 8, 8, 9, 9, 10, 10, 11,
                                                                      11, 12, 12, 13, 13, 14, 14, 15, 15)));
  }
};

/// Grows trees on the same rows. The codes of a row lie side by side, in blocks of sixteen, and so do the
/// rows of a leaf: sixteen attributes are looked at by one instruction.
class RandomGrower {
 public:
  RandomGrower(const BinnedAttributes& bins, const SquaredObjective& objective, TableRows fitted)
      : objective_(objective),
        blocks_((bins.cuts.size() + lanes - 1) / lanes),
        all_{std::vector<Sixteen>(fitted.size() * blocks_), {}},
        right_{std::vector<Sixteen>(fitted.size() * blocks_), std::vector<std::int64_t>(fitted.size())},
        least_(blocks_),
        most_(blocks_),
        cuts_(blocks_),
        sums_(blocks_),
        counts_(blocks_) {
    for (const std::uint32_t row : fitted) all_.targets.push_back(objective.residuals()[row]);
    for (std::uint32_t a = 0; a < bins.cuts.size(); ++a) {
      if (bins.cuts[a].empty()) continue;
      order_.push_back(a);
      for (std::size_t i = 0; i < fitted.size(); ++i)
        all_.codes[i * blocks_ + a / lanes][a % lanes] = bins.of(a)[fitted[i]];
    }
    tried_ = static_cast<std::size_t>(std::ceil(share_of_attributes * static_cast<double>(order_.size())));
  }

  RandomTrees::Tree grown(Stream& stream) {
    RandomTrees::Tree tree{std::vector<CodedNode>(1), {}};
    rows_ = all_;
    std::vector<Open> open = {{.node = 0, .begin = 0, .end = rows_.targets.size()}};
    for (const std::int64_t target : rows_.targets) open.front().sum += target;
    while (!open.empty()) {
      const Open leaf = open.back();
      open.pop_back();
      const Split split = best_of_random(leaf, stream);
      if (split.gain < 0.0) {
        tree.nodes[leaf.node] = CodedNode::leaf(leaf.node);
        const double mean = static_cast<double>(leaf.sum) / static_cast<double>(leaf.size());
        tree.values.push_back(static_cast<float>(objective_.final_value(mean)));
        continue;
      }
      const auto left = static_cast<std::uint32_t>(tree.nodes.size());
      tree.nodes[leaf.node] = CodedNode::inner(left, split.attribute, split.cut);
      tree.nodes.resize(left + 2);
      const std::size_t middle = divide(leaf, split);
      open.push_back({left + 1, middle, leaf.end, leaf.sum - split.left_sum});
      open.push_back({left, leaf.begin, middle, split.left_sum});
    }
    return tree;
  }

 private:
  struct Rows {
    std::vector<Sixteen> codes;
    std::vector<std::int64_t> targets;
  };
  struct Open {
    std::uint32_t node = 0;
    std::size_t begin = 0, end = 0;
    std::int64_t sum = 0;
    std::size_t size() const { return end - begin; }
  };
  struct Split {
    double gain = -1.0;  ///< below 0: there is none
    std::uint32_t attribute = 0;
    std::uint8_t cut = 0;
    std::int64_t left_sum = 0;
  };

  std::uint8_t code(std::size_t row, std::uint32_t attribute) const {
    return rows_.codes[row * blocks_ + attribute / lanes][attribute % lanes];
  }

  bool has_equal_targets(const Open& leaf) const {
    const std::int64_t* const targets = rows_.targets.data();
    return std::all_of(targets + leaf.begin + 1, targets + leaf.end,
                       [first = targets[leaf.begin]](std::int64_t target) { return target == first; });
  }

  /// Of each attribute in the leaf.
  void find_least_and_most(const Open& leaf) {
    for (std::size_t block = 0; block < blocks_; ++block) {
      const Sixteen* const codes = rows_.codes.data() + block;
      Sixteen least = codes[leaf.begin * blocks_], most = least;
      for (std::size_t i = leaf.begin + 1; i < leaf.end; ++i) {
        const Sixteen own = codes[i * blocks_];
        least = own < least ? own : least;
        most = own > most ? own : most;
      }
      least_[block] = least;
      most_[block] = most;
    }
  }

  /// Calls use(attribute, cut) for as many attributes that can split as are wanted, in the order drawn.
  template <class Use>
  void draw_cuts(std::size_t wanted, Stream& stream, const Use& use) {
    for (std::size_t k = 0; k < order_.size() && wanted > 0; ++k) {
      std::swap(order_[k], order_[k + quick_below(stream, order_.size() - k)]);
      const std::uint32_t attribute = order_[k];
      const std::size_t least = least_[attribute / lanes][attribute % lanes],
                        most = most_[attribute / lanes][attribute % lanes];
      if (least == most) continue;
      use(attribute, static_cast<std::uint8_t>(least + quick_below(stream, most - least)));
      --wanted;
    }
  }

  /// A third of all splits. All are equally good: the first attribute that is drawn and tells the rows apart.
  Split random_split_of_two(const Open& leaf, Stream& stream) {
    Split split;
    draw_cuts(1, stream, [&](std::uint32_t attribute, std::uint8_t cut) {
      const std::size_t left = leaf.begin + (code(leaf.begin, attribute) <= cut ? 0 : 1);
      split = {.gain = 0.0, .attribute = attribute, .cut = cut, .left_sum = rows_.targets[left]};
    });
    return split;
  }

  /// The sums and the numbers of rows up to the cuts.
  void add_up(const Open& leaf, std::size_t block) {
    constexpr std::size_t most_of_a_byte = 255;
    const Sixteen cuts = cuts_[block];
    Sums sums;
    counts_[block] = Counts{};
    for (std::size_t begin = leaf.begin; begin < leaf.end; begin += most_of_a_byte) {
      Sixteen counts = {};
      for (std::size_t i = begin; i < std::min(begin + most_of_a_byte, leaf.end); ++i) {
        const auto below = reinterpret_cast<Signs>(rows_.codes[i * blocks_ + block] <= cuts);
        counts -= reinterpret_cast<Sixteen>(below);
        sums.add(below, rows_.targets[i]);
      }
      counts_[block] += __builtin_convertvector(counts, Counts);
    }
    sums_[block] = sums;
  }

  /// Of equal ones the first that is drawn.
  Split best_of_random(const Open& leaf, Stream& stream) {
    Split best;
    if (has_equal_targets(leaf)) return best;
    find_least_and_most(leaf);
    if (leaf.size() == 2) return random_split_of_two(leaf, stream);
    drawn_.clear();
    draw_cuts(tried_, stream, [&](std::uint32_t attribute, std::uint8_t cut) {
      drawn_.push_back(attribute);
      cuts_[attribute / lanes][attribute % lanes] = cut;
    });
    for (std::size_t block = 0; block < blocks_; ++block) add_up(leaf, block);
    const auto n = static_cast<std::int64_t>(leaf.size());
    const double mean = static_cast<double>(leaf.sum) / static_cast<double>(n);
    for (const std::uint32_t attribute : drawn_) {
      const std::size_t block = attribute / lanes, lane = attribute % lanes;
      const std::int64_t left_sum = sums_[block][lane], other = leaf.sum - left_sum;
      std::int64_t sum = left_sum, count = counts_[block][lane];
      // By the smaller part, so that two splits into the same parts have the same gain to the last bit.
      if (2 * count > n || (2 * count == n && other < sum)) {
        sum = other;
        count = n - count;
      }
      const double excess = static_cast<double>(sum) - mean * static_cast<double>(count),
                   square = excess * excess,
                   parts = static_cast<double>(count) * static_cast<double>(n - count);
      if (square < best.gain * parts) continue;  // a division for few: no quotient below is above
      if (const double gain = square / parts; gain > best.gain)
        best = {gain, attribute, cuts_[block][lane], left_sum};
    }
    return best;
  }

  /// Rows keep their order. Returns where those to the right begin.
  std::size_t divide(const Open& leaf, const Split& split) {
    std::size_t left = leaf.begin, right = 0;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      const std::size_t goes = code(i, split.attribute) <= split.cut ? 0 : 1;
      right_.targets[right] = rows_.targets[left] = rows_.targets[i];
      for (std::size_t block = 0; block < blocks_; ++block) {
        const Sixteen codes = rows_.codes[i * blocks_ + block];
        right_.codes[right * blocks_ + block] = rows_.codes[left * blocks_ + block] = codes;
      }
      left += 1 - goes;
      right += goes;
    }
    std::copy_n(right_.targets.data(), right, rows_.targets.data() + left);
    std::copy_n(right_.codes.data(), right * blocks_, rows_.codes.data() + left * blocks_);
    return left;
  }

  const SquaredObjective& objective_;
  std::size_t blocks_;                // of attributes
  Rows all_, rows_, right_;           // rows_: leaf after leaf; right_: those that go to the right
  std::vector<std::uint32_t> order_;  // attributes that can split
  std::size_t tried_ = 0;             // how many of them at a node
  std::vector<std::uint32_t> drawn_;  // those of a leaf, and what is known of them there
  std::vector<Sixteen> least_, most_, cuts_;
  std::vector<Sums> sums_;
  std::vector<Counts> counts_;
};

std::vector<std::span<const CodedNode>> nodes_of(const std::vector<RandomTrees::Tree>& trees) {
  std::vector<std::span<const CodedNode>> all;
  for (const RandomTrees::Tree& tree : trees) all.emplace_back(tree.nodes);
  return all;
}

}  // namespace

RandomTrees RandomTrees::fit(const BinnedAttributes& bins, const arma::vec& y, TableRows fitted,
                             std::size_t trees, std::uint64_t seed) {
  SquaredObjective objective(y, 1.0);
  const double base = objective.start(fitted);
  Stream stream(seed);
  std::vector<Tree> grown;
  RandomGrower grower(bins, objective, fitted);
  while (grown.size() < trees) grown.push_back(grower.grown(stream));
  return RandomTrees(bins.cuts, objective.final_base(base), grown);
}

RandomTrees::RandomTrees(std::vector<std::vector<double>> thresholds, double base,
                         const std::vector<Tree>& trees)
    : base_(base), coded_(std::move(thresholds), nodes_of(trees)) {
  bool sound = std::isfinite(base) && !trees.empty();
  for (const Tree& tree : trees) {
    std::vector<float>& at = value_at_.emplace_back(tree.nodes.size());
    std::size_t leaves = 0;
    for_nodes(tree.nodes, [&](std::uint32_t place) {
      if (tree.nodes[place].is_leaf(place) && leaves++ < tree.values.size())
        at[place] = tree.values[leaves - 1];
    });
    sound = sound && leaves == tree.values.size();
  }
  if (!sound) throw std::invalid_argument("RandomTrees: not trees");
}

arma::vec RandomTrees::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols, arma::fill::zeros);
  coded_.for_columns(
      X, [&](std::size_t t, arma::uword n, std::uint32_t place) { f(n) += double{value_at_[t][place]}; });
  return base_ + f / static_cast<double>(size());
}

}  // namespace lacp
