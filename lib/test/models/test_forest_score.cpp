// Ends by forests. One row at a time, as a program asks that answers requests: what all calibration points
// have in common is worked out once.
#include "fitted_rows.hpp"
#include "lacp/base/math.hpp"
#include "lacp/conformal/intervals.hpp"

namespace {

/// Winkler score on fresh points, calibrated by fresh points.
double winkler(const FittedScore& score, const Level& level, std::uint64_t seed) {
  Stream stream(seed);
  const Points calibrating(500, stream), points(2000, stream);
  const Calibration calibration =
      score.calibration(score.local(calibrating.X, calibrating.f), calibrating.f, calibrating.y);
  const arma::mat local = score.local(points.X, points.f);
  return winkler_score(
      score.intervals(calibration, {.local = local}, points.f, {&level, 1}, QuantileRule::ceiling).front(),
      points.f, points.y, level);
}

}  // namespace

TEST_CASE("forests follow errors whose size depends on x and that lean to one side") {
  for (const std::size_t rows : {600u, 6000u}) {
    CAPTURE(rows);
    Stream stream(4);
    const Points points(rows, stream);
    const auto forest = fitted("forest", Points(0, stream), points).score,
               error = fitted("knn_error", Points(0, stream), points).score,
               fixed = fitted("fixed", Points(0, stream), points).score;
    for (const Level& level : levels) {
      CAPTURE(level.text());
      CHECK(winkler(*forest, level, 6) < 0.9 * winkler(*fixed, level, 6));
      CHECK(winkler(*forest, level, 6) < winkler(*error, level, 6));  // the same size on both sides
    }
  }
}

TEST_CASE("ends of a forest lie between f + a quantile of the errors and one of the targets, as was chosen") {
  // Beyond all predictions of the fit its trees are constant, and f moves the first of the two alone.
  const auto score = fitted("forest");
  const arma::mat x = point(0.0, 0.0), moved = score->local(x, {1e6 + 2.0}) - score->local(x, {1e6});
  const arma::vec ends = moved.head_rows(moved.n_rows - 1), unit = moved.tail_rows(1);
  REQUIRE((score->chosen_ends()->mix > 0.0 && score->chosen_ends()->mix < 1.0));
  CHECK(arma::abs(ends - 2.0 * (1.0 - score->chosen_ends()->mix)).max() < 1e-9);
  CHECK(std::abs(unit(0)) < 1e-9);
}

namespace {

/// What a forest chooses for points with this error at (x₀, x₁, ξ), and centres f = `slope`·x₀ + 10.
template <class Error>
ForestEnds chosen(std::size_t n, double slope, std::uint64_t seed, const Error& error) {
  Stream stream(seed);
  Points points(n, stream);
  for (arma::uword i = 0; i < n; ++i) {
    points.f(i) = slope * points.X(0, i) + 10.0;
    points.y(i) = points.f(i) + error(points.X(0, i), points.X(1, i), stream.normal());
  }
  return *fitted("forest", Points(0, stream), points).score->chosen_ends();
}

}  // namespace

TEST_CASE(
    "a forest of targets counts nothing where the centre is very good, and leaves are small where rows repeat") {
  for (const std::uint64_t seed : {1u, 2u}) {
    CAPTURE(seed);
    const ForestEnds good =
        chosen(700, 100.0, seed, [](double, double, double noise) { return 0.1 * noise; });
    CHECK(good.mix == 0.0);
    // Errors that the next row has, too, in a pattern too fine for 20 rows.
    const ForestEnds pattern = chosen(1500, 100.0, seed, [](double x, double, double noise) {
      return (std::fmod(std::abs(x), 0.06) < 0.03 ? 0.0 : 20.0) + 0.1 * noise;
    });
    CHECK(pattern.leaf_of_errors < 20);
    // Nothing to tell from x: larger leaves, and no forest that has smaller ones.
    const ForestEnds noise = chosen(700, 0.0, seed, [](double, double, double xi) { return xi; });
    CHECK(noise.leaf_of_errors == 20);
  }
}

TEST_CASE("what was chosen is in the report and in the file") {
  Stream stream(12);
  const Points points(200, stream);
  PredictorSettings settings = quick_settings("forest", CentreKind::boosted, 3);
  const LocalPredictor model = LocalPredictor::fit(points.X, points.y, settings);
  CHECK(model.report().ends.has_value());
  CHECK(model.report().ends == model.score().chosen_ends());
  CHECK(reloaded(model).report().ends == model.report().ends);
  // Of rows that are all of one group none is out of bag: nothing to choose by.
  const Method& method = find_method("forest");
  const FitResult one_group = method.fit(method, {.X_first = {},
                                                  .y_first = {},
                                                  .X = points.X,
                                                  .y = points.y,
                                                  .f = points.f,
                                                  .groups = Groups(200, 1),
                                                  .levels = levels,
                                                  .stream = [](std::string_view) { return Stream(1); }});
  CHECK(one_group.score->chosen_ends() == ForestEnds{});
  settings.method = "fixed";
  CHECK(LocalPredictor::fit(points.X, points.y, settings).report().ends == std::nullopt);
}

