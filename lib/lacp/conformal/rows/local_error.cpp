#include "lacp/conformal/rows/local_error.hpp"

#include <algorithm>

namespace lacp {
namespace {

KnnRegressor read_errors(ModelReader& in, std::size_t inputs) {
  arma::mat points = in.matrix();
  arma::vec errors = in.array<arma::vec>();
  const auto k = in.number<std::uint64_t>();
  if (points.n_rows != inputs || points.n_cols != errors.n_elem || k == 0 || k > errors.n_elem)
    in.refuse("has parts whose sizes do not fit together");
  if (!points.is_finite() || arma::abs(points).max() > KnnRegressor::largest_coordinate ||
      !errors.is_finite() || errors.min() < 0.0)
    in.refuse("holds numbers that no fitted model has");
  return {std::move(points), std::move(errors), k};
}

}  // namespace

LocalError::LocalError(const FitInput& input)
    : errors_(input.X, arma::abs(input.f - input.y),
              std::min<std::size_t>(input.rows.knn_error.neighbours, input.y.n_elem)) {}

LocalError::LocalError(ModelReader& in, std::size_t inputs) : errors_(read_errors(in, inputs)) {}

void LocalError::write(ModelWriter& out) const {
  out.matrix(errors_.points());
  out.array(errors_.targets());
  out.number(std::uint64_t{errors_.k()});
}

}  // namespace lacp
