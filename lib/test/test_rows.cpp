// The methods beyond the paper: coverage, saved models, odd data, and the equations of knn_error and
// mondrian.
#include "binomial_band.hpp"
#include "fitted_rows.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/model_bytes.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"

TEST_CASE("every row covers as often as it promises, and not much more") {
  Stream stream(11);
  constexpr std::size_t draws = 2000, n = 59;
  for (const std::string& name : rows) {
    const auto score = fitted(name);
    for (const Level& level : levels) {
      const std::size_t covered = count_covered(*score, n, level, draws, stream);
      CAPTURE(name);
      CAPTURE(level.text());
      CAPTURE(covered);
      if (name == "rlcp")  // at least 1 − α; how much more depends on the weights
        CHECK(side_of_band(covered, draws, 1.0 - level.value()) >= 0);
      else  // 59 points make one bin of mondrian; the next case has two
        CHECK(side_of_band(covered, draws, static_cast<double>(level.rank(n)) / static_cast<double>(n + 1)) ==
              0);
    }
  }
}

TEST_CASE("a method promises the share that leave-one-out covers") {
  constexpr std::size_t n = 400;  // ten bins of mondrian
  Stream stream(13);
  const Points pool(n, stream);
  const arma::uvec everyone = arma::regspace<arma::uvec>(0, n - 1);
  for (const std::string name : {"fixed", "knn_error", "mondrian", "cqr", "uniform"})
    for (const QuantileRule rule : {QuantileRule::ceiling, QuantileRule::floor_index})
      for (const Level& level : levels) {
        CAPTURE(name);
        CAPTURE(level.text());
        const auto score = fitted(name);
        const arma::mat local = score->local(pool.X);
        const Calibration all = score->calibration(local, pool.f, pool.y);
        const Queries queries{.local = local, .left_out = &everyone};
        const arma::vec q = score->thresholds(all, queries, {&level, 1}, rule).row(0).t();
        const arma::uvec inside = arma::find(all.scores[score->index_of(level)] <= q);
        const double covered = static_cast<double>(inside.n_elem) / n;
        const CalibrationPlan plan{
            .level = level, .points = n, .rule = rule, .leave_one_out = true, .all = &levels};
        const Promise promise = promised_coverage(find_method(name), Sides::both, plan);
        CHECK(covered >= promise.least);
        CHECK(covered <= promise.most);
        CHECK(std::lround(n * (promise.most - promise.least)) == (name == "mondrian" ? 9 : 0));
        if (name != "fixed") continue;
        const auto two_sided = with_sides(score, find_method(name), Sides::each);
        const Bounds bounds =
            two_sided
                ->intervals(two_sided->calibration(local, pool.f, pool.y), queries, pool.f, {&level, 1}, rule)
                .front();
        std::size_t between = 0;
        for (arma::uword i = 0; i < n; ++i) between += covers(bounds, i, pool.f(i), pool.y(i));
        CHECK(promised_coverage(find_method(name), Sides::each, plan).least ==
              static_cast<double>(between) / n);
      }
  CHECK(promised_coverage(find_method("rlcp"), Sides::each, {.level = Level(0.1), .points = n}) ==
        Promise{0.9, 1.0});
}

