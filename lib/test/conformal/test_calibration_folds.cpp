// CV+: every row calibrates, by the model of the folds that it is not in.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "lacp/base/sha256.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"
#include "near.hpp"
#include "said.hpp"

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

TEST_CASE("each row calibrates once, by a model that has not seen it") {
  Stream stream(1);
  Rows rows = made_rows(47, stream);
  PredictorSettings settings = in_folds("fixed", 5);
  std::multiset<arma::uword> calibrating;
  for (const Split& fold : folds_of_fit(rows.X, rows.y, settings)) {
    calibrating.insert(fold.test.begin(), fold.test.end());
    const std::set<arma::uword> learnt(fold.train.begin(), fold.train.end());
    CHECK(learnt.size() == fold.train.size());
    CHECK(fold.train.size() + fold.test.size() == 47);
    CHECK(std::ranges::none_of(fold.test, [&](arma::uword row) { return learnt.contains(row); }));
  }
  CHECK(calibrating.size() == 47);
  CHECK(std::set(calibrating.begin(), calibrating.end()).size() == 47);

  // Groups stay together, and one row of each calibrates.
  for (std::size_t i = 0; i < 47; ++i) settings.groups.push_back(i / 3);
  std::multiset<std::size_t> groups;
  for (const Split& fold : folds_of_fit(rows.X, rows.y, settings)) {
    for (const arma::uword row : fold.test) {
      groups.insert(settings.groups[row]);
      CHECK(std::ranges::none_of(
          fold.train, [&](arma::uword other) { return settings.groups[other] == settings.groups[row]; }));
    }
  }
  CHECK(groups.size() == 16);
  CHECK(std::set(groups.begin(), groups.end()).size() == 16);
}

TEST_CASE("ends are order statistics of the ends that each row leads to") {
  Stream stream(2);
  const Rows rows = made_rows(60, stream), fresh = made_rows(7, stream);
  for (const char* method : {"fixed", "blend"}) {
    CAPTURE(method);
    const PredictorSettings settings = in_folds(method, 4);
    const LocalPredictor model = fit(rows, settings);
    CHECK(model.folds() == 4);
    CHECK(model.calibration_size() == 60);
    PredictorSettings alone = settings;
    alone.calibration_folds = 0;
    const std::vector<Split> folds = folds_of_fit(rows.X, rows.y, settings);
    std::vector<LocalPredictor> parts;
    for (const Split& fold : folds) parts.push_back(LocalPredictor::fit(rows.X, rows.y, fold, alone));
    for (const Level& level : settings.levels) {
      std::vector<std::vector<double>> lower(7), upper(7);
      arma::vec f(7, arma::fill::zeros);
      for (std::size_t k = 0; k < folds.size(); ++k) {
        const Split& fold = folds[k];
        const LocalPredictor& part = parts[k];
        const Scaling& scaling = part.scaling();
        const FittedScore& score = part.score();
        const auto seen = [&](const arma::mat& X) { return scaling.attributes(X); };
        const arma::mat X_out = seen(rows.X.cols(arma::uvec(fold.test)));
        const arma::vec scores =
            score.scores(score.local(X_out), predict(part.centre(), X_out),
                         scaling.targets(rows.y(arma::uvec(fold.test))))[score.index_of(level)];
        const arma::vec centre = predict(part.centre(), seen(fresh.X));
        f += scaling.target * centre / 4.0;
        for (const double q : scores) {
          const Bounds bounds = score.bounds(score.local(seen(fresh.X)), centre, q * arma::ones(7), level);
          for (arma::uword n = 0; n < 7; ++n) {
            lower[n].push_back(scaling.target * (centre(n) - bounds.below(n)));
            upper[n].push_back(scaling.target * (centre(n) + bounds.above(n)));
          }
        }
      }
      const Intervals intervals = model.predict(fresh.X, level);
      const auto outside = static_cast<std::size_t>(std::floor(level.value() * 61.0 + 1e-9));
      for (arma::uword n = 0; n < 7; ++n) {
        std::ranges::sort(lower[n]), std::ranges::sort(upper[n], std::greater{});
        CHECK(intervals.f(n) == doctest::Approx(f(n)));
        CHECK(intervals.lower()(n) == doctest::Approx(lower[n][outside - 1]));
        CHECK(intervals.upper()(n) == doctest::Approx(upper[n][outside - 1]));
      }
    }
  }
}