TEST_CASE("where ends are too wide, calibration takes from easy rows as from hard ones, and empties none") {
  // Errors become half as large after the fit. With one threshold in units of y for all rows the tenth with
  // the narrowest intervals covers .49, some of them empty, and the last four tenths .98.
  Stream stream(13);
  const auto made = [&](std::size_t n, double part) {
    Points points(n, stream);
    for (arma::uword i = 0; i < n; ++i)
      points.y(i) = points.f(i) + part * math::exp(1.2 * points.X(1, i)) * stream.normal();
    return points;
  };
  const auto score = fitted("forest", Points(0, stream), made(2000, 1.0)).score;
  const Points calibrating = made(1000, 0.5), fresh = made(6000, 0.5);
  const Calibration calibration =
      score->calibration(score->local(calibrating.X, calibrating.f), calibrating.f, calibrating.y);
  const Level level(0.1);
  const Bounds found = score
                           ->intervals(calibration, {.local = score->local(fresh.X, fresh.f)}, fresh.f,
                                       {&level, 1}, QuantileRule::ceiling)
                           .front();
  const arma::vec widths = found.half_width();
  CHECK(widths.min() >= 0.0);
  const arma::uvec order = arma::stable_sort_index(widths);
  std::size_t all = 0;
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    std::size_t inside = 0;
    for (const arma::uword n : arma::uvec(order.subvec(tenth * 600, tenth * 600 + 599)))
      inside += covers(found, n, fresh.f(n), fresh.y(n)) ? 1 : 0;
    CAPTURE(tenth);
    CHECK(inside > 0.75 * 600);
    all += inside;
  }
  CHECK(std::abs(static_cast<double>(all) / 6000.0 - 0.9) < 4.0 * coverage_error(0.1, 1000, 6000));
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

TEST_CASE("targets that are nearly all zero, or all, are fitted, by every row and by a split") {
  Stream stream(11);
  for (const std::string name : {"forest", "fixed", "knn_error"})
    for (const std::size_t nonzero : {0u, 1u, 3u})
      for (const bool every_row : {false, true}) {
        if (every_row && !find_method(name).every_row) continue;
        CAPTURE(name);
        CAPTURE(nonzero);
        CAPTURE(every_row);
        const Points points(80, stream);
        arma::vec y(80, arma::fill::zeros);
        for (std::size_t i = 0; i < nonzero; ++i) y(7 * i) = 250.0;
        PredictorSettings settings = PredictorSettings::recommended();
        settings.method = name, settings.every_row = every_row, settings.levels = {Level(0.1)};
        settings.centre.boosted.rounds = 20;
        const Intervals found = LocalPredictor::fit(points.X, y, settings).predict(points.X, Level(0.1));
        CHECK(arma::accu(found.lower() <= 0.0 && found.upper() >= 0.0) >= 72);
        if (nonzero == 0) CHECK(arma::all(found.lower() == 0.0 && found.upper() == 0.0));
      }
}

TEST_CASE("a prepared calibration gives the thresholds of one that is not, and is all that is looked at") {
  Stream stream(2);
  const Points calibrating(150, stream), queries(20, stream);
  std::vector<std::pair<std::string, std::shared_ptr<const FittedScore>>> all;
  for (const std::string& name : method_names()) all.push_back({name, fitted(name)});
  all.push_back(
      {"knn_error, each side", with_sides(fitted("knn_error"), find_method("knn_error"), Sides::each)});
  for (const auto& each : all) {
    CAPTURE(each.first);
    const FittedScore* score = each.second.get();
    Calibration calibration =
        score->calibration(score->local(calibrating.X, calibrating.f), calibrating.f, calibrating.y);
    const arma::mat local = score->local(queries.X, queries.f);
    const auto intervals = [&] {
      return score->intervals(calibration, {.local = local}, queries.f, levels, QuantileRule::ceiling);
    };
    const std::vector<Bounds> expected = intervals();
    calibration.prepared = score->prepare(calibration);
    for (arma::vec& scores : calibration.scores) scores.zeros();
    calibration.local.zeros();
    const std::vector<Bounds> found = intervals();
    for (std::size_t l = 0; l < levels.size(); ++l) {
      CHECK(arma::all(found[l].below == expected[l].below));
      CHECK(arma::all(found[l].above == expected[l].above));
    }
  }
}
