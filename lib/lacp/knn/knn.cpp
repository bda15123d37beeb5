#include "lacp/knn/knn.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
// Not mlpack/core.hpp, which neighbor_search.hpp includes for the rest of mlpack's sake: it brings ensmallen,
// and image code whose variables liblacp.a would define. The search needs the headers before the macro alone.
#include <mlpack/core/distances/lmetric.hpp>
#include <mlpack/core/tree/binary_space_tree.hpp>
#include <mlpack/core/tree/build_tree.hpp>
#include <mlpack/core/util/log.hpp>
#include <mlpack/prereqs.hpp>
#define MLPACK_CORE_HPP
#include <mlpack/methods/neighbor_search/neighbor_search.hpp>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// mlpack's split of a box in its middle, but of none so narrow that its middle is its lower end: there all
/// points would go to the right, again and again. Where the middle takes little from many points, they are
/// split at their median: otherwise the tree could be as deep as there are points.
template <class Bound, class Matrix>
struct CarefulSplit : mlpack::MidpointSplit<Bound, Matrix> {
  using Midpoint = mlpack::MidpointSplit<Bound, Matrix>;
  using SplitInfo = typename Midpoint::SplitInfo;

  static bool SplitNode(const Bound& bound, Matrix& points, std::size_t begin, std::size_t count,
                        SplitInfo& split) {
    constexpr std::size_t many = 4096, least_share = 64;
    if (!Midpoint::SplitNode(bound, points, begin, count, split)) return false;
    const double low = bound[split.splitDimension].Lo();
    if (count > many) {
      arma::vec values = points.row(split.splitDimension).cols(begin, begin + count - 1).t();
      const auto left = static_cast<std::size_t>(
          std::ranges::count_if(values, [&](double value) { return value < split.splitVal; }));
      if (std::min(left, count - left) < count / least_share) split.splitVal = middle_of(values, low);
    }
    return split.splitVal > low;
  }

  /// The median, or, if that is the least, the next larger value.
  static double middle_of(arma::vec& values, double least) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.n_elem / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (*middle > least) return *middle;
    double next = arma::datum::inf;
    for (const double value : values)
      if (value > least) next = std::min(next, value);
    return next;
  }
};

template <class Metric, class Statistic, class Matrix>
using CarefulTree = mlpack::BinarySpaceTree<Metric, Statistic, Matrix, mlpack::HRectBound, CarefulSplit>;

/// Points that a fold holds out.
struct HeldOutRun {
  std::size_t begin, end;
};

/// The points that each fold holds out. They are in random order already, so folds are runs of them.
std::vector<HeldOutRun> make_folds(std::size_t n, const KnnOptions& options, const Groups& groups) {
  const std::vector<std::size_t> starts = group_starts(n, groups);
  const std::size_t units = starts.size() - 1;
  const std::string found = counted(units, groups.empty() ? "point" : "group");
  if (options.selection == KnnSelection::hold_out) {
    const std::size_t cut = starts[units * 4 / 5];
    if (cut == 0) user_error("KNN: {} cannot be divided", found);
    return {{.begin = cut, .end = n}};
  }
  if (units < options.folds)
    user_error("KNN: {} cannot be divided into {} folds; take fewer folds", found, options.folds);
  const std::vector<std::size_t> begins = run_starts(n, options.folds, groups);
  std::vector<HeldOutRun> folds;
  for (std::size_t f = 0; f < options.folds; ++f) folds.push_back({.begin = begins[f], .end = begins[f + 1]});
  return folds;
}

}  // namespace

class KnnRegressor::Search {
 public:
  explicit Search(const arma::mat& points) : search_(points, mlpack::SINGLE_TREE_MODE) {}

  /// The k nearest points of each query, the nearest first. mlpack counts what it does in the object.
  void nearest(const arma::mat& queries, std::size_t k, arma::Mat<std::size_t>& found, arma::mat& distances) {
    const std::lock_guard lock(one_at_a_time_);
    search_.Search(queries, k, found, distances);
  }

 private:
  mlpack::NeighborSearch<mlpack::NearestNeighborSort, mlpack::EuclideanDistance, arma::mat, CarefulTree>
      search_;
  std::mutex one_at_a_time_;
};

void require_coordinates(const arma::mat& X) {
  if (!X.is_finite()) throw std::invalid_argument("KNN: not finite");
  if (!(arma::abs(X).max() <= KnnRegressor::largest_coordinate))
    run_error("KNN: a scaled attribute is larger than {:g}; leave the row out",
              KnnRegressor::largest_coordinate);
}