TEST_CASE("few rows are covered as promised, and as finite intervals from 19 rows on") {
  constexpr std::size_t trials = 100;
  Stream stream(3);
  std::size_t inside = 0;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    const Rows rows = made_rows(24, stream), fresh = made_rows(1, stream);
    const Intervals intervals = fit(rows, in_folds("fixed", 6)).predict(fresh.X, Level(0.1));
    REQUIRE(std::isfinite(intervals.bounds.above(0)));
    inside += intervals.lower()(0) <= fresh.y(0) && fresh.y(0) <= intervals.upper()(0) ? 1 : 0;
  }
  // Theory promises 0.8; it is near 0.9.
  CHECK(side_of_band(inside, trials, 0.9) != -1);
  const Rows rows = made_rows(18, stream);
  CHECK(std::isinf(fit(rows, in_folds("fixed", 6)).predict(rows.X, Level(0.05)).bounds.below(0)));
}

TEST_CASE("a saved model of folds, threads, and what is refused") {
  Stream stream(4);
  const Rows rows = made_rows(120, stream), fresh = made_rows(1500, stream);
  PredictorSettings settings = in_folds("auto", 3);
  const LocalPredictor model = fit(rows, settings);
  settings.jobs = 4;
  const std::string bytes = model.to_bytes();
  CHECK(sha256(bytes) == sha256(fit(rows, settings).to_bytes()));
  const LocalPredictor loaded = LocalPredictor::from_bytes(bytes, "model");
  CHECK(loaded.to_bytes() == bytes);
  const LevelIntervals once = model.predict(fresh.X, settings.levels),
                       again = loaded.predict(fresh.X, settings.levels);
  CHECK(arma::approx_equal(once.f, again.f, "absdiff", 0.0));
  for (std::size_t l = 0; l < settings.levels.size(); ++l) {
    CHECK(arma::approx_equal(once.bounds[l].below, again.bounds[l].below, "absdiff", 0.0));
    // A query by itself has the interval that it has among others.
    CHECK(model.predict(fresh.X.col(1200), settings.levels[l]).bounds.below(0) == once.bounds[l].below(1200));
  }
  const FitReport& report = model.report();
  REQUIRE(report.calibrating.size() == 120);
  CHECK(std::set(report.calibrating.begin(), report.calibrating.end()).size() == 120);
  CHECK(report.out_of_folds.n_elem == 120);
  // Predictions that have not seen their row are worse than those that have.
  const arma::vec errors = rows.y(arma::uvec(report.calibrating)) - report.out_of_folds,
                  seen = rows.y - model.predict(rows.X, Level(0.1)).f;
  CHECK(arma::accu(arma::abs(errors)) > arma::accu(arma::abs(seen)));

  CHECK_REFUSED(fit(rows, in_folds("mondrian", 3)), "one quantile for all points");
  settings.calibration_folds = 1;
  CHECK_REFUSED(fit(rows, settings), "calibration_folds: found 1");
  settings.calibration_folds = 61;
  CHECK_REFUSED(fit(rows, settings), "120 rows cannot be cut into 61 folds");
  settings.calibration_folds = 3, settings.cross_fit = 0;
  CHECK_REFUSED(fit(rows, settings), "calibration_folds: is for fits with cross_fit");
  settings.cross_fit = 5, settings.sides = Sides::each, settings.method = "adapt_trees";
  CHECK_REFUSED(fit(rows, settings), "sides: both");
}
