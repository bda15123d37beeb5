// The front door with other centres and with predictions out of folds.
#include <doctest/doctest.h>

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"
#include "near.hpp"
#include "said.hpp"

using namespace lacp;

namespace {

constexpr CentreKind kinds[] = {CentreKind::knn, CentreKind::mlp, CentreKind::boosted};

}  // namespace

TEST_CASE("Theorem 1 holds with every centre, on separate parts and out of folds") {
  constexpr std::size_t draws = 600, calibrating = 20;
  for (const CentreKind kind : kinds)
    for (const std::size_t folds : {0u, 3u}) {
      PredictorSettings settings = quick_settings("fixed", kind, folds);
      settings.centre = {.kind = kind,
                         .knn = {.grid = {2, 8}},
                         .mlp = {.hidden = {4}, .epochs = 3},
                         .boosted = {.rounds = 10, .least_rows = 3}};
      Stream stream(1);
      std::size_t covered[3] = {};
      const char* levels[] = {"0.05", "0.1", "0.32"};
      for (settings.seed = 1; settings.seed <= draws; ++settings.seed) {
        const Rows data = made_rows(100, stream), test = made_rows(1, stream);
        const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
        REQUIRE(model.calibration_size() == calibrating);
        for (std::size_t l = 0; l < 3; ++l) {
          const Intervals intervals = model.predict(test.X, Level::parse(levels[l]));
          covered[l] += intervals.lower()(0) <= test.y(0) && test.y(0) <= intervals.upper()(0);
        }
      }
      for (std::size_t l = 0; l < 3; ++l) {
        INFO(name_of(kind), " ", folds, " ", levels[l], " ", covered[l]);
        const auto rank = static_cast<double>(Level::parse(levels[l]).rank(calibrating));
        CHECK(side_of_band(covered[l], draws, rank / (calibrating + 1.0)) == 0);
      }
    }
}

TEST_CASE("out of folds, the centre is fitted on both parts, and no calibration row is in it") {
  Stream stream(2);
  const Rows data = made_rows(500, stream);
  for (const std::size_t folds : {0u, 5u}) {
    const PredictorSettings settings = quick_settings("exp", CentreKind::knn, folds);
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
    const auto& knn = std::get<KnnRegressor>(model.centre());
    CHECK(knn.points().n_cols == (folds == 0 ? 200 : 400));
    const Split split = split_of_fit(500, settings);
    CHECK(split.test.size() == 100);
    CHECK(split.proper.size() == knn.points().n_cols);
    const arma::vec calibration = model.scaling().targets(data.y(arma::uvec(split.test)));
    for (const double y : calibration) CHECK_FALSE(arma::any(knn.targets() == y));
  }
  // The nearest neighbour of a row that the centre has seen is the row itself. Sizes are trained on these
  // errors.
  PredictorSettings nearest = quick_settings("exp", CentreKind::knn, 5);
  nearest.centre.knn.grid = {1};
  const arma::vec f = LocalPredictor::fit(data.X, data.y, nearest).report().out_of_folds;
  CHECK(arma::abs(f - data.y(arma::uvec(split_of_fit(500, nearest).train))).min() > 1e-9);
}

TEST_CASE("a model of any centre that is damaged is refused, or another model, never a crash") {
  Stream stream(4);
  const Rows data = made_rows(300, stream);
  for (const CentreKind kind : kinds) {
    CAPTURE(name_of(kind));
    std::string content = LocalPredictor::fit(data.X, data.y, quick_settings("exp", kind, 3)).to_bytes();
    content.resize(content.size() - 64);
    for (std::size_t at = 11; at < content.size(); at += 1 + content.size() / 499) {
      std::string changed = content;
      changed[at] = static_cast<char>(changed[at] ^ 0x40);
      try {
        LocalPredictor::from_bytes(changed + sha256(changed), "model.lacp")
            .predict(data.X.head_cols(3), Level(0.1));
      } catch (const UserError&) {
      }
    }
  }
  std::string unknown =
      LocalPredictor::fit(data.X, data.y, quick_settings("exp", CentreKind::boosted)).to_bytes();
  unknown.resize(unknown.size() - 64);
  // Behind magic, format, the method's name with its length, two arrays of two numbers and one number.
  unknown[11 + 8 + (8 + 3) + 2 * (8 + 16) + 8] = 3;
  CHECK_REFUSED(LocalPredictor::from_bytes(unknown + sha256(unknown), "model.lacp"),
                "unknown kind of centre");
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
  Stream stream(7);
  Rows data = made_rows(400, stream);
  for (const char* method : {"fixed", "adapt", "mondrian", "knn_error", "rlcp"}) {
    CAPTURE(method);
    const PredictorSettings settings = quick_settings(method, CentreKind::mlp);
    Rows far = data;
    far.X(0, split_of_fit(400, settings).train.front()) = -1e45;
    CHECK_THROWS_WITH_AS(
        LocalPredictor::fit(far.X, far.y, settings),
        doctest::Contains("the prediction is no finite number for a row that lies far out: attribute 1 is -"),
        RunError);
  }
}
