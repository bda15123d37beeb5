#include "lacp/model/knn.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>
#include <memory>
#include <mlpack/core.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search.hpp>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

namespace {

/// A point at some distance from a query.
struct Neighbour {
  double distance;
  std::size_t index;
  auto operator<=>(const Neighbour&) const = default;
};

}  // namespace

/// A kd-tree over points: the k nearest points of each query in the order (distance, index). mlpack divides
/// the points; the search is our own. Every squared distance is summed in the order of the coordinates, and
/// so is the least that a box allows: rounding keeps the order of numbers, so what the box allows is never
/// more than what a point in it has, to the last bit. Hence neither the layout of the tree nor the processor
/// can change the answer. Searching changes nothing in it, so that threads can share one.
class NeighbourSearch {
 public:
  explicit NeighbourSearch(arma::mat points) : points_(std::move(points)) {
    const mlpack::KNN::Tree tree(points_, old_from_new_, leaf_size);
    add_node(tree);
  }

  template <class Visitor>
  void for_each(const arma::mat& queries, std::size_t k, Visitor visit) const {
    std::vector<Neighbour> nearest;
    for (arma::uword i = 0; i < queries.n_cols; ++i) {
      Search search{queries.colptr(i), nearest};
      nearest.assign(k, {HUGE_VAL, points_.n_cols});
      visit_node(0, search);
      std::sort_heap(nearest.begin(), nearest.end());
      visit(i, nearest);
    }
  }

  const arma::mat& points() const { return points_; }

 private:
  static constexpr std::size_t leaf_size = 32, block = 8;

  /// Boxes and points are in flat arrays: that of the node's box begins at 2·d times its number.
  struct Node {
    std::size_t left = 0, right = 0;   ///< 0: a leaf
    std::size_t begin = 0, count = 0;  ///< of a leaf: its points, in the order of the tree
    std::size_t blocks = 0;            ///< of a leaf: where its coordinates begin
  };

  struct Search {
    const double* query;
    std::vector<Neighbour>& nearest;  ///< a heap, the farthest first
    double limit = HUGE_VAL;          ///< squares above this are farther than all of these
  };

  std::size_t add_node(const mlpack::KNN::Tree& tree) {
    const std::size_t number = nodes_.size(), d = points_.n_rows;
    nodes_.push_back({.begin = tree.Begin(), .count = tree.Count(), .blocks = blocks_.size()});
    boxes_.resize(boxes_.size() + 2 * d);
    if (tree.IsLeaf()) {
      add_blocks(nodes_[number]);
      for (std::size_t i = 0; i < d; ++i) box(number)[2 * i] = HUGE_VAL, box(number)[2 * i + 1] = -HUGE_VAL;
      for (std::size_t j = tree.Begin(); j < tree.Begin() + tree.Count(); ++j)
        for (std::size_t i = 0; i < d; ++i) {
          const double x = points_(i, old_from_new_[j]);
          widen(box(number) + 2 * i, x, x);
        }
      return number;
    }
    const std::size_t left = add_node(*tree.Left()), right = add_node(*tree.Right());
    nodes_[number].left = left, nodes_[number].right = right;
    std::copy_n(box(left), 2 * d, box(number));
    for (std::size_t i = 0; i < d; ++i) widen(box(number) + 2 * i, box(right)[2 * i], box(right)[2 * i + 1]);
    return number;
  }

  double* box(std::size_t node) { return &boxes_[2 * points_.n_rows * node]; }

  static void widen(double* range, double low, double high) {
    range[0] = std::min(range[0], low), range[1] = std::max(range[1], high);
  }

  /// Eight points at a time, coordinate by coordinate; the last point fills up.
  void add_blocks(const Node& leaf) {
    for (std::size_t first = 0; first < leaf.count; first += block)
      for (std::size_t i = 0; i < points_.n_rows; ++i)
        for (std::size_t j = first; j < first + block; ++j)
          blocks_.push_back(points_(i, old_from_new_[leaf.begin + std::min(j, leaf.count - 1)]));
  }

  /// |q − x|² of the nearest point x that the box of a node may have.
  double least_square(std::size_t node, const double* query) const {
    const double* box = &boxes_[2 * points_.n_rows * node];
    double sum = 0.0;
    for (std::size_t i = 0; i < points_.n_rows; ++i) {
      const double gap = std::max({box[2 * i] - query[i], query[i] - box[2 * i + 1], 0.0});
      sum += gap * gap;
    }
    return sum;
  }

