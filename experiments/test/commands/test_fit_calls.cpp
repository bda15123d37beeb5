// `lacp fit` and the library make the same models.
#include "lacp/base/random.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/table/table_model.hpp"
#include "lacp_program.hpp"
#include "tool/fit/fit.hpp"

TEST_CASE("fit uses the settings that the library recommends") {
  const TemporaryFolder folder;
  arma::mat X(2, 60);
  arma::vec y(60);
  lacp::Stream stream(1);
  std::string csv = "a,b,y\n";
  for (arma::uword n = 0; n < y.n_elem; ++n) {
    X(0, n) = stream.normal();
    X(1, n) = stream.normal();
    y(n) = 10.0 + X(0, n) * (1.0 + stream.normal());
    csv += fmt::format("{},{},{}\n", X(0, n), X(1, n), y(n));
  }
  lacp::write_file(folder / "t.csv", csv);
  must_run({"fit", (folder / "t.csv").string(), "--model", (folder / "m.lacp").string(), "--set",
            "training.epochs=3", "network.hidden=[8]"});
  lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
  settings.training.epochs = 3;
  settings.network.hidden = {8};
  settings.calibration_folds = 10;  // with fewer than 1,000 rows
  const lacp::LocalPredictor ours = lacp::LocalPredictor::fit(X, y, settings);
  CHECK(lacp::TableModel::load(folder / "m.lacp").predictor().to_bytes() == ours.to_bytes());
}

TEST_CASE("of many rows 50,000 calibrate, unless shares or classes are asked for") {
  const auto calibrating = [](std::size_t rows, const lacp::FitOptions& options) {
    lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
    lacp::share_rows(settings, {lacp::Level(0.1)}, rows, options);
    CHECK(settings.proper + settings.train + settings.calibration == doctest::Approx(1.0));
    return settings.calibration * static_cast<double>(rows);
  };
  CHECK(calibrating(100'000, {}) == doctest::Approx(20'000));
  CHECK(calibrating(1'000'000, {}) == doctest::Approx(50'000));
  lacp::FitOptions by;
  by.by = "city";
  CHECK(calibrating(1'000'000, by) == doctest::Approx(200'000));
  lacp::FitOptions shares;
  shares.set = {"split.test=0.3"};
  CHECK(calibrating(1'000'000, shares) == doctest::Approx(200'000));  // as it is without them
}
