// Trees in a model file: most nodes take two bytes, and so does a row in a leaf of a forest.
#include <algorithm>
#include <cmath>

#include "lacp/base/model_bytes.hpp"
#include "models/trees/forest.hpp"

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
    in_.require(next_ < bytes_.size());
    return static_cast<unsigned char>(bytes_[next_++]);
  }
  std::uint32_t number() {
    std::uint32_t sum = 0;
    for (unsigned shift = 0; shift < 28; shift += 7) {
      const std::uint32_t part = byte();
      sum += part % 128 << shift;
      if (part < 128) return sum;
    }
    in_.refuse_content();
  }
  /// Of this attribute, counted from 1: the place of one.
  std::uint32_t threshold(std::uint32_t attribute, const Thresholds& thresholds) {
    const std::uint32_t place = byte();
    in_.require(attribute <= thresholds.size() && place < thresholds[attribute - 1].size());
    return place;
  }
  bool at_end() const { return next_ == bytes_.size(); }

 private:
  const ModelReader& in_;
  const std::string& bytes_;
  std::size_t next_ = 0;
};

/// Node after node, those to the left first. Of an inner node: its attribute, counted from 1, and the place
/// of its threshold; of a leaf: 0, and what append_leaf(place, bytes) adds.
template <class AppendLeaf>
std::string shape_of(std::span<const CodedNode> nodes, const AppendLeaf& append_leaf) {
  std::string shape;
  shape.reserve(2 * nodes.size());
  for_nodes(nodes, [&](std::uint32_t place) {
    const CodedNode node = nodes[place];
    append(shape, node.is_leaf(place) ? 0 : node.attribute() + 1);
    if (node.is_leaf(place))
      append_leaf(place, shape);
    else
      shape.push_back(static_cast<char>(node.threshold()));
  });
  return shape;
}

/// The same, and back: read_leaf() of each leaf.
template <class ReadLeaf>
std::vector<CodedNode> nodes_of(ModelReader& in, const std::string& shape, const Thresholds& thresholds,
                                const ReadLeaf& read_leaf) {
  TreeBytes bytes(in, shape);
  std::vector<CodedNode> nodes(1);
  for_nodes(nodes, [&](std::uint32_t place) {
    const std::uint32_t attribute = bytes.number();
    if (attribute == 0) {
      nodes[place] = CodedNode::leaf(place);
      read_leaf(bytes);
      return;
    }
    const std::uint32_t cut = bytes.threshold(attribute, thresholds);
    nodes[place] = CodedNode::inner(static_cast<std::uint32_t>(nodes.size()), attribute - 1, cut);
    nodes.resize(nodes.size() + 2);
  });
  in.require(bytes.at_end());
  return nodes;
}

/// With the number of rows of each leaf.
void write(ModelWriter& out, const QuantileForest::View& tree) {
  std::size_t leaf = 0;
  out.array(shape_of(tree.nodes, [&](std::uint32_t, std::string& shape) {
    ++leaf;
    append(shape, tree.first[leaf] - tree.first[leaf - 1]);
  }));
  out.array(tree.codes);
}

QuantileForest::Tree read_tree(ModelReader& in, const Thresholds& thresholds) {
  const auto shape = in.array<std::string>();
  QuantileForest::Tree tree{{}, {0}, in.array<std::vector<std::uint16_t>>()};
  tree.nodes = nodes_of(in, shape, thresholds, [&](TreeBytes& bytes) {
    tree.first.push_back(tree.first.back() + bytes.number());
    in.require(tree.first.back() <= tree.codes.size());
  });
  return tree;
}

Thresholds read_thresholds(ModelReader& in, std::size_t attributes) {
  Thresholds thresholds(attributes);
  for (std::vector<double>& of : thresholds) of = in.array<std::vector<double>>();
  return thresholds;
}

}  // namespace

void write(ModelWriter& out, const QuantileForest& forest) {
  out.array(forest.middles());
  for (const std::vector<double>& of : forest.thresholds()) out.array(of);
  out.number(std::uint64_t{forest.size()});
  for (std::size_t t = 0; t < forest.size(); ++t) write(out, forest.tree(t));
}

QuantileForest read_forest(ModelReader& in, std::size_t attributes) {
  auto middles = in.array<std::vector<double>>();
  Thresholds thresholds = read_thresholds(in, attributes);
  std::vector<QuantileForest::Tree> trees;
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    trees.push_back(read_tree(in, thresholds));
  try {
    return QuantileForest(std::move(thresholds), std::move(middles), std::move(trees));
  } catch (const std::invalid_argument&) {
    in.refuse_content();
  }
}

void write(ModelWriter& out, const ForestBags& bags) {
  out.array(bags.codes);
  for (const std::vector<ForestBags::Role>& roles : bags.roles) {
    std::string packed((roles.size() + 3) / 4, '\0');
    for (std::size_t row = 0; row < roles.size(); ++row)
      packed[row / 4] = static_cast<char>(packed[row / 4] | static_cast<int>(roles[row]) << 2 * (row % 4));
    out.array(packed);
  }
}

ForestBags read_bags(ModelReader& in, const QuantileForest& forest) {
  ForestBags bags{.codes = in.array<std::vector<std::uint16_t>>(), .roles = {}};
  const std::size_t bins = forest.middles().size(), rows = bags.codes.size();
  in.require(std::ranges::all_of(bags.codes, [&](std::uint16_t code) { return code < bins; }));
  for (std::size_t t = 0; t < forest.size(); ++t) {
    const auto packed = in.array<std::string>();
    in.require(packed.size() == (rows + 3) / 4);
    std::vector<ForestBags::Role>& roles = bags.roles.emplace_back(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const int role = packed[row / 4] >> 2 * (row % 4) & 3;
      in.require(role <= static_cast<int>(ForestBags::Role::fills));
      roles[row] = static_cast<ForestBags::Role>(role);
    }
  }
  return bags;
}

}  // namespace lacp
