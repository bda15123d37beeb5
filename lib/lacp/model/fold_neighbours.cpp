#include "lacp/model/fold_neighbours.hpp"

#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// Neighbours are looked for where they take less time than the rest: attributes × rows² up to this.
constexpr double most_distances = 1e11;
constexpr std::size_t most_rows_for_neighbours = 50'000;
/// Where a table has five times as many rows, this many queries are tried first.
constexpr std::size_t tried_first = 1000;

}  // namespace

FoldNeighbours::FoldNeighbours(const arma::mat& X, const arma::vec& y, const std::vector<HeldOut>& folds)
    : X_(X), y_(y), folds_(folds), means_(folds.size()) {
  const std::size_t rows = y.n_elem;
  const auto n = static_cast<double>(rows);
  if (rows > most_rows_for_neighbours || n * n * static_cast<double>(X.n_rows) > most_distances) return;
  std::size_t fewest = rows;
  for (const HeldOut& fold : folds) fewest = std::min(fewest, fold.fitted.size());
  for (const std::size_t k : {2, 4, 8, 16})
    if (k <= fewest) grid_.push_back(k);
}

KnnRegressor FoldNeighbours::without(const HeldOut& fold) const {
  return KnnRegressor(columns_of(X_, fold.fitted), values_of(y_, fold.fitted), 1);
}

std::vector<std::function<void()>> FoldNeighbours::trials() {
  if (grid_.empty()) return {};
  return {[this] {
    const arma::mat queries = columns_of(X_, folds_.front().held);
    const std::size_t tried = y_.n_elem > 5 * tried_first ? tried_first : queries.n_cols;
    means_.front() =
        without(folds_.front()).means(queries.head_cols(std::min<std::size_t>(tried, queries.n_cols)), grid_);
  }};
}

arma::vec FoldNeighbours::first() const {
  std::size_t k = 0;
  return best_of(means_.front(), k);
}

std::vector<std::function<void()>> FoldNeighbours::rest_of_first() {
  const arma::uword done = means_.front().n_cols, all = folds_.front().held.size();
  if (grid_.empty() || done == all) return {};
  return {[this, done, all] {
    const arma::mat queries = columns_of(X_, folds_.front().held);
    means_.front() =
        arma::join_rows(means_.front(), without(folds_.front()).means(queries.tail_cols(all - done), grid_));
  }};
}

std::vector<std::function<void()>> FoldNeighbours::others() {
  std::vector<std::function<void()>> tasks;
  for (std::size_t k = 1; k < folds_.size(); ++k)
    tasks.emplace_back(
        [this, k] { means_[k] = without(folds_[k]).means(columns_of(X_, folds_[k].held), grid_); });
  return tasks;
}

arma::vec FoldNeighbours::out() {
  arma::mat all(grid_.size(), 0);
  for (const arma::mat& each : means_) all = arma::join_rows(all, each);
  return best_of(all, k_);
}

/// The smallest K of equal errors.
arma::vec FoldNeighbours::best_of(const arma::mat& means, std::size_t& k) const {
  std::vector<double> y;
  for (const HeldOut& fold : folds_)
    for (const std::uint32_t row : fold.held)
      if (y.size() < means.n_cols) y.push_back(y_(row));
  double least = std::numeric_limits<double>::infinity();
  arma::vec best;
  for (std::size_t i = 0; i < grid_.size() && !means.empty(); ++i) {
    arma::vec out = means.row(i).t();
    if (const double error = mean_of(arma::vec(arma::square(out - arma::vec(y)))); error < least) {
      least = error;
      best = std::move(out);
      k = grid_[i];
    }
  }
  return best;
}

}  // namespace lacp
