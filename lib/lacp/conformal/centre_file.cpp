#include "lacp/conformal/centre_file.hpp"

namespace lacp {

void write(ModelWriter& out, const BoostedTrees& model) {
  out.number(std::uint64_t{model.attributes()});
  out.number(model.base());
  out.number(std::uint64_t{model.trees().size()});
  for (const std::vector<TreeNode>& tree : model.trees()) {
    out.number(std::uint64_t{tree.size()});
    for (const TreeNode& node : tree) {
      out.number(node.value);
      out.number(node.attribute);
      out.number(node.left);
    }
  }
}

BoostedTrees read_boosted(ModelReader& in) {
  const auto attributes = in.number<std::uint64_t>();
  const auto base = in.number<double>();
  const auto count = in.number<std::uint64_t>();
  std::vector<std::vector<TreeNode>> trees;
  for (std::uint64_t t = 0; t < count; ++t) {
    trees.emplace_back();
    for (auto nodes = in.number<std::uint64_t>(); nodes > 0; --nodes)
      trees.back().push_back({.value = in.number<double>(),
                              .attribute = in.number<std::uint32_t>(),
                              .left = in.number<std::uint32_t>()});
  }
  try {
    return BoostedTrees(attributes, base, std::move(trees));
  } catch (const std::invalid_argument&) {
    in.refuse("holds trees that no fit makes");
  }
}

}  // namespace lacp
