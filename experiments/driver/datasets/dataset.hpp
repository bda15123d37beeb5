#pragma once

#include <armadillo>
#include <string>
#include <vector>

namespace lacp {

/// A regression data set in memory.
struct Dataset {
  std::string name;
  arma::mat X;                          ///< d × N: one column per observation
  arma::vec y;                          ///< N targets
  std::vector<std::string> attributes;  ///< names of the d rows of X
  std::string fingerprint;              ///< SHA-256 of the data file, or of the parameters of a synthetic set
  std::size_t filled = 0;  ///< cells of the file that hold nothing and are NaN in X, to be filled with means
  arma::vec sigma;         ///< synthetic sets: the noise level σ(x) of each observation; else empty
  arma::vec truth;  ///< synthetic sets: f_true(x) of each observation, so y = truth + σ ξ; else empty
};

}  // namespace lacp
