#include <mlpack/core.hpp>
#include <mlpack/methods/neighbor_search/neighbor_search.hpp>

#include "bench.hpp"
#include "lacp/model/knn.hpp"

namespace lacp::bench {
namespace {

constexpr std::size_t largest_k = 32, folds = 5;

/// Seconds in which mlpack finds the neighbours of one fold's points among the others.
double search(const arma::mat& X, mlpack::NeighborSearchMode mode, double budget) {
  const arma::uword cut = X.n_cols / folds;
  const arma::mat queries = X.head_cols(cut), points = X.tail_cols(X.n_cols - cut);
  return shortest(
      [&] {
        mlpack::KNN knn(points, mode);
        arma::Mat<std::size_t> neighbours;
        arma::mat distances;
        knn.Search(queries, largest_k + 1, neighbours, distances);
        keep(distances);
      },
      budget);
}

}  // namespace

void knn_selection(Context& context) {
  context.report.section(
      "Choosing K by cross-validation on all points",
      "Five folds, K up to 32, one search per fold; beside it mlpack's ways of searching one fold, in seconds.");
  Frame table({"data set", "points", "d", "cross-validation, s", "one fold: kd-tree, s", "dual tree, s",
               "all pairs, s"});
  for (const std::string name : {"CASP", "homes"}) {
    const std::optional<Shuffled> data = shuffled(context, name);
    if (!data) continue;
    const arma::mat& X = data->X;
    const double selection = shortest(
        [&] {
          Stream stream(5);
          keep(KnnRegressor::fit(X, data->y, {}, stream));
        },
        4.0 * context.budget);
    table.add({name, std::to_string(X.n_cols), std::to_string(X.n_rows), display(selection, 3),
               display(search(X, mlpack::SINGLE_TREE_MODE, context.budget), 3),
               display(search(X, mlpack::DUAL_TREE_MODE, context.budget), 3),
               display(search(X, mlpack::NAIVE_MODE, 0.0), 3)});
    context.report.number("knn/" + name, selection);
  }
  context.report.table(table);
}

}  // namespace lacp::bench
