// The front door with other centres and with predictions out of folds; every row trains and calibrates, by
// what has not seen it.
#include <algorithm>
#include <set>

#include "lacp/base/sha256.hpp"
#include "lacp/conformal/registry.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"

using namespace lacp;

namespace {

constexpr CentreKind kinds[] = {CentreKind::knn, CentreKind::mlp, CentreKind::boosted, CentreKind::stack};

PredictorSettings by_every_row(std::string method) {
  PredictorSettings settings = PredictorSettings::recommended();
  settings.method = std::move(method);
  settings.every_row = true;
  return settings;
}

LocalPredictor fit(const Rows& rows, const PredictorSettings& settings) {
  return LocalPredictor::fit(rows.X, rows.y, settings);
}

}  // namespace

TEST_CASE("Theorem 1 holds with every centre, on separate parts and out of folds") {
  constexpr std::size_t calibrating = 20;
  const std::vector<Level> levels = {Level(0.05), Level(0.1), Level(0.32)};
  for (const CentreKind kind : kinds)
    for (const std::size_t folds : {0u, 3u}) {
      const std::size_t draws = seeds(kind == CentreKind::stack ? 200 : 600);  // its networks take their time
      PredictorSettings settings = quick_settings("fixed", kind, folds);
      settings.centre = {.kind = kind,
                         .knn = {.grid = {2, 8}},
                         .mlp = {.hidden = {4}, .epochs = 3},
                         .boosted = {.rounds = 10, .least_rows = 3}};
      Stream stream(1);
      std::size_t covered[3] = {};
      for (settings.seed = 1; settings.seed <= draws; ++settings.seed) {
        const Rows data = made_rows(100, stream), test = made_rows(1, stream);
        const LocalPredictor model = fit(data, settings);
        REQUIRE(model.calibration_size() == calibrating);
        for (std::size_t l = 0; l < 3; ++l)
          covered[l] += share_inside(model.predict(test.X, levels[l]), test.y) == 1.0;
      }
      for (std::size_t l = 0; l < 3; ++l) {
        INFO(name_of(kind), " ", folds, " ", levels[l].text(), " ", covered[l]);
        const auto rank = static_cast<double>(levels[l].rank(calibrating));
        CHECK(side_of_band(covered[l], draws, rank / (calibrating + 1.0)) == 0);
      }
    }
}

TEST_CASE("out of folds, the centre is fitted on both parts") {
  const Rows data = made_rows(500, 2);
  for (const std::size_t folds : {0u, 5u}) {
    const LocalPredictor model = fit(data, quick_settings("exp", CentreKind::knn, folds));
    CHECK(std::get<KnnRegressor>(model.centre()).points().n_cols == (folds == 0 ? 200 : 400));
    CHECK(model.calibration_size() == 100);
  }
}

TEST_CASE("a model of any centre that is damaged is refused, or another model, never a crash") {
  const Rows data = made_rows(300, 4);
  for (const CentreKind kind : kinds) {
    CAPTURE(name_of(kind));
    std::string content = fit(data, quick_settings("exp", kind, 3)).to_bytes();
    content.resize(content.size() - 64);
    const auto changed = [&](std::size_t at, char byte) {
      std::string other = content;
      other[at] = byte;
      return LocalPredictor::from_bytes(other + sha256(other), "model.lacp");
    };
    for (std::size_t at = 11; at < content.size(); at += 1 + content.size() / seeds(500)) try {
        changed(at, static_cast<char>(content[at] ^ 0x40)).predict(data.X.head_cols(3), Level(0.1));
      } catch (const UserError&) {
      }
    // Behind magic, format, and the method's name with its length: the kind of centre.
    CHECK_REFUSED(changed(11 + 8 + (8 + 3), 4), "what no fit makes");
  }
}

TEST_CASE("a query too far out for a network as the centre is listed, not lost") {
  Stream stream(6);
  const Rows data{gaussian(10, 300, stream), 10.0 + gaussian(300, 1, stream)};
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, quick_settings("fixed", CentreKind::mlp));
  // Along the weights of the first hidden unit: each product is a float, their sum is not.
  const auto& network = std::get<MlpRegressor>(model.centre());
  arma::mat X = data.X.head_cols(3);
  for (arma::uword i = 0; i < 10; ++i) X(i, 1) = std::copysign(3e38, network.parameters(8 * i));
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

