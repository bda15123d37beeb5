#include "models/stack/near_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <numeric>

#include "lacp/knn/knn.hpp"

namespace lacp {

/// The k nearest points of a query in the order (distance, index), in a kd-tree that is laid out so that
/// several numbers are looked at by one instruction. The sum of a distance has one order, so that the layout
/// of the tree cannot change the answer. Searching changes nothing, so that threads can share one.
class NeighbourSearch {
 public:
  /// A point at some distance from a query.
  struct Neighbour {
    double distance;
    std::size_t index;
    auto operator<=>(const Neighbour&) const = default;
  };

  explicit NeighbourSearch(arma::mat points)
      : points_(std::move(points)), pairs_((points_.n_rows + 1) / 2), old_from_new_(points_.n_cols) {
    std::iota(old_from_new_.begin(), old_from_new_.end(), std::size_t{0});
    add(0, old_from_new_.size());
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
  typedef double Two __attribute__((vector_size(16)));

  /// The left child stands behind its parent. A leaf has no right one, but points.
  struct Node {
    std::size_t right = 0, first = 0, count = 0, eights = 0;
  };
  /// Two coordinates of a box.
  struct Sides {
    Two low = {}, high = {};
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

  /// A node of these points and all below it: halves by the attribute in which they are widest. Of a leaf's
  /// points, eight follow each other, coordinate after coordinate.
  void add(std::size_t begin, std::size_t end) {
    constexpr std::size_t points_of_leaf = 24;
    const std::size_t place = nodes_.size(), count = end - begin;
    nodes_.emplace_back();
    const arma::uword widest = add_box(begin, end);
    if (count > points_of_leaf) {
      const std::size_t middle = begin + count / 2;
      const auto at = [&](std::size_t i) { return old_from_new_.begin() + static_cast<std::ptrdiff_t>(i); };
      std::nth_element(at(begin), at(middle), at(end), [&](std::size_t one, std::size_t other) {
        return points_(widest, one) < points_(widest, other);
      });
      add(begin, middle);
      nodes_[place].right = nodes_.size();
      add(middle, end);
      return;
    }
    nodes_[place] = {.first = begin, .count = count, .eights = eights_.size()};
    for (std::size_t first = 0; first < count; first += 8)
      for (arma::uword i = 0; i < points_.n_rows; ++i)
        for (std::size_t j = first; j < first + 8; j += 2) {
          const auto coordinate = [&](std::size_t point) {
            return points_(i, old_from_new_[begin + std::min(point, count - 1)]);
          };
          eights_.push_back(Two{coordinate(j), coordinate(j + 1)});
        }
  }

  /// The box of these points. Returns the attribute in which it is widest.
  arma::uword add_box(std::size_t begin, std::size_t end) {
    const std::size_t first = boxes_.size();
    boxes_.resize(first + pairs_);
    arma::uword widest = 0;
    double width = -1.0;
    for (arma::uword i = 0; i < points_.n_rows; ++i) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (std::size_t place = begin; place < end; ++place) {
        const double value = points_(i, old_from_new_[place]);
        low = std::min(low, value);
        high = std::max(high, value);
      }
      boxes_[first + i / 2].low[i % 2] = low;
      boxes_[first + i / 2].high[i % 2] = high;
      if (high - low > width) {
        width = high - low;
        widest = i;
      }
    }
    return widest;
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
  std::vector<std::size_t> old_from_new_;  // points in the order of the leaves
  std::vector<Node> nodes_;
  std::vector<Sides> boxes_;  // of each node
  std::vector<Two> eights_;   // of each leaf: its points, the last ones more than once
};

NearRows::NearRows(arma::mat X, arma::vec y, std::size_t k) : y_(std::move(y)), k_(k) {
  require_coordinates(X);
  search_ = std::make_shared<const NeighbourSearch>(std::move(X));
}

const arma::mat& NearRows::points() const { return search_->points(); }

NearRows NearRows::with(std::size_t k) const {
  NearRows other = *this;
  other.k_ = k;
  return other;
}

arma::vec NearRows::predict(const arma::mat& X) const { return means(X, {k_}).t(); }

arma::mat NearRows::means(const arma::mat& X, const std::vector<std::size_t>& grid,
                          const LeftOut& left_out) const {
  arma::mat means(grid.size(), X.n_cols);
  if (X.n_cols == 0) return means;
  if (X.n_rows != points().n_rows || grid.back() > points().n_cols - (left_out.end - left_out.begin))
    throw std::invalid_argument("NearRows: wrong sizes");
  require_coordinates(X);
  search_->for_each(X, grid.back(), left_out,
                    [&](arma::uword query, const std::vector<NeighbourSearch::Neighbour>& nearest) {
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
