// Tasks with other point predictions, out-of-fold errors, two-sided calibration, other shares, and few rows.
#include "common/advice.hpp"
#include "common/frame.hpp"
#include "datasets/load.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/engine/run_task.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
#include "models/predictor/predictor.hpp"
#include "near.hpp"

using namespace lacp;

namespace {

Experiment experiment_of(const Words& set) {
  return load_experiment(
      smoke_yaml, joined(set, {"network.hidden=[8]", "training.epochs=2", "methods=[fixed, exp, mixture]"}));
}

/// y = |x| + a skewed error that grows with |x|.
Dataset skewed(std::size_t rows) {
  Stream stream(1);
  Dataset data;
  data.name = "skewed", data.attributes = {"x"};
  data.X.set_size(1, rows), data.y.set_size(rows);
  for (arma::uword n = 0; n < rows; ++n) {
    const double x = stream.normal();
    data.X(0, n) = x;
    data.y(n) = std::abs(x) - 0.3 * (0.2 + std::abs(x)) * std::log(1.0 - stream.uniform());
  }
  return data;
}

std::map<std::string, double> values_of(const Experiment& experiment, const Prepared& prepared,
                                        const std::string& method) {
  std::map<std::string, double> values;
  for (const Measurement& value : run_task(experiment, prepared, {"skewed", 0, method}).cell.values)
    if (value.bin == 0) values[value.metric + value.alpha] = value.value;
  return values;
}

}  // namespace

TEST_CASE("every kind of point prediction runs and says what it was; one too far out fails, and is named") {
  Dataset data = skewed(600);
  for (const auto& [kind, recorded] : {std::pair("knn", "k"), {"mlp", "mlp_epochs"}, {"boosted", "rounds"}}) {
    CAPTURE(kind);
    const Experiment experiment = experiment_of({std::string("predictor.kind=") + kind});
    const Prepared prepared = prepare(experiment, data, 0);
    const auto values = values_of(experiment, prepared, "exp");
    CHECK(values.at(recorded) >= 1.0);
    CHECK(values.at(std::string(kind) + "_rmse") < 0.6);
    CHECK(values.at("validity0.1") > 0.75);  // 60 points calibrate, 60 are scored
  }
  const Experiment network = experiment_of({"predictor.kind=mlp"});
  data.X(0, prepare(network, data, 0).split.test[0]) = 1e45;
  CHECK_THROWS_WITH_AS(prepare(network, data, 0), doctest::Contains("a row far out: 'x' is "), RunError);
}

TEST_CASE("out of folds, the first two parts together fit and train, each point once") {
  const Dataset data = skewed(1000);
  for (const std::string kind : {"knn", "boosted"}) {
    CAPTURE(kind);
    const Experiment separate = experiment_of({"predictor.kind=" + kind}),
                     crossed = experiment_of({"predictor.kind=" + kind, "predictor.cross_fit=5"});
    const Prepared a = prepare(separate, data, 0), b = prepare(crossed, data, 0);
    CHECK(a.first.X.n_cols == 400);
    CHECK(b.first.X.n_cols == 800);
    CHECK(b.second.X.n_cols == 800);
    CHECK(arma::all(b.first.y == b.second.y));
    CHECK(a.split.test == b.split.test);  // the points that calibrate and score are the same
    const auto distance = [](const auto& part) { return arma::mean(arma::abs(part.y - part.f)); };
    CHECK(distance(b.second) / distance(b.third) == near(1.0, 0.25));  // errors are those of new points
    // cqr learns from every point once.
    auto values = values_of(crossed, b, "cqr");
    const auto batches = [&](double rows) {
      return std::ceil(rows / static_cast<double>(crossed.training.batch));
    };
    const double fitted = 800 * (1.0 - crossed.training.selection.validation_share);
    CHECK(values["steps"] == values["epochs_tried"] * batches(fitted) + values["best_epoch"] * batches(800));
  }
}

TEST_CASE("with two sides, a method with a scale has other intervals; others are as they were") {
  const Experiment both = experiment_of({}), each = experiment_of({"evaluation.sides=each"});
  const Prepared prepared = prepare(both, skewed(2000), 0);
  for (const char* method : {"fixed", "exp", "mixture"}) {
    const auto one = values_of(both, prepared, method), two = values_of(each, prepared, method);
    CHECK_MESSAGE((one == two) == (method == std::string("mixture")), method);
  }
}

