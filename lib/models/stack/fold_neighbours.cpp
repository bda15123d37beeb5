#include "models/stack/fold_neighbours.hpp"

#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// Neighbours are looked for where they take less time than the rest: attributes × rows² up to this.
constexpr double most_distances = 1e11;
constexpr std::size_t most_rows_for_neighbours = 50'000;
/// Where a table has five times as many rows, this many queries are tried first.
constexpr std::size_t tried_first = 1000;
constexpr arma::uword rows_of_a_task = 2000;

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

/// The rows of a fold from `begin` up to `end`.
void FoldNeighbours::search(std::size_t fold, arma::uword begin, arma::uword end) {
  const std::vector<std::uint32_t>& held = folds_[fold].held;
  const LeftOut left_out{held.front(), held.back() + std::size_t{1}};
  means_[fold].cols(begin, end - 1) =
      all_->means(columns_of(X_, std::span(held).subspan(begin, end - begin)), grid_, left_out);
}

void FoldNeighbours::add_tasks(std::vector<std::function<void()>>& tasks, std::size_t fold,
                               arma::uword begin) {
  const arma::uword all = folds_[fold].held.size();
  means_[fold].resize(grid_.size(), all);
  for (; begin < all; begin += rows_of_a_task)
    tasks.emplace_back(
        [this, fold, begin, end = std::min(begin + rows_of_a_task, all)] { search(fold, begin, end); });
}

std::vector<std::function<void()>> FoldNeighbours::trials() {
  if (grid_.empty()) return {};
  const arma::uword all = folds_.front().held.size();
  const arma::uword tried = y_.n_elem > 5 * tried_first ? std::min<arma::uword>(tried_first, all) : all;
  return {[this, tried] {
    all_.emplace(X_, y_, 1);
    means_.front().set_size(grid_.size(), tried);
    search(0, 0, tried);
  }};
}

arma::vec FoldNeighbours::first() const {
  std::size_t k = 0;
  return best_of(means_.front(), k);
}

std::vector<std::function<void()>> FoldNeighbours::rest_of_first() {
  std::vector<std::function<void()>> tasks;
  if (!grid_.empty()) add_tasks(tasks, 0, means_.front().n_cols);
  return tasks;
}

std::vector<std::function<void()>> FoldNeighbours::others() {
  std::vector<std::function<void()>> tasks;
  for (std::size_t k = 1; k < folds_.size(); ++k) add_tasks(tasks, k, 0);
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
