// The ends of intervals as users get them: nested over the levels, and whole where all targets are.
#include "fitted_rows.hpp"
#include "lacp/base/math.hpp"
#include "lacp/conformal/registry.hpp"
#include "made_rows.hpp"

using namespace lacp;

namespace {

/// Counts with mean e^(0.3 + 0.6 x₀), of which a share is 0 instead.
Rows counts(std::size_t n, double zeros, Stream& stream) {
  Rows rows{gaussian(2, n, stream), arma::vec(n)};
  for (arma::uword i = 0; i < n; ++i) {
    const double rate = math::exp(0.3 + 0.6 * rows.X(0, i)), u = stream.uniform();
    double p = math::exp(-rate), sum = p;
    std::size_t count = 0;
    for (; u > sum && count < 100; sum += p) p *= rate / static_cast<double>(++count);
    rows.y(i) = stream.uniform() < zeros ? 0.0 : static_cast<double>(count);
  }
  return rows;
}

PredictorSettings quick(std::string method, bool every_row, bool whole) {
  PredictorSettings settings = quick_settings(std::move(method), CentreKind::boosted, 5);
  settings.levels = levels, settings.every_row = every_row, settings.whole = whole;
  return settings;
}

const std::vector<Level> fit_levels = {Level(0.05), Level(0.1), Level(0.32)};
const std::vector<Level> any_levels = {Level(0.02), Level(0.05), Level(0.07), Level(0.1),
                                       Level(0.2),  Level(0.32), Level(0.45), Level(0.8)};

/// How often the interval of a level does not hold that of the next larger one.
std::size_t crossings(const LocalPredictor& model, const arma::mat& X, const std::vector<Level>& at) {
  const LevelIntervals all = model.predict(X, at);
  std::size_t found = 0;
  for (std::size_t i = 0; i + 1 < at.size(); ++i) {
    const Intervals wide = all.at(i), narrow = all.at(i + 1);
    const arma::vec low = wide.lower(), high = wide.upper(), l = narrow.lower(), h = narrow.upper();
    for (arma::uword n = 0; n < X.n_cols; ++n) found += l(n) <= h(n) && (low(n) > l(n) || high(n) < h(n));
    // A level of the fit that is asked for by itself has the same ends.
    if (std::ranges::count(levels, at[i]) == 0) continue;
    const Intervals alone = model.predict(X, at[i]);
    CHECK(arma::all(alone.lower() == low && alone.upper() == high));
  }
  return found;
}

/// Of fits with these settings, on new rows: the share covered at each level, and of intervals that hold no
/// whole number, and the mean width.
struct Measured {
  arma::vec covered = arma::zeros(3), without = arma::zeros(3), width = arma::zeros(3);
  std::size_t broken = 0;  ///< ends that are not whole, but should be
};
Measured measure(PredictorSettings settings, double zeros, std::size_t rows, std::size_t fits) {
  Stream stream(5);
  Measured all;
  constexpr std::size_t queries = 400;
  for (settings.seed = 1; settings.seed <= fits; ++settings.seed) {
    const Rows known = counts(rows, zeros, stream), fresh = counts(queries, zeros, stream);
    const LevelIntervals found = LocalPredictor::fit(known.X, known.y, settings).predict(fresh.X, levels);
    for (std::size_t l = 0; l < 3; ++l) {
      const arma::vec low = found.at(l).lower(), high = found.at(l).upper();
      for (arma::uword n = 0; n < queries; ++n) {
        const double unit = 1.0 / static_cast<double>(queries * fits);
        all.covered(l) += low(n) <= fresh.y(n) && fresh.y(n) <= high(n) ? unit : 0.0;
        all.without(l) += std::ceil(low(n)) > std::floor(high(n)) ? unit : 0.0;
        all.width(l) += unit * std::max(high(n) - low(n), 0.0);
        if (settings.whole && (low(n) != std::round(low(n)) || high(n) != std::round(high(n)))) ++all.broken;
      }
    }
  }
  return all;
}

}  // namespace

