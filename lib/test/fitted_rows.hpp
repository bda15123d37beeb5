// Points, and the methods beyond the paper fitted on them.
#pragma once

#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/training/fit_localizer.hpp"
#include "made_rows.hpp"

using namespace lacp;

inline const std::vector<Level> levels = {Level(0.1), Level(0.05), Level(0.32)};

/// Points with an error that depends on x and leans to one side; the centre is 2x. With a unit all numbers
/// are multiples of it, so that many are equal.
struct Points {
  arma::mat X;
  arma::vec y, f;

  Points(std::size_t n, Stream& stream, double unit = 0.0) : X(2, n), y(n), f(n) {
    const auto rounded = [unit](double x) { return unit > 0.0 ? unit * std::round(x / unit) : x; };
    for (std::size_t i = 0; i < n; ++i) {
      X(0, i) = rounded(stream.normal()), X(1, i) = rounded(stream.normal());
      f(i) = 2.0 * X(0, i);
      const double noise = stream.normal();
      y(i) = f(i) + rounded((0.2 + std::abs(X(0, i))) * (noise > 0.0 ? 2.0 * noise : noise));
    }
  }
};

inline FitResult fitted(const std::string& name, const Points& first, const Points& second,
                        BaselineOptions options = {}, std::vector<Level> at = levels, AdamOptions adam = {}) {
  const Method& method = find_method(name);
  TrainingOptions training{.adam = adam, .epochs = 5};
  training.selection.level = Level(0.1);
  return method.fit(method,
                    {.X_first = first.X,
                     .y_first = first.y,
                     .X = second.X,
                     .y = second.y,
                     .f = second.f,
                     .levels = std::move(at),
                     .network = {.hidden = {8, 8}},
                     .training = training,
                     .baselines = options,
                     .stream = [](std::string_view purpose) {
                       return Stream(StreamName{.seed = 3, .dataset = "", .method = "", .purpose = purpose});
                     }});
}

inline std::shared_ptr<const FittedScore> fitted(const std::string& name, BaselineOptions options = {}) {
  Stream stream(1);
  const Points first(200, stream), second(300, stream);
  const FitResult result = fitted(name, first, second, options);
  REQUIRE_FALSE(result.failure);
  return result.score;
}

/// Second part whose σ̂ with one neighbour is known: x = 0, 10, 20, … with errors 1, 2, 3, …
inline std::shared_ptr<const FittedScore> stairs(const std::string& name, std::size_t n,
                                                 BaselineOptions options) {
  Stream stream(1);
  Points second(n, stream);
  for (std::size_t i = 0; i < n; ++i) {
    second.X(0, i) = 10.0 * static_cast<double>(i), second.X(1, i) = 0.0;
    second.f(i) = 5.0, second.y(i) = 5.0 - static_cast<double>(i + 1);
  }
  return fitted(name, second, second, options).score;
}

inline arma::mat point(double x, double z) { return arma::vec{x, z}; }

inline arma::vec q_of(const FittedScore& score, const Calibration& calibration, const arma::mat& local,
                      const Level& level) {
  return score.thresholds(calibration, {.local = local}, {&level, 1}, QuantileRule::ceiling).row(0).t();
}

/// A fresh calibration sample for every test point, as in Theorem 1.
inline std::size_t count_covered(const FittedScore& score, std::size_t n, const Level& level,
                                 std::size_t draws, Stream& stream, double unit = 0.0) {
  std::size_t covered = 0;
  for (std::size_t d = 0; d < draws; ++d) {
    const Points points(n + 1, stream, unit);
    const arma::mat local = score.local(points.X, points.f);
    const Calibration calibration = score.calibration(local.head_cols(n), points.f.head(n), points.y.head(n));
    const arma::mat at = local.tail_cols(1);
    const arma::vec f = points.f.tail(1), q = q_of(score, calibration, at, level);
    covered += covers(score.bounds(at, f, q, level), 0, f(0), points.y(n));
  }
  return covered;
}
