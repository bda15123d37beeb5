#include "lacp/model/trees/boosted_objective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lacp {
namespace {

int bits_of(std::size_t n) { return static_cast<int>(std::bit_width(std::uint64_t{n})); }

}  // namespace

SquaredObjective::SquaredObjective(const arma::vec& y, double learning_rate)
    : centre_(y.min() < y.max() ? 0.5 * y.min() + 0.5 * y.max() : y.min()), learning_rate_(learning_rate) {
  std::frexp(std::max(y.max() - centre_, centre_ - y.min()), &exponent_);
  exponent_ -= std::min(51, 60 - bits_of(y.n_elem));
  targets_.reserve(y.n_elem);
  for (const double value : y) targets_.push_back(std::llround(std::ldexp(value - centre_, -exponent_)));
}

double SquaredObjective::final_value(double value) const { return std::ldexp(value, exponent_); }

double SquaredObjective::start(TableRows fitted) {
  std::int64_t mean = 0;
  for (const std::uint32_t row : fitted) mean += targets_[row];
  mean /= static_cast<std::int64_t>(fitted.size());
  residuals_ = targets_;
  for (std::int64_t& residual : residuals_) residual -= mean;
  return static_cast<double>(mean);
}

double SquaredObjective::leaf_value(const GrownLeaf& leaf) const {
  return static_cast<double>(
      std::llround(learning_rate_ * static_cast<double>(leaf.sum) / static_cast<double>(leaf.rows.size())));
}

void SquaredObjective::add(TableRows rows, double value) {
  const auto step = static_cast<std::int64_t>(value);
  for (const std::uint32_t row : rows) residuals_[row] -= step;
}

double SquaredObjective::loss(TableRows rows) const {
  double squares = 0.0;
  for (const std::uint32_t row : rows)
    squares += static_cast<double>(residuals_[row]) * static_cast<double>(residuals_[row]);
  return squares;
}

}  // namespace lacp
