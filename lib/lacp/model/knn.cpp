#include "lacp/model/knn.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
// Not mlpack/core.hpp: it brings stb's image code, whose variables would be defined in liblacp.a too.
#include <mlpack/core/distances/lmetric.hpp>
#include <mlpack/core/tree/binary_space_tree.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search_rules.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search_stat.hpp>
#include <mlpack/methods/neighbor_search/sort_policies/nearest_neighbor_sort.hpp>

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

/// |a − b|², the sum in the order of the coordinates; once it exceeds `limit`, any larger number.
double squared_distance(const double* a, const double* b, std::size_t n, double limit = HUGE_VAL) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n && sum <= limit; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/// Where a squared distance overflows, mlpack finds no neighbour and reads out of bounds.
void refuse_overflow(const arma::mat& X) {
  if (!(arma::abs(X).max() <= KnnRegressor::largest_coordinate))
    run_error(
        "KNN: a scaled attribute is larger than {:g}, too large for distances; leave the row or the attribute out",
        KnnRegressor::largest_coordinate);
}

struct Fold {
  arma::uvec fitted, held_out;
};

/// The points are in random order already, so folds are runs of them.
std::vector<Fold> make_folds(std::size_t n, const KnnOptions& options, const Groups& groups) {
  const arma::uvec all = arma::regspace<arma::uvec>(0, n - 1);
  const std::size_t units = group_starts(n, groups).size() - 1;
  const std::string found = counted(units, groups.empty() ? "point" : "group");
  if (options.selection == KnnSelection::hold_out) {
    const std::size_t cut = group_starts(n, groups)[units * 4 / 5];
    if (cut == 0) user_error("KNN: {} cannot be divided into a fitted and a held-out part", found);
    return {{.fitted = all.head(cut), .held_out = all.tail(n - cut)}};
  }
  if (units < options.folds)
    user_error("KNN: {} cannot be divided into {} folds; take fewer folds", found, options.folds);
  const std::vector<std::size_t> starts = run_starts(n, options.folds, groups);
  std::vector<Fold> folds;
  for (std::size_t f = 0; f < options.folds; ++f) {
    const std::size_t begin = starts[f], end = starts[f + 1];
    folds.push_back({.fitted = arma::join_cols(all.head(begin), all.tail(n - end)),
                     .held_out = all.subvec(begin, end - 1)});
  }
  return folds;
}

}  // namespace

/// A kd-tree over points: the k nearest points of each query in the order (distance, index). mlpack's search
/// says which points are near; what decides among them is our own distance, whose sum has one order, so that
/// neither the layout of the tree nor the rounding of a library can change the answer. Searching changes
/// nothing in it, so that threads can share one.
class NeighbourSearch {
 public:
  explicit NeighbourSearch(arma::mat points)
      : points_(std::move(points)), tree_(std::make_unique<Tree>(points_, old_from_new_)) {}

  template <class Visitor>
  void for_each(const arma::mat& queries, std::size_t k, Visitor visit) const {
    constexpr arma::uword queries_at_once = 8192;  // bounds the memory of a search
    std::vector<Neighbour> nearest;
    // One neighbour more than asked for shows whether the k-th is tied with a point that was left out.
    const std::size_t asked = std::min<std::size_t>(k + 1, points_.n_cols);
    arma::Mat<std::size_t> indices;
    arma::mat distances;
    for (arma::uword first = 0; first < queries.n_cols; first += queries_at_once) {
      const arma::mat block = queries.cols(first, std::min(first + queries_at_once, queries.n_cols) - 1);
      search(block, asked, indices, distances);
      for (arma::uword i = 0; i < block.n_cols; ++i) {
        const double* query = block.colptr(i);
        const double limit = distances(k - 1, i) * (1.0 + rounding) + smallest;
        nearest.clear();
        if (asked > k && distances(k, i) <= limit) {
          add_all_within(*tree_, query, limit, nearest);
        } else {
          for (std::size_t j = 0; j < k; ++j) add(query, old_from_new_[indices(j, i)], nearest);
        }
        std::partial_sort(nearest.begin(), nearest.begin() + static_cast<std::ptrdiff_t>(k), nearest.end());
        nearest.resize(k);
        visit(first + i, nearest);
      }
    }
  }

  const arma::mat& points() const { return points_; }

 private:
  // Two distances as close as this may stand in another order where they are rounded otherwise. Far more than
  // the rounding of a sum of thousands of squares, and of squares that underflow.
  static constexpr double rounding = 1e-11, smallest = 1e-150;

  using Tree = mlpack::KDTree<mlpack::EuclideanDistance,
                              mlpack::NeighborSearchStat<mlpack::NearestNeighborSort>, arma::mat>;
  using Rules = mlpack::NeighborSearchRules<mlpack::NearestNeighborSort, mlpack::EuclideanDistance, Tree>;

