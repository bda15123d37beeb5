// Calibration by rows whose targets became known later: which rows calibrate, and what is refused.
#include "made_rows.hpp"

using namespace lacp;

namespace {

const Level tenth(0.1);

PredictorSettings settings_of(const std::string& method, std::size_t folds) {
  PredictorSettings settings = quick_settings(method, CentreKind::boosted, 3);
  settings.levels = {tenth, Level(0.32)};
  settings.calibration_folds = folds;
  return settings;
}

/// y is 10 and noise of this size; x says nothing.
Rows noise_of(double size, std::size_t n, Stream& stream) {
  return made_rows(n, stream, [size](double, double, double noise) { return 10.0 + size * noise; });
}

/// Groups of twenty rows, which share the larger part of their noise.
struct Grouped : Rows {
  std::vector<std::size_t> groups;

  Grouped(std::size_t count, Stream& stream) : Rows(noise_of(0.3, 20 * count, stream)) {
    for (std::size_t group = 0; group < count; ++group) {
      const double shared = stream.normal();
      for (std::size_t i = 20 * group; i < 20 * group + 20; ++i) {
        y(i) += shared;
        groups.push_back(group);
      }
    }
  }
};

}  // namespace

TEST_CASE("a window keeps the newest rows, in a model of folds and of one split, however they came") {
  Stream stream(31);
  const Rows known = noise_of(1.0, 100, stream);
  const arma::mat one(2, 1, arma::fill::zeros);
  for (const std::size_t folds : {0u, 10u}) {
    CAPTURE(folds);
    LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_of("fixed", folds));
    const std::size_t n = model.calibration_size();
    for (std::size_t i = 0; i + 1 < n; ++i)
      model = reloaded(model.updated(one, arma::vec{1000.0}, {.window = n}));
    CHECK(model.calibration_size() == n);
    const double mixed = model.predict(one, Level(0.01)).upper()(0);
    model = model.updated(one, arma::vec{1000.0}, {.window = n});
    // All rows of the fit are gone now: every one that calibrates is 1000.
    CHECK(model.predict(one, Level(0.5)).upper()(0) == near(1000.0, 1.0));
    CHECK((std::isinf(mixed) || mixed > 900.0));
    // Those that are dropped next are the first that came, whatever their fold.
    const LocalPredictor two = model.updated(arma::mat(2, n - 2, arma::fill::zeros),
                                             arma::vec(n - 2, arma::fill::value(10.0)), {.window = n});
    CHECK(two.predict(one, Level(0.5)).upper()(0) == near(10.0, 5.0));
  }
}

TEST_CASE("twelve updates with a window cover as promised where errors have become ten times as large") {
  constexpr std::size_t fits = 20, rows = 100, fresh_rows = 200;
  for (const std::size_t folds : {0u, 10u}) {
    Stream stream(32);
    double covered = 0.0, late = 0.0;
    for (std::size_t k = 0; k < fits; ++k) {
      const Rows known = noise_of(1.0, rows, stream);
      LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_of("fixed", folds));
      for (std::size_t i = 0; i < 12; ++i) {
        const Rows more = noise_of(i < 2 ? 1.0 : 10.0, 10, stream);
        model = model.updated(more.X, more.y, {.window = rows});
      }
      const Rows fresh = noise_of(10.0, fresh_rows, stream);
      covered += share_inside(model.predict(fresh.X, tenth), fresh.y) / fits;
      late += share_inside(model.predict(fresh.X, Level(0.32)), fresh.y) / fits;
    }
    INFO(folds, ": ", covered, " ", late);
    CHECK(covered >= 0.9 - 4.0 * coverage_error(0.9, rows * fits, fresh_rows * fits));
    CHECK(late >= 0.68 - 4.0 * coverage_error(0.68, rows * fits, fresh_rows * fits));
  }
}

TEST_CASE(
    "an update of a model with groups takes one row of each new group, and new groups are covered as promised") {
  constexpr std::size_t fits = 40, fresh_groups = 30;
  Stream stream(33);
  double joined = 0.0, instead = 0.0;
  PredictorSettings settings = settings_of("fixed", 0);
  for (std::size_t k = 0; k < fits; ++k) {
    const Grouped known(60, stream), later(20, stream), fresh(fresh_groups, stream);
    settings.groups = known.groups;
    const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings);
    CHECK(model.grouped());
    const auto share = [&](bool alone) {
      const LocalPredictor updated =
          reloaded(model).updated(later.X, later.y, {.instead = alone, .groups = later.groups, .seed = k});
      CHECK(updated.calibration_size() == (alone ? 20 : 20 + model.calibration_size()));
      return share_inside(updated.predict(fresh.X, tenth), fresh.y) / fits;
    };
    joined += share(false);
    instead += share(true);
    if (k > 0) continue;
    CHECK_REFUSED(model.updated(later.X, later.y, {}), "fitted with groups");
    CHECK_REFUSED(model.updated(later.X, later.y, {.groups = {1, 2}}), "has 2 numbers for 400 rows");
  }
  // Rows of a group are as good as one.
  for (const auto& [found, calibrating] : {std::pair(joined, 32u), std::pair(instead, 20u)}) {
    INFO(found);
    CHECK(found >= 0.9 - 4.0 * coverage_error(0.9, calibrating * fits, fresh_groups * fits));
    CHECK(found <=
          0.9 + 1.0 / calibrating + 4.0 * coverage_error(0.9, calibrating * fits, fresh_groups * fits));
  }
}

TEST_CASE("an update refuses what a fit refuses, and leaves out rows that are too far out if it may") {
  Stream stream(34);
  auto [X, y] = noise_of(2.0, 200, stream);
  PredictorSettings settings = settings_of("forest", 0);
  settings.whole = true;
  y = arma::round(y);
  const LocalPredictor whole = LocalPredictor::fit(X, y, settings);
  arma::vec halves = y;
  halves(7) += 0.5;
  CHECK_REFUSED(whole.updated(X, halves, {}), "update: a target is");
  CHECK(whole.updated(X, y, {}).calibration_size() == whole.calibration_size() + 200);

  for (const std::size_t folds : {0u, 4u}) {
    const LocalPredictor model = LocalPredictor::fit(X, y, settings_of("exp", folds));
    arma::mat far = X;
    far(0, 11) = 1e300;
    CHECK_REFUSED(model.updated(far, y, {}), "row 11 (from 0)");
    std::vector<arma::uword> too_far;
    const LocalPredictor updated = model.updated(far, y, {}, &too_far);
    CHECK(too_far == std::vector<arma::uword>{11});
    CHECK(updated.calibration_size() == model.calibration_size() + 199);
    CHECK_REFUSED(model.updated(arma::mat(2, 3, arma::fill::value(1e300)), y.head(3), {}, &too_far),
                  "all new rows lie too far");
  }
  settings.groups.assign(3, 1);
  CHECK_REFUSED(LocalPredictor::fit(X, y, splits_of_fit(X, y, settings_of("fixed", 0)), settings),
                "groups: has 3 numbers");
}
