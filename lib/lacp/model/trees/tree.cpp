#include "lacp/model/trees/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "lacp/model/trees/bins.hpp"

namespace lacp {
namespace {

constexpr std::size_t most_attributes = std::size_t{1} << 24, most_thresholds = 255;

bool is_sound(std::span<const TreeNode> tree, std::size_t attributes) {
  bool sound = !tree.empty();
  for (std::size_t i = 0; i < tree.size(); ++i)
    sound = sound && std::isfinite(tree[i].value) &&
            (tree[i].left == 0 || (tree[i].attribute < attributes && tree[i].left > i &&
                                   std::size_t{tree[i].left} + 1 < tree.size()));
  return sound;
}

/// How many of the numbers, which increase, are below x: std::lower_bound without jumps, which a processor
/// would have to guess.
std::size_t count_below(std::span<const double> numbers, double x) {
  std::size_t at = 0;
  for (std::size_t left = numbers.size(); left > 0;) {
    const std::size_t step = (left + 1) / 2;
    at += step & (std::size_t{0} - std::size_t{numbers[at + step - 1] < x});
    left -= step;
  }
  return at;
}

}  // namespace

CodedTrees::CodedTrees(std::size_t attributes, const std::vector<std::span<const TreeNode>>& trees)
    : attributes_(attributes), thresholds_(attributes) {
  const auto refuse_unless = [](bool sound) {
    if (!sound) throw std::invalid_argument("not trees");
  };
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
      if (left == 0) {
        nodes_.push_back({.left = i, .key = most_thresholds});
        continue;
      }
      const std::vector<double>& of = thresholds_[attribute];
      const auto cut = static_cast<std::uint32_t>(count_below(of, value));
      nodes_.push_back({.left = left, .key = attribute << 8 | cut});
    }
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
