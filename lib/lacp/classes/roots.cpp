#include "lacp/classes/roots.hpp"

#include <algorithm>
#include <numeric>

namespace lacp {

void sort_ascending(const std::vector<double>& scores, std::size_t n, std::vector<std::size_t>& order) {
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(n);
  std::iota(order.begin(), end, std::size_t{0});
  std::sort(order.begin(), end, [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : a < b;
  });
}

SortedScores::SortedScores(std::size_t largest_batch)
    : place_of_index_(largest_batch), place_(largest_batch) {
  b_.reserve(largest_batch);
  index_.reserve(largest_batch);
  between_.reserve(largest_batch);
  solved_.reserve(largest_batch);
  next_.reserve(largest_batch);
  levels_.reserve(66);  // each level halves what lies between the knots
}

bool SortedScores::set(const std::vector<double>& scores, std::size_t n, std::vector<std::size_t>& order) {
  if (n < knots) return false;
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(scores[i])) return false;
  sort_ascending(scores, n, order);

  b_.clear();
  index_.clear();
  between_.clear();
  levels_.clear();
  solved_.clear();
  const auto place = [&](std::size_t rank, const Between& between) {
    place_[rank] = place_of_index_[order[rank]] = b_.size();
    b_.push_back(scores[order[rank]]);
    index_.push_back(order[rank]);
    between_.push_back(between);
  };
  levels_.push_back(0);
  for (std::size_t k = 0; k < knots; ++k) {
    solved_.push_back(k * (n - 1) / (knots - 1));
    place(solved_.back(), {});
  }
  levels_.push_back(knots);
  while (b_.size() < n) {
    next_.clear();
    for (std::size_t i = 0; i < solved_.size(); ++i) {
      if (i > 0 && solved_[i] - solved_[i - 1] > 1) {
        const std::size_t left = place_[solved_[i - 1]], right = place_[solved_[i]];
        const std::size_t rank = solved_[i - 1] + (solved_[i] - solved_[i - 1]) / 2;
        // Hermite's cubic; equal scores have equal roots.
        const double width = b_[right] - b_[left];
        const double t = width > 0.0 ? (scores[order[rank]] - b_[left]) / width : 0.0, u = 1.0 - t;
        place(rank, {left, right, u * u * (1.0 + 2.0 * t), u * u * t * width, t * t * (1.0 + 2.0 * u),
                     -t * t * u * width});
        next_.push_back(rank);
      }
      next_.push_back(solved_[i]);
    }
    std::swap(solved_, next_);
    levels_.push_back(b_.size());
  }
  last_ = {place_[n - 1], place_[n - 2]};
  return true;
}

}  // namespace lacp
