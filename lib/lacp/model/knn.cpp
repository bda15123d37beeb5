#include "lacp/model/knn.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
// Not mlpack/core.hpp: it brings stb's image code, whose variables would be defined in liblacp.a too.
#include <mlpack/core/distances/lmetric.hpp>
#include <mlpack/core/tree/binary_space_tree.hpp>
#include <mlpack/core/tree/statistic.hpp>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// mlpack's split of a box in its middle, but of none so narrow that its middle is its lower end: there all
/// points would go to the right, again and again.
template <class Bound, class Matrix>
struct CarefulSplit : mlpack::MidpointSplit<Bound, Matrix> {
  using Midpoint = mlpack::MidpointSplit<Bound, Matrix>;
  using SplitInfo = typename Midpoint::SplitInfo;

  static bool SplitNode(const Bound& bound, Matrix& points, std::size_t begin, std::size_t count,
                        SplitInfo& split) {
    return Midpoint::SplitNode(bound, points, begin, count, split) &&
           split.splitVal > bound[split.splitDimension].Lo();
  }
};

/// A point at some distance from a query.
struct Neighbour {
  double distance;
  std::size_t index;
  auto operator<=>(const Neighbour&) const = default;
};

/// No neighbour is found at a distance that is no number, or whose square overflows.
void refuse_overflow(const arma::mat& X) {
  if (!X.is_finite()) throw std::invalid_argument("KNN: a coordinate is no finite number");
  if (!(arma::abs(X).max() <= KnnRegressor::largest_coordinate))
    run_error(
        "KNN: a scaled attribute is larger than {:g}, too large for distances; leave the row or the attribute out",
        KnnRegressor::largest_coordinate);
}

/// The points that each fold holds out. They are in random order already, so folds are runs of them.
std::vector<LeftOut> make_folds(std::size_t n, const KnnOptions& options, const Groups& groups) {
  const std::vector<std::size_t> starts = group_starts(n, groups);
  const std::size_t units = starts.size() - 1;
  const std::string found = counted(units, groups.empty() ? "point" : "group");
  if (options.selection == KnnSelection::hold_out) {
    const std::size_t cut = starts[units * 4 / 5];
    if (cut == 0) user_error("KNN: {} cannot be divided into a fitted and a held-out part", found);
    return {{.begin = cut, .end = n}};
  }
  if (units < options.folds)
    user_error("KNN: {} cannot be divided into {} folds; take fewer folds", found, options.folds);
  const std::vector<std::size_t> begins = run_starts(n, options.folds, groups);
  std::vector<LeftOut> folds;
  for (std::size_t f = 0; f < options.folds; ++f) folds.push_back({.begin = begins[f], .end = begins[f + 1]});
  return folds;
}

}  // namespace

/// The k nearest points of a query in the order (distance, index). mlpack's kd-tree says which points lie in
/// which box; what is kept of it is laid out so that several numbers are looked at by one instruction. The
/// sum of a distance has one order, so that neither the layout of the tree nor the rounding of a library can
/// change the answer. Searching changes nothing, so that threads can share one.
class NeighbourSearch {
 public:
  explicit NeighbourSearch(arma::mat points) : points_(std::move(points)), pairs_((points_.n_rows + 1) / 2) {
    add(Tree(points_, old_from_new_));
  }

  /// visit(query, its nearest); 1 ≤ k ≤ number of points that are not left out.
  template <class Visitor>
  void for_each(const arma::mat& queries, std::size_t k, const LeftOut& left_out, Visitor visit) const {
    Found found(k, left_out);
    std::vector<Two> query(pairs_);
    for (arma::uword n = 0; n < queries.n_cols; ++n) {
      for (arma::uword i = 0; i < queries.n_rows; ++i) query[i / 2][i % 2] = queries(i, n);
      found.clear();
      look_in(0, 0.0, query, found);
      visit(n, found.nearest());
    }
  }

  const arma::mat& points() const { return points_; }

