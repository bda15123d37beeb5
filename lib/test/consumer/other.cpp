// Does not link lacp, and must mean the same by Armadillo.
#include <armadillo>

#include "definitions.hpp"

arma::vec solved_elsewhere(const arma::mat& A, const arma::vec& b) { return arma::solve(A, b); }
const char* definitions_elsewhere() { return armadillo_definitions(); }
