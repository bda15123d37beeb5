// The front door: fit, predict, save, load.
#include <functional>

#include "lacp/base/text.hpp"
#include "lacp/conformal/score.hpp"
#include "made_rows.hpp"
#include "models/stack/centre.hpp"
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
}

TEST_CASE("settings that cannot work are refused by name, before anything is computed") {
  Stream stream(5);
  const Rows data = draw(400, stream);
  using S = PredictorSettings;
  const auto check = [&](const std::string& field, const std::function<void(S&)>& change) {
    CAPTURE(field);
    CHECK(refusal(data, change).starts_with(fmt::format("settings: {}: ", field)));
  };
// The field as it is typed is the one that the message names: one of each kind of range, and of each group.
#define CHECK_NAMED(field, ...) check(#field, [](S& s) { s.field = __VA_ARGS__; })
  CHECK_NAMED(proper, 0.0);
  CHECK_NAMED(train, arma::datum::nan);
  CHECK_NAMED(calibration, 1.2);
  CHECK_NAMED(levels, {});
  CHECK_NAMED(levels, {Level(0.1), Level(0.1)});
  CHECK_NAMED(jobs, 0);
  CHECK_NAMED(cross_fit, 1);
  CHECK_NAMED(every_row, true);  // without cross_fit
  CHECK_NAMED(centre.knn.grid, {32, 2});
  CHECK_NAMED(centre.mlp.hidden, {16, 0});
  CHECK_NAMED(centre.boosted.learning_rate, 1.5);
  CHECK_NAMED(transformation.gamma, 0.0);
  CHECK_NAMED(network.hidden, {16, 0});
  CHECK_NAMED(training.selection.validation_share, 1.0);
  CHECK_NAMED(training.selection.released.decimals, 400);
  CHECK_NAMED(training.selection.levels, {}, s.training.selection.criterion = Criterion::winkler);
  CHECK_NAMED(baselines.knn_error.beta, 0.0);
#undef CHECK_NAMED
  // What only the rows show.
  const Rows few{data.X.head_cols(20), data.y.head(20)};
  check_has(refusal(few, [](S& s) { s.cross_fit = 50; }), "cross_fit");
  check_has(refusal(few, [](S& s) { s.cross_fit = 50, s.centre.kind = CentreKind::stack; }), "cross_fit");
  check_has(refusal(data, [](S& s) { s.method = "mixture", s.sides = Sides::each; }),
            "sides: each is not for");
  check_has(refusal(data, [](S& s) { s.training.batch = 0; }), {"training.batch: found 0", "2 and 1000000"});
  check_has(refusal(data, [](S& s) { s.calibration = 0.6; }), {"settings: calibration: ", "1.4"});
  CHECK(refusal(data, [](S& s) { s.method = "expp"; }).starts_with("no method is called 'expp'"));
  CHECK(refusal(data, [](S&) {}) == "nothing was thrown");
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
    const arma::mat calibrating = data.X.cols(arma::uvec(split_of_fit(data.X, data.y, settings).split.test));
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

TEST_CASE("splits of a caller's own are checked") {
  Stream stream(8);
  const Rows data = draw(60, stream);
  const PredictorSettings settings = quick_settings("fixed");
  const Split split = split_of_fit(60, settings);
  const auto fit = [&](const Split& any) {
    return LocalPredictor::fit(data.X, data.y, FitSplit{any}, settings);
  };
  CHECK(fit(split).calibration_size() == split.test.size());
  Split wrong = split;
  wrong.train.front() = 60;
  CHECK_REFUSED(fit(wrong), "FitSplit: no row 60");
  wrong = split;
  wrong.test.clear();
  CHECK_REFUSED(fit(wrong), "a part has no rows");
}

TEST_CASE("a model that no row calibrates is refused") {
  Stream stream(9);
  const Rows data = draw(60, stream);
  const LocalPredictor model =
      LocalPredictor::fit(data.X, data.y, quick_settings("fixed"))
          .updated(data.X.head_cols(1), data.y.head(1), {.instead = true, .sides = Sides::both});
  std::string content = model.to_bytes();
  content.resize(content.size() - 64);
  // At the end: one score; two attributes, a target, a prediction and a date of the one row; two numbers.
  const std::string limits = content.substr(content.size() - 16);
  content.resize(content.size() - (16 + 32 + 16 + 16 + 16 + 16));
  for (const std::uint64_t count : {0u, 2u, 0u, 0u, 0u, 0u})
    content.append(reinterpret_cast<const char*>(&count), sizeof count);
  content += limits;
  CHECK_REFUSED(LocalPredictor::from_bytes(content + sha256(content), "m"), "what no fit makes");
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
  refused(bytes.substr(0, bytes.size() / 2), "checksum");
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
  refused(changed(kind, 1, "\4"), "what no fit makes");
  refused(changed(means + 8, 8, bytes_of(arma::datum::nan)), "what no fit makes");
  refused(changed(means, 16, bytes_of(std::uint64_t{1})), "what no fit makes");
}
