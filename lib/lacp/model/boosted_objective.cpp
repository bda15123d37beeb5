#include "lacp/model/boosted_objective.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "lacp/base/math.hpp"
#include "lacp/base/sums.hpp"

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

std::vector<double> SquaredObjective::start(TableRows fitted) {
  std::int64_t mean = 0;
  for (const std::uint32_t row : fitted) mean += targets_[row];
  mean /= static_cast<std::int64_t>(fitted.size());
  residuals_ = targets_;
  for (std::int64_t& residual : residuals_) residual -= mean;
  return {static_cast<double>(mean)};
}

void SquaredObjective::leaf_values(const GrownLeaf& leaf, double* values) {
  *values = static_cast<double>(
      std::llround(learning_rate_ * static_cast<double>(leaf.sum) / static_cast<double>(leaf.rows.size())));
}

void SquaredObjective::add(TableRows rows, const double* values) {
  const auto step = static_cast<std::int64_t>(*values);
  for (const std::uint32_t row : rows) residuals_[row] -= step;
}

double SquaredObjective::loss(TableRows rows, std::size_t) const {
  double squares = 0.0;
  for (const std::uint32_t row : rows)
    squares += static_cast<double>(residuals_[row]) * static_cast<double>(residuals_[row]);
  return squares;
}

/// A ratio e/s is at most n where s is the mean of n errors, and is cut there later: n² ratios fit into 2^60.
ScaleObjective::ScaleObjective(arma::vec errors, double learning_rate)
    : errors_(std::move(errors)),
      learning_rate_(learning_rate),
      one_(std::ldexp(1.0, std::clamp(60 - 2 * bits_of(errors_.n_elem), 8, 40))),
      F_(errors_.n_elem),
      ratios_(errors_.n_elem),
      residuals_(errors_.n_elem) {}

std::vector<double> ScaleObjective::start(TableRows fitted) {
  std::vector<double> errors;
  for (const std::uint32_t row : fitted) errors.push_back(errors_(row));
  const double mean = mean_of(errors), s = mean > 0.0 ? mean : 1.0;
  std::ranges::fill(F_, math::log(s));
  for (std::size_t n = 0; n < F_.size(); ++n) ratios_[n] = errors_(n) / s;
  return {math::log(s)};
}

std::span<const std::int64_t> ScaleObjective::residuals(TableRows fitted) {
  const auto most = static_cast<double>(errors_.n_elem);
  for (const std::uint32_t row : fitted)
    residuals_[row] = std::llround((std::min(ratios_[row], most) - 1.0) * one_);
  return residuals_;
}

/// A leaf whose errors are nearly all zero would have no end.
void ScaleObjective::leaf_values(const GrownLeaf& leaf, double* values) {
  constexpr double least = 1e-3;
  const double mean = static_cast<double>(leaf.sum) / static_cast<double>(leaf.rows.size()) / one_ + 1.0;
  *values = learning_rate_ * math::log(std::max(mean, least));
}

void ScaleObjective::add(TableRows rows, const double* values) {
  const double factor = math::exp(-*values);
  for (const std::uint32_t row : rows) {
    F_[row] += *values;
    ratios_[row] *= factor;
  }
}

double ScaleObjective::loss(TableRows rows, std::size_t) const {
  double sum = 0.0;
  for (const std::uint32_t row : rows) sum += F_[row] + ratios_[row];
  return sum / static_cast<double>(rows.size());
}

QuantileObjective::QuantileObjective(arma::vec y, std::vector<double> tau, double learning_rate)
    : y_(std::move(y)),
      tau_(std::move(tau)),
      learning_rate_(learning_rate),
      F_(y_.n_elem * tau_.size()),
      residuals_(y_.n_elem) {
  for (const double t : tau_) {
    const double unit = 0x1p20 / std::sqrt(t * (1.0 - t));
    below_.push_back(std::llround((t - 1.0) * unit));
    above_.push_back(std::llround(t * unit));
  }
}

namespace {

/// The quantile of the values, which are reordered, between the two next to (n − 1)τ.
double quantile_of(std::span<double> values, double tau) {
  const double place = tau * static_cast<double>(values.size() - 1), low = std::floor(place);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), nth, values.end());
  if (place == low) return *nth;
  return *nth + (place - low) * (*std::min_element(nth + 1, values.end()) - *nth);
}

}  // namespace

std::vector<double> QuantileObjective::start(TableRows fitted) {
  std::vector<double> base;
  for (const double t : tau_) {
    work_.clear();
    for (const std::uint32_t row : fitted) work_.push_back(y_(row));
    base.push_back(quantile_of(work_, t));
  }
  for (std::size_t i = 0; i < F_.size(); ++i) F_[i] = base[i % base.size()];
  return base;
}

std::span<const std::int64_t> QuantileObjective::residuals(TableRows fitted) {
  for (const std::uint32_t row : fitted) {
    const double* F = F_.data() + row * tau_.size();
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < tau_.size(); ++k) sum += y_(row) < F[k] ? below_[k] : above_[k];
    residuals_[row] = sum;
  }
  return residuals_;
}

void QuantileObjective::leaf_values(const GrownLeaf& leaf, double* values) {
  for (std::size_t k = 0; k < tau_.size(); ++k) {
    work_.clear();
    for (const std::uint32_t row : leaf.rows) work_.push_back(y_(row) - F_[row * tau_.size() + k]);
    values[k] = learning_rate_ * quantile_of(work_, tau_[k]);
  }
}

void QuantileObjective::add(TableRows rows, const double* values) {
  for (const std::uint32_t row : rows)
    for (std::size_t k = 0; k < tau_.size(); ++k) F_[row * tau_.size() + k] += values[k];
}

double QuantileObjective::loss(TableRows rows, std::size_t output) const {
  double sum = 0.0;
  for (const std::uint32_t row : rows) {
    const double over = y_(row) - F_[row * tau_.size() + output];
    sum += (over < 0.0 ? tau_[output] - 1.0 : tau_[output]) * over;
  }
  return sum / static_cast<double>(rows.size());
}

}  // namespace lacp
