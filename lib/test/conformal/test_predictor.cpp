// The front door: fit, predict, save, load.
#include <functional>

#include "lacp/base/text.hpp"
#include "lacp/conformal/score.hpp"
#include "lacp/model/centre.hpp"
#include "made_rows.hpp"
#include "temporary_folder.hpp"

using namespace lacp;
namespace fs = std::filesystem;

namespace {

/// Targets of the order of ten thousand.
Rows draw(std::size_t n, Stream& stream) {
  Rows rows = made_rows(n, stream);
  rows.y *= 1000.0;
  return rows;
}

/// What is said of these settings.
std::string refusal(const Rows& data, const std::function<void(PredictorSettings&)>& change) {
  PredictorSettings settings = quick_settings("exp");
  change(settings);
  return message_of([&] { LocalPredictor::fit(data.X, data.y, settings); });
}

}  // namespace

TEST_CASE("a fit tells what it chose") {
  Stream stream(1);
  const Rows data = draw(600, stream);
  std::vector<double> scores;
  const LocalPredictor model =
      LocalPredictor::fit(data.X, data.y, quick_settings("adapt"), [&](const EpochReport& report) {
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

  PredictorSettings settings = PredictorSettings::recommended();
  settings.centre.boosted.rounds = 7;
  const LocalPredictor stacked = LocalPredictor::fit(data.X, data.y, settings);
  const Stack::Weights& weights = std::get<Stack>(stacked.centre()).weights;
  const FitReport& other = stacked.report();
  CHECK(other.weights == std::vector{weights.boosted, weights.network, weights.neighbours, weights.random});
  CHECK(other.neighbours + other.trees + other.best_epoch + other.epochs_tried + other.steps == 0);
}

TEST_CASE("settings that cannot work are refused by name, before anything is computed") {
  Stream stream(5);
  const Rows data = draw(400, stream);
  using S = PredictorSettings;
  const auto check = [&](const std::string& field, const std::function<void(S&)>& change) {
    CAPTURE(field);
    CHECK(refusal(data, change).starts_with(fmt::format("settings: {}: ", field)));
  };
// The field as it is typed is the one that the message names.
#define CHECK_NAMED(field, ...) check(#field, [](S& s) { s.field = __VA_ARGS__; })
  CHECK_NAMED(proper, 0.0);
  CHECK_NAMED(train, arma::datum::nan);
  CHECK_NAMED(calibration, 1.2);
  CHECK_NAMED(levels, {});
  CHECK_NAMED(levels, {Level(0.1), Level(0.1)});
  CHECK_NAMED(jobs, 0);
  CHECK_NAMED(cross_fit, 1);
  CHECK_NAMED(calibration_folds, 1);
  CHECK_NAMED(calibration_folds, 2);  // without cross_fit
  CHECK_NAMED(centre.knn.grid, {32, 2});
  CHECK_NAMED(centre.knn.grid, {2, 2});
  CHECK_NAMED(centre.knn.grid, {});
  CHECK_NAMED(centre.knn.grid, {0, 2});
  CHECK_NAMED(centre.knn.folds, 0);
  CHECK_NAMED(centre.mlp.hidden, {16, 0});
  CHECK_NAMED(centre.mlp.adam.learning_rate, 0.0);
  CHECK_NAMED(centre.mlp.epochs, 0);
  CHECK_NAMED(centre.mlp.batch, 0);
  CHECK_NAMED(centre.mlp.validation_share, 1.0);
  CHECK_NAMED(centre.mlp.patience, 0);
  CHECK_NAMED(centre.boosted.rounds, 0);
  CHECK_NAMED(centre.boosted.learning_rate, 1.5);
  CHECK_NAMED(centre.boosted.leaves, 1);
  CHECK_NAMED(centre.boosted.least_rows, 0);
  CHECK_NAMED(centre.boosted.bins, 256);
  CHECK_NAMED(centre.boosted.validation_share, 1.0);
  CHECK_NAMED(centre.boosted.patience, 0);
  CHECK_NAMED(transformation.gamma, 0.0);
  CHECK_NAMED(transformation.released.log_offset, -1.0);
  CHECK_NAMED(transformation.released.logit_clamp, 0.5);
  CHECK_NAMED(network.hidden, {16, 0});
  CHECK_NAMED(training.adam.learning_rate, arma::datum::nan);
  CHECK_NAMED(training.adam.beta1, 1.0);
  CHECK_NAMED(training.adam.beta2, 1.0);
  CHECK_NAMED(training.adam.epsilon, 0.0);
  CHECK_NAMED(training.epochs, 0);
  CHECK_NAMED(training.batch, 1);
  CHECK_NAMED(training.objective.adaptation, 0.0);
  CHECK_NAMED(training.objective.adaptation, 1.01);
  CHECK_NAMED(training.objective.kind, Objective::adaptation, s.method = "mixture");
  CHECK_NAMED(training.selection.validation_share, 1.0);
  CHECK_NAMED(training.selection.patience, 0);
  CHECK_NAMED(training.selection.least_gain, -0.1);
  CHECK_NAMED(training.selection.released.decimals, 400);
  CHECK_NAMED(training.selection.levels, {}, s.training.selection.criterion = Criterion::winkler);
  CHECK_NAMED(baselines.knn_error.neighbours, 0);
  CHECK_NAMED(baselines.knn_error.beta, 0.0);
  CHECK_NAMED(baselines.mondrian.bins, 0);
#undef CHECK_NAMED
  // What only the rows show. A message names the field itself, since a yaml has some in another group.
  const auto check_rows = [&](std::size_t rows, const std::string& field,
                              const std::function<void(S&)>& change) {
    check_has(refusal({data.X.head_cols(rows), data.y.head(rows)}, change), split_text(field, '.').back());
  };
#define CHECK_ROWS(rows, field, ...) check_rows(rows, #field, [](S& s) { s.field = __VA_ARGS__; })
  CHECK_ROWS(20, cross_fit, 50);
  CHECK_ROWS(20, cross_fit, 50, s.centre.kind = CentreKind::stack);
  CHECK_ROWS(20, centre.knn.folds, 20);
  CHECK_ROWS(100, centre.knn.grid, {64});
  CHECK_ROWS(400, training.selection.level, Level(0.001));
  CHECK_ROWS(400, training.selection.validation_share, 0.01);
  CHECK_ROWS(400, training.selection.validation_share, 0.99);
  CHECK_ROWS(400, training.selection.released.validation_rows, 5);
  CHECK_ROWS(400, training.objective.level, Level(0.05), s.training.objective.kind = Objective::one_level);
  CHECK_ROWS(400, training.released.drop_partial_batch, true, s.training.batch = 512);
#undef CHECK_ROWS
  check_has(refusal(data, [](S& s) { s.training.batch = 0; }), {"training.batch: found 0", "2 and 1000000"});
  check_has(refusal(data, [](S& s) { s.calibration = 0.6; }), {"settings: calibration: ", "1.4"});
  CHECK(refusal(data, [](S& s) { s.method = "expp"; }).starts_with("no method is called 'expp'"));
  CHECK(refusal(data, [](S&) {}) == "nothing was thrown");
  CHECK(refusal(data, [](S& s) {
          s.method = "erc_error_fit", s.training.objective.kind = Objective::adaptation;
        }) == "nothing was thrown");  // it has no use for an objective
}

TEST_CASE("with one seed all methods share the split and the KNN model, with another none does") {
  Stream stream(6);
  const Rows data = draw(600, stream);
  const auto f = [&](const char* method, std::uint64_t seed) -> arma::vec {
    PredictorSettings settings = quick_settings(method);
    settings.seed = seed;
    return LocalPredictor::fit(data.X, data.y, settings).predict(data.X, Level(0.1)).f;
  };
  CHECK(arma::all(f("exp", 1) == f("fixed", 1)));
  CHECK(arma::any(f("fixed", 2) != f("fixed", 1)));
}

TEST_CASE("rows that calibrated get the intervals of any other row, before and after the model was saved") {
  Stream stream(2);
  const Rows data = draw(300, stream);
  PredictorSettings settings = PredictorSettings::recommended();
  settings.centre.boosted.rounds = 5;
  for (const char* method : {"forest", "exp", "fixed"}) {
    settings.method = method;
    const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
    const LocalPredictor read = LocalPredictor::from_bytes(model.to_bytes(), "model");
    const arma::mat calibrating =
        data.X.cols(arma::uvec(splits_of_fit(data.X, data.y, settings).splits[0].test));
    const Level level(0.1);
    const Intervals seen = model.predict(calibrating, level);
    CHECK(same(seen, read.predict(calibrating, level)));
    const arma::vec more = model.predict(arma::join_rows(data.X.col(0), calibrating), level).upper();
    CHECK(arma::all(seen.upper() == more.tail(calibrating.n_cols)));
    const arma::vec turned = model.predict(arma::fliplr(calibrating), level).upper();
    CHECK(arma::all(seen.upper() == arma::reverse(turned)));
  }
}

TEST_CASE("wrong data and queries are refused; a level that no row can reach gives infinite intervals") {
  Stream stream(7);
  Rows data = draw(400, stream);
  const PredictorSettings settings = quick_settings("exp");
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, settings);
  for (const double far : {-1e45, 1e300, arma::datum::inf, arma::datum::nan})
    CHECK_THROWS_AS(model.predict({{1.0, far}, {1.0, 1.0}}, Level(0.1)), UserError);
  CHECK_REFUSED(model.predict({{0.0, 1e45}, {1.0, 1.0}}, Level(0.1)), "query 1 (from 0) lies too far");
  CHECK_THROWS_AS(model.predict(arma::mat(3, 1, arma::fill::zeros), Level(0.1)), UserError);
  CHECK(model.predict(data.X, Level(0.001)).half_width().min() == arma::datum::inf);
  CHECK_THROWS_AS(LocalPredictor::fit(data.X, data.y.head(399), settings), UserError);
  for (const char* method : {"exp", "forest"}) {
    CHECK_REFUSED(LocalPredictor::fit(arma::mat(0, 400), data.y, quick_settings(method)),
                  "0 attributes and 400 rows");
    CHECK_REFUSED(LocalPredictor::fit(arma::mat(2, 0), {}, quick_settings(method)),
                  "2 attributes and 0 rows");
  }
  data.y(7) = arma::datum::nan;
  CHECK_THROWS_AS(LocalPredictor::fit(data.X, data.y, settings), UserError);
}

TEST_CASE("a file that is not an undamaged model is refused") {
  Stream stream(3);
  const Rows data = draw(400, stream);
  const LocalPredictor model = LocalPredictor::fit(data.X, data.y, quick_settings("exp"));
  const std::string bytes = model.to_bytes();
  const TemporaryFolder folder;
  model.save(folder / "model.lacp");
  CHECK(LocalPredictor::load(folder / "model.lacp").to_bytes() == bytes);
  CHECK_REFUSED(LocalPredictor::load("no/such/file"), "no/such/file");
  const auto refused = [](const std::string& changed, const Parts& parts) {
    const std::string said = message_of([&] { LocalPredictor::from_bytes(changed, "model.bin"); });
    check_has(said, "model.bin: is not a usable model: ");
    check_has(said, parts);
  };
  refused("", "does not start as one");
  refused("hello", "does not start as one");
  refused(bytes.substr(0, bytes.size() / 2), "checksum");
  for (const std::size_t at : {3ul, 20ul, bytes.size() / 2, bytes.size() - 1}) {
    std::string flipped = bytes;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    refused(flipped, {});
  }
  // A part of the content in place of `length` bytes, and a checksum that fits.
  const auto changed = [&](std::size_t at, std::size_t length, std::string_view part) {
    const std::string content = bytes.substr(0, bytes.size() - 64).replace(at, length, part);
    return content + sha256(content);
  };
  const auto bytes_of = [](const auto& number) {
    return std::string_view(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const std::size_t method = bytes.find("exp"), kind = method + 3 + 8,
                    means = method + 3 + 21;  // their number, then each
  refused(changed(method, 3, "exq"), {"no method is called 'exq' (did you mean 'exp'?)", "knn_error"});
  refused(changed(kind, 1, "\4"), "unknown kind of centre");
  refused(changed(kind + 2, 1, "\1"), "the sides of no update");
  refused(changed(means + 8, 8, bytes_of(arma::datum::nan)), "numbers that no fitted model has");
  refused(changed(means, 16, bytes_of(std::uint64_t{1})), "sizes do not fit together");
}