TEST_CASE("every row trains and calibrates, or one of each group") {
  const Rows rows = made_rows(47, 1);
  PredictorSettings settings = by_every_row("fixed");
  for (const std::size_t each : {1u, 3u}) {
    Groups groups;
    for (std::size_t i = 0; i < 47; ++i) groups.push_back(i / each);
    settings.groups = each == 1 ? Groups{} : groups;
    const Split split = split_of_fit(rows.X, rows.y, settings).split;
    CHECK(std::set(split.train.begin(), split.train.end()).size() == 47);
    std::set<std::size_t> calibrating;
    for (const arma::uword row : split.test) calibrating.insert(groups[row]);
    CHECK(split.test.size() == groups.back() + 1);
    CHECK(calibrating.size() == groups.back() + 1);
    CHECK(fit(rows, settings).calibration_size() == groups.back() + 1);
  }
}

TEST_CASE("a row's own target says nothing of the score that it calibrates by") {
  const Rows rows = made_rows(80, 3);
  for (const char* method : {"fixed", "forest"}) {
    CAPTURE(method);
    PredictorSettings settings = by_every_row(method);
    settings.centre = {.kind = CentreKind::boosted, .boosted = {.rounds = 20}};
    const LocalPredictor model = fit(rows, settings);
    const std::vector<Level> half = {Level(0.5)};
    const auto inside = [&](const LocalPredictor& any) {
      const Intervals at = any.calibrating(half).at(0);
      const arma::vec y = rows.y(arma::uvec(split_of_fit(rows.X, rows.y, settings).split.test));
      return share_inside(at, y);
    };
    // The threshold is a rank of their own scores: 41 of 80, and those that tie.
    CHECK(inside(model) == near(41.0 / 80.0, 0.03));
    // One target far out is outside its own interval, and hardly moves it.
    Rows other = rows;
    const arma::uword row = split_of_fit(rows.X, rows.y, settings).split.test.front();
    other.y(row) += 1000.0;
    const arma::vec before = model.calibrating(half).f, after = fit(other, settings).calibrating(half).f;
    CHECK(std::abs(after(0) - before(0)) < 1.0);
    CHECK(std::abs(after(0) - other.y(row)) > 900.0);
  }
}

// A few targets that are a thousand times as large move the predictions of some folds far, but not the ends
// that a forest learns. Ends around the mean of the models lay beyond nearly all rows.
TEST_CASE("targets with outliers are covered as promised") {
  Stream stream(8);
  constexpr std::size_t rows = 200;
  const std::size_t fits = seeds(12);
  const auto outliers = [](double x0, double, double noise) {
    return (2.0 + std::tanh(x0)) * (noise > 2.05 ? 1000.0 : 1.0);  // one of fifty
  };
  double at_10 = 0.0, at_32 = 0.0;
  for (std::size_t k = 0; k < fits; ++k) {
    const LocalPredictor model = fit(made_rows(rows, stream, outliers), by_every_row("forest"));
    const Rows fresh = made_rows(rows, stream, outliers);
    at_10 += share_inside(model.predict(fresh.X, Level(0.1)), fresh.y) / static_cast<double>(fits);
    at_32 += share_inside(model.predict(fresh.X, Level(0.32)), fresh.y) / static_cast<double>(fits);
  }
  CHECK(at_10 >= 0.9 - 3.0 * coverage_error(0.9, rows * fits, rows * fits));
  CHECK(at_32 >= 0.68 - 3.0 * coverage_error(0.68, rows * fits, rows * fits));
}

TEST_CASE("few rows are covered as promised and not much more, as finite intervals from 19 rows on") {
  const std::size_t trials = seeds(200);
  const auto fits = static_cast<double>(trials);
  Stream stream(5);
  PredictorSettings settings = by_every_row("fixed");
  settings.centre.kind = CentreKind::knn;
  double at_10 = 0.0, at_32 = 0.0;
  for (settings.seed = 1; settings.seed <= trials; ++settings.seed) {
    const Rows rows = made_rows(30, stream), fresh = made_rows(200, stream);
    const LocalPredictor model = fit(rows, settings);
    const Intervals wide = model.predict(fresh.X, Level(0.1));
    REQUIRE(wide.upper().is_finite());
    at_10 += share_inside(wide, fresh.y) / fits;
    at_32 += share_inside(model.predict(fresh.X, Level(0.32)), fresh.y) / fits;
  }
  const double chance =
      3.0 * 0.09 / std::sqrt(fits);  // a fit has a deviation of 0.09 at 0.32, and less at 0.1
  CHECK(at_32 > 0.68 - chance);
  CHECK(at_32 < 0.68 + 0.05 + chance);
  CHECK(at_10 > 0.9 - chance);
  settings = by_every_row("fixed");
  const Rows rows = made_rows(19, stream), fewer{rows.X.head_cols(18), rows.y.head(18)};
  CHECK(fit(rows, settings).predict(rows.X, Level(0.05)).upper().is_finite());
  CHECK(std::isinf(fit(fewer, settings).predict(rows.X, Level(0.05)).bounds.below(0)));
}

