// Calibration by rows whose targets became known later: which rows calibrate, and what is refused.
#include <map>

#include "made_rows.hpp"

using namespace lacp;

namespace {

const Level tenth(0.1);

PredictorSettings settings_of(const std::string& method, bool every_row = false) {
  PredictorSettings settings = quick_settings(method, CentreKind::boosted, 3);
  settings.levels = {tenth, Level(0.32)};
  settings.every_row = every_row;
  return settings;
}

/// y is 10 and noise of this size; x says nothing.
Rows noise_of(double size, std::size_t n, Stream& stream) {
  return made_rows(n, stream, [size](double, double, double noise) { return 10.0 + size * noise; });
}

/// A kind of model, and of rows that fit and update it.
struct Kind {
  const char* name;
  const char* method = "fixed";
  bool every_row = false, whole = false, by = false;
  std::size_t in_group = 1;
};

/// y is `level` and noise of this size; x says nothing, but of classes, if there are any, the second has
/// twice the noise. Rows of a group share the larger part of it.
struct World {
  double level = 10.0, size = 1.0;
};

struct Drawn : Rows {
  std::vector<std::size_t> groups = {};

  Drawn(const Kind& kind, const World& world, std::size_t units, Stream& stream)
      : Rows(noise_of(0.0, units * kind.in_group, stream)) {
    double shared = 0.0;
    for (arma::uword i = 0; i < y.n_elem; ++i) {
      if (i % kind.in_group == 0) shared = stream.normal();
      const double noise = kind.in_group > 1 ? shared + 0.3 * stream.normal() : shared;
      if (kind.by) X(1, i) = stream.uniform() < 0.5 ? 0.0 : 1.0;
      y(i) = world.level + world.size * noise * (kind.by && X(1, i) == 1.0 ? 2.0 : 1.0);
      if (kind.whole) y(i) = std::round(y(i));
      if (kind.in_group > 1) groups.push_back(i / kind.in_group);
    }
  }
};

LocalPredictor fit_of_kind(const Kind& kind, const Drawn& known) {
  PredictorSettings settings = settings_of(kind.method, kind.every_row);
  settings.whole = kind.whole;
  settings.groups = known.groups;
  if (kind.by) settings.by = {1};
  return LocalPredictor::fit(known.X, known.y, settings);
}

/// Shares of rows below and above their intervals, and the mean width: the means
/// over models.
struct Missed {
  double below = 0.0, above = 0.0, width = 0.0;

  /// Of classes the second counts alone.
  void add(const LocalPredictor& model, const Drawn& fresh, double weight) {
    arma::uvec some = arma::regspace<arma::uvec>(0, fresh.y.n_elem - 1);
    if (!model.by().empty()) some = arma::find(fresh.X.row(1) == 1.0);
    const Intervals found = model.predict(fresh.X.cols(some), tenth);
    const arma::vec y = fresh.y(some);
    width += weight * arma::mean(found.upper() - found.lower());
    below += weight * arma::mean(arma::conv_to<arma::vec>::from(y < found.lower()));
    above += weight * arma::mean(arma::conv_to<arma::vec>::from(y > found.upper()));
  }
};

}  // namespace

TEST_CASE("a window keeps the newest rows, of a split and of every row, however they came") {
  Stream stream(31);
  const Rows known = noise_of(1.0, 100, stream);
  const arma::mat one(2, 1, arma::fill::zeros);
  for (const bool every_row : {false, true}) {
    CAPTURE(every_row);
    LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_of("fixed", every_row));
    const std::size_t n = model.calibration_size();
    for (std::size_t i = 0; i + 1 < n; ++i)
      model = reloaded(model.updated(one, arma::vec{1000.0}, {.window = n}));
    CHECK(model.calibration_size() == n);
    const double mixed = model.predict(one, Level(0.01)).upper()(0);
    model = model.updated(one, arma::vec{1000.0}, {.window = n});
    // All rows of the fit are gone now: every one that calibrates is 1000.
    CHECK(model.predict(one, Level(0.5)).upper()(0) == near(1000.0, 1.0));
    CHECK((std::isinf(mixed) || mixed > 900.0));
    // Those that are dropped next are the first that came.
    const LocalPredictor two = model.updated(arma::mat(2, n - 2, arma::fill::zeros),
                                             arma::vec(n - 2, arma::fill::value(10.0)), {.window = n});
    CHECK(two.predict(one, Level(0.5)).upper()(0) == near(10.0, 5.0));
  }
}

