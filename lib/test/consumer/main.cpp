// Uses one thing of each kind: a compiled function, the front door, a header with Armadillo in it, and what
// Armadillo does by LAPACK and by BLAS.
#include <fmt/format.h>

#include <lacp/base/random.hpp>
#include <lacp/base/version.hpp>
#include <lacp/conformal/paper/classes/make_method.hpp>
#include <lacp/conformal/paper/training/fit_localizer.hpp>
#include <lacp/lacp.hpp>
#include <lacp/table/csv_chunks.hpp>

arma::vec solved_elsewhere(const arma::mat& A, const arma::vec& b);
const char* definitions_elsewhere();

#include "definitions.hpp"

int main() {
  lacp::Stream stream(7);
  arma::mat X(3, 300);
  for (double& x : X) x = stream.normal();
  const arma::vec weights = {1, -2, 3};
  arma::vec y = X.t() * weights + 10.0;
  const arma::mat A = X * X.t();
  const arma::vec b = X * (y - 10.0);
  const double here = arma::abs(arma::solve(A, b) - weights).max();
  const double elsewhere = arma::abs(solved_elsewhere(A, b) - weights).max();
  fmt::print("{}solve: {} here, {} elsewhere; '{}' and '{}'\n", lacp::version_text(), here, elsewhere,
             armadillo_definitions(), definitions_elsewhere());
  if (here > 1e-9 || elsewhere > 1e-9) return 1;
  if (std::string(armadillo_definitions()) != definitions_elsewhere()) return 2;
  // Its headers' templates are the library's to the bit: a product is rounded before it is added to.
  const volatile double a = 1.0 + arma::datum::eps, b_rounded = 1.0 + 2.0 * arma::datum::eps;
  const double factor = a, product = b_rounded;
  if (factor * factor - product != 0.0) return 4;

  for (double& value : y) value += stream.normal();
  const auto model = lacp::LocalPredictor::fit(X, y, {.method = "fixed"});
  return model.predict(X, lacp::Level(0.1)).half_width().min() > 0.0 ? 0 : 3;
}
