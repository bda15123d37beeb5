#pragma once

#include <armadillo>
#include <vector>

namespace lacp {

/// What members predict for rows that they have not seen; one that is not there is empty, and has weight 0.
using Members = std::vector<arma::vec>;

/// Non-negative least squares for y − mean by the members' own distances from it, without members that have
/// too little weight to be worth what they cost in every prediction.
std::vector<double> weights_of(Members members, const arma::vec& y, double mean);

/// mean + Σ weight · (member − mean).
arma::vec weighted(const Members& members, const std::vector<double>& weights, double mean, arma::uword rows);

/// The part by which the squared error falls by this member, on the first rows that all members predict. The
/// first rows that they predict are the same.
double gain_by(const Members& members, std::size_t which, const arma::vec& y);

}  // namespace lacp
