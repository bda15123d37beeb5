// Experiments with other point predictions, out-of-fold errors and two-sided calibration.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "datasets/dataset.hpp"
#include "engine/enough_rows.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

namespace {

lacp::Experiment experiment_of(std::vector<std::string> set) {
  for (const char* item : {"network.hidden=[8]", "training.epochs=2", "methods=[fixed, exp, mixture]"})
    set.emplace_back(item);
  return lacp::load_experiment(fs::path(LACP_SOURCE_DIR) / "experiments/smoke.yaml", set);
}

/// y = |x| + a skewed error that grows with |x|.
lacp::Dataset skewed(std::size_t rows) {
  lacp::Stream stream(1);
  lacp::Dataset data{.name = "skewed",
                     .X = arma::mat(1, rows),
                     .y = arma::vec(rows),
                     .attributes = {"x"},
                     .fingerprint = "",
                     .sigma = {},
                     .truth = {}};
  for (arma::uword n = 0; n < rows; ++n) {
    const double x = stream.normal();
    data.X(0, n) = x;
    data.y(n) = std::abs(x) - 0.3 * (0.2 + std::abs(x)) * std::log(1.0 - stream.uniform());
  }
  return data;
}

/// What is recorded, by name and level.
std::map<std::string, double> values_of(const lacp::Experiment& experiment, const lacp::Prepared& prepared,
                                        const std::string& method) {
  std::map<std::string, double> values;
  for (const lacp::Measurement& value :
       lacp::run_task(experiment, prepared, {"skewed", 0, method}, {}).cell.values)
    if (value.bin == 0) values[value.metric + value.alpha] = value.value;
  return values;
}

}  // namespace

TEST_CASE("every kind of point prediction runs, and says what it was") {
  const lacp::Dataset data = skewed(600);
  for (const auto& [kind, recorded] : {std::pair("knn", "k"), {"mlp", "mlp_epochs"}, {"boosted", "rounds"}}) {
    CAPTURE(kind);
    const lacp::Experiment experiment = experiment_of({std::string("predictor.kind=") + kind});
    const lacp::Prepared prepared = lacp::prepare(experiment, data, 0);
    const auto values = values_of(experiment, prepared, "exp");
    CHECK(values.at(recorded) >= 1.0);
    CHECK(values.at(std::string(kind) + "_rmse") < 0.6);
    CHECK(values.at("rows_proper") == 240);
    CHECK(values.at("validity0.1") > 0.75);  // 60 points calibrate, 60 are scored
    for (const char* other : {"knn", "mlp", "boosted"})
      if (std::string(other) != kind) CHECK_FALSE(values.contains(std::string(other) + "_rmse"));
  }
}

TEST_CASE("a row too far out for a network as the centre fails its run in a line that names the attribute") {
  const lacp::Experiment experiment = experiment_of({"predictor.kind=mlp"});
  lacp::Dataset data = skewed(600);
  const auto test_rows = lacp::prepare(experiment, data, 0).rows_test;
  data.X(0, test_rows[0]) = 1e45;
  CHECK_THROWS_WITH_AS(lacp::prepare(experiment, data, 0), doctest::Contains("lies far out: 'x' is "),
                       lacp::RunError);
}

TEST_CASE("out of folds, cqr learns from every point once") {
  const lacp::Dataset data = skewed(1000);
  const lacp::Experiment crossed =
      experiment_of({"predictor.kind=boosted", "predictor.cross_fit=5", "methods=[cqr]"});
  const auto values = values_of(crossed, lacp::prepare(crossed, data, 0), "cqr");
  const auto batches = [&](double rows) {
    return std::ceil(rows / static_cast<double>(crossed.training.batch));
  };
  const double rows = values.at("rows_train");
  REQUIRE(rows == 800);
  const double fitted = rows * (1.0 - crossed.training.selection.validation_share);
  CHECK(values.at("steps") ==
        values.at("epochs_tried") * batches(fitted) + values.at("best_epoch") * batches(rows));
}

TEST_CASE("out of folds, the first two parts together fit and train, and errors are those of new points") {
  const lacp::Dataset data = skewed(1000);
  for (const std::string kind : {"knn", "boosted"}) {
    CAPTURE(kind);
    const lacp::Experiment separate = experiment_of({"predictor.kind=" + kind}),
                           crossed = experiment_of({"predictor.kind=" + kind, "predictor.cross_fit=5"});
    const lacp::Prepared a = lacp::prepare(separate, data, 0), b = lacp::prepare(crossed, data, 0);
    CHECK(a.X_proper.n_cols == 400);
    CHECK(b.X_proper.n_cols == 800);
    CHECK(b.X_train.n_cols == 800);
    CHECK(arma::all(b.y_proper == b.y_train));
    CHECK(a.rows_test == b.rows_test);  // the points that calibrate and score are the same
    const auto mean_error = [](const arma::vec& f, const arma::vec& y) {
      double sum = 0.0;
      for (const double e : arma::abs(f - y).eval()) sum += e;
      return sum / static_cast<double>(y.n_elem);
    };
    const double ratio = mean_error(b.f_train, b.y_train) / mean_error(b.f_test, b.y_test);
    CHECK(ratio > 0.8);
    CHECK(ratio < 1.25);
    CHECK(values_of(crossed, b, "fixed").at("validity0.1") > 0.8);
  }
}

TEST_CASE("with two sides, a method with a scale has another quantile on each; others are as they were") {
  const lacp::Dataset data = skewed(2000);
  const lacp::Experiment both = experiment_of({}), each = experiment_of({"evaluation.sides=each"});
  const lacp::Prepared prepared = lacp::prepare(both, data, 0);
  for (const char* method : {"fixed", "exp"}) {
    CAPTURE(method);
    const auto one = values_of(both, prepared, method), two = values_of(each, prepared, method);
    for (const auto& [level, alpha] : {std::pair("0.05", 0.05), {"0.1", 0.1}, {"0.32", 0.32}}) {
      CAPTURE(level);
      // 200 points calibrate, 200 are scored: a standard deviation of √(2α(1 − α)/200), three of them.
      const double bound = 3.0 * std::sqrt(alpha * (1.0 - alpha) / 100.0);
      CHECK(std::abs(two.at(std::string("validity") + level) - (1.0 - alpha)) < bound);
      CHECK(two.at(std::string("size_mean") + level) != one.at(std::string("size_mean") + level));
    }
  }
  CHECK(values_of(both, prepared, "mixture") == values_of(each, prepared, "mixture"));
}

TEST_CASE("two sides need calibration points for α/2, folds need rows: both are known before a run") {
  const lacp::Experiment both = experiment_of({}), each = experiment_of({"evaluation.sides=each"});
  CHECK(lacp::infinite_levels(both, 250) == std::vector<std::string>{});  // 25 points calibrate
  CHECK(lacp::infinite_levels(each, 250) == std::vector<std::string>{"0.05"});
  const lacp::Experiment crossed = experiment_of({"predictor.kind=boosted", "predictor.cross_fit=500"});
  CHECK(lacp::too_few_rows(crossed, "fixed", 600).find("480 points cannot be divided into 500 folds") !=
        std::string::npos);
  CHECK(lacp::too_few_rows(crossed, "fixed", 625) == "");
}
