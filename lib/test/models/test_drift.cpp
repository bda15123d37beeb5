// The test of whether new rows come from the source of those that calibrate: how often it says so if they do,
// and if they do not.
#include "made_rows.hpp"

using namespace lacp;

namespace {

const Level tenth(0.1);
const auto files = static_cast<double>(seeds(4000));

/// The shares of p-values at or below 0.05 and 0.01.
struct Rejected {
  double p05 = 0.0, p01 = 0.0;

  void add(double p) {
    if (p <= 0.05) p05 += 1.0 / files;
    if (p <= 0.01) p01 += 1.0 / files;
  }
};

/// No more than four standard errors above what a p-value says; and, if it is exact, below.
void check_size(const Rejected& found, bool exact) {
  const auto error = [](double p) { return 4.0 * std::sqrt(p * (1.0 - p) / files); };
  INFO(found.p05, " ", found.p01);
  CHECK(found.p05 <= 0.05 + error(0.05));
  CHECK(found.p01 <= 0.01 + error(0.01));
  if (!exact) return;
  CHECK(found.p05 >= 0.05 - error(0.05));
  CHECK(found.p01 >= 0.01 - error(0.01));
}

/// Errors with a sign, those of new rows moved and stretched, as one model scores them.
ScoredRows errors_of(std::size_t old, std::size_t added, double shift, double stretch, double step,
                     Stream& stream) {
  ScoredRows rows{arma::vec(old + added), arma::vec(old + added), old};
  for (std::size_t i = 0; i < old + added; ++i) {
    double error = stream.normal();
    if (i >= old) error = shift + stretch * error;
    if (step > 0.0) error = step * std::round(error / step);
    rows.score(i) = std::abs(error);
    rows.side(i) = static_cast<double>(error > 0.0) - static_cast<double>(error < 0.0);
  }
  return rows;
}

PredictorSettings settings_with(const char* method, bool every_row) {
  PredictorSettings settings =
      quick_settings(method, every_row ? CentreKind::boosted : CentreKind::knn, every_row ? 5 : 0);
  settings.centre.boosted.rounds = 3;
  settings.levels = {tenth};
  settings.every_row = every_row;
  return settings;
}

}  // namespace

TEST_CASE("if all rows are of one source, the rank test rejects as often as its p-value says, ties or none") {
  Stream stream(51);
  for (const double step : {0.0, 0.5})
    for (const auto& [old, added] : {std::pair(200u, 500u), std::pair(40u, 300u), std::pair(30u, 25u)}) {
      CAPTURE(old);
      CAPTURE(step);
      Rejected found;
      for (std::size_t i = 0; i < seeds(4000); ++i)
        found.add(rank_test(errors_of(old, added, 0.0, 1.0, step, stream)).p);
      check_size(found, old >= 40);
    }
}

TEST_CASE("the rank test finds a shift of the level, and errors that grow or shrink") {
  Stream stream(52);
  for (const auto& [shift, stretch] : {std::pair(0.4, 1.0), std::pair(0.0, 1.4), std::pair(0.0, 0.7)}) {
    CAPTURE(shift);
    CAPTURE(stretch);
    Rejected found;
    DriftTest last;
    for (std::size_t i = 0; i < seeds(4000); ++i) {
      last = rank_test(errors_of(200, 200, shift, stretch, 0.0, stream));
      found.add(last.p);
    }
    INFO(found.p05, " ", found.p01);
    CHECK(found.p05 > 0.9);
    if (shift > 0.0) CHECK(last.level > 1.0);
    if (stretch != 1.0) CHECK(last.spread * (stretch - 1.0) > 0.0);
  }
}

TEST_CASE("the rank test says nothing of few rows, and 1 of rows that are all alike") {
  Stream stream(53);
  const DriftTest few = rank_test(errors_of(100, 9, 5.0, 1.0, 0.0, stream));
  CHECK(std::isnan(few.p));
  CHECK(few.new_rows == 9);
  CHECK(rank_test({arma::vec(40, arma::fill::ones), arma::vec(40, arma::fill::zeros), 20}).p == 1.0);
  // All on one side: both sums say the same. Here by hand: 10 old rows, then 10 new ones, all larger.
  arma::vec score(20);
  for (arma::uword i = 0; i < 20; ++i) score(i) = static_cast<double>(i);
  const DriftTest apart = rank_test({score, arma::vec(20, arma::fill::ones), 10});
  CHECK(apart.spread == near(50.0 / std::sqrt(175.0), 1e-12));  // U is 100 where 50 ± √175 is expected
  CHECK(apart.p == near(std::exp(-0.5 * 2500.0 / 175.0), 1e-12));
}

TEST_CASE("new rows of the source of the fit are found to differ as often as p says") {
  Stream stream(54);
  Rejected found;
  PredictorSettings settings = settings_with("fixed", false);
  for (std::size_t i = 0; i < seeds(4000); ++i) {
    settings.seed = i;
    const Rows known = made_rows(150, stream), fresh = made_rows(50, stream);
    const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings);
    found.add(model.drift_test(fresh.X, fresh.y, tenth).p);
  }
  check_size(found, false);
}

TEST_CASE("rows of an update are what new rows are compared with") {
  Stream stream(55);
  const Rows known = made_rows(60, stream), later = made_rows(60, stream), fresh = made_rows(50, stream);
  for (const bool every_row : {false, true}) {
    const LocalPredictor model = LocalPredictor::fit(known.X, known.y, settings_with("fixed", every_row));
    CHECK(model.drift_test(fresh.X, fresh.y, tenth).of_fit);
    const DriftTest found =
        model.updated(later.X, later.y, {.instead = true}).drift_test(fresh.X, fresh.y, tenth);
    CHECK(found.old_rows == 60);
    CHECK(found.new_rows == 50);
    CHECK_FALSE(found.of_fit);
    CHECK(found.p > 1e-6);
  }
}
