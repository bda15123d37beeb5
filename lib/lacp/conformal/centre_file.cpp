#include "lacp/conformal/centre_file.hpp"

#include <cmath>

namespace lacp {
namespace {

void write_model(ModelWriter& out, const KnnRegressor& model) {
  out.matrix(model.points());
  out.array(model.targets());
  out.number(std::uint64_t{model.k()});
}

KnnRegressor read_knn(ModelReader& in, std::size_t attributes) {
  arma::mat points = in.matrix();
  arma::vec targets = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  if (points.n_rows != attributes || points.n_cols != targets.n_elem || k == 0 || k > points.n_cols)
    in.refuse("has parts whose sizes do not fit together");
  if (!points.is_finite() || arma::abs(points).max() > KnnRegressor::largest_coordinate ||
      !targets.is_finite())
    in.refuse("holds numbers that no fitted model has");
  return KnnRegressor(std::move(points), std::move(targets), k);
}

void write_model(ModelWriter& out, const MlpRegressor& model) {
  out.array(model.shape().hidden);
  out.array(model.parameters());
  out.number(model.mean());
  out.number(model.deviation());
}

MlpRegressor read_mlp(ModelReader& in, std::size_t attributes) {
  const MlpShape shape{.inputs = attributes, .hidden = in.array<std::vector<std::size_t>>()};
  arma::fvec parameters = in.array<arma::fvec>();
  const auto mean = in.number<double>(), deviation = in.number<double>();
  if (find_problem(MlpRegressorOptions{.hidden = shape.hidden}) || !parameters.is_finite() ||
      !std::isfinite(mean) || !std::isfinite(deviation) || deviation <= 0.0)
    in.refuse("holds numbers that no fitted model has");
  if (static_cast<double>(parameters.n_elem) != parameter_count(shape))
    in.refuse("has parts whose sizes do not fit together");
  return MlpRegressor(shape, std::move(parameters), mean, deviation);
}

void write_model(ModelWriter& out, const BoostedTrees& model) {
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

BoostedTrees read_boosted(ModelReader& in, std::size_t attributes) {
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

}  // namespace

void write(ModelWriter& out, const Centre& centre) {
  std::visit([&](const auto& model) { write_model(out, model); }, centre);
}

Centre read_centre(ModelReader& in, CentreKind kind, std::size_t attributes) {
  if (kind == CentreKind::mlp) return read_mlp(in, attributes);
  if (kind == CentreKind::boosted) return read_boosted(in, attributes);
  return read_knn(in, attributes);
}

}  // namespace lacp
