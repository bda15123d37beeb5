// Uses one thing of each kind: a compiled function, the front door, a header with Armadillo in it.
#include <fmt/format.h>

#include <lacp/base/random.hpp>
#include <lacp/base/version.hpp>
#include <lacp/classes/make_method.hpp>
#include <lacp/training/fit_localizer.hpp>
#include <models/models.hpp>
#include <table/csv_chunks.hpp>

int main() {
  fmt::print("{}", lacp::version_text());
  // Its headers' templates are the library's to the bit: a product is rounded before it is added to.
  const volatile double a = 1.0 + arma::datum::eps, b_rounded = 1.0 + 2.0 * arma::datum::eps;
  const double factor = a, product = b_rounded;
  if (factor * factor - product != 0.0) return 1;

  lacp::Stream stream(7);
  arma::mat X(3, 300);
  for (double& x : X) x = stream.normal();
  arma::vec y = X.t() * arma::vec{1, -2, 3} + 10.0;
  for (double& value : y) value += stream.normal();
  const auto model = lacp::LocalPredictor::fit(X, y, {.method = "fixed"});
  return model.predict(X, lacp::Level(0.1)).half_width().min() > 0.0 ? 0 : 2;
}
