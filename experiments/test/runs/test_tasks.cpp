// Tasks with other point predictions, out-of-fold errors, two-sided calibration, other shares, and few rows.
#include "common/crps.hpp"
#include "common/frame.hpp"
#include "datasets/load.hpp"
#include "experiment/engine/plan.hpp"
#include "experiment/engine/run_task.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"
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

/// Mean CRPS of f + a quantile of the errors, straight from the definition of each.
double slow_crps(const Experiment& experiment, const Prepared& prepared, bool left_out) {
  const arma::vec &f = prepared.third.f, &y = prepared.third.y;
  const Roles roles = assign(experiment, {"skewed", 0, "fixed"}, y.n_elem);
  double sum = 0.0;
  for (const arma::uword n : roles.scored) {
    std::vector<double> errors;
    for (const arma::uword m : roles.calibration)
      if (!left_out || m != n) errors.push_back(y(m) - f(m));
    std::ranges::sort(errors);
    const auto last = static_cast<int>(errors.size()) - 1;
    for (int k = 1; k < 100; ++k) {
      // Of N errors the ⌈τ(N + 1)⌉-th smallest above the median, and as far from the other end below it.
      const int rank = (std::max(k, 100 - k) * (last + 2) + 99) / 100 - 1;
      const double q =
          f(n) + errors[static_cast<std::size_t>(std::clamp(k < 50 ? last - rank : rank, 0, last))];
      sum += 2.0 / 99.0 * std::max(0.01 * k * (y(n) - q), (0.01 * k - 1.0) * (y(n) - q));
    }
  }
  return sum / static_cast<double>(roles.scored.n_elem);
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
  CHECK_THROWS_WITH_AS(prepare(network, data, 0), doctest::Contains("lies far out: 'x' is "), RunError);
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

TEST_CASE("evaluation.crps measures methods with a distribution, in units of y, and changes nothing else") {
  const Dataset data = skewed(1000);
  for (const std::string mode : {"halves", "leave_one_out"})
    for (const std::string sides : {"both", "each"}) {
      CAPTURE(mode + sides);
      const Words way = {"evaluation.mode=" + mode, "evaluation.sides=" + sides};
      const Experiment off = experiment_of(way), on = experiment_of(joined(way, {"evaluation.crps=true"}));
      const Prepared prepared = prepare(off, data, 0);
      std::map<std::string, double> crps;
      for (const char* method : {"fixed", "exp", "knn_error", "forest", "mixture", "mondrian", "cqr"}) {
        CAPTURE(method);
        auto with = values_of(on, prepared, method);
        CHECK(with.contains("crps") == has_distribution(find_method(method)));
        if (with.contains("crps")) crps[method] = with.at("crps");
        with.erase("crps");
        CHECK(with == values_of(off, prepared, method));
      }
      CHECK(crps.size() == 4);
      CHECK(crps.at("fixed") == doctest::Approx(slow_crps(on, prepared, mode != "halves")).epsilon(1e-9));
      const double distance = arma::mean(arma::abs(prepared.third.y - prepared.third.f));
      for (const auto& [method, value] : crps)
        CHECK_MESSAGE(value < distance, method);       // that of a median alone
      CHECK(crps.at("knn_error") < crps.at("fixed"));  // errors grow with |x|
      CHECK(crps.at("forest") < crps.at("fixed"));
    }
}

TEST_CASE(
    "what fit does is what is measured: LocalPredictor has the ends of forest's cell on the same rows") {
  const Task task{"skewed", 0, "forest"};
  // Of 400 rows 360 are known, too few to set some aside; of 1500 those are that the experiment sets aside.
  for (const auto& [rows, folds, kind] : {std::tuple(400u, 10u, "boosted"), {1500u, 0u, "stack"}})
    for (const bool whole : {false, true}) {
      CAPTURE(rows);
      CAPTURE(whole);
      Dataset data = skewed(rows);
      if (whole) data.y = arma::round(10.0 * data.y);
      Experiment experiment = experiment_of({std::string("predictor.kind=") + kind, "predictor.rounds=30",
                                             "predictor.cross_fit=3", "evaluation.crps=true"});
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
                                 .calibration_folds = folds,
                                 .whole = whole};
      Split split = prepared.split;
      split.test = arma::conv_to<std::vector<arma::uword>>::from(test.elem(roles.calibration));
      const arma::uvec known = arma::join_cols(arma::uvec(split.train), arma::uvec(split.test));
      const LocalPredictor model =
          folds == 0 ? LocalPredictor::fit(data.X, data.y, FitSplits{{split}}, settings)
                     : LocalPredictor::fit(data.X.cols(known), data.y.elem(known), settings);
      const LevelIntervals found = model.predict(data.X.cols(scored), experiment.levels);
      CHECK(result.cell.value("calibration_points") == static_cast<double>(model.calibration_size()));
      CHECK(model.folds() == std::max(folds, 1u));

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
      const arma::mat quantiles = model.quantiles(data.X.cols(scored), percentiles());
      double sum = 0.0;
      for (arma::uword n = 0; n < y.n_elem; ++n)
        sum += crps_score(finite_quantiles(quantiles.col(n)), y(n)) / unit;
      CHECK(result.cell.value("crps").value() ==
            doctest::Approx(sum / static_cast<double>(y.n_elem)).epsilon(1e-12));
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
    check_has(message_of([&] {
                run_task(experiment, prepare(experiment, noise, 0), {"skewed", 0, "exp"});
              }),
              message);
  };
  const std::string selection = "training.selection.";
  check("paper", {}, 100,
        {"8 validation rows of 40 ", "level 0.1, which needs 10", selection + "validation_share"});
  check("paper", {selection + "validation_rows=5"}, 1000,
        {"5 validation rows of 400", "raise validation_rows"});
  check("paper", {"training.objective=one_level", "training.level=0.05"}, 1000,
        "16 is too small for level 0.05, which needs 20");
  check("paper", {"training.drop_partial_batch=true", "training.batch=512"}, 1000,
        {"whole batch of 512", "drop_partial_batch"});
  check("release", {"training.batch=24"}, 100, {"20 rows makes no whole batch of 24", "split.whole_batches"});
  check("paper", {}, 2, "2 rows cannot be split");
  check("full", {"predictor.kind=boosted", "predictor.cross_fit=500"}, 600,
        "480 points cannot be divided into 500 folds");
  check("paper", {}, 10, "KNN: 4 points cannot be divided into 5 folds");
}

