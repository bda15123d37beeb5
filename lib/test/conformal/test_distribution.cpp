// A model as a distribution: any level, one end, quantiles, and other calibration rows.
#include <set>

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

/// Three classes, the values of the second attribute: errors of the second are four times those of the first,
/// and the third has few rows.
Rows rows_in_classes(std::size_t n, Stream& stream) {
  Rows rows{gaussian(2, n, stream), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) {
    rows.X(1, i) = i % 25 == 0 ? 2.0 : i % 3 == 0 ? 1.0 : 0.0;
    rows.y(i) = 10.0 + rows.X(0, i) + (rows.X(1, i) == 1.0 ? 4.0 : 1.0) * stream.normal();
  }
  return rows;
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
      upper += share_inside(model.at_levels({tenth}, Ends::upper).predict(X_new, tenth), y_new) / fits;
      lower += share_inside(model.at_levels({tenth}, Ends::lower).predict(X_new, tenth), y_new) / fits;
      const arma::mat quantiles = model.quantiles(X_new, {Level(0.3), Level(0.9)});
      third += below(quantiles.row(0)), ninth += below(quantiles.row(1));
      two_ends += share_inside(model.at_levels({fifth}).predict(X_new, fifth), y_new) / fits;
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
      std::set<double> levels = {0.05, 0.1, 0.32};  // of the fit
      while (levels.size() < 9) levels.insert(std::round(stream.uniform(20, 900)) / 1000);
      const std::vector<Level> wanted(levels.begin(), levels.end());
      const LevelIntervals all = model.at_levels(wanted).predict(X_new, wanted);
      for (std::size_t l = 0; l < wanted.size(); ++l) {
        if (std::ranges::count(of_fit, wanted[l]) > 0)
          CHECK(same(all.at(l), model.predict(X_new, wanted[l])));
        if (l == 0) continue;
        const Intervals outer = all.at(l - 1), inner = all.at(l);
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

TEST_CASE("a rank beyond the calibration rows has no bound, the next one has; neither is saved") {
  const auto [X, y] = made_rows(100, 9);
  const LocalPredictor model = LocalPredictor::fit(X, y, settings_of("forest"));
  REQUIRE(model.calibration_size() == 40);
  const Level too_small(0.024), enough(0.025);  // ranks of 41
  CHECK(model.at_levels({too_small}, Ends::upper).predict(X, too_small).upper().has_inf());
  const LocalPredictor upper = model.at_levels({enough}, Ends::upper);
  CHECK(upper.predict(X, enough).upper().is_finite());
  CHECK(arma::all(upper.predict(X, enough).lower() == -arma::datum::inf));
  CHECK_REFUSED(upper.to_bytes(), "not saved");
  CHECK_REFUSED(model.at_levels({Level(0.2)}).to_bytes(), "not saved");
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
  CHECK(same(again.at_levels({Level(0.2)}).predict(X, Level(0.2)),
             joined.at_levels({Level(0.2)}).predict(X, Level(0.2))));
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

TEST_CASE("a method that has only the levels of its fit says so, and so does a model of an older program") {
  Stream stream(11);
  const auto [X, y] = made_rows(200, stream);
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings_of("cqr")).at_levels({Level(0.2)}), "cqr");
  const LocalPredictor model = LocalPredictor::fit(X, y, quick_settings("fixed"));
  // Format 1: the same without folds, kind, sides, flags, classes, and rows.
  std::string bytes = model.to_bytes();
  const std::size_t n = model.calibration_size(), rows = 16 + 8 * model.attributes() * n + 2 * (8 + 8 * n);
  bytes.resize(bytes.size() - 64 - rows);
  bytes.erase(11 + 8 + 8 + 5, 20);
  bytes[11] = 1;
  const LocalPredictor old = LocalPredictor::from_bytes(bytes + sha256(bytes), "old.lacp");
  CHECK(same(old.predict(X, Level(0.13)), model.predict(X, Level(0.13))));
  CHECK_REFUSED(old.at_levels({Level(0.1)}, Ends::upper), "older program");
  CHECK_REFUSED(old.updated(X, y, {}), "older program");
}

TEST_CASE("a class that calibrates by itself has the quantile of its own errors") {
  Stream stream(21);
  const auto [X, y] = rows_in_classes(400, stream);
  PredictorSettings settings = settings_of("fixed");
  settings.by = {1};
  const Level tenth(0.1);
  const Intervals at = LocalPredictor::fit(X, y, settings).predict(X, tenth);
  for (const double value : {0.0, 1.0}) {
    std::vector<double> errors;
    for (const arma::uword n : split_of_fit(400, settings).test)
      if (X(1, n) == value) errors.push_back(std::abs(y(n) - at.f(n)));
    std::ranges::sort(errors);
    const arma::vec widths = at.half_width()(arma::find(X.row(1) == value));
    CHECK(arma::abs(widths / errors.at(tenth.rank(errors.size()) - 1) - 1.0).max() < 1e-9);
  }
}

TEST_CASE("a class with few rows, or a new one, or too few for a level, is calibrated by all rows") {
  Stream stream(22);
  auto [X, y] = rows_in_classes(400, stream);
  for (const std::string method : {"forest", "mondrian", "adapt"}) {
    CAPTURE(method);
    PredictorSettings settings = settings_of(method);
    settings.levels.push_back(Level(0.008));
    const LocalPredictor all = LocalPredictor::fit(X, y, settings);
    settings.by = {1};
    const LocalPredictor model = LocalPredictor::fit(X, y, settings);
    std::size_t rows = 0;
    std::vector<bool> own;
    for (const LocalPredictor::Class& each : model.classes())
      rows += each.rows, own.push_back(each.calibrates);
    CHECK(rows == model.calibration_size());
    CHECK(own == std::vector{true, true, false});
    arma::mat queries = X.head_cols(6);
    queries.row(1) = arma::rowvec{0.0, 1.0, 2.0, 3.0, -1.0, 0.0};
    const Intervals by_class = model.predict(queries, Level(0.1)), by_all = all.predict(queries, Level(0.1));
    const arma::uvec equal = by_class.upper() == by_all.upper();
    CHECK(arma::all(equal == arma::uvec{0, 0, 1, 1, 1, 0}));
    const LocalPredictor again = reloaded(model);
    CHECK(same(again.predict(queries, Level(0.1)), by_class));
    CHECK(again.by() == std::vector<arma::uword>{1});
    if (method == "mondrian") continue;  // its own classes are too small for this level
    // 124 rows are needed for α = 0.008; both classes have fewer, all together more.
    const Intervals outer = model.predict(queries, Level(0.008)), of_all = all.predict(queries, Level(0.008));
    CHECK(outer.upper().is_finite());
    CHECK(arma::all(outer.upper() >= of_all.upper()));  // wider where it has to hold those of its class
    if (method == "adapt") CHECK(same(outer, of_all));
    // One end, and new rows, by classes, too.
    const Level tenth(0.1);
    const arma::vec upper = model.at_levels({tenth}, Ends::upper).predict(queries, tenth).upper();
    CHECK(arma::any(upper != all.at_levels({tenth}, Ends::upper).predict(queries, tenth).upper()));
    CHECK(model.updated(X, y, {}).classes()[0].rows > model.classes()[0].rows);
  }
  PredictorSettings settings = settings_of("forest");
  settings.by = {2};
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings), "settings.by: found 2");
  settings.by = {1}, settings.calibration_folds = 4;
  CHECK_REFUSED(LocalPredictor::fit(X, y, settings), "by: needs rows");
}