KnnRegressor::KnnRegressor(arma::mat X, arma::vec y, std::size_t k) : y_(std::move(y)), k_(k) {
  if (X.n_cols != y_.n_elem) throw std::invalid_argument("KnnRegressor: wrong sizes");
  if (k_ == 0 || k_ > X.n_cols)
    user_error("KNN: K = {} neighbours cannot be taken from {} points", k_, X.n_cols);
  require_coordinates(X);
  points_ = std::make_shared<const arma::mat>(std::move(X));
  search_ = std::make_shared<Search>(*points_);
}

KnnRegressor KnnRegressor::fit(const arma::mat& X, const arma::vec& y, const KnnOptions& options,
                               Stream& stream, const Groups& groups) {
  refuse("KNN", check_of(options));
  std::vector<std::size_t> order = shuffled_rows(X.n_cols, groups, stream);
  if (options.points != 0 && order.size() > options.points) order.resize(options.points);
  const Groups of_sample = groups_of(order, groups);
  const auto sample = arma::conv_to<arma::uvec>::from(order);
  const arma::mat Xs = X.cols(sample);
  const arma::vec ys = y(sample);

  const std::vector<HeldOutRun> folds = make_folds(order.size(), options, of_sample);
  std::size_t largest = 0;
  for (const HeldOutRun& fold : folds) largest = std::max(largest, fold.end - fold.begin);
  const std::size_t smallest_fit = order.size() - largest;
  std::vector<std::size_t> grid = options.grid;
  std::erase_if(grid, [&](std::size_t k) { return k > smallest_fit; });
  if (grid.empty())
    user_error("KNN: no K of the grid fits: a fold has {}; lower the grid", counted(smallest_fit, "point"));
  std::vector<double> sums(grid.size(), 0.0);  // of squared errors
  arma::uword tested = 0;
  for (const auto& [begin, end] : folds) {
    arma::mat others = Xs;
    arma::vec of_others = ys;
    others.shed_cols(begin, end - 1);
    of_others.shed_rows(begin, end - 1);
    const arma::vec truth = ys.subvec(begin, end - 1);
    const arma::mat means =
        KnnRegressor(std::move(others), std::move(of_others), 1).means(Xs.cols(begin, end - 1), grid);
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
  if (X.n_rows != points().n_rows) throw std::invalid_argument("KnnRegressor: wrong sizes");
  const std::size_t k = grid.back(), n = points().n_cols;
  if (k > n) throw std::invalid_argument(fmt::format("KnnRegressor: {} of {} points", k, n));
  require_coordinates(X);
  // mlpack sums squares in an order of its own, so that the last bits of distances are others: points that
  // are about as far as the k-th are asked for, too, until one is farther, and all are ordered by sums in the
  // order of the coordinates.
  constexpr double rounding = 1e-10, underflow = 1e-150;
  arma::uvec open = arma::regspace<arma::uvec>(0, X.n_cols - 1);
  for (std::size_t wanted = std::min(k + 1, n); !open.empty(); wanted = std::min(2 * wanted, n)) {
    arma::Mat<std::size_t> found;
    arma::mat distances;
    search_->nearest(X.cols(open), wanted, found, distances);
    std::vector<arma::uword> ties;
    for (arma::uword i = 0; i < open.n_elem; ++i) {
      const double farthest = distances(wanted - 1, i), limit = distances(k - 1, i) * (1.0 + rounding);
      if (wanted < n && farthest <= std::max(limit, underflow)) {
        ties.push_back(open(i));
        continue;
      }
      const double* const query = X.colptr(open(i));
      std::vector<std::pair<double, std::size_t>> nearest;
      for (const std::size_t point : found.col(i)) {
        double sum = 0.0;
        for (arma::uword a = 0; a < X.n_rows; ++a) {
          const double difference = points()(a, point) - query[a];
          sum += difference * difference;
        }
        nearest.emplace_back(std::sqrt(sum), point);
      }
      std::ranges::sort(nearest);
      double sum = 0.0;
      std::size_t taken = 0;
      for (std::size_t g = 0; g < grid.size(); ++g) {
        for (; taken < grid[g]; ++taken) sum += y_(nearest[taken].second);
        means(g, open(i)) = sum / static_cast<double>(grid[g]);
      }
    }
    open = arma::uvec(ties);
  }
  return means;
}

}  // namespace lacp
