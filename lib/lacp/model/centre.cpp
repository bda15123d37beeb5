#include "lacp/model/centre.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::string_view name_of(CentreKind kind) {
  constexpr std::string_view names[] = {"knn", "mlp", "boosted"};
  return names[static_cast<std::size_t>(kind)];
}

Centre fit_centre(const arma::mat& X, const arma::vec& y, const CentreOptions& options, Stream& stream) {
  if (options.kind == CentreKind::mlp) return MlpRegressor::fit(X, y, options.mlp, stream);
  if (options.kind == CentreKind::boosted) return BoostedTrees::fit(X, y, options.boosted, stream);
  return KnnRegressor::fit(X, y, options.knn, stream);
}

arma::vec predict(const Centre& centre, const arma::mat& X) {
  return std::visit([&](const auto& model) { return model.predict(X); }, centre);
}

std::vector<std::size_t> fold_starts(std::size_t n, std::size_t folds,
                                     const std::vector<std::size_t>& groups) {
  std::vector<std::size_t> starts;  // of the groups
  for (std::size_t i = 0; i < n; ++i)
    if (groups.empty() || i == 0 || groups[i] != groups[i - 1]) starts.push_back(i);
  if (starts.size() < folds)
    user_error("{} cannot be divided into {} folds; lower cross_fit",
               counted(starts.size(), groups.empty() ? "point" : "group"), folds);
  starts.push_back(n);
  std::vector<std::size_t> of_folds;
  for (std::size_t fold = 0; fold <= folds; ++fold)
    of_folds.push_back(starts[(starts.size() - 1) * fold / folds]);
  return of_folds;
}

arma::vec out_of_fold(const arma::mat& X, const arma::vec& y, std::size_t folds, const CentreOptions& options,
                      Stream& stream, const std::vector<std::size_t>& groups) {
  const std::size_t n = y.n_elem;
  require_points(n, options, folds);
  const std::vector<std::size_t> starts = fold_starts(n, folds, groups);
  const arma::uvec all = arma::regspace<arma::uvec>(0, n - 1);
  arma::vec f(n);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = starts[fold], end = starts[fold + 1];
    const arma::uvec others = arma::join_cols(all.head(begin), all.tail(n - end));
    const Centre centre = fit_centre(X.cols(others), y(others), options, stream);
    f.subvec(begin, end - 1) = predict(centre, X.cols(begin, end - 1));
  }
  return f;
}

void require_finite(const arma::vec& f, const arma::mat& X, std::span<const std::string> attributes) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    if (std::isfinite(f(n))) continue;
    const arma::uword worst = arma::abs(X.col(n)).index_max();
    run_error(
        "the prediction is no finite number for a row that lies far out: {} is {:.3g} standard deviations from its mean; correct the row, leave it out, or choose another kind of point prediction",
        attributes.empty() ? fmt::format("attribute {}", worst + 1) : show_text(attributes[worst]),
        X(worst, n));
  }
}

void require_points(std::size_t points, const CentreOptions& options, std::size_t folds) {
  if (folds != 0) {
    if (points < folds)
      user_error("{} cannot be divided into {} folds; lower cross_fit", counted(points, "point"), folds);
    points -= (points + folds - 1) / folds;
  }
  const KnnOptions& knn = options.knn;
  if (options.kind == CentreKind::knn)
    usable_grid(knn.points == 0 ? points : std::min(knn.points, points), knn);
  if (options.kind == CentreKind::mlp) held_out_points(points, options.mlp);
}

void write(ModelWriter& out, const KnnRegressor& model) {
  out.matrix(model.points());
  out.array(model.targets());
  out.number(std::uint64_t{model.k()});
}

KnnRegressor read_knn(ModelReader& in, std::size_t attributes) {
  arma::mat points = in.matrix();
  arma::vec targets = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  in.require_sizes(points.n_rows == attributes && points.n_cols == targets.n_elem && k > 0 &&
                   k <= points.n_cols);
  in.require_numbers(points.is_finite() && arma::abs(points).max() <= KnnRegressor::largest_coordinate &&
                     targets.is_finite());
  return KnnRegressor(std::move(points), std::move(targets), k);
}

namespace {

void write(ModelWriter& out, const MlpRegressor& model) {
  out.array(model.shape().hidden);
  out.array(model.parameters());
  out.number(model.mean());
  out.number(model.deviation());
}

MlpRegressor read_mlp(ModelReader& in, std::size_t attributes) {
  const MlpShape shape{.inputs = attributes, .hidden = in.array<std::vector<std::size_t>>()};
  arma::fvec parameters = in.array<arma::fvec>();
  const auto mean = in.number<double>(), deviation = in.number<double>();
  in.require_numbers(!find_problem(MlpRegressorOptions{.hidden = shape.hidden}) && parameters.is_finite() &&
                     std::isfinite(mean) && std::isfinite(deviation) && deviation > 0.0);
  in.require_sizes(parameters.n_elem == parameter_count(shape));
  return MlpRegressor(shape, std::move(parameters), mean, deviation);
}

void write_nodes(ModelWriter& out, const std::vector<TreeNode>& tree) {
  out.number(std::uint64_t{tree.size()});
  for (const TreeNode& node : tree) {
    out.number(node.value);
    out.number(node.attribute);
    out.number(node.left);
  }
}

std::vector<TreeNode> read_nodes(ModelReader& in) {
  std::vector<TreeNode> tree;
  for (auto nodes = in.number<std::uint64_t>(); nodes > 0; --nodes)
    tree.push_back({.value = in.number<double>(),
                    .attribute = in.number<std::uint32_t>(),
                    .left = in.number<std::uint32_t>()});
  return tree;
}

/// Made of what was read, if it can be.
template <class Trees, class... Parts>
Trees trees_of(const ModelReader& in, Parts&&... parts) {
  try {
    return Trees(std::forward<Parts>(parts)...);
  } catch (const std::invalid_argument&) {
    in.refuse("holds trees that no fit makes");
  }
}

}  // namespace

void write(ModelWriter& out, const BoostedTrees& model) {
  out.number(model.base());
  out.number(std::uint64_t{model.trees().size()});
  for (const std::vector<TreeNode>& tree : model.trees()) write_nodes(out, tree);
}

BoostedTrees read_boosted(ModelReader& in, std::size_t attributes) {
  const auto base = in.number<double>();
  std::vector<std::vector<TreeNode>> trees;
  for (auto count = in.number<std::uint64_t>(); count > 0; --count) trees.push_back(read_nodes(in));
  return trees_of<BoostedTrees>(in, attributes, base, std::move(trees));
}

void write(ModelWriter& out, const BoostedOutputs& model) {
  out.array(model.boosting().base);
  out.number(std::uint64_t{model.boosting().trees.size()});
  for (const OutputTree& tree : model.boosting().trees) write_nodes(out, tree.nodes), out.array(tree.values);
}

BoostedOutputs read_outputs(ModelReader& in, std::size_t attributes) {
  Boosting boosting{.base = in.array<std::vector<double>>(), .trees = {}};
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    boosting.trees.push_back({.nodes = read_nodes(in), .values = in.array<std::vector<double>>()});
  return trees_of<BoostedOutputs>(in, attributes, std::move(boosting));
}

void write(ModelWriter& out, const Centre& centre) {
  std::visit([&](const auto& model) { write(out, model); }, centre);
}

Centre read_centre(ModelReader& in, CentreKind kind, std::size_t attributes) {
  if (kind == CentreKind::mlp) return read_mlp(in, attributes);
  if (kind == CentreKind::boosted) return read_boosted(in, attributes);
  return read_knn(in, attributes);
}

}  // namespace lacp
