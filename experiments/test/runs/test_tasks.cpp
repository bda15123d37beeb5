// Tasks with other point predictions, out-of-fold errors, two-sided calibration, other shares, and few rows.
#include <algorithm>
#include <cmath>
#include <map>

#include "datasets/load.hpp"
#include "engine/plan.hpp"
#include "engine/run_task.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/random.hpp"
#include "lacp/conformal/registry.hpp"
#include "lacp_program.hpp"

namespace {

lacp::Experiment experiment_of(const std::vector<std::string>& set) {
  return lacp::load_experiment(
      smoke_yaml, joined(set, {"network.hidden=[8]", "training.epochs=2", "methods=[fixed, exp, mixture]"}));
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
       lacp::run_task(experiment, prepared, {"skewed", 0, method}).cell.values)
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
    CHECK(a.proper.X.n_cols == 400);
    CHECK(b.proper.X.n_cols == 800);
    CHECK(b.train.X.n_cols == 800);
    CHECK(arma::all(b.proper.y == b.train.y));
    CHECK(a.rows_test == b.rows_test);  // the points that calibrate and score are the same
    const auto mean_error = [](const arma::vec& f, const arma::vec& y) {
      double sum = 0.0;
      for (const double e : arma::abs(f - y).eval()) sum += e;
      return sum / static_cast<double>(y.n_elem);
    };
    const double ratio = mean_error(b.train.f, b.train.y) / mean_error(b.test.f, b.test.y);
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

namespace {

/// Mean CRPS of f + a quantile of the errors, straight from the definition of each.
double slow_crps(const lacp::Experiment& experiment, const lacp::Prepared& prepared, bool left_out) {
  const arma::vec &f = prepared.test.f, &y = prepared.test.y;
  const lacp::Roles roles = lacp::assign(experiment, {"skewed", 0, "fixed"}, y.n_elem);
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

double mean_distance(const lacp::Prepared& prepared) {
  return arma::mean(arma::abs(prepared.test.y - prepared.test.f));
}

}  // namespace

TEST_CASE("evaluation.crps measures methods with a distribution, in units of y, and changes nothing else") {
  const lacp::Dataset data = skewed(1000);
  for (const std::string mode : {"halves", "leave_one_out"})
    for (const std::string sides : {"both", "each"}) {
      CAPTURE(mode + sides);
      const std::vector<std::string> way = {"evaluation.mode=" + mode, "evaluation.sides=" + sides};
      const lacp::Experiment off = experiment_of(way),
                             on = experiment_of(joined(way, {"evaluation.crps=true"}));
      const lacp::Prepared prepared = lacp::prepare(off, data, 0);
      std::map<std::string, double> crps;
      for (const char* method : {"fixed", "exp", "knn_error", "forest", "mixture", "mondrian", "cqr"}) {
        CAPTURE(method);
        auto with = values_of(on, prepared, method);
        CHECK(with.contains("crps") == lacp::has_distribution(lacp::find_method(method)));
        if (with.contains("crps")) crps[method] = with.at("crps");
        with.erase("crps");
        CHECK(with == values_of(off, prepared, method));
      }
      CHECK(crps.size() == 4);
      CHECK(crps.at("fixed") == doctest::Approx(slow_crps(on, prepared, mode != "halves")).epsilon(1e-9));
      for (const auto& [method, value] : crps)  // a median alone: E |y − f|
        CHECK_MESSAGE(value < mean_distance(prepared), method);
      CHECK(crps.at("knn_error") < crps.at("fixed"));  // errors grow with |x|
      CHECK(crps.at("forest") < crps.at("fixed"));
    }
}

TEST_CASE("evaluation.crps is part of the hash where it adds a number, and only if it is on") {
  const lacp::Experiment off = experiment_of({}), on = experiment_of({"evaluation.crps=true"}),
                         said = experiment_of({"evaluation.crps=false"});
  for (const std::string& method : lacp::method_names()) {
    CAPTURE(method);
    const auto hash = [&](const lacp::Experiment& e) {
      return lacp::settings_hash(e, {"cos", 0, method}, "data");
    };
    CHECK((hash(on) != hash(off)) == lacp::has_distribution(lacp::find_method(method)));
    CHECK(hash(said) == hash(off));
  }
}

namespace {

lacp::Experiment protocol(const std::string& name, const std::vector<std::string>& set = {}) {
  return lacp::load_experiment(
      smoke_yaml.parent_path() / (name + ".yaml"),
      joined(set, {"network.hidden=[2]", "training.epochs=1", "methods=[fixed, exp]"}));
}

lacp::Dataset noise(std::size_t rows) {
  lacp::Stream stream(1);
  lacp::Dataset data = skewed(rows);
  data.name = "noise";
  data.X.imbue([&] { return stream.normal(); });
  data.y.imbue([&] { return stream.normal(); });
  return data;
}

/// What a run says about these rows; "" if it goes through.
std::string failure(const lacp::Experiment& experiment, const std::string& method, std::size_t rows) {
  try {
    lacp::run_task(experiment, lacp::prepare(experiment, noise(rows), 0), {"noise", 0, method});
    return "";
  } catch (const lacp::UserError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a failure because of too few rows names the setting to change") {
  const auto said = [](const lacp::Experiment& experiment, std::size_t rows) {
    return failure(experiment, "exp", rows);
  };
  CHECK(
      said(protocol("paper"), 100) ==
      "training: 8 validation rows of 40 are too few for a finite interval at level 0.1, which needs 10; use more rows, or raise training.selection.validation_share or training.selection.level");
  CHECK(has(
      said(protocol("paper", {"training.selection.validation_rows=5"}), 1000),
      "5 validation rows of 400 are too few for a finite interval at level 0.1, which needs 10; use more rows, or raise validation_rows of the selection or"));
  CHECK(
      said(protocol("paper", {"training.objective=one_level", "training.level=0.05"}), 1000) ==
      "training: a batch of 16 is too small for level 0.05, which needs 20; raise training.batch, or the level of the objective");
  CHECK(
      said(protocol("paper", {"training.drop_partial_batch=true", "training.batch=512"}), 1000) ==
      "training: the fitted rows make no whole batch of 512; use more rows, lower training.batch, or set drop_partial_batch to false");
  CHECK(
      said(protocol("release", {"training.batch=24"}), 100) ==
      "split: a part of 20 rows makes no whole batch of 24; use more rows, lower training.batch, or set split.whole_batches to false");
  CHECK(has(said(protocol("paper"), 2), "2 rows cannot be split"));
  CHECK(has(said(protocol("full", {"predictor.kind=boosted", "predictor.cross_fit=500"}), 600),
            "480 points cannot be divided into 500 folds"));
  CHECK(has(said(protocol("paper"), 10), "KNN: 4 points cannot be divided into 5 folds; take fewer folds"));
}

TEST_CASE("split.sample: each run draws that share of the rows from all of them") {
  const lacp::Dataset data = skewed(1001);
  lacp::Experiment whole = experiment_of({}), quarter = whole, other = whole;
  quarter.sample = {{"skewed", 0.25}}, other.sample = {{"cos", 0.25}};
  const lacp::Prepared a = lacp::prepare(quarter, data, 0), b = lacp::prepare(quarter, data, 1);
  CHECK(a.proper.X.n_cols == 100);  // of 250
  CHECK(a.train.X.n_cols == 100);
  CHECK(a.rows_test.size() == 50);
  CHECK(std::ranges::max(a.rows_test) > 500);
  CHECK(a.rows_test != b.rows_test);
  CHECK(lacp::target_unit(quarter, data, 0).used == a.target_scale);
  for (std::size_t i = 0; i < a.rows_test.size(); ++i)
    CHECK(a.test.y(i) * a.target_scale == doctest::Approx(data.y(a.rows_test[i])));
  CHECK(lacp::prepare(other, data, 0).rows_test == lacp::prepare(whole, data, 0).rows_test);
  quarter.sample = {{"skewed", 0.001}};
  CHECK_THROWS_WITH_AS(lacp::prepare(quarter, data, 0), doctest::Contains("1 row cannot be split"),
                       lacp::UserError);
}

TEST_CASE("calibration_share of the pool calibrates, the others are scored; by default half, rounded down") {
  const auto roles = [](const std::string& share, std::size_t points) {
    const lacp::Experiment e = experiment_of({"evaluation.calibration_share=" + share});
    return lacp::assign(e, {"skewed", 0, "fixed"}, points);
  };
  CHECK(roles("0.5", 7).calibration.n_elem == 3);
  CHECK(roles("0.5", 7).scored.n_elem == 4);
  CHECK(roles("0.66666667", 600).calibration.n_elem == 400);
  CHECK(roles("0.7", 10).calibration.n_elem == 7);
  CHECK(roles("0.9999999999", 10).scored.n_elem == 1);  // one at least
  const lacp::Roles some = roles("0.75", 120);
  const arma::uvec all = arma::sort(arma::join_cols(some.calibration, some.scored));
  CHECK(arma::all(all == arma::regspace<arma::uvec>(0, 119)));
  const lacp::Experiment fewer = experiment_of({"evaluation.calibration_share=0.2"});
  const auto ten = values_of(fewer, lacp::prepare(fewer, skewed(250), 0), "fixed");
  CHECK(ten.at("calibration_points") == 10);
  CHECK(std::isinf(ten.at("size_mean0.05")));
  const lacp::Experiment more = experiment_of({"evaluation.calibration_share=0.75"});
  const auto values = values_of(more, lacp::prepare(more, skewed(600), 0), "fixed");
  CHECK(values.at("calibration_points") == 90);
  CHECK(values.at("scored_points") == 30);
}