 private:
  using Tree = mlpack::BinarySpaceTree<mlpack::EuclideanDistance, mlpack::EmptyStatistic, arma::mat,
                                       mlpack::HRectBound, CarefulSplit>;
  typedef double Two __attribute__((vector_size(16)));

  /// The left child stands behind its parent. A leaf has no right one, but points.
  struct Node {
    std::size_t right = 0, first = 0, count = 0, eights = 0;
  };
  /// Two coordinates of a box.
  struct Sides {
    Two low, high;
  };

  /// The nearest so far.
  class Found {
   public:
    Found(std::size_t k, const LeftOut& left_out) : k_(k), left_out_(left_out) { nearest_.reserve(k + 1); }

    void clear() {
      nearest_.clear();
      limit_ = HUGE_VAL;
    }
    /// In their order; after that nothing is added until all is cleared.
    const std::vector<Neighbour>& nearest() {
      std::ranges::sort_heap(nearest_);
      return nearest_;
    }

    /// No point is wanted whose squared distance is larger.
    double limit() const { return limit_; }

    void add(double square, std::size_t index) {
      const Neighbour own{std::sqrt(square), index};
      if (left_out_.begin <= index && index < left_out_.end) return;
      if (nearest_.size() < k_) {
        nearest_.push_back(own);
        if (nearest_.size() < k_) return;
        std::ranges::make_heap(nearest_);
      } else {
        if (nearest_.front() < own) return;
        std::ranges::pop_heap(nearest_);
        nearest_.back() = own;
        std::ranges::push_heap(nearest_);
      }
      // Far more than the rounding of a sum of many squares, and of a root.
      constexpr double rounding = 1e-10;
      limit_ = nearest_.front().distance * nearest_.front().distance * (1.0 + rounding);
    }

   private:
    std::size_t k_;
    LeftOut left_out_;
    std::vector<Neighbour> nearest_;  // the last one first, once there are k
    double limit_ = HUGE_VAL;
  };

  /// A node and all below it. Of a leaf's points, eight follow each other, coordinate after coordinate.
  void add(const Tree& node) {
    const std::size_t place = nodes_.size();
    nodes_.emplace_back();
    for (std::size_t pair = 0; pair < pairs_; ++pair) {
      const mlpack::Range &one = node.Bound()[2 * pair],
                          &other = node.Bound()[std::min<std::size_t>(2 * pair + 1, points_.n_rows - 1)];
      boxes_.push_back(Sides{Two{one.Lo(), other.Lo()}, Two{one.Hi(), other.Hi()}});
      if (2 * pair + 1 == points_.n_rows) boxes_.back().low[1] = boxes_.back().high[1] = 0.0;
    }
    if (node.NumChildren() > 0) {
      add(node.Child(0));
      nodes_[place].right = nodes_.size();
      add(node.Child(1));
      return;
    }
    nodes_[place] = {.first = node.Begin(), .count = node.Count(), .eights = eights_.size()};
    for (std::size_t begin = 0; begin < node.Count(); begin += 8)
      for (std::size_t i = 0; i < points_.n_rows; ++i)
        for (std::size_t j = begin; j < begin + 8; j += 2) {
          const auto coordinate = [&](std::size_t point) {
            return node.Dataset()(i, node.Begin() + std::min(point, node.Count() - 1));
          };
          eights_.push_back(Two{coordinate(j), coordinate(j + 1)});
        }
  }

  /// Squared distance to the box of a node, up to rounding.
  double square_to(std::size_t node, const std::vector<Two>& query) const {
    const Sides* const sides = boxes_.data() + node * pairs_;
    Two sum = {};
    for (std::size_t pair = 0; pair < pairs_; ++pair) {
      const Two below = sides[pair].low - query[pair], above = query[pair] - sides[pair].high;
      const Two outside = below > above ? below : above, some = outside > 0.0 ? outside : Two{};
      sum += some * some;
    }
    return sum[0] + sum[1];
  }

