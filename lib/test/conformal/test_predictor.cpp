// The front door: fit, predict, save, load.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/conformal/training/fit_localizer.hpp"
#include "lacp/model/centre.hpp"
#include "near.hpp"
#include "said.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

struct Data {
  arma::mat X;
  arma::vec y;
};

Data draw(std::size_t n, Stream& stream) {
  Data data{arma::mat(2, n), arma::vec(n)};
  for (std::size_t i = 0; i < n; ++i) {
    data.X(0, i) = stream.uniform(-1, 1), data.X(1, i) = 100.0 * stream.uniform();
    data.y(i) = 1000.0 * (2.0 * data.X(0, i) + (0.1 + std::abs(data.X(0, i))) * stream.normal());
  }
  return data;
}

PredictorSettings small(std::string method) {
  PredictorSettings settings{.method = std::move(method)};
  settings.network.hidden = {16, 16};
  settings.training.epochs = 5;
  return settings;
}

/// The message of the UserError for these settings.
std::string refusal(const Data& data, const std::function<void(PredictorSettings&)>& change) {
  PredictorSettings settings = small("exp");
  change(settings);
  try {
    LocalPredictor::fit(data.X, data.y, settings);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

std::string error_of(std::string bytes) {
  try {
    LocalPredictor::from_bytes(bytes, "model.bin");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("intervals in the units of the target, with the coverage asked for") {
  Stream stream(1);
  const Data train = draw(1500, stream), test = draw(4000, stream);
  for (const char* method : {"exp", "mixture", "fixed"}) {
    CAPTURE(method);
    const LocalPredictor model = LocalPredictor::fit(train.X, train.y, small(method));
    const Intervals intervals = model.predict(test.X, Level::parse("0.1"));
    const double coverage = arma::mean(
        arma::conv_to<arma::vec>::from(intervals.lower() <= test.y && test.y <= intervals.upper()));
    // 300 calibration points: coverage given the model is Beta(271, 30), standard deviation .017; .005 more
    // from the test: three of these.
    CHECK(coverage == near(0.9, 0.055));
    CHECK(intervals.half_width().min() > 100.0);
  }
}

TEST_CASE("a fit tells what it chose") {
  Stream stream(1);
  const Data data = draw(600, stream);
  std::vector<double> scores;
  const LocalPredictor model =
      LocalPredictor::fit(data.X, data.y, small("adapt"), [&](const EpochReport& report) {
        if (report.validation_score) scores.push_back(*report.validation_score);
      });
  const FitReport& report = model.report();
  CHECK(report.neighbours == std::get<KnnRegressor>(model.centre()).k());
  CHECK(report.trees + report.centre_epochs == 0);
  CHECK(report.validation_scores == scores);
  CHECK(report.epochs_tried == scores.size());
  CHECK(report.steps == scores.size() * 12);  // 192 of 240 rows are fitted on, in batches of 16
  CHECK(report.adaptation == model.score().adaptation());
  const auto best = std::ranges::min_element(scores) - scores.begin() + 1;
  CHECK(report.best_epoch == (report.adaptation == 0.0 ? 0 : static_cast<std::size_t>(best)));
  const LocalPredictor loaded = LocalPredictor::from_bytes(model.to_bytes(), "model");
  CHECK(loaded.report().epochs_tried + loaded.report().neighbours == 0);

  PredictorSettings settings = PredictorSettings::recommended();
  settings.centre.boosted.rounds = 7;
  settings.network.hidden = {4};
  settings.training.epochs = 1;
  const LocalPredictor boosted = LocalPredictor::fit(data.X, data.y, settings);
  CHECK(boosted.report().trees == std::get<BoostedTrees>(boosted.centre()).trees().size());
  CHECK(boosted.report().neighbours == 0);
  CHECK(LocalPredictor::fit(data.X, data.y, PredictorSettings{.method = "fixed"}).report().epochs_tried == 0);
}

static_assert(!std::is_default_constructible_v<LocalPredictor>, "a model comes from fit or load");
static_assert(!std::is_default_constructible_v<KnnRegressor>);
static_assert(!std::is_default_constructible_v<Level>);

TEST_CASE("settings that cannot work are refused by name, before anything is computed") {
  Stream stream(5);
  const Data data = draw(400, stream);
  using S = PredictorSettings;
  const auto check = [&](std::string_view key, const std::function<void(S&)>& change) {
    CAPTURE(key);
    CHECK(refusal(data, change).starts_with(fmt::format("settings: {}: ", key)));
  };
  CHECK(refusal(data, [](S& s) { s.training.batch = 0; }) ==
        "settings: training.batch: found 0; expected a number between 2 and 1000000");
  check("training.batch", [](S& s) { s.training.batch = 1; });
  check("training.epochs",
        [](S& s) { s.training.epochs = 0, s.training.selection.released.count_from_zero = true; });
  check("training.selection.patience", [](S& s) { s.training.selection.patience = 0; });
  check("training.selection.validation_share", [](S& s) { s.training.selection.validation_share = 1.0; });
  check("training.selection.least_gain", [](S& s) { s.training.selection.least_gain = -0.1; });
  check("training.selection.released.decimals", [](S& s) { s.training.selection.released.decimals = 400; });
  check("training.learning_rate", [](S& s) { s.training.adam.learning_rate = arma::datum::nan; });
  check("training.beta1", [](S& s) { s.training.adam.beta1 = 1.0; });
  check("training.beta2", [](S& s) { s.training.adam.beta2 = 1.0; });
  check("training.epsilon", [](S& s) { s.training.adam.epsilon = 0.0; });
  check("centre.knn.grid", [](S& s) { s.centre.knn.grid = {32, 2}; });
  check("centre.knn.grid", [](S& s) { s.centre.knn.grid = {2, 2}; });
  check("centre.knn.grid", [](S& s) { s.centre.knn.grid = {}; });
  check("centre.knn.grid", [](S& s) { s.centre.knn.grid = {0, 2}; });
  check("centre.knn.folds", [](S& s) { s.centre.knn.folds = 0; });
  check("transformation.gamma", [](S& s) { s.transformation.gamma = 0.0; });
  check("transformation.released.log_offset", [](S& s) { s.transformation.released.log_offset = -1.0; });
  check("transformation.released.logit_clamp", [](S& s) { s.transformation.released.logit_clamp = 0.5; });
  check("network.hidden", [](S& s) { s.network.hidden = {16, 0}; });
  check("proper", [](S& s) { s.proper = 0.0; });
  check("train", [](S& s) { s.train = arma::datum::nan; });
  check("calibration", [](S& s) { s.calibration = 1.2; });
  CHECK(refusal(data, [](S& s) { s.calibration = 0.6; }) ==
        "settings: calibration: the three shares add up to 1.4; expected 1");
  CHECK(refusal(data, [](S& s) { s.method = "expp"; }).starts_with("no method is called 'expp'"));
  CHECK(refusal(data, [](S&) {}) == "");
}

TEST_CASE("with one seed all methods share the split and the KNN model") {
  Stream stream(6);
  const Data data = draw(600, stream);
  const LocalPredictor exp = LocalPredictor::fit(data.X, data.y, small("exp"));
  const LocalPredictor fixed = LocalPredictor::fit(data.X, data.y, small("fixed"));
  const auto knn = [](const LocalPredictor& model) { return std::get<KnnRegressor>(model.centre()); };
  CHECK(knn(exp).k() == knn(fixed).k());
  CHECK(arma::approx_equal(knn(exp).points(), knn(fixed).points(), "absdiff", 0.0));
  CHECK(arma::all(exp.predict(data.X, Level(0.1)).f == fixed.predict(data.X, Level(0.1)).f));
  PredictorSettings other = small("fixed");
  other.seed = 2;
  const LocalPredictor elsewhere = LocalPredictor::fit(data.X, data.y, other);
  CHECK_FALSE(arma::approx_equal(knn(elsewhere).points(), knn(fixed).points(), "absdiff", 0.0));
}

TEST_CASE("a query where the network has no value is refused, one that is merely far is not") {
  Stream stream(7);
  const Data data = draw(400, stream);
  for (const char* method : {"exp", "erc", "mixture", "fixed"}) {
    CAPTURE(method);
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, small(method));
    for (const double far : {1e45, -1e45, 1e300, arma::datum::inf, arma::datum::nan}) {
      arma::mat X(2, 3, arma::fill::ones);
      X(0, 1) = far;
      CHECK_THROWS_AS(model.predict(X, Level(0.1)), UserError);
    }
    const arma::mat X(2, 1, arma::fill::value(1e3));
    CHECK(model.predict(X, Level(0.1)).half_width().is_finite());
  }
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, small("exp"));
  CHECK_REFUSED(model.predict({{0.0, 1e45}, {1.0, 1.0}}, Level(0.1)), "query 1 (from 0) lies too far");
}

TEST_CASE("a saved model predicts the same bits") {
  Stream stream(2);
  const Data data = draw(600, stream);
  const fs::path file = fs::temp_directory_path() / "lacp_test_predictor" / "model.lacp";
  for (const char* method : {"erc", "mixture", "fixed"}) {
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, small(method));
    model.save(file);
    const LocalPredictor loaded = LocalPredictor::load(file);
    const Level level = Level::parse("0.05");
    CHECK(arma::all(loaded.predict(data.X, level).half_width() == model.predict(data.X, level).half_width()));
    CHECK(arma::all(loaded.predict(data.X, level).f == model.predict(data.X, level).f));
    CHECK(loaded.to_bytes() == model.to_bytes());
  }
  fs::remove_all(file.parent_path());
}

TEST_CASE("a file that is not an undamaged model is refused") {
  Stream stream(3);
  const Data data = draw(400, stream);
  const std::string bytes = LocalPredictor::fit(data.X, data.y, small("exp")).to_bytes();
  CHECK(error_of("") != "");
  CHECK(error_of("hello") != "");
  CHECK(error_of(bytes.substr(0, bytes.size() / 2)) != "");
  for (const std::size_t at : {3ul, 20ul, bytes.size() / 2, bytes.size() - 1}) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    CHECK(error_of(flipped) != "");
  }
  std::string other_method = bytes.substr(0, bytes.size() - 64);
  other_method.replace(other_method.find("exp"), 3, "exq");
  CHECK(
      error_of(other_method + sha256(other_method)) ==
      "model.bin: is not a usable model: it needs a method that is not here: no method is called 'exq' (did you mean 'exp'?); there are: " +
          join(method_names(), ", "));
  // The first number after the method is the length of the means; the next is the first mean.
  std::string not_a_number = bytes.substr(0, bytes.size() - 64);
  const double nan = arma::datum::nan;
  not_a_number.replace(not_a_number.find("exp") + 3 + sizeof(std::uint64_t), sizeof nan,
                       reinterpret_cast<const char*>(&nan), sizeof nan);
  CHECK(error_of(not_a_number + sha256(not_a_number)) ==
        "model.bin: is not a usable model: it holds numbers that no fitted model has");
  std::string one_mean = bytes.substr(0, bytes.size() - 64);
  const std::uint64_t one = 1;
  one_mean.replace(one_mean.find("exp") + 3, 2 * sizeof one, reinterpret_cast<const char*>(&one), sizeof one);
  CHECK(error_of(one_mean + sha256(one_mean)) ==
        "model.bin: is not a usable model: it has parts whose sizes do not fit together");
  CHECK_REFUSED(LocalPredictor::load("no/such/file"), "no/such/file");
}

TEST_CASE("wrong data is refused, a level that the calibration part cannot reach gives infinite intervals") {
  Stream stream(4);
  Data data = draw(400, stream);
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, small("exp"));
  CHECK_THROWS_AS(model.predict(arma::mat(3, 1, arma::fill::zeros), Level::parse("0.1")), UserError);
  CHECK(model.predict(data.X, Level::parse("0.001")).half_width().min() == arma::datum::inf);
  CHECK_THROWS_AS(LocalPredictor::fit(data.X, data.y.head(399), small("exp")), UserError);
  data.y(7) = arma::datum::nan;
  CHECK_THROWS_AS(LocalPredictor::fit(data.X, data.y, small("exp")), UserError);
}
