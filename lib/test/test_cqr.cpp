// Conformalised quantile regression: its scores, the pinball loss, and quantiles that are none.
#include "fitted_rows.hpp"
#include "lacp/base/error.hpp"
#include "lacp/conformal/baselines/baselines.hpp"
#include "lacp/conformal/predictor.hpp"

TEST_CASE("cqr, cqr_m and cqr_r measure the distance to the quantiles, each in its unit") {
  // Outputs in the order .025, .05, .16, .5, .84, .95, .975; level 0.32 has the third and the fifth.
  const arma::mat outputs = arma::vec{-3.0, -2.0, -1.0, 0.0, 2.0, 4.0, 6.0};
  const Level level(0.32);
  struct Expected {
    std::string name;
    double inside, below, above, lower, upper;
  };
  for (const Expected& e :
       {Expected{"cqr", -1.0, 3.0, 4.0, -1.5, 2.5}, Expected{"cqr_m", -0.5, 3.0, 2.0, -1.5, 3.0},
        Expected{"cqr_r", -1.0 / 3.0, 1.0, 4.0 / 3.0, -2.5, 3.5}}) {
    CAPTURE(e.name);
    const auto score = fitted(e.name);
    REQUIRE(score->levels().size() == 3);
    const auto at = [&](double y) { return score->scores(outputs, {0.0}, {y})[2](0); };
    CHECK(at(1.0) == near(e.inside, 1e-15));
    CHECK(at(-4.0) == near(e.below, 1e-15));
    CHECK(at(6.0) == near(e.above, 1e-15));
    const Bounds bounds = score->bounds(outputs, {10.0}, {0.5}, level);
    CHECK(10.0 - bounds.below(0) == near(e.lower, 1e-14));  // the centre may lie outside
    CHECK(10.0 + bounds.above(0) == near(e.upper, 1e-14));
    CHECK(bounds.half_width()(0) == near(0.5 * (e.upper - e.lower), 1e-14));
    CHECK(score->bounds(outputs, {0.0}, {-2.0}, level).half_width()(0) == empty_interval);
    CHECK(score->bounds(outputs, {0.0}, {arma::datum::inf}, level).half_width()(0) == arma::datum::inf);
    CHECK(score->remarks(outputs, level).front().value == 0.0);
    // Crossed: sorted, and counted at the level whose own quantiles are the wrong way round.
    const arma::mat crossed = arma::vec{-3.0, -2.0, 2.0, 0.0, -1.0, 4.0, 6.0};
    CHECK(score->scores(crossed, {0.0}, {6.0})[2](0) == near(e.above, 1e-15));
    CHECK(score->remarks(crossed, level).front().value == 1.0);
    CHECK(score->remarks(crossed, Level(0.1)).front().value == 0.0);
    CHECK_THROWS_WITH_AS(score->bounds(outputs, {0.0}, {0.5}, Level(0.2)), doctest::Contains("level 0.2: "),
                         UserError);
    // All quantiles equal: nothing is divided by zero.
    CHECK_FALSE(score->scores(arma::mat(7, 1), {0.0}, {0.0})[0].has_nan());
  }
  CHECK(quantile_probabilities({Level(0.5), Level(0.1)}) == std::vector<double>{0.05, 0.25, 0.5, 0.75, 0.95});
}

TEST_CASE("the pinball loss is least at the quantile; its gradient is that of differences") {
  const TransformationClass method = quantile_network({Level(0.5)});
  ObjectiveScratch scratch(3);
  arma::vec none;
  const arma::vec y = {1.0, 2.0, 7.0};
  arma::mat q = {{0.0, 3.0, 1.0}, {1.5, 2.5, 2.0}, {4.0, 1.0, 9.0}}, gradient(3, 3), other(3, 3);
  const auto loss = [&](const arma::mat& at, arma::mat& slopes) {
    return method.loss({}, {}, y, at, none, slopes, none, scratch);
  };
  // Row 1 at ¼: ¼·1, ¾·1, ¼·6; row 2 at ½: ½(.5 + .5 + 5); row 3 at ¾: ¼·3, ¾·1, ¼·2.
  CHECK(loss(q, gradient) == near((0.25 + 0.75 + 1.5 + 3.0 + 0.75 + 0.75 + 0.5) / 9.0, 1e-15));
  for (arma::uword i = 0; i < 9; ++i) {
    const double h = 1e-6, kept = q(i);
    q(i) = kept + h;
    const double up = loss(q, other);
    q(i) = kept - h;
    const double down = loss(q, other);
    q(i) = kept;
    CHECK(gradient(i) == near((up - down) / (2 * h), 1e-9));
  }
}

TEST_CASE("trained quantiles lie where those of the data lie") {
  Stream stream(21);
  Points points(4000, stream);
  for (arma::uword i = 0; i < 4000; ++i) points.X(0, i) = 0.0, points.y(i) = stream.uniform();
  const auto score = fitted("cqr", points, points).score;
  const arma::mat q = score->local(arma::mat(2, 1, arma::fill::zeros));
  const std::vector<double> tau = quantile_probabilities(levels);
  for (std::size_t k = 0; k < tau.size(); ++k) CHECK(q(k, 0) == near(tau[k], 0.06));
}

TEST_CASE("a calibration row far out has no quantiles of cqr: its score is nan, the others keep theirs") {
  Stream stream(42);
  Points points(60, stream);
  for (const char* name : {"cqr", "cqr_m", "cqr_r"}) {
    CAPTURE(name);
    const auto score = fitted(name);
    arma::mat local = score->local(points.X);
    const std::vector<arma::vec> whole = score->scores(local, points.f, points.y);
    for (const double value : {arma::datum::nan, arma::datum::inf}) {
      local.col(7).fill(value);
      const std::vector<arma::vec> scores = score->scores(local, points.f, points.y);
      CHECK(std::isnan(scores[1](7)));
      CHECK(scores[1](8) == whole[1](8));
      CHECK(score->calibration(local, points.f, points.y).has_nan());
    }
    PredictorSettings settings{.method = name, .levels = levels};
    settings.network.hidden = {8}, settings.training.epochs = 2;
    const Points data(400, stream);
    arma::mat X = data.X;
    X(0, split_of_fit(400, settings).test.front()) = 1e45;
    CHECK_THROWS_WITH_AS(LocalPredictor::fit(X, data.y, settings), doctest::Contains("is a row far out?"),
                         RunError);
  }
}
