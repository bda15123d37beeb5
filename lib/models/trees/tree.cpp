#include "models/trees/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/trees/bins.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_attributes = std::size_t{1} << 24, most_thresholds = 255;

void refuse_unless(bool sound) {
  if (!sound) throw std::invalid_argument("not trees");
}

bool is_sound(std::span<const TreeNode> tree, std::size_t attributes) {
  bool sound = !tree.empty();
  for (std::size_t i = 0; i < tree.size(); ++i)
    sound = sound && std::isfinite(tree[i].value) &&
            (tree[i].left == 0 || (tree[i].attribute < attributes && tree[i].left > i &&
                                   std::size_t{tree[i].left} + 1 < tree.size()));
  return sound;
}

/// How many of the numbers, which increase, are below x.
std::size_t count_below(const std::vector<double>& numbers, double x) {
  return static_cast<std::size_t>(std::ranges::lower_bound(numbers, x) - numbers.begin());
}

}  // namespace

CodedTrees::CodedTrees(std::size_t attributes, const std::vector<std::span<const TreeNode>>& trees)
    : attributes_(attributes), thresholds_(attributes) {
  refuse_unless(attributes <= most_attributes);
  for (const std::span<const TreeNode> tree : trees) {
    refuse_unless(is_sound(tree, attributes));
    for (const TreeNode& node : tree) {
      if (node.left == 0) continue;
      std::vector<double>& of = thresholds_[node.attribute];
      const std::size_t place = count_below(of, node.value);
      if (place < of.size() && of[place] == node.value) continue;
      of.insert(of.begin() + static_cast<std::ptrdiff_t>(place), node.value);
      refuse_unless(of.size() <= most_thresholds);
    }
  }
  std::size_t nodes = 0;
  for (const std::span<const TreeNode> tree : trees) nodes += tree.size();
  nodes_.reserve(nodes);
  for (const std::span<const TreeNode> tree : trees) {
    first_.push_back(nodes_.size());
    for (std::uint32_t i = 0; i < tree.size(); ++i) {
      const auto& [value, attribute, left] = tree[i];
      nodes_.push_back(left == 0
                           ? CodedNode::leaf(i)
                           : CodedNode::inner(left, attribute, count_below(thresholds_[attribute], value)));
    }
  }
}

CodedTrees::CodedTrees(std::vector<std::vector<double>> thresholds,
                       const std::vector<std::span<const CodedNode>>& trees)
    : attributes_(thresholds.size()), thresholds_(std::move(thresholds)) {
  refuse_unless(attributes_ <= most_attributes);
  for (const std::vector<double>& of : thresholds_) {
    bool sound = of.size() <= most_thresholds;
    for (std::size_t i = 0; i < of.size(); ++i)
      sound = sound && std::isfinite(of[i]) && (i == 0 || of[i - 1] < of[i]);
    refuse_unless(sound);
  }
  for (const std::span<const CodedNode> tree : trees) {
    bool sound = !tree.empty();
    for (std::size_t i = 0; i < tree.size(); ++i) {
      const CodedNode& node = tree[i];
      sound = sound && (node.is_leaf(i) ? node.key == CodedNode::no_code_above
                                        : node.left > i && std::size_t{node.left} + 1 < tree.size() &&
                                              node.attribute() < attributes_ &&
                                              node.threshold() < thresholds_[node.attribute()].size());
    }
    refuse_unless(sound);
    first_.push_back(nodes_.size());
    nodes_.insert(nodes_.end(), tree.begin(), tree.end());
  }
}

void CodedTrees::code(const arma::mat& X, arma::uword begin, arma::uword end,
                      std::vector<std::uint8_t>& codes) const {
  codes.assign(std::max<std::size_t>((end - begin) * attributes_, 1), 0);
  for (std::size_t a = 0; a < attributes_; ++a)
    code_numbers(thresholds_[a], {X.colptr(begin) + a, X.n_rows}, end - begin,
                 {codes.data() + a, attributes_});
}

}  // namespace lacp