TEST_CASE("mondrian covers in each bin") {
  Stream stream(12);
  constexpr std::size_t draws = 1500, n = 80;  // two bins at level 0.05
  const auto score = fitted("mondrian");
  std::array<std::size_t, 2> covered{}, all{};
  const Level level(0.1);
  for (std::size_t d = 0; d < draws; ++d) {
    const Points points(n + 1, stream);
    const arma::mat local = score->local(points.X);
    const Calibration calibration =
        score->calibration(local.head_cols(n), points.f.head(n), points.y.head(n));
    const arma::mat at = local.tail_cols(1);
    const arma::vec f = points.f.tail(1), q = q_of(*score, calibration, at, level);
    const std::size_t hard = at(0, 0) > 1.2 ? 1 : 0;
    ++all[hard];
    covered[hard] += covers(score->bounds(at, f, q, level), 0, f(0), points.y(n));
  }
  for (const std::size_t k : {0u, 1u}) {
    CAPTURE(covered[k]);
    CAPTURE(all[k]);
    REQUIRE(all[k] > 400);
    const double share = static_cast<double>(covered[k]) / static_cast<double>(all[k]);
    // Each bin has some 40 points: 0.9 ≤ coverage ≤ 0.9 + 1/41; three standard errors of 400 points are .045.
    CHECK(share > 0.9 - 0.045);
    CHECK(share < 0.9 + 0.025 + 0.045);
  }
}

TEST_CASE("knn_error divides by the mean error of the nearest points") {
  const auto score = stairs("knn_error", 10, {.knn_error = {.neighbours = 2, .beta = 0.5}});
  // Nearest to 1 are the points at 0 and 10 with errors 1 and 2: σ̂ = 1.5.
  const arma::mat sigma = score->local({{1.0, 88.0}, {0.0, 0.0}});
  CHECK(sigma(0, 0) == 1.5);
  CHECK(sigma(0, 1) == 9.5);
  CHECK(score->scores(sigma, {3.0, 0.0}, {1.0, 10.0}).front()(0) == 1.0);  // 2 / (1.5 + 0.5)
  const Bounds bounds = score->bounds(sigma, {3.0, 0.0}, {2.0, arma::datum::inf}, Level(0.1));
  CHECK(bounds.below(0) == 4.0);
  CHECK(bounds.above(0) == 4.0);
  CHECK(bounds.above(1) == arma::datum::inf);
  // More neighbours than points: all of them.
  CHECK(stairs("knn_error", 10, {.knn_error = {.neighbours = 50}})->local(point(0.0, 0.0))(0, 0) ==
        near(5.5, 1e-15));
}

TEST_CASE("mondrian takes the quantile of the point's own bin, infinite where that is too small") {
  const auto score = stairs("mondrian", 100, {.knn_error = {.neighbours = 1}, .mondrian = {.bins = 2}});
  // 76 points, twice the 19 that level 0.05 needs in each of two bins; the bins meet at the median of σ̂, 51.
  const arma::vec y = arma::regspace(1, 76);
  Calibration calibration{.scores = {y}, .local = arma::rowvec(76)};
  for (arma::uword i = 0; i < 76; ++i) calibration.local(0, i) = i < 66 ? 1.0 : 60.0;
  const arma::mat at = {{50.0, 51.0}};
  CHECK(q_of(*score, calibration, at, Level(0.5))(0) == 34.0);  // of 1 … 66: rank ⌈67/2⌉
  CHECK(q_of(*score, calibration, at, Level(0.5))(1) == 72.0);  // of 67 … 76: rank 6
  CHECK(q_of(*score, calibration, at, Level(0.05))(0) == 64.0);
  CHECK(q_of(*score, calibration, at, Level(0.05))(1) == arma::datum::inf);
  const arma::uvec self = {0, 65, 75};
  const arma::mat own = calibration.local.cols(self);
  const Level half(0.5);
  const arma::mat q =
      score->thresholds(calibration, {.local = own, .left_out = &self}, {&half, 1}, QuantileRule::ceiling);
  CHECK(q(0, 0) == 34.0);  // of 2 … 66: rank 33
  CHECK(q(0, 1) == 33.0);
  CHECK(q(0, 2) == 71.0);  // of 67 … 75: rank 5
  calibration = {.scores = {y.head(75)}, .local = calibration.local.head_cols(75)};
  CHECK(q_of(*score, calibration, at, Level(0.5))(1) == 38.0);  // one bin: too few points for two
}

