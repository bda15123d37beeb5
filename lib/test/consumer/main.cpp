// Uses one thing of each kind: a compiled function, a header with Armadillo in it, BLAS.
#include <fmt/format.h>

#include "lacp/base/random.hpp"
#include "lacp/base/version.hpp"
#include "lacp/data/dataset.hpp"

int main() {
  lacp::Stream stream(7);
  lacp::Dataset data{.name = "tiny", .X = arma::mat(2, 3)};
  for (double& x : data.X) x = stream.uniform();
  const arma::mat product = data.X * data.X.t();
  fmt::print("{}trace {}\n", lacp::version_text(), arma::trace(product));
  return arma::trace(product) > 0 ? 0 : 1;
}
