// Predictions out of folds; every row calibrates, by the model of the folds that it is not in.
#include <atomic>
#include <set>

#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

PredictorSettings in_folds(std::string method, std::size_t folds) {
  PredictorSettings settings = PredictorSettings::recommended();
  settings.method = std::move(method);
  settings.calibration_folds = folds;
  return settings;
}

LocalPredictor fit(const Rows& rows, const PredictorSettings& settings) {
  return LocalPredictor::fit(rows.X, rows.y, settings);
}

}  // namespace

TEST_CASE("out of folds, the centre is fitted on both parts, and errors are those of rows not seen") {
  const Rows data = made_rows(500, 2);
  for (const std::size_t folds : {0u, 5u}) {
    const LocalPredictor model = fit(data, quick_settings("exp", CentreKind::knn, folds));
    CHECK(std::get<KnnRegressor>(model.centre()).points().n_cols == (folds == 0 ? 200 : 400));
    CHECK(model.calibration_size() == 100);
  }
  // The nearest neighbour of a row that the centre has seen is the row itself.
  PredictorSettings nearest = quick_settings("exp", CentreKind::knn, 5);
  nearest.centre.knn.grid = {1};
  const arma::vec f = fit(data, nearest).report().out_of_folds;
  CHECK(arma::abs(f - data.y(arma::uvec(split_of_fit(500, nearest).train))).min() > 1e-9);
}

TEST_CASE("a query too far out for a network as the centre is listed, not lost") {
  Stream stream(6);
  const Rows data{gaussian(10, 300, stream), 10.0 + gaussian(300, 1, stream)};
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, quick_settings("fixed", CentreKind::mlp));
  // Along the weights of the first hidden unit: each product is a float, their sum is not.
  const auto& network = std::get<MlpRegressor>(model.centre());
  arma::mat X = data.X.head_cols(3);
  for (arma::uword i = 0; i < 10; ++i) X(i, 1) = std::copysign(3e38, network.parameters()(8 * i));
  const Level level(0.1);
  const LevelIntervals found = model.predict(X, {&level, 1});
  CHECK(found.too_far == std::vector<arma::uword>{1});
  CHECK(std::isnan(found.f(1)));
  CHECK(std::isfinite(found.f(0)));
  CHECK(std::isfinite(found.bounds[0].above(2)));
}

TEST_CASE("a row of the second part that is too far out for a network as the centre is refused, and named") {
  Rows data = made_rows(400, 7);
  for (const char* method : {"fixed", "adapt", "mondrian", "knn_error"}) {
    CAPTURE(method);
    const PredictorSettings settings = quick_settings(method, CentreKind::mlp);
    Rows far = data;
    far.X(0, split_of_fit(400, settings).train.front()) = -1e45;
    CHECK_THROWS_WITH_AS(fit(far, settings), doctest::Contains("far out: attribute 1 is -"), RunError);
  }
}

TEST_CASE("each row, or one of each group, calibrates once, by a model that has not seen it") {
  const Rows rows = made_rows(47, 1);
  PredictorSettings settings = in_folds("fixed", 5);
  for (const std::size_t each : {1u, 3u}) {
    Groups groups;
    for (std::size_t i = 0; i < 47; ++i) groups.push_back(i / each);
    settings.groups = each == 1 ? Groups{} : groups;
    std::multiset<std::size_t> calibrating;
    for (const Split& fold : splits_of_fit(rows.X, rows.y, settings).splits) {
      std::set<std::size_t> learnt;
      for (const arma::uword row : fold.train) learnt.insert(groups[row]);
      for (const arma::uword row : fold.test) {
        calibrating.insert(groups[row]);
        CHECK_FALSE(learnt.contains(groups[row]));
      }
      if (each == 1) CHECK(fold.train.size() + fold.test.size() == 47);
    }
    CHECK(calibrating.size() == groups.back() + 1);
    CHECK(std::set(calibrating.begin(), calibrating.end()).size() == groups.back() + 1);
  }
}

