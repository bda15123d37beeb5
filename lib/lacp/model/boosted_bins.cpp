#include "lacp/model/boosted_bins.hpp"

#include <algorithm>

namespace lacp {
namespace {

/// Between a < b, so that a ≤ cut < b even where they are neighbours among the doubles.
double between(double a, double b) {
  const double middle = 0.5 * a + 0.5 * b;
  return a <= middle && middle < b ? middle : a;
}

std::vector<double> cuts_of(const std::vector<double>& sorted, std::size_t bins) {
  std::vector<double> cuts, distinct;
  for (const double x : sorted) {
    if (distinct.empty() || x != distinct.back()) distinct.push_back(x);
    if (distinct.size() > bins) break;
  }
  if (distinct.size() <= bins) {
    for (std::size_t i = 1; i < distinct.size(); ++i) cuts.push_back(between(distinct[i - 1], distinct[i]));
    return cuts;
  }
  for (std::size_t j = 1; j < bins; ++j) {  // the value at (n − 1)·j/bins, or between its two neighbours
    const std::size_t place = (sorted.size() - 1) * j, low = place / bins;
    const double a = sorted[low], b = sorted[low + (place % bins != 0 ? 1 : 0)];
    const double cut = a < b ? between(a, b) : a;
    if (cut < sorted.back() && (cuts.empty() || cut > cuts.back())) cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins) {
  BinnedAttributes out{.rows = X.n_cols, .cuts = {}, .codes = {}};
  out.cuts.resize(X.n_rows);
  out.codes.resize(X.n_rows * X.n_cols);
  std::vector<double> values(X.n_cols), sorted;
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    for (arma::uword n = 0; n < X.n_cols; ++n) values[n] = X(i, n);
    sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::vector<double>& cuts = out.cuts[i];
    cuts = cuts_of(sorted, bins);
    std::uint8_t* codes = out.codes.data() + i * X.n_cols;
    for (arma::uword n = 0; n < X.n_cols; ++n)
      codes[n] =
          static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), values[n]) - cuts.begin());
  }
  return out;
}

}  // namespace lacp