TEST_CASE("split.sample: each run draws that share of the rows from all of them") {
  const Dataset data = skewed(1001);
  Experiment whole = experiment_of({}), quarter = whole, other = whole;
  quarter.sample = {{"skewed", 0.25}}, other.sample = {{"cos", 0.25}};
  const Prepared a = prepare(quarter, data, 0);
  CHECK(a.first.X.n_cols == 100);  // of 250
  CHECK(a.split.test.size() == 50);
  CHECK(std::ranges::max(a.split.test) > 500);
  CHECK(a.split.test != prepare(quarter, data, 1).split.test);
  CHECK(target_unit(quarter, data, 0).used == a.scaling.target);
  for (std::size_t i = 0; i < a.split.test.size(); ++i)
    CHECK(a.third.y(i) * a.scaling.target == doctest::Approx(data.y(a.split.test[i])));
  CHECK(prepare(other, data, 0).split.test == prepare(whole, data, 0).split.test);
  quarter.sample = {{"skewed", 0.001}};
  CHECK_THROWS_WITH_AS(prepare(quarter, data, 0), doctest::Contains("1 row cannot be split"), UserError);
}

TEST_CASE("calibration_share of the pool calibrates, the others are scored; by default half, rounded down") {
  const auto roles = [](const std::string& share, std::size_t points) {
    const Experiment e = experiment_of({"evaluation.calibration_share=" + share});
    return assign(e, {"skewed", 0, "fixed"}, points);
  };
  for (const auto& [share, points, calibrate] : {std::tuple("0.5", 7u, 3u),
                                                 {"0.66666667", 600u, 400u},
                                                 {"0.7", 10u, 7u},
                                                 {"0.9999999999", 10u, 9u}}) {  // one is scored at least
    const Roles some = roles(share, points);
    CHECK(some.calibration.n_elem == calibrate);  // and each point has a role
    CHECK(arma::unique(arma::join_cols(some.calibration, some.scored).eval()).eval().n_elem == points);
  }
  const Experiment fewer = experiment_of({"evaluation.calibration_share=0.2"});
  const auto ten = values_of(fewer, prepare(fewer, skewed(250), 0), "fixed");
  CHECK(ten.at("calibration_points") == 10);
  CHECK(ten.at("scored_points") == 40);
  CHECK(std::isinf(ten.at("size_mean0.05")));
}
