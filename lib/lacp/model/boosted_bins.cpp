#include "lacp/model/boosted_bins.hpp"

#include <algorithm>
#include <numeric>

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

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of) {
  BinnedAttributes out{.rows = X.n_cols, .cuts = {}, .codes = {}};
  out.cuts.resize(X.n_rows);
  out.codes.resize(X.n_rows * X.n_cols);
  std::vector<double> sorted(of.size());
  for (arma::uword i = 0; i < X.n_rows; ++i) {
    for (std::size_t k = 0; k < of.size(); ++k) sorted[k] = X(i, of[k]);
    std::sort(sorted.begin(), sorted.end());
    const std::vector<double>& cuts = out.cuts[i] = cuts_of(sorted, bins);
    for (arma::uword n = 0; n < X.n_cols; ++n)
      out.codes[i * X.n_cols + n] =
          static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), X(i, n)) - cuts.begin());
  }
  return out;
}

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins) {
  std::vector<std::uint32_t> all(X.n_cols);
  std::iota(all.begin(), all.end(), 0u);
  return make_bins(X, bins, all);
}

BinnedAttributes joined(BinnedAttributes first, const BinnedAttributes& second) {
  first.cuts.insert(first.cuts.end(), second.cuts.begin(), second.cuts.end());
  first.codes.insert(first.codes.end(), second.codes.begin(), second.codes.end());
  return first;
}

}  // namespace lacp
