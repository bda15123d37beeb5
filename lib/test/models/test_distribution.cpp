// A model as a distribution: any level, one end, quantiles, and other calibration rows.
#include "made_rows.hpp"

using namespace lacp;

namespace {

const std::vector<Level> of_fit = {Level(0.05), Level(0.1), Level(0.32)};

PredictorSettings settings_of(const std::string& method) {
  PredictorSettings settings = quick_settings(method, CentreKind::boosted, 3);
  settings.levels = of_fit;
  settings.proper = settings.train = 0.3, settings.calibration = 0.4;
  return settings;
}

}  // namespace

TEST_CASE("bounds of one side, quantiles, new levels and updates cover as promised, over hundreds of fits") {
  constexpr std::size_t n = 120, fresh_rows = 40;
  const std::size_t fits = seeds(200);
  const double one_fit = 1.0 / static_cast<double>(fits);
  const Level tenth(0.1), fifth(0.2);
  for (const std::string method : {"forest", "knn_error"}) {
    CAPTURE(method);
    double upper = 0, lower = 0, third = 0, ninth = 0, two_ends = 0, updated = 0;
    Stream stream(5);
    std::size_t calibrated = 0;
    for (std::size_t k = 0; k < fits; ++k) {
      const auto [X, y] = made_rows(n, stream);
      const auto [X_later, y_later] = made_rows(n / 2, stream);
      const auto [X_new, y_new] = made_rows(fresh_rows, stream);
      const LocalPredictor model = LocalPredictor::fit(X, y, settings_of(method));
      calibrated = model.calibration_size();
      const auto below = [&](const arma::rowvec& ends) {
        return static_cast<double>(arma::accu(y_new <= ends.t())) / fresh_rows * one_fit;
      };
      const SingleEnds single = model.ask(X_new, {.lower = {tenth}, .upper = {tenth}}).single;
      upper += below(single.upper), lower += one_fit - below(single.lower);
      const arma::mat quantiles = model.quantiles(X_new, {Level(0.3), Level(0.9)});
      third += below(quantiles.row(0)), ninth += below(quantiles.row(1));
      two_ends += share_inside(model.predict(X_new, fifth), y_new) * one_fit;
      updated += share_inside(model.updated(X_later, y_later, {}).predict(X_new, tenth), y_new) * one_fit;
    }
    // Within four standard errors, and 1 / (n + 1) above what is promised.
    const double chance = 4.0 * coverage_error(0.5, calibrated * fits, fresh_rows * fits),
                 more = 1.0 / static_cast<double>(calibrated + 1) + chance;
    for (const auto& [found, low, high] :
         {std::tuple(upper, 0.9 - chance, 0.9 + more), std::tuple(lower, 0.9 - chance, 0.9 + more),
          std::tuple(third, 0.3 - more, 0.3 + chance), std::tuple(ninth, 0.9 - chance, 0.9 + more),
          std::tuple(two_ends, 0.8 - chance, 0.8 + more), std::tuple(updated, 0.9 - chance, 0.9 + more)}) {
      INFO(found, " ", low, " ", high);
      CHECK((low <= found && found <= high));
    }
  }
}

TEST_CASE("rows of an update come after those of a fit, of which all trained") {
  Stream stream(13);
  const auto [X, y] = made_rows(60, stream);
  const auto [X_later, y_later] = made_rows(30, stream);
  PredictorSettings settings = settings_of("forest");
  settings.cross_fit = 3;
  settings.every_row = true;
  const LocalPredictor model = LocalPredictor::fit(X, y, settings),
                       instead = model.updated(X_later, y_later, {.instead = true});
  CHECK(model.updated(X_later, y_later, {}).calibration_size() == 90);
  CHECK(instead.calibration_size() == 30);
  CHECK_FALSE(instead.every_row());
  CHECK(model.updated(X_later, y_later, {.window = 30}).to_bytes() == instead.to_bytes());
  const LocalPredictor some = model.updated(X_later, y_later, {.window = 40});
  CHECK(some.calibration_size() == 40);
  CHECK(some.every_row());
  CHECK(same(reloaded(some).predict(X, Level(0.2)), some.predict(X, Level(0.2))));
  CHECK(some.updated(X_later, y_later, {}).calibration_size() == 70);
}

TEST_CASE("a method that has only the levels of its fit says so") {
  Stream stream(11);
  const auto [X, y] = made_rows(200, stream);
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings_of("cqr")).prepare({.levels = {Level(0.2)}}), "cqr");
}

TEST_CASE("questions that are asked together are answered as each by itself, in any order") {
  const auto [X, y] = made_rows(300, 14);
  const Level tenth(0.1), fifth(0.2);
  for (const std::string method : {"forest", "fixed", "exp"})
    for (const bool every_row : {false, true}) {
      if (every_row && !find_method(method).every_row) continue;
      INFO(method, " ", every_row);
      PredictorSettings settings = settings_of(method);
      settings.every_row = every_row;
      if (every_row) settings.cross_fit = 3;
      const LocalPredictor model = LocalPredictor::fit(X, y, settings);
      const Questions all{.levels = {fifth, tenth}, .lower = {fifth}, .upper = {tenth}};
      const LevelIntervals found = model.ask(X, all);
      CHECK(same(found.at(0), reloaded(model).predict(X, fifth)));
      CHECK(same(found.at(1), model.predict(X, tenth)));
      for (const Questions& one : {Questions{.upper = {tenth}}, Questions{.lower = {fifth}}, all}) {
        const SingleEnds single = model.ask(X, one).single;
        CHECK((one.lower.empty() || arma::approx_equal(single.lower, found.single.lower, "absdiff", 0.0)));
        CHECK((one.upper.empty() || arma::approx_equal(single.upper, found.single.upper, "absdiff", 0.0)));
      }
    }
  for (const char* method : {"mixture", "mondrian"})
    CHECK_REFUSED(LocalPredictor::fit(X, y, settings_of(method)).prepare({.upper = {tenth}}),
                  "no bounds and quantiles");
}
