// Trees in a model file: most nodes take two bytes, and so does a row in a leaf of a forest.
#include <algorithm>
#include <cmath>

#include "lacp/base/model_bytes.hpp"
#include "lacp/model/trees/forest.hpp"
#include "lacp/model/trees/random_trees.hpp"

namespace lacp {
namespace {

/// Of each attribute, increasing: at most 255.
using Thresholds = std::vector<std::vector<double>>;

/// In groups of seven bits, the lowest first; the eighth bit says that there are more.
void append(std::string& bytes, std::uint32_t number) {
  for (; number > 127; number >>= 7) bytes.push_back(static_cast<char>(number % 128 + 128));
  bytes.push_back(static_cast<char>(number));
}

/// The bytes of a tree, from the first on.
class TreeBytes {
 public:
  TreeBytes(const ModelReader& in, const std::string& bytes) : in_(in), bytes_(bytes) {}

  std::uint32_t byte() {
    in_.require_sizes(next_ < bytes_.size());
    return static_cast<unsigned char>(bytes_[next_++]);
  }
  std::uint32_t number() {
    std::uint32_t sum = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
      const std::uint32_t part = byte();
      sum += part % 128 << shift;
      if (part < 128) return sum;
    }
    in_.refuse("holds trees that no fit makes");
  }
  /// Of this attribute, counted from 1: the place of one.
  std::uint32_t threshold(std::uint32_t attribute, const Thresholds& thresholds) {
    const std::uint32_t place = byte();
    in_.require_sizes(attribute <= thresholds.size() && place < thresholds[attribute - 1].size());
    return place;
  }
  bool at_end() const { return next_ == bytes_.size(); }

 private:
  const ModelReader& in_;
  const std::string& bytes_;
  std::size_t next_ = 0;
};

/// Node after node, those to the left first. Of an inner node: its attribute, counted from 1, and the place
/// of its threshold; of a leaf: 0, and of a forest the number of its rows.
void append_inner(std::string& shape, std::uint32_t attribute, std::size_t threshold) {
  append(shape, attribute + 1);
  shape.push_back(static_cast<char>(threshold));
}

void write(ModelWriter& out, const QuantileForest::Tree& tree, const Thresholds& thresholds) {
  std::string shape;
  std::vector<std::uint16_t> codes;
  for_nodes(tree.nodes, [&](std::uint32_t place) {
    const TreeNode& node = tree.nodes[place];
    if (node.left != 0) {
      const std::vector<double>& of = thresholds[node.attribute];
      append_inner(shape, node.attribute,
                   static_cast<std::size_t>(std::ranges::lower_bound(of, node.value) - of.begin()));
      return;
    }
    const std::uint32_t begin = tree.first[node.attribute], end = tree.first[node.attribute + 1];
    append(shape, 0);
    append(shape, end - begin);
    codes.insert(codes.end(), tree.codes.begin() + begin, tree.codes.begin() + end);
  });
  out.array(shape);
  out.array(codes);
}

QuantileForest::Tree read_tree(ModelReader& in, const Thresholds& thresholds) {
  const auto shape = in.array<std::string>();
  QuantileForest::Tree tree{std::vector<TreeNode>(1), {0}, in.array<std::vector<std::uint16_t>>()};
  TreeBytes bytes(in, shape);
  for_nodes(tree.nodes, [&](std::uint32_t place) {
    const std::uint32_t attribute = bytes.number();
    if (attribute == 0) {
      tree.nodes[place].attribute = static_cast<std::uint32_t>(tree.first.size() - 1);
      tree.first.push_back(tree.first.back() + bytes.number());
      in.require_sizes(tree.first.back() <= tree.codes.size());
      return;
    }
    const std::uint32_t cut = bytes.threshold(attribute, thresholds);
    tree.nodes[place] = {.value = thresholds[attribute - 1][cut],
                         .attribute = attribute - 1,
                         .left = static_cast<std::uint32_t>(tree.nodes.size())};
    tree.nodes.resize(tree.nodes.size() + 2);
  });
  in.require_sizes(bytes.at_end());
  return tree;
}

RandomTrees::Tree read_random_tree(ModelReader& in, const Thresholds& thresholds) {
  const auto shape = in.array<std::string>();
  RandomTrees::Tree tree{std::vector<CodedNode>(1), in.array<std::vector<float>>()};
  TreeBytes bytes(in, shape);
  for_nodes(tree.nodes, [&](std::uint32_t place) {
    const std::uint32_t attribute = bytes.number();
    if (attribute == 0) {
      tree.nodes[place] = CodedNode::leaf(place);
      return;
    }
    const std::uint32_t cut = bytes.threshold(attribute, thresholds);
    tree.nodes[place] = CodedNode::inner(static_cast<std::uint32_t>(tree.nodes.size()), attribute - 1, cut);
    tree.nodes.resize(tree.nodes.size() + 2);
  });
  in.require_sizes(bytes.at_end());
  in.require_numbers(std::ranges::all_of(tree.values, [](float value) { return std::isfinite(value); }));
  return tree;
}

}  // namespace

void write(ModelWriter& out, const QuantileForest& forest) {
  const Thresholds& thresholds = forest.thresholds();
  out.array(forest.middles());
  for (const std::vector<double>& of : thresholds) out.array(of);
  out.number(std::uint64_t{forest.trees().size()});
  for (const QuantileForest::Tree& tree : forest.trees()) write(out, tree, thresholds);
}

QuantileForest read_forest(ModelReader& in, std::size_t attributes) {
  auto middles = in.array<std::vector<double>>();
  Thresholds thresholds(attributes);
  for (std::vector<double>& of : thresholds) of = in.array<std::vector<double>>();
  std::vector<QuantileForest::Tree> trees;
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    trees.push_back(read_tree(in, thresholds));
  try {
    return QuantileForest(attributes, std::move(middles), std::move(trees));
  } catch (const std::invalid_argument&) {
    in.refuse("holds trees that no fit makes");
  }
}

void write(ModelWriter& out, const RandomTrees& trees) {
  for (const std::vector<double>& of : trees.thresholds()) out.array(of);
  out.number(trees.base());
  out.number(std::uint64_t{trees.size()});
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const RandomTrees::Tree tree = trees.tree(t);
    std::string shape;
    for_nodes(tree.nodes, [&](std::uint32_t place) {
      const CodedNode& node = tree.nodes[place];
      if (node.is_leaf(place))
        append(shape, 0);
      else
        append_inner(shape, node.attribute(), node.threshold());
    });
    out.array(shape);
    out.array(tree.values);
  }
}

RandomTrees read_random_trees(ModelReader& in, std::size_t attributes) {
  Thresholds thresholds(attributes);
  for (std::vector<double>& of : thresholds) of = in.array<std::vector<double>>();
  const auto base = in.number<double>();
  std::vector<RandomTrees::Tree> trees;
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    trees.push_back(read_random_tree(in, thresholds));
  try {
    return RandomTrees(std::move(thresholds), base, trees);
  } catch (const std::invalid_argument&) {
    in.refuse("holds trees that no fit makes");
  }
}

}  // namespace lacp
