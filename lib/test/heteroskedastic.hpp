#pragma once

#include "lacp/base/sums.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "near.hpp"
#include "said.hpp"

namespace lacp {

/// Errors with a known local size: |error| at x has mean e^{slope·x}·sqrt(2/π).
struct Sample {
  arma::mat X;
  arma::vec log_a;
};

inline Sample heteroskedastic(std::size_t n, double slope, Stream& stream) {
  Sample sample{arma::mat(1, n), arma::vec(n)};
  for (std::size_t i = 0; i < n; ++i) {
    sample.X(0, i) = stream.uniform(-1.5, 1.5);
    sample.log_a(i) = 2.0 * std::log(std::exp(slope * sample.X(0, i)) * std::abs(stream.normal()));
  }
  return sample;
}

inline Sample heteroskedastic(std::size_t n, double slope, std::uint64_t seed) {
  Stream stream(seed);
  return heteroskedastic(n, slope, stream);
}

/// Errors that have nothing to do with x, of which a network can only learn its own rows by heart.
inline Sample unexplained(std::size_t n, Stream& stream) {
  Sample sample{arma::mat(10, n), arma::vec(n)};
  for (double& x : sample.X) x = stream.normal();
  for (double& a : sample.log_a) a = 2.0 * std::log(std::abs(stream.normal()));
  return sample;
}

/// A training on these rows, with streams of a seed.
inline TrainingResult train_rows(const TransformationClass& phi, const NetworkOptions& network,
                                 const TrainingOptions& options, const Sample& sample, std::uint64_t seed,
                                 const std::function<void(const EpochReport&)>& on_epoch = {},
                                 const arma::vec& errors = {}) {
  const arma::mat no_points;
  const arma::vec none;
  const auto stream = [seed](std::string_view purpose) {
    return Stream(seed + (purpose == "weights" ? 0u : purpose == "shuffle" ? 1u : 2u));
  };
  const FitInput input{.X_first = no_points,
                       .y_first = none,
                       .X = sample.X,
                       .y = none,
                       .f = none,
                       .levels = {},
                       .network = network,
                       .training = options,
                       .stream = stream,
                       .on_epoch = on_epoch};
  return train(phi, input, sample.X, sample.log_a, errors);
}

inline TrainingResult quick(const std::string& method, const Sample& sample, const TrainingOptions& options,
                            std::uint64_t seed = 5,
                            const std::function<void(const EpochReport&)>& on_epoch = {}) {
  return train_rows(find_class(method), {.hidden = {16, 16}}, options, sample, seed, on_epoch);
}

/// A training that must not fail.
inline TrainingResult train_on(const Sample& sample, const char* method, const TrainingOptions& options,
                               const NetworkOptions& network = {.hidden = {32, 32}}, std::uint64_t seed = 2) {
  TrainingResult result = train_rows(find_class(method), network, options, sample, seed);
  REQUIRE_FALSE(result.failure);
  return result;
}

/// B = φ_x(A) for each column of X, up to a common increasing function.
inline arma::vec scores_of(const Localizer& localizer, const arma::mat& X, const arma::vec& log_a) {
  return localizer.phi.scores(localizer.transformation, log_a, localizer.g(X), localizer.shared);
}

/// Δ(x) for each column of X and its q̂; by default log q̂ is 0 everywhere, and Δ is s up to a factor.
inline arma::vec half_widths_of(const Localizer& localizer, const arma::mat& X, arma::vec q = {}) {
  if (q.empty()) q.zeros(X.n_cols);
  return localizer.phi.half_widths(localizer.transformation, q, localizer.g(X), localizer.shared);
}

/// Slope of log s against the logarithm of the local error of `heteroskedastic`.
inline double fitted_power(const Localizer& localizer, double slope) {
  const arma::mat grid = arma::linspace(-1.4, 1.4, 57).t();
  const arma::vec log_error = slope * grid.t(), log_s = arma::log(half_widths_of(localizer, grid));
  const double correlation = correlation_of(log_s, log_error);
  CHECK(correlation > 0.98);
  return correlation * deviation_of(log_s) / deviation_of(log_error);
}

inline const TrainingOptions small_steps{.adam = {.learning_rate = 5e-4}, .epochs = 30, .batch = 64};

}  // namespace lacp
