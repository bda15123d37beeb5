// The front door with other centres and with predictions out of folds.
#include <doctest/doctest.h>

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/sums.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/data/scaling.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"
#include "near.hpp"
#include "said.hpp"

using namespace lacp;

namespace {

PredictorSettings settings_of(CentreKind kind, std::size_t folds, std::string method = "exp") {
  PredictorSettings settings{.method = std::move(method), .cross_fit = folds};
  settings.centre = {.kind = kind, .mlp = {.hidden = {16}, .epochs = 20}, .boosted = {.rounds = 40}};
  settings.network.hidden = {16};
  settings.training.epochs = 4;
  return settings;
}

constexpr CentreKind kinds[] = {CentreKind::knn, CentreKind::mlp, CentreKind::boosted};

}  // namespace

TEST_CASE("Theorem 1 holds with every centre, on separate parts and out of folds") {
  constexpr std::size_t draws = 600, calibrating = 20;
  for (const CentreKind kind : kinds)
    for (const std::size_t folds : {0u, 3u}) {
      PredictorSettings settings = settings_of(kind, folds, "fixed");
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
    const PredictorSettings settings = settings_of(CentreKind::knn, folds);
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
    const auto& knn = std::get<KnnRegressor>(model.centre());
    CHECK(knn.points().n_cols == (folds == 0 ? 200 : 400));
    const Split split = split_of_fit(500, settings);
    CHECK(split.test.size() == 100);
    CHECK(split.proper.size() == knn.points().n_cols);
    const arma::vec calibration = model.scaling().targets(data.y(arma::uvec(split.test)));
    for (const double y : calibration) CHECK_FALSE(arma::any(knn.targets() == y));
  }
}

TEST_CASE(
    "errors out of folds train the sizes that new points need; those of the centre on its own rows would not") {
  // The same noise everywhere. Half of the rows share four places, where trees can only learn the mean; those
  // of the others, each at a place of its own, they learn by heart: small errors on these rows, large ones on
  // new.
  Stream stream(3);
  const auto draw_half_apart = [&](std::size_t n) {
    Rows data{arma::mat(3, n), arma::vec(n)};
    for (arma::uword i = 0; i < n; ++i) {
      for (arma::uword k = 0; k < 3; ++k) data.X(k, i) = i % 2 == 0 ? 0.0 : stream.uniform(1.0, 2.0);
      if (i % 2 == 0) data.X(0, i) = std::floor(4.0 * stream.uniform());
      data.y(i) = 10.0 + stream.normal();
    }
    return data;
  };
  const Rows data = draw_half_apart(1500), fresh = draw_half_apart(3000);
  PredictorSettings settings = settings_of(CentreKind::boosted, 5);
  settings.centre.boosted = {
      .rounds = 50, .learning_rate = 0.2, .leaves = 100, .least_rows = 1, .validation_share = 0.0};
  settings.training.epochs = 20;
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
  /// Mean of `values` where each row has its own place, over that where places are shared.
  const auto ratio = [](const arma::mat& X, const arma::vec& values) {
    return mean_of(arma::vec(values(arma::find(X.row(1) > 0.0)))) /
           mean_of(arma::vec(values(arma::find(X.row(1) == 0.0))));
  };
  const auto errors = [&](const Rows& of) {
    const arma::vec y = model.scaling().targets(of.y);
    return ratio(of.X, arma::abs(predict(model.centre(), model.scaling().attributes(of.X)) - y));
  };
  const arma::uvec rows(split_of_fit(1500, settings).train);
  CHECK(errors({data.X.cols(rows), data.y(rows)}) < 0.1);
  CHECK(errors(fresh) > 1.1);
  const FittedScore& score = model.score();
  const double sizes = ratio(fresh.X, score.scale(score.local(model.scaling().attributes(fresh.X))));
  CHECK(sizes == near(std::sqrt(errors(fresh)), 0.05));  // the optimum of `exp`
}

TEST_CASE("models with every centre are saved bit for bit; the paper's is written as it always was") {
  Stream stream(4);
  const Rows data = made_rows(300, stream);
  for (const CentreKind kind : kinds) {
    CAPTURE(name_of(kind));
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings_of(kind, 3));
    const std::string bytes = model.to_bytes();
    CHECK(bytes[11] == (kind == CentreKind::knn ? 1 : 2));  // the format, behind "lacp model\n"
    const LocalPredictor read = LocalPredictor::from_bytes(bytes, "model.lacp");
    CHECK(read.to_bytes() == bytes);
    CHECK(arma::all(read.predict(data.X, Level(0.1)).upper() == model.predict(data.X, Level(0.1)).upper()));

    // Whatever is cut off or changed is refused or gives another model, never a crash.
    const std::string content = bytes.substr(0, bytes.size() - 64);
    for (std::size_t length = 12; length < content.size(); length += 1 + content.size() / 97) {
      const std::string part = content.substr(0, length);
      CHECK_THROWS_AS(LocalPredictor::from_bytes(part + sha256(part), "model.lacp"), UserError);
    }
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
  std::string unknown = LocalPredictor::fit(data.X, data.y, settings_of(CentreKind::boosted, 0)).to_bytes();
  unknown.resize(unknown.size() - 64);
  // Behind magic, format, the method's name with its length, two arrays of two numbers and one number.
  unknown[11 + 8 + (8 + 3) + 2 * (8 + 16) + 8] = 3;
  CHECK_REFUSED(LocalPredictor::from_bytes(unknown + sha256(unknown), "model.lacp"),
                "unknown kind of centre");
}

TEST_CASE("one fold, and more folds than rows, are refused") {
  Stream stream(5);
  const Rows data = made_rows(300, stream);
  CHECK_REFUSED(LocalPredictor::fit(data.X, data.y, settings_of(CentreKind::knn, 1)),
                "settings: cross_fit: found 1");
  CHECK_REFUSED(LocalPredictor::fit(data.X, data.y, settings_of(CentreKind::boosted, 241)),
                "240 points cannot be divided into 241 folds");
}

TEST_CASE("a query too far out for a network as the centre is listed, not lost") {
  Stream stream(6);
  const Rows data{gaussian(10, 300, stream), 10.0 + gaussian(300, 1, stream)};
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings_of(CentreKind::mlp, 0, "fixed"));
  // Along the weights of the first hidden unit: each product is a float, their sum is not.
  const auto& network = std::get<MlpRegressor>(model.centre());
  arma::mat X = data.X.head_cols(3);
  for (arma::uword i = 0; i < 10; ++i) X(i, 1) = std::copysign(2e38, network.parameters()(16 * i));
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
    const PredictorSettings settings = settings_of(CentreKind::mlp, 0, method);
    Rows far = data;
    far.X(0, split_of_fit(400, settings).train.front()) = -1e45;
    CHECK_THROWS_WITH_AS(
        LocalPredictor::fit(far.X, far.y, settings),
        doctest::Contains("the prediction is no finite number for a row that lies far out: attribute 1 is -"),
        RunError);
  }
}