  /// The nearer child first.
  void look_in(std::size_t place, double square, const std::vector<Two>& query, Found& found) const {
    if (square > found.limit()) return;
    const Node& node = nodes_[place];
    if (node.right == 0) {
      look_at(node, query, found);
      return;
    }
    std::size_t near = place + 1, far = node.right;
    double to_near = square_to(near, query), to_far = square_to(far, query);
    if (to_far < to_near) {
      std::swap(near, far);
      std::swap(to_near, to_far);
    }
    look_in(near, to_near, query, found);
    look_in(far, to_far, query, found);
  }

  /// The points of a leaf, eight of them together, each with its sum in the order of the coordinates.
  void look_at(const Node& leaf, const std::vector<Two>& query, Found& found) const {
    const Two* own = eights_.data() + leaf.eights;
    for (std::size_t begin = 0; begin < leaf.count; begin += 8) {
      Two squares[4] = {};
      for (std::size_t i = 0; i < points_.n_rows; ++i, own += 4) {
        const double coordinate = query[i / 2][i % 2];
#pragma GCC unroll 4
        for (std::size_t pair = 0; pair < 4; ++pair) {
          const Two difference = own[pair] - coordinate;
          squares[pair] += difference * difference;
        }
      }
      for (std::size_t j = 0; j < std::min<std::size_t>(8, leaf.count - begin); ++j)
        if (const double square = squares[j / 2][j % 2]; square <= found.limit())
          found.add(square, old_from_new_[leaf.first + begin + j]);
    }
  }

  arma::mat points_;
  std::size_t pairs_;                      // of coordinates
  std::vector<std::size_t> old_from_new_;  // the tree keeps the points in an order of its own
  std::vector<Node> nodes_;
  std::vector<Sides> boxes_;  // of each node
  std::vector<Two> eights_;   // of each leaf: its points, the last ones more than once
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

  const std::vector<LeftOut> folds = make_folds(order.size(), options, of_sample);
  std::size_t largest = 0;
  for (const LeftOut& fold : folds) largest = std::max(largest, fold.end - fold.begin);
  const std::size_t smallest_fit = order.size() - largest;
  std::vector<std::size_t> grid = options.grid;
  std::erase_if(grid, [&](std::size_t k) { return k > smallest_fit; });
  if (grid.empty())
    user_error("KNN: no K of the grid fits: the smallest is {}, but a fold is fitted on {}; lower the grid",
               options.grid.front(), counted(smallest_fit, "point"));
  KnnRegressor model(Xs, ys, grid.front());
  arma::uword tested = 0;
  std::vector<double> sums(grid.size(), 0.0);  // of squared errors
  for (const LeftOut& fold : folds) {
    const arma::vec truth = ys.subvec(fold.begin, fold.end - 1);
    const arma::mat means = model.means(Xs.cols(fold.begin, fold.end - 1), grid, fold);
    for (std::size_t g = 0; g < grid.size(); ++g)
      for (arma::uword n = 0; n < truth.n_elem; ++n)
        sums[g] += (means(g, n) - truth(n)) * (means(g, n) - truth(n));
    tested += truth.n_elem;
  }
  model.k_ = grid[static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) - sums.begin())];
  for (std::size_t g = 0; g < grid.size(); ++g)
    model.trials_.push_back({.k = grid[g], .error = sums[g] / static_cast<double>(tested)});
  return model;
}

KnnRegressor KnnRegressor::with(std::size_t k) const {
  KnnRegressor other = *this;
  other.k_ = k;
  return other;
}

arma::vec KnnRegressor::predict(const arma::mat& X) const { return means(X, {k_}).t(); }

arma::mat KnnRegressor::means(const arma::mat& X, const std::vector<std::size_t>& grid,
                              const LeftOut& left_out) const {
  arma::mat means(grid.size(), X.n_cols);
  if (X.n_cols == 0) return means;
  if (X.n_rows != points().n_rows)
    throw std::invalid_argument(
        fmt::format("KnnRegressor: {} attributes, but the points have {}", X.n_rows, points().n_rows));
  refuse_overflow(X);
  search_->for_each(X, grid.back(), left_out, [&](arma::uword query, const std::vector<Neighbour>& nearest) {
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
