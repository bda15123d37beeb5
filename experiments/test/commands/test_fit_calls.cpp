// `lacp fit` and the library make the same models.
#include "fitted_houses.hpp"
#include "lacp/conformal/predictor/predictor.hpp"
#include "lacp/table/table_model.hpp"

TEST_CASE("fit uses the settings that the library recommends") {
  const Place place;
  arma::mat X(2, 60);
  arma::vec y(60);
  const std::string csv = drawn("a,b,y", 60, [&](int i, lacp::Stream& stream) {
    const auto n = static_cast<arma::uword>(i);
    X(0, n) = stream.normal();
    X(1, n) = stream.normal();
    y(n) = 10.0 + X(0, n) * (1.0 + stream.normal());
    return fmt::format("{},{},{}", X(0, n), X(1, n), y(n));
  });
  check_ran(place.fit(place.write("t.csv", csv)), 0);
  lacp::PredictorSettings settings = lacp::PredictorSettings::recommended();
  settings.training.epochs = 3;
  settings.network.hidden = {8};
  settings.calibration_folds = 10;  // with fewer than 1,000 rows
  const lacp::LocalPredictor ours = lacp::LocalPredictor::fit(X, y, settings);
  CHECK(lacp::TableModel::load(place.at("m.lacp")).predictor().to_bytes() == ours.to_bytes());
}