TEST_CASE(
    "what fit does is what is measured: LocalPredictor has the ends of forest's cell on the same rows") {
  const Task task{"skewed", 0, "forest"};
  // Of 400 rows 360 are known, all of which calibrate; of 6000 those are that the experiment sets aside.
  for (const auto& [rows, every_row, kind] : {std::tuple(400u, true, "boosted"), {6000u, false, "stack"}})
    for (const bool whole : {false, true}) {
      CAPTURE(rows);
      CAPTURE(whole);
      Dataset data = skewed(rows);
      if (whole) data.y = arma::round(10.0 * data.y);
      Experiment experiment = experiment_of(
          {std::string("predictor.kind=") + kind, "predictor.rounds=30", "predictor.cross_fit=3"});
      experiment.keep_intervals = {.datasets = {"skewed"}, .level = Level(0.1)};
      const Prepared prepared = prepare(experiment, data, 0);
      const TaskResult result = run_task(experiment, prepared, task);

      const Roles roles = assign(experiment, task, prepared.split.test.size());
      const arma::uvec test(prepared.split.test), scored = test.elem(roles.scored);
      const arma::vec y = data.y.elem(scored);
      PredictorSettings settings{.method = "forest",
                                 .seed = experiment.seed,
                                 .dataset = "skewed",
                                 .levels = experiment.levels,
                                 .centre = experiment.predictor,
                                 .cross_fit = 3,
                                 .every_row = every_row,
                                 .whole = whole};
      Split split = prepared.split;
      split.test = arma::conv_to<std::vector<arma::uword>>::from(test.elem(roles.calibration));
      const arma::uvec known = arma::join_cols(arma::uvec(split.train), arma::uvec(split.test));
      const LocalPredictor model =
          !every_row ? LocalPredictor::fit(data.X, data.y, FitSplit{split}, settings)
                     : LocalPredictor::fit(data.X.cols(known), data.y.elem(known), settings);
      const LevelIntervals found = model.predict(data.X.cols(scored), experiment.levels);
      CHECK(result.cell.value("calibration_points") == static_cast<double>(model.calibration_size()));
      CHECK(model.every_row() == every_row);

      const Frame kept = parse_frame(result.intervals, "intervals");
      REQUIRE(kept.rows.size() == scored.n_elem);
      for (arma::uword n = 0; n < scored.n_elem; ++n) {  // bit for bit: numbers are written to the last one
        CHECK(kept.rows[n].number("row") == static_cast<double>(scored(n) + 1));
        CHECK(kept.rows[n].number("f") == found.f(n));
        CHECK(kept.rows[n].number("below") == found.bounds[1].below(n));
        CHECK(kept.rows[n].number("above") == found.bounds[1].above(n));
      }
      const double unit = prepared.scaling.target;
      for (std::size_t l = 0; l < experiment.levels.size(); ++l) {
        const Level& level = experiment.levels[l];
        const Intervals at = found.at(l);
        const arma::uvec inside = arma::find(at.lower() <= y && y <= at.upper());
        CHECK(result.cell.value("validity", level.text()) ==
              static_cast<double>(inside.n_elem) / static_cast<double>(y.n_elem));
        CHECK(result.cell.value("winkler", level.text()) == winkler_score(at.bounds, at.f, y, level) / unit);
        CHECK(result.cell.value("size_mean", level.text()).value() ==
              doctest::Approx(mean_size(at.half_width()) / unit).epsilon(1e-12));
        if (whole) CHECK(arma::all(arma::round(at.lower()) == at.lower()));
      }
    }
}

TEST_CASE("a failure because of too few rows names numbers, and the setting to change") {
  const auto check = [](const std::string& name, const Words& set, std::size_t rows, const Parts& message) {
    const Experiment experiment =
        load_experiment(smoke_yaml.parent_path() / (name + ".yaml"),
                        joined(set, {"network.hidden=[2]", "training.epochs=1", "methods=[fixed, exp]"}));
    Stream stream(1);
    Dataset noise = skewed(rows);
    noise.y.imbue([&] { return stream.normal(); });
    try {
      run_task(experiment, prepare(experiment, noise, 0), {"skewed", 0, "exp"});
      FAIL("nothing was refused");
    } catch (const UserError& error) {
      check_has(with_advice(error), message);
    }
  };
  const std::string selection = "training.selection.";
  check("paper", {}, 100,
        {"8 validation rows of 40 ", "level 0.1, which needs 10", selection + "validation_share"});
  check("paper", {"training.objective=one_level", "training.level=0.05"}, 1000,
        "16 is too small for level 0.05, which needs 20");
  check("release", {"training.batch=24"}, 100, {"split.whole_batches: 20 rows makes no whole batch of 24"});
  check("paper", {}, 2, "2 rows cannot be split");
  check("paper", {}, 10, "KNN: 4 points cannot be divided into 5 folds");
}
