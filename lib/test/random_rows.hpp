#pragma once

#include <armadillo>

#include "lacp/base/random.hpp"
#include "near.hpp"

namespace lacp {

/// Standard normal numbers.
inline arma::mat gaussian(std::size_t rows, std::size_t columns, Stream& stream) {
  arma::mat X(rows, columns);
  for (double& x : X) x = stream.normal();
  return X;
}

}  // namespace lacp
