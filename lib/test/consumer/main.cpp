// Uses one thing of each kind: a compiled function, yaml-cpp behind an interface, a header with Armadillo in
// it, BLAS.
#include <fmt/format.h>

#include "lacp/base/random.hpp"
#include "lacp/base/version.hpp"
#include "lacp/data/dataset.hpp"
#include "lacp/io/yaml.hpp"

int main() {
  const auto settings = lacp::YamlMap::parse("{seed: 7, rows: 3}", "built in");
  lacp::Stream stream(settings.get<std::size_t>("seed"));
  lacp::Dataset data{.name = "tiny", .X = arma::mat(2, settings.get<std::size_t>("rows"))};
  for (double& x : data.X) x = stream.uniform();
  const arma::mat product = data.X * data.X.t();
  fmt::print("{}trace {}\n", lacp::version_text(), arma::trace(product));
  return arma::trace(product) > 0 ? 0 : 1;
}
