// A model as a distribution: any level, one end, quantiles, and other calibration rows.
#include <numeric>

#include "lacp/base/sha256.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
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
  constexpr std::size_t fits = 200, n = 120, fresh_rows = 40;
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
        return static_cast<double>(arma::accu(y_new <= ends.t())) / fresh_rows / fits;
      };
      const SingleEnds single = model.ask(X_new, {.lower = {tenth}, .upper = {tenth}}).single;
      upper += below(single.upper), lower += 1.0 / fits - below(single.lower);
      const arma::mat quantiles = model.quantiles(X_new, {Level(0.3), Level(0.9)});
      third += below(quantiles.row(0)), ninth += below(quantiles.row(1));
      two_ends += share_inside(model.predict(X_new, fifth), y_new) / fits;
      updated += share_inside(model.updated(X_later, y_later, {}).predict(X_new, tenth), y_new) / fits;
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

TEST_CASE("intervals of any levels lie in each other, and those of the fit do not depend on the others") {
  Stream stream(8);
  const auto [X, y] = made_rows(1500, stream);
  const auto [X_new, y_new] = made_rows(10'000, stream);
  for (const std::string method : {"forest", "exp"}) {
    CAPTURE(method);
    const LocalPredictor model = LocalPredictor::fit(X, y, settings_of(method));
    for (int draw = 0; draw < 3; ++draw) {
      std::vector<Level> wanted = of_fit;
      while (wanted.size() < 9)
        if (const Level level(std::round(stream.uniform(20, 900)) / 1000);
            std::ranges::count(wanted, level) == 0)
          wanted.push_back(level);
      const LevelIntervals all = model.predict(X_new, wanted);
      for (std::size_t l = 0; l < of_fit.size(); ++l) CHECK(same(all.at(l), model.predict(X_new, of_fit[l])));
      std::vector<std::size_t> order(wanted.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::ranges::sort(order, {}, [&](std::size_t l) { return wanted[l].value(); });
      for (std::size_t i = 1; i < order.size(); ++i) {
        const Intervals outer = all.at(order[i - 1]), inner = all.at(order[i]);
        const arma::uvec empty = arma::find(inner.half_width() < 0.0);
        arma::uvec within = outer.lower() <= inner.lower() && inner.upper() <= outer.upper();
        within(empty).ones();
        CHECK(arma::all(within));
      }
    }
    const std::vector<Level> taus = {Level(0.05), Level(0.3), Level(0.45),
                                     Level(0.5),  Level(0.6), Level(0.99)};
    const arma::mat quantiles = model.quantiles(X_new, taus);
    CHECK(arma::all(arma::vectorise(arma::diff(quantiles)) >= 0.0));
  }
}

TEST_CASE("a rank beyond the calibration rows has no bound, the next one has") {
  const auto [X, y] = made_rows(100, 9);
  const LocalPredictor model = LocalPredictor::fit(X, y, settings_of("forest"));
  REQUIRE(model.calibration_size() == 40);
  const Level too_small(0.024), enough(0.025);  // ranks of 41
  const SingleEnds found = model.ask(X, {.upper = {too_small, enough}}).single;
  CHECK(found.at(Ends::upper, too_small).has_inf());
  CHECK(found.at(Ends::upper, enough).is_finite());
}

TEST_CASE("an update joins, replaces, or keeps the newest rows; nothing else changes") {
  Stream stream(10);
  const auto [X, y] = made_rows(200, stream);
  const auto [X_later, y_later] = made_rows(50, stream);
  const LocalPredictor model = LocalPredictor::fit(X, y, settings_of("forest"));
  CHECK(model.calibration_size() == 80);
  const LocalPredictor joined = model.updated(X_later, y_later, {}),
                       instead = model.updated(X_later, y_later, {.instead = true}),
                       window = model.updated(X_later, y_later, {.window = 50});
  CHECK(joined.calibration_size() == 130);
  CHECK(instead.calibration_size() == 50);
  CHECK(window.to_bytes() == instead.to_bytes());
  CHECK(arma::all(joined.predict(X, Level(0.1)).f == model.predict(X, Level(0.1)).f));
  const LocalPredictor again = reloaded(joined);
  CHECK(same(again.predict(X, Level(0.1)), joined.predict(X, Level(0.1))));
  CHECK(same(again.predict(X, Level(0.2)), joined.predict(X, Level(0.2))));
  CHECK_REFUSED(model.updated(X_later.head_rows(1), y_later, {}), "1 attributes");
}

TEST_CASE("in a model of folds new rows calibrate the folds in turn, and cover as promised") {
  PredictorSettings settings = settings_of("knn_error");
  settings.calibration_folds = 4;
  const Level tenth(0.1);
  Stream stream(13);
  constexpr std::size_t fits = 100, fresh_rows = 50;
  double joined_share = 0, instead_share = 0;
  for (std::size_t k = 0; k < fits; ++k) {
    const auto [X, y] = made_rows(60, stream);
    const auto [X_later, y_later] = made_rows(30, stream);
    const auto [X_new, y_new] = made_rows(fresh_rows, stream);
    const LocalPredictor model = LocalPredictor::fit(X, y, settings),
                         joined = model.updated(X_later, y_later, {}),
                         instead = model.updated(X_later, y_later, {.instead = true});
    joined_share += share_inside(joined.predict(X_new, tenth), y_new) / fits;
    instead_share += share_inside(instead.predict(X_new, tenth), y_new) / fits;
    if (k > 0) continue;
    CHECK(joined.calibration_size() == 90);
    CHECK(instead.calibration_size() == 30);
    CHECK(model.updated(X_later, y_later, {.window = 30}).to_bytes() == instead.to_bytes());
    CHECK(model.updated(X_later, y_later, {.window = 40}).calibration_size() == 40);
    const LocalPredictor three = model.updated(X_later, y_later, {.window = 3});  // a fold has none
    CHECK(three.calibration_size() == 3);
    CHECK(three.predict(X_new, Level(0.32)).upper().is_finite());
    CHECK(three.predict(X_new, tenth).upper().has_inf());
    CHECK(same(reloaded(three).predict(X_new, Level(0.32)), three.predict(X_new, Level(0.32))));
    CHECK(three.updated(X_later, y_later, {}).calibration_size() == 33);
  }
  // Four standard errors; in folds intervals may cover more than they promise.
  const double chance = 4.0 * coverage_error(0.9, 30 * fits, fresh_rows * fits);
  for (const double found : {joined_share, instead_share}) {
    CAPTURE(found);
    CHECK(found >= 0.9 - chance);
    CHECK(found <= 0.96);
  }
}

TEST_CASE("a method that has only the levels of its fit says so, and so does a model of an older format") {
  Stream stream(11);
  const auto [X, y] = made_rows(200, stream);
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings_of("cqr")).prepare({.levels = {Level(0.2)}}), "cqr");
  std::string bytes = LocalPredictor::fit(X, y, quick_settings("fixed")).to_bytes();
  bytes.resize(bytes.size() - 64);
  bytes[11] = 6;
  CHECK_REFUSED(LocalPredictor::from_bytes(bytes + sha256(bytes), "old.lacp"), "older lacp; fit again");
}

TEST_CASE("quantiles come in the order in which they are asked for") {
  const auto [X, y] = made_rows(400, 12);
  for (const std::string method : {"forest", "exp"}) {
    const LocalPredictor model = LocalPredictor::fit(X, y, settings_of(method));
    const std::vector<Level> up = {Level(0.1), Level(0.25), Level(0.5), Level(0.6), Level(0.9)};
    const std::vector<std::size_t> order = {4, 0, 2, 3, 1};
    std::vector<Level> mixed;
    for (const std::size_t k : order) mixed.push_back(up[k]);
    const arma::mat sorted = model.quantiles(X, up), found = model.quantiles(X, mixed);
    for (std::size_t k = 0; k < order.size(); ++k) CHECK(arma::all(found.row(k) == sorted.row(order[k])));
  }
}

TEST_CASE("questions that are asked together are answered as each by itself, in any order") {
  const auto [X, y] = made_rows(300, 14);
  const Level tenth(0.1), fifth(0.2);
  for (const std::string method : {"forest", "fixed", "exp"})
    for (const std::size_t folds : {0u, 3u}) {
      INFO(method, " ", folds);
      PredictorSettings settings = settings_of(method);
      settings.calibration_folds = folds;
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
                  "both ends alone");
}