TEST_CASE(
    "after updates of every kind each side is missed as promised, and drift to one side costs no width") {
  const std::size_t fits = seeds(12);
  constexpr std::size_t units = 100, fresh_units = 100, updates = 12;
  const World before, later{.level = 50.0, .size = 5.0};
  const std::vector<Kind> kinds = {{"one split"},
                                   {"every row", "fixed", true},
                                   {"forest", "forest"},
                                   {"forest of every row", "forest", true},
                                   {"whole", "fixed", false, true},
                                   {"whole forest of every row", "forest", true, true},
                                   {"classes", "fixed", false, false, true},
                                   {"groups", "fixed", false, false, false, 4},
                                   {"groups, every row", "fixed", true, false, false, 4}};
  for (const Kind& kind : kinds) {
    Stream stream(32);
    std::map<std::string, std::map<Sides, Missed>> missed;
    std::size_t n_joined = 0;
    for (std::size_t k = 0; k < fits; ++k) {
      const LocalPredictor model = fit_of_kind(kind, Drawn(kind, before, units, stream));
      const Drawn same(kind, before, units, stream), fresh(kind, before, fresh_units, stream),
          moved(kind, later, fresh_units, stream);
      std::vector<Drawn> batches;
      for (std::size_t i = 0; i < updates; ++i)
        batches.emplace_back(kind, i < 2 ? before : later, 10, stream);
      for (const Sides sides : {Sides::both, Sides::each}) {
        // What an update knows of earlier ones, the order of their rows too, goes through the file.
        const auto in_a_row = [&](bool saved) {
          LocalPredictor now = model;
          for (const Drawn& more : batches) {
            now = now.updated(
                more.X, more.y,
                {.window = units, .sides = sides, .levels = {tenth}, .groups = more.groups, .seed = k});
            if (saved) now = reloaded(now);
          }
          return now;
        };
        const auto at_once = [&](const Drawn& rows, bool instead) {
          return model.updated(
              rows.X, rows.y,
              {.instead = instead, .sides = sides, .levels = {tenth}, .groups = rows.groups, .seed = k});
        };
        const LocalPredictor joined = at_once(same, false), twelve = in_a_row(true);
        n_joined = joined.calibration_size();
        CHECK(twelve.calibration_size() == units);
        CHECK((joined.sides() == sides && twelve.sides() == sides));
        if (k == 0) CHECK(twelve.to_bytes() == in_a_row(false).to_bytes());
        const double weight = 1.0 / static_cast<double>(fits);
        missed["joined"][sides].add(joined, fresh, weight);
        missed["instead"][sides].add(at_once(Drawn(kind, later, units, stream), true), moved, weight);
        missed["twelve in a row"][sides].add(twelve, moved, weight);
      }
    }
    for (auto& [how, found] : missed) {
      const std::size_t share_of_class = kind.by ? 2 : 1,
                        n = (how == "joined" ? n_joined : units) / share_of_class;
      for (const auto& [sides, share] : found) {
        INFO(kind.name, ", ", how, ", ", sides == Sides::each, ": ", share.below, " ", share.above, " ",
             share.width);
        const auto error = [&](double of) {
          return 4.0 * coverage_error(of, n * fits, fresh_units / share_of_class * fits);
        };
        CHECK(share.below + share.above <= 0.1 + error(0.1));
        if (sides == Sides::both) continue;
        CHECK(share.below <= 0.05 + error(0.05));
        CHECK(share.above <= 0.05 + error(0.05));
        if (!kind.whole)
          CHECK(share.below + share.above >= 0.1 - 2.0 / static_cast<double>(n + 1) - error(0.1));
      }
      if (how != "joined") CHECK(found[Sides::each].width < 0.6 * found[Sides::both].width);
    }
  }
}

TEST_CASE(
    "an update has a quantile for each side if the rows suffice for all levels, and says if they do not") {
  Stream stream(35);
  const Rows known = noise_of(1.0, 200, stream), later = noise_of(1.0, 40, stream);
  const auto updated = [&](const LocalPredictor& model, std::size_t n, LocalPredictor::NewRows how) {
    how.instead = true;
    return reloaded(model.updated(later.X.head_cols(n), later.y.head(n), how));
  };
  for (const bool every_row : {false, true})
    for (const char* method : {"fixed", "forest"}) {
      INFO(method, " ", every_row);
      const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_of(method, every_row));
      const std::vector<Level> tenths = {tenth};
      CHECK(updated(model, 18, {.levels = tenths}).sides() == Sides::both);
      const LocalPredictor each = updated(model, 19, {.levels = tenths});
      CHECK(each.sides() == Sides::each);
      CHECK(each.predict(later.X, tenth).upper().is_finite());
      CHECK(updated(model, 38, {.levels = {Level(0.05)}}).sides() == Sides::both);
      CHECK(updated(model, 39, {.levels = {Level(0.05)}}).sides() == Sides::each);
      CHECK_REFUSED(updated(model, 18, {.sides = Sides::each, .levels = tenths}),
                    "needs 19 calibration rows");
      // There and back: the sides are those of the last update alone.
      const LocalPredictor both = updated(model, 40, {.sides = Sides::both});
      CHECK(both.sides() == Sides::both);
      const Intervals back = updated(each, 40, {.sides = Sides::both}).predict(known.X, tenth);
      CHECK(same(back, both.predict(known.X, tenth)));
      CHECK(
          same(updated(both, 19, {.levels = tenths}).predict(known.X, tenth), each.predict(known.X, tenth)));
      // Single ends are those of the sides, if the forest is asked for the same.
      if (model.report().ends && model.report().ends->power != 1.0) continue;
      const LevelIntervals found =
          each.ask(later.X, {.levels = {tenth}, .lower = {tenth.half()}, .upper = {tenth.half()}});
      CHECK(arma::approx_equal(found.single.lower.t(), found.at(0).lower(), "absdiff", 1e-9));
      CHECK(arma::approx_equal(found.single.upper.t(), found.at(0).upper(), "absdiff", 1e-9));
    }
  const LocalPredictor mixture = LocalPredictor::fit(known.X, known.y, settings_of("mixture"));
  CHECK(updated(mixture, 40, {}).sides() == Sides::both);
  CHECK_REFUSED(updated(mixture, 40, {.sides = Sides::each}), "is not for mixture");
}

