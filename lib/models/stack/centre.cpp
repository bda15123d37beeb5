#include "models/stack/centre.hpp"

#include <cmath>

#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {

std::string_view name_of(CentreKind kind) {
  constexpr std::string_view names[] = {"knn", "mlp", "boosted", "stack"};
  return names[static_cast<std::size_t>(kind)];
}

Centre fit_centre(const arma::mat& X, const arma::vec& y, const CentreOptions& options, Stream& stream,
                  const Groups& groups, std::size_t jobs) {
  constexpr std::size_t folds = 5;  // of a stack, where none are asked for
  if (options.kind == CentreKind::stack)
    return fit_stack(X, y, {.folds = folds}, options, stream, groups, jobs).stack;
  if (options.kind == CentreKind::mlp) return MlpRegressor::fit(X, y, options.mlp, stream, groups);
  if (options.kind == CentreKind::boosted) return BoostedTrees::fit(X, y, options.boosted, stream, groups);
  return KnnRegressor::fit(X, y, options.knn, stream, groups);
}

arma::vec predict(const Centre& centre, const arma::mat& X, std::size_t jobs) {
  const auto some = [&](const arma::mat& columns) {
    return std::visit([&](const auto& model) { return model.predict(columns); }, centre);
  };
  if (jobs <= 1 || X.n_cols <= columns_of_a_task) return some(X);
  arma::vec f(X.n_cols);
  in_blocks(X.n_cols, columns_of_a_task, jobs, [&](std::size_t begin, std::size_t end) {
    f.subvec(begin, end - 1) = some(X.cols(begin, end - 1));
  });
  return f;
}

arma::vec out_of_fold(const arma::mat& X, const arma::vec& y, std::size_t folds, const CentreOptions& options,
                      Stream& stream, const Groups& groups) {
  const std::size_t n = y.n_elem;
  const std::vector<std::size_t> starts = fold_starts(n, folds, groups);
  const arma::uvec all = arma::regspace<arma::uvec>(0, n - 1);
  arma::vec f(n);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    const std::size_t begin = starts[fold], end = starts[fold + 1];
    const arma::uvec others = arma::join_cols(all.head(begin), all.tail(n - end));
    const Centre centre = fit_centre(X.cols(others), y(others), options, stream, groups_of(others, groups));
    f.subvec(begin, end - 1) = predict(centre, X.cols(begin, end - 1));
  }
  return f;
}

void require_predictions(const arma::vec& f, const arma::mat& X, std::span<const std::string> attributes) {
  for (arma::uword n = 0; n < f.n_elem; ++n) {
    if (std::isfinite(f(n))) continue;
    const arma::uword worst = arma::abs(X.col(n)).index_max();
    run_error("no prediction for a row far out: {} is {:.3g} standard deviations from its mean; leave it out",
              attributes.empty() ? fmt::format("attribute {}", worst + 1) : show_text(attributes[worst]),
              X(worst, n));
  }
}

namespace {

template <class Neighbours>
void write_neighbours(ModelWriter& out, const Neighbours& model) {
  out.matrix(model.points());
  out.array(model.targets());
  out.number(std::uint64_t{model.k()});
}

template <class Neighbours>
Neighbours read_neighbours(ModelReader& in, std::size_t attributes) {
  arma::mat points = in.matrix();
  arma::vec targets = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  in.require(points.n_rows == attributes && points.n_cols == targets.n_elem && k > 0 && k <= points.n_cols);
  in.require(points.is_finite() && arma::abs(points).max() <= KnnRegressor::largest_coordinate &&
             targets.is_finite());
  return Neighbours(std::move(points), std::move(targets), k);
}

}  // namespace

void write(ModelWriter& out, const KnnRegressor& model) { write_neighbours(out, model); }

KnnRegressor read_knn(ModelReader& in, std::size_t attributes) {
  return read_neighbours<KnnRegressor>(in, attributes);
}

