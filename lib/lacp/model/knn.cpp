#include "lacp/model/knn.hpp"

#include <algorithm>
#include <mlpack/core.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search.hpp>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

struct Neighbour {
  double distance;
  std::size_t index;
  auto operator<=>(const Neighbour&) const = default;
};

constexpr arma::uword queries_at_once = 8192;  // bounds the memory of a search

/// Where a squared distance overflows, mlpack finds no neighbour and reads out of bounds.
void refuse_overflow(const arma::mat& X) {
  constexpr double largest = 1e150;  // leaves room for the sum over 100,000 attributes
  if (!(arma::abs(X).max() <= largest))
    run_error(
        "KNN: a scaled attribute is larger than {:g}, too large for distances; leave the row or the attribute out",
        largest);
}

/// The k nearest points of each query in the order (distance, index), which no tree layout can change.
class NeighbourSearch {
 public:
  NeighbourSearch(const arma::mat& points, std::size_t k)
      : points_(points), k_(k), search_(points, mlpack::SINGLE_TREE_MODE) {}

  template <class Visitor>
  void for_each(const arma::mat& queries, Visitor visit) {
    std::vector<Neighbour> nearest(k_);
    // One neighbour more than asked for shows whether the k-th is tied with a point that was left out.
    const std::size_t asked = std::min<std::size_t>(k_ + 1, points_.n_cols);
    arma::Mat<std::size_t> indices;
    arma::mat distances;
    for (arma::uword first = 0; first < queries.n_cols; first += queries_at_once) {
      const arma::mat block = queries.cols(first, std::min(first + queries_at_once, queries.n_cols) - 1);
      search_.Search(block, asked, indices, distances);
      for (arma::uword i = 0; i < block.n_cols; ++i) {
        for (std::size_t j = 0; j < k_; ++j) nearest[j] = {distances(j, i), indices(j, i)};
        if (asked > k_ && distances(k_, i) == distances(k_ - 1, i)) settle_tie(block, i, nearest);
        std::sort(nearest.begin(), nearest.end());
        visit(first + i, nearest);
      }
    }
  }

 private:
  /// Replaces the neighbours at the largest distance by the points of lowest index at that very distance.
  void settle_tie(const arma::mat& queries, arma::uword i, std::vector<Neighbour>& nearest) const {
    const double tied = nearest.back().distance;
    auto free =
        std::partition(nearest.begin(), nearest.end(), [&](const Neighbour& n) { return n.distance < tied; });
    for (std::size_t j = 0; j < points_.n_cols && free != nearest.end(); ++j)
      if (mlpack::EuclideanDistance::Evaluate(queries.col(i), points_.col(j)) == tied) *free++ = {tied, j};
  }

  const arma::mat& points_;
  std::size_t k_;
  mlpack::KNN search_;
};

/// Squared errors of every K of the grid on one held-out part, added to `sums`.
void add_errors(const arma::mat& X, const arma::vec& y, const arma::uvec& fitted, const arma::uvec& held_out,
                const std::vector<std::size_t>& grid, std::vector<double>& sums) {
  const arma::vec truth = y(held_out);
  const arma::mat means = knn_means(X.cols(fitted), y(fitted), X.cols(held_out), grid);
  for (std::size_t g = 0; g < grid.size(); ++g) sums[g] += arma::accu(arma::square(means.row(g).t() - truth));
}

struct Fold {
  arma::uvec fitted, held_out;
};

/// The points are in random order already, so folds are runs of them.
std::vector<Fold> make_folds(std::size_t n, const KnnOptions& options) {
  const arma::uvec all = arma::regspace<arma::uvec>(0, n - 1);
  if (options.selection == KnnSelection::hold_out) {
    const std::size_t cut = n * 4 / 5;
    if (cut == 0)
      user_error("KNN: {} cannot be divided into a fitted and a held-out part", counted(n, "point"));
    return {{.fitted = all.head(cut), .held_out = all.tail(n - cut)}};
  }
  if (n < options.folds)
    user_error("KNN: {} cannot be divided into {} folds; lower predictor.folds", counted(n, "point"),
               options.folds);
  std::vector<Fold> folds;
  for (std::size_t f = 0; f < options.folds; ++f) {
    const std::size_t begin = n * f / options.folds, end = n * (f + 1) / options.folds;
    folds.push_back({.fitted = arma::join_cols(all.head(begin), all.tail(n - end)),
                     .held_out = all.subvec(begin, end - 1)});
  }
  return folds;
}

}  // namespace

arma::mat knn_means(const arma::mat& points, const arma::vec& targets, const arma::mat& queries,
                    const std::vector<std::size_t>& grid) {
  arma::mat means(grid.size(), queries.n_cols);
  if (queries.n_cols == 0) return means;
  refuse_overflow(points);
  refuse_overflow(queries);
  NeighbourSearch search(points, grid.back());
  search.for_each(queries, [&](arma::uword query, const std::vector<Neighbour>& nearest) {
    double sum = 0.0;
    std::size_t taken = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; taken < grid[g]; ++taken) sum += targets(nearest[taken].index);
      means(g, query) = sum / static_cast<double>(grid[g]);
    }
  });
  return means;
}

std::vector<std::size_t> usable_grid(std::size_t points, const KnnOptions& options) {
  std::size_t smallest_fit = points;
  for (const Fold& fold : make_folds(points, options))
    smallest_fit = std::min<std::size_t>(smallest_fit, fold.fitted.n_elem);
  std::vector<std::size_t> grid = options.grid;
  std::erase_if(grid, [&](std::size_t k) { return k > smallest_fit; });
  if (grid.empty())
    user_error(
        "KNN: no K of the grid fits: the smallest is {}, but a fold is fitted on {}; lower predictor.grid",
        options.grid.front(), counted(smallest_fit, "point"));
  return grid;
}

KnnRegressor::KnnRegressor(arma::mat X, arma::vec y, std::size_t k)
    : X_(std::move(X)), y_(std::move(y)), k_(k) {
  if (X_.n_cols != y_.n_elem)
    throw std::invalid_argument(fmt::format("KnnRegressor: {} points but {} targets", X_.n_cols, y_.n_elem));
  if (k_ == 0 || k_ > X_.n_cols)
    user_error("KNN: K = {} neighbours cannot be taken from {} points", k_, X_.n_cols);
}

KnnRegressor KnnRegressor::fit(const arma::mat& X, const arma::vec& y, const KnnOptions& options,
                               Stream& stream) {
  std::vector<arma::uword> order = stream.permutation<arma::uword>(X.n_cols);
  if (options.points != 0 && order.size() > options.points) order.resize(options.points);
  const arma::uvec sample(order);
  const arma::mat Xs = X.cols(sample);
  const arma::vec ys = y(sample);

  const std::vector<Fold> folds = make_folds(order.size(), options);
  const std::vector<std::size_t> grid = usable_grid(order.size(), options);
  arma::uword tested = 0;
  for (const Fold& fold : folds) tested += fold.held_out.n_elem;

  std::vector<double> sums(grid.size(), 0.0);
  for (const Fold& fold : folds) add_errors(Xs, ys, fold.fitted, fold.held_out, grid, sums);
  const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());

  KnnRegressor model(Xs, ys, grid[best]);
  for (std::size_t g = 0; g < grid.size(); ++g)
    model.trials_.push_back({.k = grid[g], .error = sums[g] / static_cast<double>(tested)});
  return model;
}

arma::vec KnnRegressor::predict(const arma::mat& X) const { return knn_means(X_, y_, X, {k_}).t(); }

}  // namespace lacp