TEST_CASE("a saved model of each row predicts the same bits, and a damaged one is refused") {
  Stream stream(41);
  const Points points(500, stream), more(50, stream);
  for (const std::string& name : rows) {
    CAPTURE(name);
    PredictorSettings settings{.method = name, .levels = levels};
    settings.network.hidden = {8};
    settings.training.epochs = 3;
    const LocalPredictor model = LocalPredictor::fit(points.X, 1000.0 * points.y, settings);
    const std::string bytes = model.to_bytes();
    const LocalPredictor loaded = LocalPredictor::from_bytes(bytes, "model");
    CHECK(loaded.to_bytes() == bytes);
    for (const Level& level : levels) {
      const Intervals here = model.predict(more.X, level), there = loaded.predict(more.X, level);
      CHECK(arma::all(here.lower() == there.lower()));
      CHECK(arma::all(here.upper() == there.upper()));
      CHECK_FALSE(here.lower().has_nan());
      const Intervals one = model.predict(more.X.tail_cols(1), level);  // each query by itself
      CHECK(one.lower()(0) == here.lower()(49));
    }
    // Cut anywhere, with a checksum that fits: refused, or in the unlikely case the same.
    const std::string content = bytes.substr(0, bytes.size() - 64);
    for (std::size_t k = 1; k < 20; ++k) {
      const std::string cut = content.substr(0, content.size() * k / 20);
      CHECK_THROWS_AS(LocalPredictor::from_bytes(cut + sha256(cut), "model"), UserError);
    }
    CHECK_THROWS_AS(LocalPredictor::from_bytes(content + "x" + sha256(content + "x"), "model"), UserError);
    // Far out there is no network, or there are no neighbours: a message, never a nan.
    CHECK_THROWS_AS(model.predict(point(1e45, 0.0), Level(0.1)), UserError);
    CHECK_FALSE(model.predict(point(1e3, 1e3), Level(0.1)).lower().has_nan());
  }
}

TEST_CASE("rows on data without variety: all points equal, all errors zero") {
  Stream stream(51);
  Points same(300, stream);
  same.X.fill(1.0), same.f.fill(1.0), same.y.fill(1.0);
  for (const std::string& name : rows) {
    CAPTURE(name);
    const FitResult result = fitted(name, same, same);
    REQUIRE_FALSE(result.failure);
    const arma::mat local = result.score->local(same.X);
    const Calibration calibration = result.score->calibration(local, same.f, same.y);
    CHECK_FALSE(calibration.has_nan());
    for (const Level& level : levels) {
      const Bounds bounds =
          result.score->bounds(local, same.f, q_of(*result.score, calibration, local, level), level);
      CHECK_FALSE(bounds.half_width().has_nan());
      CHECK(bounds.half_width().max() < 10.0);
      if (!name.starts_with("cqr")) CHECK(covers(bounds, 0, 1.0, 1.0));
    }
  }
}

TEST_CASE("settings of the rows that cannot work are refused by name") {
  Stream stream(61);
  const Points points(100, stream);
  const auto refusal = [&](const RowOptions& options) {
    CHECK_THROWS_WITH_AS(LocalPredictor::fit(points.X, points.y, {.method = "fixed", .rows = options}),
                         doctest::Contains("settings: rows."), UserError);
  };
  refusal({.knn_error = {.neighbours = 0}});
  refusal({.knn_error = {.beta = 0.0}});
  refusal({.mondrian = {.bins = 0}});
  refusal({.rlcp = {.bandwidth = arma::datum::nan}});
  CHECK_THROWS_WITH_AS(LocalPredictor::fit(points.X, points.y, {.method = "cqr", .levels = {}}),
                       doctest::Contains("settings: levels: "), UserError);
  CHECK_THROWS_WITH_AS(
      LocalPredictor::fit(points.X, points.y, {.method = "cqr", .levels = {Level(0.1), Level(0.1)}}),
      doctest::Contains("settings: levels: found one twice"), UserError);
}
