// Ridge regression, by attributes and by rows.
#include "lacp/base/sums.hpp"
#include "made_rows.hpp"
#include "models/stack/line.hpp"

using namespace lacp;

namespace {

std::vector<HeldOut> fifths(std::size_t rows) {
  std::vector<HeldOut> folds;
  for (std::size_t k = 0; k < 5; ++k) folds.emplace_back(rows, k * rows / 5, (k + 1) * rows / 5);
  return folds;
}

}  // namespace

TEST_CASE("a line has the slopes and the constant that made the targets") {
  Stream stream(1);
  const Rows rows = made_rows(
      400, stream, [](double x0, double x1, double noise) { return 7.0 + 2.0 * x0 - x1 + 0.01 * noise; });
  const FoldLines found = fit_lines(rows.X, rows.y, fifths(400), 1);
  CHECK(found.mean.constant == near(7.0, 0.01));
  CHECK(found.mean.slopes(0) == near(2.0, 0.01));
  CHECK(found.mean.slopes(1) == near(-1.0, 0.01));
  CHECK(arma::abs(found.out - rows.y).max() < 0.1);
  CHECK(arma::all(fit_lines(rows.X, rows.y, fifths(400), 3).out == found.out));
}

TEST_CASE("with more attributes than rows the dual has the same solution, and noise a large penalty") {
  Stream stream(2);
  arma::mat X = gaussian(60, 80, stream);
  const arma::vec y = X.row(0).t() + 0.1 * gaussian(80, 1, stream).as_col();
  const FoldLines of_attributes = fit_lines(X, y, fifths(80), 1);
  X.insert_rows(60, 40);  // attributes that are 0 change nothing but the form that is solved
  const FoldLines of_rows = fit_lines(X, y, fifths(80), 1);
  CHECK(arma::abs(of_rows.out - of_attributes.out).max() < 1e-8);
  CHECK(arma::abs(of_rows.mean.slopes.head(60) - of_attributes.mean.slopes).max() < 1e-8);
  const arma::vec noise = gaussian(80, 1, stream).as_col();
  CHECK(arma::abs(fit_lines(X, noise, fifths(80), 1).mean.slopes).max() < 0.05);
}

TEST_CASE("attributes that repeat each other, or say nothing, and targets that are all alike") {
  Stream stream(3);
  arma::mat X = gaussian(1, 50, stream);
  X = arma::join_cols(X, X, arma::zeros(1, 50));
  const FoldLines found = fit_lines(X, X.row(0).t(), fifths(50), 1);
  CHECK(found.mean.slopes(0) == near(0.5, 0.01));
  CHECK(found.mean.slopes(2) == 0.0);
  CHECK(arma::all(fit_lines(X, arma::vec(50, arma::fill::value(3.0)), fifths(50), 1).out == 3.0));
  CHECK(
      fit_lines(arma::mat(3000, 3000), arma::vec(3000), fifths(3000), 1).out.empty());  // would take minutes
}