  void visit_node(std::size_t number, Search& search) const {
    const Node& node = nodes_[number];
    if (node.left == 0) return visit_leaf(node, search);
    std::size_t near = node.left, far = node.right;
    double near_square = least_square(near, search.query), far_square = least_square(far, search.query);
    if (far_square < near_square) std::swap(near, far), std::swap(near_square, far_square);
    if (near_square <= search.limit) visit_node(near, search);
    if (far_square <= search.limit) visit_node(far, search);
  }

  void visit_leaf(const Node& leaf, Search& search) const {
    const std::size_t d = points_.n_rows;
    const double* coordinates = blocks_.data() + leaf.blocks;
    for (std::size_t first = 0; first < leaf.count; first += block, coordinates += block * d) {
      std::array<double, block> squares{};
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < block; ++j) {
          const double gap = search.query[i] - coordinates[i * block + j];
          squares[j] += gap * gap;
        }
      for (std::size_t j = 0; j < std::min(block, leaf.count - first); ++j)
        if (squares[j] <= search.limit) offer(old_from_new_[leaf.begin + first + j], squares[j], search);
    }
  }

  /// Distances, not their squares, are compared: those of two squares may be the same number.
  static void offer(std::size_t index, double square, Search& search) {
    constexpr double rounding = 1e-11;
    std::vector<Neighbour>& nearest = search.nearest;
    const Neighbour candidate{std::sqrt(square), index};
    if (!(candidate < nearest.front())) return;
    std::pop_heap(nearest.begin(), nearest.end());
    nearest.back() = candidate;
    std::push_heap(nearest.begin(), nearest.end());
    const double farthest = nearest.front().distance;
    search.limit = farthest * farthest * (1.0 + rounding) + smallest;
  }

  // Squares below this may have lost digits.
  static constexpr double smallest = 1e-300;

  arma::mat points_;
  std::vector<std::size_t> old_from_new_;  // the tree keeps the points in an order of its own
  std::vector<Node> nodes_;
  std::vector<double> boxes_, blocks_;
};

namespace {

/// Where a squared distance overflows, mlpack finds no neighbour and reads out of bounds.
void refuse_overflow(const arma::mat& X) {
  if (!(arma::abs(X).max() <= KnnRegressor::largest_coordinate))
    run_error(
        "KNN: a scaled attribute is larger than {:g}, too large for distances; leave the row or the attribute out",
        KnnRegressor::largest_coordinate);
}

arma::mat means_of(const NeighbourSearch& search, const arma::vec& targets, const arma::mat& queries,
                   const std::vector<std::size_t>& grid) {
  arma::mat means(grid.size(), queries.n_cols);
  if (queries.n_cols == 0) return means;
  refuse_overflow(queries);
  search.for_each(queries, grid.back(), [&](arma::uword query, const std::vector<Neighbour>& nearest) {
    double sum = 0.0;
    std::size_t taken = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; taken < grid[g]; ++taken) sum += targets(nearest[taken].index);
      means(g, query) = sum / static_cast<double>(grid[g]);
    }
  });
  return means;
}

/// Squared errors of every K of the grid on one held-out part, added to `sums`.
void add_errors(const arma::mat& X, const arma::vec& y, const arma::uvec& fitted, const arma::uvec& held_out,
                const std::vector<std::size_t>& grid, std::vector<double>& sums) {
  const arma::vec truth = y(held_out);
  const arma::mat means = knn_means(X.cols(fitted), y(fitted), X.cols(held_out), grid);
  for (std::size_t g = 0; g < grid.size(); ++g)
    for (arma::uword n = 0; n < truth.n_elem; ++n)
      sums[g] += (means(g, n) - truth(n)) * (means(g, n) - truth(n));
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
  if (queries.n_cols == 0) return arma::mat(grid.size(), 0);
  refuse_overflow(points);
  return means_of(NeighbourSearch(points), targets, queries, grid);
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

KnnRegressor::KnnRegressor(arma::mat X, arma::vec y, std::size_t k) : y_(std::move(y)), k_(k) {
  if (X.n_cols != y_.n_elem)
    throw std::invalid_argument(fmt::format("KnnRegressor: {} points but {} targets", X.n_cols, y_.n_elem));
  if (k_ == 0 || k_ > X.n_cols)
    user_error("KNN: K = {} neighbours cannot be taken from {} points", k_, X.n_cols);
  refuse_overflow(X);
  search_ = std::make_shared<const NeighbourSearch>(std::move(X));
}

const arma::mat& KnnRegressor::points() const { return search_->points(); }

KnnRegressor KnnRegressor::fit(const arma::mat& X, const arma::vec& y, const KnnOptions& options,
                               Stream& stream) {
  refuse("KNN", find_problem(options));
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

arma::vec KnnRegressor::predict(const arma::mat& X) const { return means_of(*search_, y_, X, {k_}).t(); }

}  // namespace lacp
