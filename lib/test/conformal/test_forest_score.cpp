// Ends by forests.
#include "fitted_rows.hpp"
#include "lacp/conformal/intervals.hpp"

TEST_CASE("forests follow errors whose size depends on x and that lean to one side") {
  for (const std::size_t rows : {600u, 6000u}) {
    CAPTURE(rows);
    const auto winkler =
        [&](const char* method) {  // at each level, on fresh points, calibrated by fresh points
          Stream stream(4);
          const Points points(rows, stream), calibrating(500, stream), fresh(2000, stream);
          const auto score = fitted(method, Points(0, stream), points).score;
          const arma::mat local = score->local(fresh.X, fresh.f);
          const auto found = score->intervals(
              score->calibration(score->local(calibrating.X, calibrating.f), calibrating.f, calibrating.y),
              {.local = local}, fresh.f, levels, QuantileRule::ceiling);
          arma::vec scores(levels.size());
          for (std::size_t l = 0; l < levels.size(); ++l)
            scores(l) = winkler_score(found[l], fresh.f, fresh.y, levels[l]);
          return scores;
        };
    const arma::vec forest = winkler("forest");
    CHECK(arma::all(forest < 0.9 * winkler("fixed")));
    CHECK(arma::all(forest < winkler("knn_error")));  // the same size on both sides
  }
}

TEST_CASE("ends of a forest are in the middle between f + a quantile of the errors and one of the targets") {
  // Beyond all predictions of the fit its trees are constant, and f moves the first of the two alone.
  const auto score = fitted("forest");
  const arma::mat x = point(0.0, 0.0), moved = score->local(x, {1e6 + 2.0}) - score->local(x, {1e6});
  CHECK(arma::abs(moved - 1.0).max() < 1e-9);
}

TEST_CASE("an empty interval of a forest is -1 on both sides, in whatever units targets are") {
  Stream stream(10);
  const Points points(400, stream);
  const auto score = fitted("forest");
  const arma::mat local = score->local(points.X, points.f);
  const Bounds bounds = score->bounds(local, points.f, arma::linspace(-3.0, 0.0, 400), Level(0.32));
  const arma::uvec empty = arma::find(bounds.half_width() < 0.0);
  CHECK(empty.n_elem > 10);
  CHECK(empty.n_elem < 400);
  CHECK(arma::all(bounds.below(empty) == empty_interval && bounds.above(empty) == empty_interval));
}

TEST_CASE("targets that are nearly all zero, or all, are fitted, by folds and by a split") {
  Stream stream(11);
  for (const std::string name : {"forest", "fixed", "knn_error"})
    for (const std::size_t nonzero : {0u, 1u, 3u})
      for (const std::size_t folds : {0u, 4u}) {
        INFO(name, " ", nonzero, " ", folds);
        const Points points(80, stream);
        arma::vec y(80, arma::fill::zeros);
        for (std::size_t i = 0; i < nonzero; ++i) y(7 * i) = 250.0;
        PredictorSettings settings = PredictorSettings::recommended();
        settings.method = name, settings.calibration_folds = folds, settings.levels = {Level(0.1)};
        settings.centre.boosted.rounds = 20;
        const Intervals found = LocalPredictor::fit(points.X, y, settings).predict(points.X, Level(0.1));
        CHECK(arma::accu(found.lower() <= 0.0 && found.upper() >= 0.0) >= 72);
        if (nonzero == 0) CHECK(arma::all(found.lower() == 0.0 && found.upper() == 0.0));
      }
}