TEST_CASE("ends are quantiles of those that each row leads to, by the model that has not seen it") {
  Stream stream(2);
  const Rows rows = made_rows(60, stream), fresh = made_rows(7, stream);
  for (const char* method : {"fixed", "forest"}) {
    CAPTURE(method);
    const PredictorSettings settings = in_folds(method, 4);
    const LocalPredictor model = fit(rows, settings);
    CHECK(model.folds() == 4);
    CHECK(model.calibration_size() == 60);
    PredictorSettings alone = settings;
    alone.calibration_folds = 0;
    const std::vector<Split> folds = splits_of_fit(rows.X, rows.y, settings).splits;
    std::vector<LocalPredictor> parts;
    for (const Split& fold : folds)
      parts.push_back(LocalPredictor::fit(rows.X, rows.y, FitSplits{{fold}}, alone));
    for (const Level& level : settings.levels) {
      arma::mat below, above;  // a column for each row that calibrates; below: minus the end
      arma::vec f(7, arma::fill::zeros);
      for (std::size_t k = 0; k < folds.size(); ++k) {
        const arma::uvec held(folds[k].test);
        const Scaling& scaling = parts[k].scaling();
        const FittedScore& score = parts[k].score();
        const arma::mat X_out = scaling.attributes(rows.X.cols(held)), X_new = scaling.attributes(fresh.X);
        const arma::vec f_out = predict(parts[k].centre(), X_out), f_new = predict(parts[k].centre(), X_new);
        f += scaling.target * f_new / 4.0;
        const auto scores = score.scores(score.local(X_out, f_out), f_out, scaling.targets(rows.y(held)));
        for (const double q : scores[score.index_of(level)]) {
          const Bounds bounds = score.bounds(score.local(X_new, f_new), f_new, q * arma::ones(7), level);
          below = arma::join_rows(below, scaling.target * (bounds.below - f_new));
          above = arma::join_rows(above, scaling.target * (bounds.above + f_new));
        }
      }
      const Intervals intervals = model.predict(fresh.X, level);
      CHECK(arma::approx_equal(intervals.f, f, "reldiff", 1e-9));
      const double place = (1.0 - level.value()) * 61.0;  // from 1
      const auto i = static_cast<arma::uword>(place);
      const auto quantile = [&](const arma::mat& ends) -> arma::vec {
        const arma::mat sorted = arma::sort(ends, "ascend", 1);
        return sorted.col(i - 1) + (place - static_cast<double>(i)) * (sorted.col(i) - sorted.col(i - 1));
      };
      // Levels of forest may cross: those within are then part of the interval.
      const arma::vec low = -quantile(below), high = quantile(above);
      CHECK(arma::all(intervals.lower() <= low + 1e-9));
      CHECK(arma::all(intervals.upper() >= high - 1e-9));
      if (method == std::string("forest") && level != Level(0.32)) continue;
      CHECK(arma::approx_equal(intervals.lower(), low, "absdiff", 1e-6));
      CHECK(arma::approx_equal(intervals.upper(), high, "absdiff", 1e-6));
    }
  }
}

TEST_CASE("in folds, intervals are finite from 19 rows on") {
  const Rows rows = made_rows(19, 5), fewer{rows.X.head_cols(18), rows.y.head(18)};
  for (const char* method : {"fixed", "forest"}) {
    const PredictorSettings settings = in_folds(method, 6);
    CHECK(fit(rows, settings).predict(rows.X, Level(0.05)).upper().is_finite());
    CHECK(std::isinf(fit(fewer, settings).predict(rows.X, Level(0.05)).bounds.below(0)));
  }
}

TEST_CASE("a saved model of folds, threads, and what is refused") {
  Stream stream(4);
  const Rows rows = made_rows(120, stream), fresh = made_rows(1500, stream);
  PredictorSettings settings = in_folds("forest", 3);
  const LocalPredictor model = fit(rows, settings), loaded = reloaded(model);
  settings.jobs = 4;
  CHECK(fit(rows, settings).to_bytes() == model.to_bytes());
  for (const Level& level : settings.levels) {
    const Intervals all = model.predict(fresh.X, level);
    CHECK(same(loaded.predict(fresh.X, level), all));
    // A query by itself has the interval that it has among others.
    CHECK(model.predict(fresh.X.col(1200), level).bounds.below(0) == all.bounds.below(1200));
  }
  const FitReport& report = model.report();
  CHECK(std::set(report.calibrating.begin(), report.calibrating.end()).size() == 120);
  // Predictions that have not seen their row are worse than those that have.
  const arma::vec errors = rows.y(arma::uvec(report.calibrating)) - report.out_of_folds,
                  seen = rows.y - model.predict(rows.X, Level(0.1)).f;
  CHECK(arma::accu(arma::abs(errors)) > arma::accu(arma::abs(seen)));

  const FitSplits one{{split_of_fit(120, settings)}};
  CHECK_REFUSED(LocalPredictor::fit(rows.X, rows.y, one, settings), "calibration_folds: found 3 and 1 split");
  CHECK_REFUSED(fit(rows, in_folds("mondrian", 3)), "one quantile for all points");
  CHECK_REFUSED(fit(rows, in_folds("forest", 61)), "120 rows cannot be cut into 61 folds");
  settings.sides = Sides::each, settings.method = "knn_error";
  CHECK_REFUSED(fit(rows, settings), "sides: both");
}

TEST_CASE("epochs of all folds are told, one at a time, and the report is about all folds") {
  const Rows rows = made_rows(400, 5);
  PredictorSettings settings = in_folds("adapt", 3);
  settings.network.hidden = {4};
  settings.training.epochs = 3;
  settings.jobs = 3;
  std::atomic<int> inside = 0;
  bool alone = true;
  std::vector<std::size_t> epochs(3, 0);
  const LocalPredictor model = LocalPredictor::fit(rows.X, rows.y, settings, [&](const EpochReport& report) {
    alone = alone && ++inside == 1;
    ++epochs.at(report.fold);
    --inside;
  });
  CHECK(alone);
  for (const std::size_t count : epochs) CHECK(count > 0);
  double best = 0.0;
  std::size_t steps = 0;
  PredictorSettings one = settings;
  one.calibration_folds = 0;
  for (const Split& fold : splits_of_fit(rows.X, rows.y, settings).splits) {
    const FitReport own = LocalPredictor::fit(rows.X, rows.y, FitSplits{{fold}}, one).report();
    best += static_cast<double>(own.best_epoch), steps += own.steps;
  }
  CHECK(static_cast<double>(model.report().best_epoch) == std::round(best / 3.0));
  CHECK(model.report().steps == steps);
}