TEST_CASE("intervals of one row are nested over the levels, with every method, by a split and by every row") {
  Stream stream(1);
  for (const std::string& name : method_names())
    for (const bool every_row : {false, true})
      for (const bool whole : {false, true}) {
        const Method& method = find_method(name);
        if (every_row && !method.every_row) continue;
        INFO(name, " ", every_row, " ", whole);
        const Rows rows = whole ? counts(150, 0.5, stream) : made_rows(150, stream);
        const arma::mat fresh = gaussian(2, 300, stream);
        PredictorSettings settings = quick(name, every_row, whole);
        const LocalPredictor model = LocalPredictor::fit(rows.X, rows.y, settings);
        CHECK(crossings(model, fresh, has_distribution(method) ? any_levels : fit_levels) == 0);
        if (!has_distribution(method)) continue;
        const arma::mat quantiles = model.quantiles(fresh, {Level(0.3), Level(0.45), Level(0.5), Level(0.6)});
        CHECK(arma::diff(quantiles).min() >= 0.0);
        settings.sides = Sides::each;
        CHECK(crossings(LocalPredictor::fit(rows.X, rows.y, settings), fresh, any_levels) == 0);
      }
}

TEST_CASE("whole ends cover as promised, and every interval holds a whole number") {
  const std::size_t fits = seeds(20);
  for (const double zeros : {0.0, 0.8})
    for (const char* method : {"fixed", "forest"})
      for (const bool every_row : {false, true}) {
        INFO(zeros, " ", method, " ", every_row);
        const std::size_t rows = every_row ? 80 : 300;
        const std::size_t calibrating = every_row ? 80 : 60;
        const Measured whole = measure(quick(method, every_row, true), zeros, rows, fits),
                       plain = measure(quick(method, every_row, false), zeros, rows, fits);
        CHECK(whole.broken == 0);
        for (std::size_t l = 0; l < 3; ++l) {
          INFO(levels[l].text(), " ", plain.covered(l), " ", plain.without(l));
          const double alpha = levels[l].value();
          CHECK(whole.covered(l) > 1.0 - alpha - 4.0 * coverage_error(alpha, calibrating * fits, 400 * fits));
          CHECK(whole.without(l) == 0.0);
          CHECK(whole.width(l) < plain.width(l) + 0.1);
        }
      }
}

TEST_CASE("whole ends with a quantile for each side, infinite ends, and ends that are saved") {
  Stream stream(3);
  const Rows rows = counts(200, 0.3, stream), fresh = counts(200, 0.3, stream);
  PredictorSettings settings;
  for (const char* method : {"knn_error", "forest"}) {
    CAPTURE(method);
    settings = quick(method, false, true);
    settings.sides = Sides::each;
    const LocalPredictor model = LocalPredictor::fit(rows.X, rows.y, settings), loaded = reloaded(model);
    for (const Level& level : levels) {
      const Intervals found = model.predict(fresh.X, level);
      CHECK(same(found, loaded.predict(fresh.X, level)));
      CHECK(arma::all(found.lower() <= found.upper()));
      CHECK(arma::all(found.lower() == arma::round(found.lower())));
      CHECK(share_inside(found, fresh.y) >
            1.0 - level.value() - 4.0 * coverage_error(level.value(), 40, 200));
    }
    const Intervals few = model.ask(fresh.X, {.levels = {Level(0.01)}}).at(0);
    CHECK(std::isinf(few.upper()(0)));
    CHECK(std::isinf(few.lower()(0)));
  }
  reloaded(LocalPredictor::fit(rows.X, rows.y, quick("forest", true, true)));
  arma::vec y = rows.y;
  y(17) = 2.5;
  CHECK_REFUSED(LocalPredictor::fit(rows.X, y, settings), "settings.whole: a target is 2.5");
}