  /// What mlpack::KNN does in SINGLE_TREE_MODE, without its counters, which threads could not share.
  void search(const arma::mat& queries, std::size_t k, arma::Mat<std::size_t>& indices,
              arma::mat& distances) const {
    mlpack::EuclideanDistance distance;
    Rules rules(tree_->Dataset(), queries, k, distance);
    typename Tree::template SingleTreeTraverser<Rules> traverser(rules);
    for (arma::uword i = 0; i < queries.n_cols; ++i) traverser.Traverse(i, *tree_);
    rules.GetResults(indices, distances);
  }

  void add(const double* query, std::size_t j, std::vector<Neighbour>& nearest) const {
    nearest.push_back({std::sqrt(squared_distance(query, points_.colptr(j), points_.n_rows)), j});
  }

  /// Every point below a node and within `limit` of the query: at least those that the search found. Where
  /// attributes are integers most queries have ties, so this must not look at all points.
  void add_all_within(const Tree& node, const double* query, double limit,
                      std::vector<Neighbour>& nearest) const {
    const double square = limit * limit * (1.0 + rounding);
    double nearest_square = 0.0;  // of the node's box
    for (std::size_t i = 0; i < points_.n_rows; ++i) {
      const double outside =
          std::max({node.Bound()[i].Lo() - query[i], query[i] - node.Bound()[i].Hi(), 0.0});
      nearest_square += outside * outside;
    }
    if (nearest_square > square * (1.0 + rounding)) return;
    for (std::size_t child = 0; child < node.NumChildren(); ++child)
      add_all_within(node.Child(child), query, limit, nearest);
    for (std::size_t i = 0; i < node.NumPoints(); ++i) {
      const std::size_t j = old_from_new_[node.Point(i)];
      if (squared_distance(query, points_.colptr(j), points_.n_rows, square) <= square)
        add(query, j, nearest);
    }
  }

  arma::mat points_;
  std::vector<std::size_t> old_from_new_;  // the tree keeps the points in an order of its own
  std::unique_ptr<Tree> tree_;
};

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
                               Stream& stream, const Groups& groups) {
  refuse("KNN", check_of(options));
  std::vector<std::size_t> order = shuffled_rows(X.n_cols, groups, stream);
  if (options.points != 0 && order.size() > options.points) order.resize(options.points);
  const Groups of_sample = groups_of(order, groups);
  const auto sample = arma::conv_to<arma::uvec>::from(order);
  const arma::mat Xs = X.cols(sample);
  const arma::vec ys = y(sample);

  const std::vector<Fold> folds = make_folds(order.size(), options, of_sample);
  const auto smallest_fit =
      std::ranges::min(folds, {}, [](const Fold& fold) { return fold.fitted.n_elem; }).fitted.n_elem;
  std::vector<std::size_t> grid = options.grid;
  std::erase_if(grid, [&](std::size_t k) { return k > smallest_fit; });
  if (grid.empty())
    user_error("KNN: no K of the grid fits: the smallest is {}, but a fold is fitted on {}; lower the grid",
               options.grid.front(), counted(smallest_fit, "point"));
  arma::uword tested = 0;
  std::vector<double> sums(grid.size(), 0.0);  // of squared errors
  for (const Fold& fold : folds) {
    const arma::vec truth = ys(fold.held_out);
    const arma::mat means =
        KnnRegressor(Xs.cols(fold.fitted), ys(fold.fitted), 1).means(Xs.cols(fold.held_out), grid);
    for (std::size_t g = 0; g < grid.size(); ++g)
      for (arma::uword n = 0; n < truth.n_elem; ++n)
        sums[g] += (means(g, n) - truth(n)) * (means(g, n) - truth(n));
    tested += truth.n_elem;
  }
  const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin());

  KnnRegressor model(Xs, ys, grid[best]);
  for (std::size_t g = 0; g < grid.size(); ++g)
    model.trials_.push_back({.k = grid[g], .error = sums[g] / static_cast<double>(tested)});
  return model;
}

arma::vec KnnRegressor::predict(const arma::mat& X) const { return means(X, {k_}).t(); }

arma::mat KnnRegressor::means(const arma::mat& X, const std::vector<std::size_t>& grid) const {
  arma::mat means(grid.size(), X.n_cols);
  if (X.n_cols == 0) return means;
  refuse_overflow(X);
  search_->for_each(X, grid.back(), [&](arma::uword query, const std::vector<Neighbour>& nearest) {
    double sum = 0.0;
    std::size_t taken = 0;
    for (std::size_t g = 0; g < grid.size(); ++g) {
      for (; taken < grid[g]; ++taken) sum += y_(nearest[taken].index);
      means(g, query) = sum / static_cast<double>(grid[g]);
    }
  });
  return means;
}

}  // namespace lacp
