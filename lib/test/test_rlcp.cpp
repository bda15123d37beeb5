// Randomly localised conformal prediction.
#include "fitted_rows.hpp"
#include "lacp/base/error.hpp"

TEST_CASE("rlcp: far calibration points weigh nothing, with a wide kernel it is the plain quantile") {
  Stream stream(31);
  const Points points(200, stream);
  const auto narrow = fitted("rlcp", {.rlcp = {.bandwidth = 1e-3}}),
             wide = fitted("rlcp", {.rlcp = {.bandwidth = 1e14}});
  const Calibration calibration = wide->calibration(points.X, points.f, points.y);
  for (const Level& level : levels) {
    CHECK(arma::all(q_of(*wide, calibration, points.X, level) == calibrate(calibration.scores[0], level)));
    const arma::uvec self = arma::regspace<arma::uvec>(0, 199);
    for (const QuantileRule rule : {QuantileRule::ceiling, QuantileRule::floor_index})
      CHECK(arma::all(wide->thresholds(calibration, {.local = points.X, .left_out = &self}, {&level, 1}, rule)
                          .row(0)
                          .t() == leave_one_out(calibration.scores[0], level, rule)));
    // Alone in its neighbourhood a point has its own weight and no other: the interval is infinite.
    CHECK(q_of(*narrow, calibration, point(50.0, 50.0), level)(0) == arma::datum::inf);
  }
  // Half of the points at 0 with scores near 1, the others at 100 near 2: only those at hand count.
  Calibration two{.scores = {arma::vec(200)}, .local = arma::mat(2, 200, arma::fill::zeros)};
  for (arma::uword i = 0; i < 200; ++i) {
    two.scores[0](i) = (i < 100 ? 1.0 : 2.0) + 1e-3 * static_cast<double>(i);
    if (i >= 100) two.local.col(i).fill(100.0);
  }
  const auto usual = fitted("rlcp");
  CHECK(q_of(*usual, two, point(0.0, 0.0), Level(0.1))(0) < 1.1);
  CHECK(q_of(*usual, two, point(100.0, 100.0), Level(0.1))(0) > 2.1);
}

TEST_CASE("rlcp: under the released code's rule, too, the nearest points decide far from all of them") {
  const auto score = fitted("rlcp", {.rlcp = {.bandwidth = 1e-3}});
  Calibration calibration{.scores = {arma::vec(100)}, .local = arma::mat(2, 100, arma::fill::zeros)};
  for (arma::uword i = 0; i < 100; ++i) {
    calibration.scores[0](i) = i < 50 ? 1.0 : 2.0;
    calibration.local(0, i) = i < 50 ? 0.0 : 10.0;
  }
  const Level level(0.1);
  const arma::mat far =
      point(50.0, 0.0);  // no point has a weight that is not 0 beside the weight of x itself
  CHECK(score->thresholds(calibration, {.local = far}, {&level, 1}, QuantileRule::floor_index)(0, 0) == 2.0);
  CHECK(score->thresholds(calibration, {.local = far}, {&level, 1}, QuantileRule::ceiling)(0, 0) == HUGE_VAL);
}

TEST_CASE("what rlcp draws at a point depends on the point alone") {
  Stream stream(32);
  const Points points(120, stream);
  const auto score = fitted("rlcp");
  const Calibration calibration = score->calibration(points.X, points.f, points.y);
  const arma::mat reversed = arma::fliplr(points.X);
  const arma::vec q = q_of(*score, calibration, points.X, Level(0.1)),
                  back = q_of(*score, calibration, reversed, Level(0.1));
  CHECK(arma::all(arma::reverse(back) == q));
  CHECK(arma::any(q != q(0)));
}
