#pragma once

#include <armadillo>
#include <array>
#include <vector>

#include "lacp/base/options.hpp"
#include "lacp/classes/roots.hpp"

namespace lacp {

/// Working memory of an objective, allocated once for the largest batch.
struct ObjectiveScratch {
  std::array<std::vector<double>, 3> columns;
  std::array<std::vector<double>, 2> others, after;
  std::vector<std::size_t> order;
  SortedScores sorted;  // this and the next for general classes
  Roots roots;

  explicit ObjectiveScratch(std::size_t largest_batch)
      : order(largest_batch), sorted(largest_batch), roots(largest_batch) {
    for (auto& column : columns) column.resize(largest_batch);
    for (auto* two : {&others, &after})
      for (auto& column : *two) column.resize(largest_batch);
  }
};

/// Number of pairs that the mean of ℓ_all divides by.
inline double pair_count(std::size_t n, const ObjectiveOptions& options) {
  return static_cast<double>(n) * static_cast<double>(options.released.count_diagonal ? n : n - 1);
}

/// For each left-out point m of a batch, the index of the score that is q̂ among the others. The rank must not
/// exceed their number: a batch has at least one point more than `Level::fewest`.
class LeaveOneOutRank {
 public:
  LeaveOneOutRank(const Level& level, const std::vector<double>& scores, std::size_t n,
                  std::vector<std::size_t>& order)
      : order_(order), rank_(level.rank(n - 1)) {
    sort_ascending(scores, n, order);
    here_ = scores[order[rank_ - 1]];
    scores_ = &scores;
  }

  std::size_t operator()(std::size_t m) const {
    const bool among_smallest = (*scores_)[m] < here_ || ((*scores_)[m] == here_ && m <= order_[rank_ - 1]);
    return order_[among_smallest ? rank_ : rank_ - 1];
  }

 private:
  const std::vector<std::size_t>& order_;
  const std::vector<double>* scores_;
  std::size_t rank_;
  double here_;
};

/// Mean of (g − A)² (Section 3, after Papadopoulos et al., 2008), or of (g² − A)² as in the released code:
/// the loss of a class (transformation_class.hpp).
double error_fit(const TransformationOptions&, const ObjectiveOptions& options, const arma::vec& log_a,
                 const arma::mat& g, const arma::vec&, arma::mat& gradient, arma::vec&, ObjectiveScratch&);

}  // namespace lacp
