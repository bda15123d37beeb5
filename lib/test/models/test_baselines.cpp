// The methods beyond the paper: coverage, saved models, odd data, and the equations of each.
#include "fitted_rows.hpp"
#include "heteroskedastic.hpp"
#include "lacp/base/model_bytes.hpp"
#include "models/methods/baselines.hpp"
#include "models/stack/centre.hpp"

TEST_CASE("Theorem 1 by simulation: every method covers as promised, and more only where scores are equal") {
  Stream stream(11);
  constexpr std::size_t n = 59;
  const std::size_t draws = seeds(2000);
  for (const std::string& name : method_names()) {
    const auto score = fitted(name);
    for (const Level& level : levels) {
      // 59 points make one bin of mondrian; the next case has two.
      const double promised = static_cast<double>(level.rank(n)) / static_cast<double>(n + 1);
      const std::size_t covered = count_covered(*score, n, level, draws, stream),
                        with_ties = count_covered(*score, n, level, draws / 2, stream, 0.7);
      INFO(name, " ", level.text(), " ", covered, " ", with_ties);
      CHECK(side_of_band(covered, draws, promised) == 0);
      CHECK(side_of_band(with_ties, draws / 2, promised) >= 0);
    }
  }
}

TEST_CASE("a method promises the share that leave-one-out covers") {
  constexpr std::size_t n = 400;  // ten bins of mondrian
  Stream stream(13);
  const Points pool(n, stream);
  const arma::uvec everyone = arma::regspace<arma::uvec>(0, n - 1);
  for (const std::string name : {"fixed", "knn_error", "mondrian", "cqr", "ml"})
    for (const QuantileRule rule : {QuantileRule::ceiling, QuantileRule::floor_index})
      for (const Level& level : levels) {
        INFO(name, " ", level.text());
        const auto score = fitted(name);
        const arma::mat local = score->local(pool.X, pool.f);
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
}

TEST_CASE("knn_error divides by the mean error of the nearest points") {
  const auto score = stairs("knn_error", 10, {.knn_error = {.neighbours = 2, .beta = 0.5}});
  // Nearest to 1 are the points at 0 and 10 with errors 1 and 2: σ̂ = 1.5.
  const arma::mat sigma = score->local({{1.0, 88.0}, {0.0, 0.0}}, {});
  CHECK(sigma(0, 0) == 1.5);
  CHECK(sigma(0, 1) == 9.5);
  CHECK(score->scores(sigma, {3.0, 0.0}, {1.0, 10.0}).front()(0) == 1.0);  // 2 / (1.5 + 0.5)
  const Bounds bounds = score->bounds(sigma, {3.0, 0.0}, {2.0, arma::datum::inf}, Level(0.1));
  CHECK(bounds.below(0) == 4.0);
  CHECK(bounds.above(0) == 4.0);
  CHECK(bounds.above(1) == arma::datum::inf);
  // More neighbours than points: all of them.
  CHECK(stairs("knn_error", 10, {.knn_error = {.neighbours = 50}})->local(point(0.0, 0.0), {})(0, 0) ==
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

TEST_CASE("a saved model of each method and centre predicts the same bits") {
  Stream stream(41);
  const Points points(500, stream), more(50, stream);
  std::size_t kind = 0;
  for (const std::string& name : method_names()) {
    CAPTURE(name);
    PredictorSettings settings = quick_settings(name, static_cast<CentreKind>(kind++ % 3));
    settings.levels = levels;
    const LocalPredictor model = LocalPredictor::fit(points.X, 1000.0 * points.y, settings),
                         loaded = reloaded(model);
    for (const Level& level : levels) {
      const Intervals here = model.predict(more.X, level);
      CHECK(same(here, loaded.predict(more.X, level)));
      CHECK_FALSE(here.lower().has_nan());
      CHECK(model.predict(more.X.tail_cols(1), level).lower()(0) == here.lower()(49));  // a query by itself
    }
    // Far out there is no network, or there are no neighbours: a message, never a nan.
    CHECK_THROWS_AS(model.predict(point(1e45, 0.0), Level(0.1)), UserError);
    CHECK_FALSE(model.predict(point(1e3, 1e3), Level(0.1)).lower().has_nan());
  }
}

TEST_CASE("every method on data without variety: all points equal, all errors zero") {
  Stream stream(51);
  Points same(300, stream);
  same.X.fill(1.0), same.f.fill(1.0), same.y.fill(1.0);
  for (const std::string& name : method_names()) {
    CAPTURE(name);
    const FitResult result = fitted(name, same, same);
    REQUIRE_FALSE(result.failure);
    const arma::mat local = result.score->local(same.X, same.f);
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

TEST_CASE("cqr measures the distance to the quantiles") {
  // Outputs in the order .025, .05, .16, .5, .84, .95, .975; level 0.32 has the third and the fifth.
  const arma::mat outputs = arma::vec{-3.0, -2.0, -1.0, 0.0, 2.0, 4.0, 6.0};
  const Level level(0.32);
  const auto score = fitted("cqr");
  REQUIRE(score->levels().size() == 3);
  const auto at = [&](double y) { return score->scores(outputs, {0.0}, {y})[2](0); };
  CHECK(at(1.0) == -1.0);
  CHECK(at(-4.0) == 3.0);
  CHECK(at(6.0) == 4.0);
  CHECK(score->middles(outputs, {0.0})[2](0) == 0.5);
  const Bounds bounds = score->bounds(outputs, {10.0}, {0.5}, level);
  CHECK(10.0 - bounds.below(0) == -1.5);  // the centre may lie outside
  CHECK(10.0 + bounds.above(0) == 2.5);
  CHECK(bounds.half_width()(0) == 2.0);
  CHECK(score->bounds(outputs, {0.0}, {-2.0}, level).half_width()(0) == empty_interval);
  CHECK(score->bounds(outputs, {0.0}, {arma::datum::inf}, level).half_width()(0) == arma::datum::inf);
  CHECK(score->crossed(outputs, level) == 0.0);
  // Crossed: sorted, and counted at the level whose own quantiles are the wrong way round.
  const arma::mat crossed = arma::vec{-3.0, -2.0, 2.0, 0.0, -1.0, 4.0, 6.0};
  CHECK(score->scores(crossed, {0.0}, {6.0})[2](0) == 4.0);
  CHECK(score->crossed(crossed, level) == 1.0);
  CHECK(score->crossed(crossed, Level(0.1)) == 0.0);
  CHECK_REFUSED(score->bounds(outputs, {0.0}, {0.5}, Level(0.2)), "level 0.2: ");
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
  for (arma::uword i = 0; i < 9; ++i)
    CHECK(gradient(i) == near(slope_of(q(i), [&] { return loss(q, other); }), 1e-9));
}

TEST_CASE("a calibration row far out has no quantiles of cqr: its score is nan, and the fit says so") {
  Stream stream(42);
  const Points points(400, stream);
  const auto score = fitted("cqr");
  arma::mat local = score->local(points.X, points.f);
  const double whole = score->scores(local, points.f, points.y)[1](8);
  local.col(7).fill(arma::datum::inf);
  const arma::vec scores = score->scores(local, points.f, points.y)[1];
  CHECK(std::isnan(scores(7)));
  CHECK(scores(8) == whole);
  arma::mat X = points.X;
  X(0, split_of_fit(400, quick_settings("cqr")).test.front()) = 1e45;
  CHECK_THROWS_WITH_AS(LocalPredictor::fit(X, points.y, quick_settings("cqr")),
                       doctest::Contains("is a row far out?"), RunError);
}

TEST_CASE("ml: the loss of the paper, finite for an exact prediction") {
  ObjectiveScratch scratch(2);
  arma::vec none;
  const arma::mat g = {{0.499, -1.999}};  // s = .5 and 2
  arma::mat gradient(1, 2);
  const auto loss = [&](const arma::vec& error) {
    arma::vec log_a = 2.0 * arma::log(error);
    return find_class("ml").loss({}, {}, log_a, g, none, gradient, none, scratch);
  };
  const double l4 = std::log(4.0), l2 = std::log(2.0);
  CHECK(loss({2.0, 1.0}) == near(0.5 * (l4 * l4 + l2 * l2), 1e-12));
  CHECK(gradient(0, 0) == near(-l4 / 0.5, 1e-12));
  CHECK(gradient(0, 1) == near(-l2 / 2.0, 1e-12));  // g < 0: |g| falls as g rises
  // An error of zero counts as γ.
  CHECK(loss({0.0, 2.0}) == near(0.5 * std::pow(std::log(1e-3 / 0.5), 2), 1e-12));
  CHECK(gradient.is_finite());
}

TEST_CASE("ml compares epochs by its own loss") {
  Stream stream(25);
  const Points points(300, stream);
  const arma::vec log_a = log_scores(arma::abs(points.f - points.y));
  TrainingOptions options{.epochs = 3};
  const TransformationClass& ml = find_class("ml");
  const TrainingResult result = train_rows(ml, {.hidden = {8}}, options, {points.X, log_a}, 1);
  const arma::mat g = result.localizer.g(points.X);
  arma::mat gradient(arma::size(g));
  arma::vec none;
  ObjectiveScratch scratch(300);
  CHECK(ml.criterion(result.localizer, g, log_a) ==
        near_share(std::exp(ml.loss({}, {}, log_a, g, none, gradient, none, scratch)), 1e-12));
}
