#include "lacp/model/trees/random_trees.hpp"

#include <cmath>
#include <stdexcept>

#include "lacp/base/random.hpp"
#include "lacp/model/trees/boosting.hpp"

namespace lacp {
namespace {

/// Of the attributes that can split a node as many get a random cut. All of them would take half as long
/// again, and are no better.
constexpr double share_of_attributes = 0.7;

/// Uniform on {0, ..., bound − 1}, but for 2^-32: without a division.
std::size_t quick_below(Stream& stream, std::size_t bound) {
  return static_cast<std::size_t>((stream.bits() >> 32) * bound >> 32);
}

/// Grows trees on the same rows, which lie side by side here.
class RandomGrower {
 public:
  RandomGrower(const BinnedAttributes& bins, const SquaredObjective& objective, TableRows fitted)
      : objective_(objective), attributes_(bins.cuts.size()), codes_(attributes_ * fitted.size()) {
    for (const std::uint32_t row : fitted) targets_.push_back(objective.residuals()[row]);
    for (std::size_t a = 0; a < attributes_; ++a) {
      std::uint8_t* to = codes_.data() + a * fitted.size();
      for (const std::uint32_t row : fitted) *to++ = bins.of(a)[row];
    }
    for (std::uint32_t a = 0; a < attributes_; ++a)
      if (!bins.cuts[a].empty()) order_.push_back(a);
    rows_.resize(fitted.size());
    right_.resize(fitted.size());
    own_targets_.resize(fitted.size());
    own_codes_.resize(fitted.size());
    best_codes_.resize(fitted.size());
    tried_ = static_cast<std::size_t>(std::ceil(share_of_attributes * static_cast<double>(order_.size())));
  }

  RandomTrees::Tree grown(Stream& stream) {
    RandomTrees::Tree tree{std::vector<CodedNode>(1), {}};
    std::iota(rows_.begin(), rows_.end(), 0u);
    std::vector<Open> open = {{.node = 0, .begin = 0, .end = rows_.size()}};
    for (const std::int64_t target : targets_) open.front().sum += target;
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
      const std::size_t middle = divide(leaf, split.cut);
      open.push_back({left + 1, middle, leaf.end, leaf.sum - split.left_sum});
      open.push_back({left, leaf.begin, middle, split.left_sum});
    }
    return tree;
  }

 private:
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

  /// By the smaller part, so that two splits into the same parts have the same gain to the last bit.
  static double gain_of(const Open& leaf, std::int64_t sum, std::int64_t count) {
    const auto n = static_cast<std::int64_t>(leaf.size());
    const std::int64_t other = leaf.sum - sum;
    if (2 * count > n || (2 * count == n && other < sum)) {
      sum = other;
      count = n - count;
    }
    const double mean = static_cast<double>(leaf.sum) / static_cast<double>(n);
    const double excess = static_cast<double>(sum) - mean * static_cast<double>(count);
    return excess * excess / (static_cast<double>(count) * static_cast<double>(n - count));
  }

  /// A third of all splits. All are equally good: the first attribute that is drawn and tells the rows apart.
  Split random_split_of_two(const Open& leaf, Stream& stream) {
    const std::uint32_t one = rows_[leaf.begin], other = rows_[leaf.begin + 1];
    for (std::size_t k = 0; k < order_.size(); ++k) {
      std::swap(order_[k], order_[k + quick_below(stream, order_.size() - k)]);
      const std::uint8_t* const codes = codes_.data() + order_[k] * targets_.size();
      const auto [least, most] = std::minmax(codes[one], codes[other]);
      if (least == most) continue;
      best_codes_[0] = codes[one];
      best_codes_[1] = codes[other];
      return {.gain = 0.0,
              .attribute = order_[k],
              .cut = static_cast<std::uint8_t>(least + quick_below(stream, std::size_t{most} - least)),
              .left_sum = targets_[codes[one] == least ? one : other]};
    }
    return {};
  }

  /// Of equal ones the first that is drawn. Its codes are in best_codes_ then.
  Split best_of_random(const Open& leaf, Stream& stream) {
    Split best;
    const std::size_t n = leaf.size();
    bool equal = true;
    for (std::size_t i = 0; i < n; ++i) {
      own_targets_[i] = targets_[rows_[leaf.begin + i]];
      equal = equal && own_targets_[i] == own_targets_[0];
    }
    if (equal) return best;
    if (n == 2) return random_split_of_two(leaf, stream);
    for (std::size_t k = 0, tried = 0; k < order_.size() && tried < tried_; ++k) {
      std::swap(order_[k], order_[k + quick_below(stream, order_.size() - k)]);
      const std::uint8_t* const codes = codes_.data() + order_[k] * targets_.size();
      std::uint8_t least = 255, most = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t code = codes[rows_[leaf.begin + i]];
        own_codes_[i] = code;
        least = std::min(least, code);
        most = std::max(most, code);
      }
      if (least == most) continue;
      ++tried;
      const auto cut = static_cast<std::uint8_t>(least + quick_below(stream, std::size_t{most} - least));
      std::int64_t sum = 0, count = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t below = own_codes_[i] <= cut ? -1 : 0;
        sum += own_targets_[i] & below;
        count -= below;
      }
      const double gain = gain_of(leaf, sum, count);
      if (!(gain > best.gain)) continue;
      best = {.gain = gain, .attribute = order_[k], .cut = cut, .left_sum = sum};
      best_codes_.swap(own_codes_);
    }
    return best;
  }

  /// Rows keep their order. Returns where those to the right begin.
  std::size_t divide(const Open& leaf, std::uint8_t cut) {
    std::size_t left = leaf.begin, right = 0;
    for (std::size_t i = leaf.begin; i < leaf.end; ++i) {
      const std::uint32_t row = rows_[i];
      const std::size_t goes = best_codes_[i - leaf.begin] <= cut ? 0 : 1;
      rows_[left] = row;
      right_[right] = row;
      left += 1 - goes;
      right += goes;
    }
    std::copy_n(right_.begin(), right, rows_.begin() + static_cast<std::ptrdiff_t>(left));
    return left;
  }

  const SquaredObjective& objective_;
  std::size_t attributes_;
  std::vector<std::uint8_t> codes_;  // attribute after attribute
  std::vector<std::int64_t> targets_;
  std::vector<std::uint32_t> order_;         // attributes that can split
  std::size_t tried_ = 0;                    // how many of them at a node
  std::vector<std::uint32_t> rows_, right_;  // leaf after leaf; those that go to the right
  std::vector<std::int64_t> own_targets_;    // of the rows of a leaf
  std::vector<std::uint8_t> own_codes_, best_codes_;
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
  RandomGrower grower(bins, objective, fitted);
  Stream stream(seed);
  std::vector<Tree> grown;
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

RandomTrees::Tree RandomTrees::tree(std::size_t t) const {
  const std::span<const CodedNode> nodes = coded_.nodes(t);
  Tree tree{{nodes.begin(), nodes.end()}, {}};
  for_nodes(nodes, [&](std::uint32_t place) {
    if (nodes[place].is_leaf(place)) tree.values.push_back(value_at_[t][place]);
  });
  return tree;
}

arma::vec RandomTrees::predict(const arma::mat& X) const {
  arma::vec f(X.n_cols, arma::fill::zeros);
  coded_.for_columns(
      X, [&](std::size_t t, arma::uword n, std::uint32_t place) { f(n) += double{value_at_[t][place]}; });
  return base_ + f / static_cast<double>(size());
}

}  // namespace lacp