TEST_CASE(
    "with every row whole ends cover no less than others at low coverage, where the middle alone is often enough") {
  constexpr std::size_t queries = 400;
  const std::size_t fits = seeds(60);
  const Level half(0.5);
  for (const char* method : {"forest", "fixed"}) {
    double whole = 0.0, plain = 0.0;
    Stream stream(7);
    for (std::size_t k = 1; k <= fits; ++k) {
      const Rows known = counts(100, 0.0, stream), fresh = counts(queries, 0.0, stream);
      for (const bool is_whole : {true, false}) {
        PredictorSettings settings = quick(method, true, is_whole);
        settings.levels = {half};
        settings.seed = k;
        const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings);
        (is_whole ? whole : plain) +=
            share_inside(model.predict(fresh.X, half), fresh.y) / static_cast<double>(fits);
      }
    }
    INFO(method, ": ", whole, " against ", plain);
    // Of the same rows. Ends that are quantiles of whole targets are often whole by themselves, and by such
    // ties others cover more than they promise.
    CHECK(whole >= std::min(plain, 0.6) - 0.005);
    CHECK(whole >= 0.5 - 4.0 * coverage_error(0.5, 100 * fits, queries * fits));
  }
}

TEST_CASE("a single end of whole targets is not moved inward, and lies within the targets that are known") {
  Stream stream(9);
  // 0 and 1 alone.
  const auto binary = [&](std::size_t n) {
    return made_rows(n, stream, [&](double x, double, double) {
      return stream.uniform() < 0.25 + 0.1 * std::clamp(x, -2.0, 2.0) ? 1.0 : 0.0;
    });
  };
  const Rows known = binary(400), fresh = binary(400);
  for (const bool every_row : {false, true})
    for (const char* method : {"forest", "fixed"}) {
      INFO(method, " ", every_row);
      const LocalPredictor model = LocalPredictor::fit(known.X, known.y, quick(method, every_row, true)),
                           plain = LocalPredictor::fit(known.X, known.y, quick(method, every_row, false));
      const std::vector<Level> taus = {Level(0.1), Level(0.25), Level(0.5), Level(0.6), Level(0.9)};
      const arma::mat found = model.quantiles(fresh.X, taus),
                      expected = arma::clamp(plain.quantiles(fresh.X, taus), 0.0, 1.0);
      CHECK(arma::approx_equal(found, expected, "absdiff", 1e-9));
      CHECK((found.min() >= 0.0 && found.max() <= 1.0));
      const LocalPredictor updated = reloaded(model).updated(fresh.X, fresh.y + 1.0, {});
      CHECK(updated.quantiles(fresh.X, taus).max() > 1.0);
    }
}

TEST_CASE("ends are numbers or infinite, and nested, however far out the query lies") {
  Stream stream(4);
  const Rows known =
      made_rows(200, stream, [](double x, double, double noise) { return x + math::exp(0.7 * x) * noise; });
  for (const char* method : {"linear", "exp"}) {
    PredictorSettings settings = quick(method, false, false);
    settings.network.hidden = {20, 20};
    settings.training.epochs = 10;
    settings.training.selection.level = Level(0.1);
    const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings);
    arma::mat far(2, 400, arma::fill::zeros);
    for (arma::uword n = 0; n < far.n_cols; ++n)
      far(0, n) = (n % 2 == 0 ? 1.0 : -1.0) * std::pow(10.0, 1.0 + 7.0 * static_cast<double>(n) / 400.0);
    const LevelIntervals found = model.predict(far, levels);
    std::size_t infinite = 0;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      CHECK_FALSE(found.at(l).lower().has_nan());
      CHECK_FALSE(found.at(l).upper().has_nan());
      infinite += found.at(l).upper().has_inf() ? 1 : 0;
    }
    CHECK(infinite > 0);  // or nothing was tried here
    CHECK(crossings(model, far, fit_levels) == 0);
  }
}