namespace {

void write(ModelWriter& out, const MlpRegressor& model) {
  out.array(model.shape.hidden);
  out.array(model.parameters);
  out.number(model.mean);
  out.number(model.deviation);
}

MlpRegressor read_mlp(ModelReader& in, std::size_t attributes) {
  const MlpShape shape{.inputs = attributes, .hidden = in.array<std::vector<std::size_t>>()};
  arma::fvec parameters = in.array<arma::fvec>();
  const auto mean = in.number<double>(), deviation = in.number<double>();
  in.require(!check_of(MlpRegressorOptions{.hidden = shape.hidden}).problem() && parameters.is_finite() &&
             std::isfinite(mean) && std::isfinite(deviation) && deviation > 0.0);
  in.require(parameters.n_elem == parameter_count(shape));
  return {shape, std::move(parameters), mean, deviation};
}

void write(ModelWriter& out, const BoostedTrees& model) {
  out.number(model.base());
  out.number(std::uint64_t{model.trees().size()});
  for (const std::vector<TreeNode>& tree : model.trees()) out.array(tree);
}

BoostedTrees read_boosted(ModelReader& in, std::size_t attributes) {
  Boosting boosting{.base = in.number<double>(), .trees = {}};
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    boosting.trees.push_back(in.array<std::vector<TreeNode>>());
  try {
    return BoostedTrees(attributes, std::move(boosting));
  } catch (const std::invalid_argument&) {
    in.refuse_content();
  }
}

BellMap read_map(ModelReader& in, std::size_t attributes) {
  BellMap map;
  for (std::size_t i = 0; i < attributes; ++i) map.knots.push_back(in.array<std::vector<BellMap::Knot>>());
  in.require(map.sound());
  return map;
}

void write(ModelWriter& out, const Stack& stack) {
  out.array(stack.low);
  out.array(stack.high);
  out.number(stack.mean);
  out.number(std::uint8_t{stack.line_first});
  out.number(stack.weights);
  out.number(std::uint64_t{stack.boosted.size()});
  for (const BoostedTrees& each : stack.boosted) write(out, each);
  out.number(std::uint64_t{stack.networks.size()});
  for (const MlpRegressor& each : stack.networks) write(out, each);
  if (!stack.networks.empty()) out.number(std::uint8_t{stack.map.has_value()});
  if (stack.map)
    for (const auto& knots : stack.map->knots) out.array(knots);
  if (stack.neighbours) write_neighbours(out, *stack.neighbours);
  if (!stack.line) return;
  out.number(stack.line->constant);
  out.array(stack.line->slopes);
}

Stack read_stack(ModelReader& in, std::size_t attributes) {
  Stack stack{.low = in.array<arma::vec>(),
              .high = in.array<arma::vec>(),
              .mean = in.number<double>(),
              .line_first = in.flag(),
              .weights = in.number<Stack::Weights>()};
  const auto& [low, high, mean, line_first, weights, boosted, networks, map, neighbours, line] = stack;
  in.require(low.n_elem == attributes && high.n_elem == attributes);
  bool sound = low.is_finite() && high.is_finite() && arma::all(low <= high) && std::isfinite(mean);
  for (const double weight : {weights.boosted, weights.network, weights.neighbours, weights.line})
    sound = sound && weight >= 0.0 && std::isfinite(weight);
  in.require(sound);
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    stack.boosted.push_back(read_boosted(in, attributes));
  for (auto count = in.number<std::uint64_t>(); count > 0; --count)
    stack.networks.push_back(read_mlp(in, attributes));
  in.require(boosted.empty() == (weights.boosted == 0.0) && networks.empty() == (weights.network == 0.0));
  if (!networks.empty() && in.flag()) stack.map = read_map(in, attributes);
  if (weights.neighbours > 0.0) stack.neighbours = read_neighbours<NearRows>(in, attributes);
  in.require(!line_first || weights.line == 1.0);
  if (weights.line > 0.0) {
    stack.line = Line{in.number<double>(), in.array<arma::vec>()};
    in.require(std::isfinite(line->constant) && line->slopes.n_elem == attributes &&
               line->slopes.is_finite());
  }
  return stack;
}

}  // namespace

void write(ModelWriter& out, const Centre& centre) {
  std::visit([&](const auto& model) { write(out, model); }, centre);
}

Centre read_centre(ModelReader& in, CentreKind kind, std::size_t attributes) {
  if (kind == CentreKind::mlp) return read_mlp(in, attributes);
  if (kind == CentreKind::boosted) return read_boosted(in, attributes);
  if (kind == CentreKind::stack) return read_stack(in, attributes);
  return read_knn(in, attributes);
}

}  // namespace lacp
