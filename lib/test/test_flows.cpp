// `ml` and `uniform`, and the choice of epochs by a loss of their own.
#include "fitted_rows.hpp"
#include "lacp/conformal/baselines/baselines.hpp"

TEST_CASE("ml and uniform: the losses of the paper, finite for an exact prediction") {
  ObjectiveScratch scratch(2);
  arma::vec none;
  const arma::mat g = {{0.499, -1.999}};  // s = .5 and 2
  arma::mat gradient(1, 2);
  const auto loss = [&](const char* name, const arma::vec& error) {
    arma::vec log_a = 2.0 * arma::log(error);
    return find_class(name).loss({}, {}, log_a, g, none, gradient, none, scratch);
  };
  const double l4 = std::log(4.0), l2 = std::log(2.0);
  CHECK(loss("ml", {2.0, 1.0}) == near(0.5 * (l4 * l4 + l2 * l2), 1e-12));
  CHECK(gradient(0, 0) == near(-l4 / 0.5, 1e-12));
  CHECK(gradient(0, 1) == near(-l2 / 2.0, 1e-12));  // g < 0: |g| falls as g rises
  const auto term = [](double a, double s) {
    const double b = 1.0 / (1.0 + std::exp(-a / s));
    return -std::log(b * (1.0 - b) / s);
  };
  CHECK(loss("uniform", {2.0, 1.0}) == near(0.5 * (term(2.0, 0.5) + term(1.0, 2.0)), 1e-12));
  CHECK(std::isfinite(loss("uniform", {0.0, 1.0})));
  CHECK(gradient.is_finite());
  // An error of zero counts as γ.
  CHECK(loss("ml", {0.0, 2.0}) == near(0.5 * std::pow(std::log(1e-3 / 0.5), 2), 1e-12));
  CHECK(gradient.is_finite());
  CHECK(std::isfinite(loss("uniform", {1e300, 1.0})));
}

TEST_CASE("gradients of ml and uniform by central differences") {
  ObjectiveScratch scratch(6);
  arma::vec none;
  const arma::vec log_a = {-arma::datum::inf, -20.0, -3.0, 0.0, 1.0, 5.0};  // errors from 0 to 12
  const arma::mat g = {{0.5, -0.7, 1.3, -2.0, 0.9, -1.1}};                  // away from the kink of |g|
  arma::mat gradient(1, 6), other(1, 6);
  for (const char* name : {"ml", "uniform"})
    for (arma::uword i = 0; i < 6; ++i) {
      const auto loss = [&](double at, arma::mat& slopes) {
        arma::mat moved = g;
        moved(0, i) = at;
        return find_class(name).loss({}, {}, log_a, moved, none, slopes, none, scratch);
      };
      loss(g(0, i), gradient);
      const double h = 1e-5;  // the third derivatives are below 1e3: an error of 2e-8
      CHECK(gradient(0, i) == near((loss(g(0, i) + h, other) - loss(g(0, i) - h, other)) / (2 * h), 1e-7));
    }
}

TEST_CASE("ml, uniform and cqr compare epochs by their own loss") {
  Stream stream(25);
  const Points points(300, stream);
  const arma::vec log_a = log_scores(arma::abs(points.f - points.y));
  TrainingOptions options{.epochs = 3};
  for (const char* name : {"ml", "uniform"}) {
    const TransformationClass& method = find_class(name);
    const TrainingResult result =
        train(method, {}, {.hidden = {8}}, options, points.X, log_a, {Stream(1), Stream(2), Stream(3)});
    const arma::mat g = result.localizer.g(points.X);
    arma::mat gradient(arma::size(g));
    arma::vec none;
    ObjectiveScratch scratch(300);
    CHECK(method.criterion(result.localizer, points.X, log_a) ==
          near_share(std::exp(method.loss({}, {}, log_a, g, none, gradient, none, scratch)), 1e-12));
  }
  const TransformationClass method = quantile_network({Level(0.2)});
  const TrainingResult result =
      train(method, {}, {.hidden = {8}}, options, points.X, points.y, {Stream(1), Stream(2), Stream(3)});
  REQUIRE_FALSE(result.failure);
  CHECK(result.validation_scores.size() == 3);
  CHECK(result.validation_scores.back() < result.validation_scores.front());  // 2x is quickly learnt
  CHECK(method.criterion(result.localizer, points.X, points.y) < 2.0 * result.validation_scores.back());
}