TEST_CASE("a saved model of every row, threads, and what is refused") {
  Stream stream(4);
  const Rows rows = made_rows(120, stream), fresh = made_rows(1500, stream);
  PredictorSettings settings = by_every_row("forest");
  const LocalPredictor model = fit(rows, settings), loaded = reloaded(model);
  settings.jobs = 4;
  CHECK(fit(rows, settings).to_bytes() == model.to_bytes());
  for (const Level& level : {Level(0.05), Level(0.1), Level(0.2)}) {
    const Intervals all = model.predict(fresh.X, level);
    CHECK(same(loaded.predict(fresh.X, level), all));
    CHECK(same(loaded.calibrating({&level, 1}).at(0), model.calibrating({&level, 1}).at(0)));
    // A query by itself has the interval that it has among others.
    CHECK(model.predict(fresh.X.col(1200), level).bounds.below(0) == all.bounds.below(1200));
  }
  // Predictions that have not seen their row are worse than those that have.
  const arma::uvec order(split_of_fit(rows.X, rows.y, settings).split.train);
  const arma::vec errors = rows.y(order) - model.report().out_of_folds,
                  seen = rows.y - model.predict(rows.X, Level(0.1)).f;
  CHECK(arma::accu(arma::abs(errors)) > arma::accu(arma::abs(seen)));

  PredictorSettings split = settings;
  split.every_row = false;
  CHECK_REFUSED(LocalPredictor::fit(rows.X, rows.y, split_of_fit(rows.X, rows.y, split), settings),
                "has to train, too");
  CHECK_REFUSED(fit(rows, by_every_row("mondrian")), "is not for mondrian");
  CHECK_REFUSED(fit(rows, by_every_row("knn_error")), "is not for knn_error");
}

TEST_CASE("where rows suffice, each group by width has a threshold of its own, and coverage in each holds") {
  const std::size_t fits = seeds(12);
  constexpr std::size_t calibrating = 600, queries = 2000;
  Stream stream(9);
  const auto made = [&](std::size_t n) {
    return made_rows(n, stream,
                     [](double x0, double, double noise) { return (x0 > 0.0 ? 3.0 : 0.3) * noise; });
  };
  for (const bool every_row : {false, true}) {
    CAPTURE(every_row);
    PredictorSettings settings = PredictorSettings::recommended();
    settings.centre = {.kind = CentreKind::boosted, .boosted = {.rounds = 10}};
    settings.every_row = every_row;
    double narrow = 0.0, wide = 0.0;
    for (settings.seed = 1; settings.seed <= fits; ++settings.seed) {
      const Rows rows = made(every_row ? calibrating : 5 * calibrating), fresh = made(queries);
      const LocalPredictor model = fit(rows, settings);
      CHECK(model.width_groups_at(Level(0.1)) == 3);
      CHECK(model.width_groups_at(Level(0.005)) == 1);
      const Intervals at = model.predict(fresh.X, Level(0.1));
      const arma::uvec order = arma::sort_index(at.half_width());
      const auto share = [&](const arma::uvec& some) {
        const arma::vec low = at.lower(), high = at.upper();
        const arma::uvec inside = low(some) <= fresh.y(some) && fresh.y(some) <= high(some);
        return static_cast<double>(arma::accu(inside)) / static_cast<double>(some.n_elem * fits);
      };
      narrow += share(order.head(queries / 3));
      wide += share(order.tail(queries / 3));
    }
    const double error = coverage_error(0.9, calibrating * fits / 3, queries * fits / 3);
    CHECK(narrow > 0.9 - 4.0 * error);
    CHECK(wide > 0.9 - 4.0 * error);
  }
}