TEST_CASE("a level for which rows do not suffice for each side has one quantile for both after an update") {
  Stream stream(37);
  const Rows known = noise_of(1.0, 200, stream), later = noise_of(1.0, 120, stream);
  const Level tight(0.01);  // which needs 99 rows, or 199 for each side
  for (const bool every_row : {false, true})
    for (const char* method : {"fixed", "forest"}) {
      INFO(method, " ", every_row);
      const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_of(method, every_row));
      const LocalPredictor each = reloaded(model.updated(later.X, later.y, {.instead = true}));
      CHECK(each.sides() == Sides::each);
      CHECK((each.has_each_side(tenth) && !each.has_each_side(tight)));
      CHECK(each.rows_needed(tight) == 99);
      const LevelIntervals found = each.predict(known.X, std::vector{tight, tenth});
      CHECK(found.at(0).upper().is_finite());
      CHECK(arma::all(found.at(0).upper() >= found.at(1).upper()));
      CHECK(same(found.at(1), each.predict(known.X, tenth)));
      if (method == std::string("forest")) continue;
      const LocalPredictor both = model.updated(later.X, later.y, {.instead = true, .sides = Sides::both});
      CHECK(same(found.at(0), both.predict(known.X, tight)));
    }
}

TEST_CASE("classes keep the rows that calibrate them by themselves, or the update has one quantile") {
  const Kind kind{"classes", "fixed", false, false, true};
  Stream stream(36);
  const LocalPredictor model = fit_of_kind(kind, Drawn(kind, {}, 300, stream));
  const auto updated = [&](std::size_t first, std::size_t second) {
    Drawn rows(kind, {}, first + second, stream);
    for (arma::uword i = 0; i < rows.y.n_elem; ++i) rows.X(1, i) = i < first ? 0.0 : 1.0;
    return model.updated(rows.X, rows.y, {.instead = true, .levels = {Level(0.05)}}).sides();
  };
  CHECK(updated(39, 39) == Sides::each);
  CHECK(updated(60, 38) == Sides::both);  // enough for one
  CHECK(updated(60, 29) == Sides::both);  // the same for those that calibrate together
  CHECK(updated(60, 18) == Sides::each);  // these have no interval either way
  CHECK(updated(20, 18) == Sides::both);
}

TEST_CASE(
    "an update refuses what a fit refuses, groups that are missing too, and leaves out rows that are too far out if it may") {
  Stream stream(34);
  auto [X, y] = noise_of(2.0, 200, stream);
  PredictorSettings settings = settings_of("forest");
  settings.whole = true;
  y = arma::round(y);
  const LocalPredictor whole = LocalPredictor::fit(X, y, settings);
  arma::vec halves = y;
  halves(7) += 0.5;
  CHECK_REFUSED(whole.updated(X, halves, {}), "update: a target is");
  CHECK_REFUSED(whole.updated(X.head_rows(1), y, {}), "1 attributes");
  CHECK(whole.updated(X, y, {}).calibration_size() == whole.calibration_size() + 200);

  for (const char* method : {"exp", "forest"}) {
    const LocalPredictor model =
        LocalPredictor::fit(X, y, settings_of(method, method == std::string("forest")));
    arma::mat far = X;
    far(0, 11) = 1e300;
    CHECK_REFUSED(model.updated(far, y, {}), "row 11 (from 0)");
    std::vector<arma::uword> too_far;
    const LocalPredictor updated = model.updated(far, y, {}, &too_far);
    CHECK(too_far == std::vector<arma::uword>{11});
    CHECK(updated.calibration_size() == model.calibration_size() + 199);
    CHECK_REFUSED(model.updated(arma::mat(2, 3, arma::fill::value(1e300)), y.head(3), {}, &too_far),
                  "all lie too far");
  }
  const Kind kind{"groups", "fixed", false, false, false, 4};
  const LocalPredictor grouped = fit_of_kind(kind, Drawn(kind, {}, 60, stream));
  CHECK(grouped.grouped());
  CHECK_REFUSED(grouped.updated(X, y, {}), "fitted with groups");
  CHECK_REFUSED(grouped.updated(X, y, {.groups = {1, 2}}), "has 2 numbers for 200 rows");
  settings.groups.assign(3, 1);
  CHECK_REFUSED(LocalPredictor::fit(X, y, split_of_fit(X, y, settings_of("fixed")), settings),
                "groups: has 3 numbers");
}
