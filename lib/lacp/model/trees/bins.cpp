#include "lacp/model/trees/bins.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "lacp/base/threads.hpp"

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

/// std::lower_bound without a branch that depends on x.
std::uint8_t code_of(const std::vector<double>& cuts, double x) {
  const double* first = cuts.data();
  std::size_t n = cuts.size();
  while (n > 1) {
    const std::size_t half = n / 2;
    first += first[half - 1] < x ? half : 0;
    n -= half;
  }
  return static_cast<std::uint8_t>(first - cuts.data() + (n == 1 && *first < x ? 1 : 0));
}

void fill_by_row(BinnedAttributes& bins, std::size_t jobs) {
  const std::size_t width = bins.cuts.size();
  std::vector<std::size_t> most(width);
  bins.frequent.assign(width, 0);
  in_blocks(width, 1, jobs, [&](std::size_t a, std::size_t) {
    std::array<std::size_t, 256> counts{};
    for (std::size_t n = 0; n < bins.rows; ++n) ++counts[bins.of(a)[n]];
    const auto place = std::ranges::max_element(counts);
    bins.frequent[a] = static_cast<std::uint8_t>(place - counts.begin());
    most[a] = *place;
  });
  const std::size_t others = bins.codes.size() - std::accumulate(most.begin(), most.end(), std::size_t{0});
  bins.by_row.clear(), bins.others.clear(), bins.first_other.clear();
  if (others > bins.codes.size() / 4 * 3 || others > std::numeric_limits<std::uint32_t>::max()) {
    bins.by_row.resize(bins.codes.size());
    in_blocks(bins.rows, 4096, jobs, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = 0; a < width; ++a)
        for (std::size_t n = begin; n < end; ++n) bins.by_row[n * width + a] = bins.of(a)[n];
    });
    return;
  }
  bins.others.reserve(others);
  for (std::size_t n = 0; n < bins.rows; ++n) {
    bins.first_other.push_back(static_cast<std::uint32_t>(bins.others.size()));
    std::size_t first_bin = 0;
    for (std::size_t a = 0; a < width; first_bin += bins.cuts[a++].size() + 1)
      if (const std::uint8_t code = bins.of(a)[n]; code != bins.frequent[a])
        bins.others.push_back(static_cast<std::uint32_t>(first_bin + code));
  }
  bins.first_other.push_back(static_cast<std::uint32_t>(bins.others.size()));
}

}  // namespace

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, TableRows of, std::size_t jobs) {
  constexpr std::size_t at_a_time = 4;  // neighbours in memory
  BinnedAttributes out;
  out.rows = X.n_cols;
  out.cuts.resize(X.n_rows);
  out.codes.resize(X.n_rows * X.n_cols);
  in_blocks(X.n_rows, at_a_time, jobs, [&](std::size_t begin, std::size_t end) {
    std::array<std::vector<double>, at_a_time> values;
    for (std::size_t i = begin; i < end; ++i) values[i - begin].resize(of.size());
    for (std::size_t k = 0; k < of.size(); ++k)
      for (std::size_t i = begin; i < end; ++i) values[i - begin][k] = X(i, of[k]);
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::sort(values[i - begin]);
      out.cuts[i] = cuts_of(values[i - begin], bins);
    }
    for (std::size_t n = 0; n < out.rows; ++n)
      for (std::size_t i = begin; i < end; ++i) out.codes[i * out.rows + n] = code_of(out.cuts[i], X(i, n));
  });
  fill_by_row(out, jobs);
  return out;
}

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, std::size_t jobs) {
  std::vector<std::uint32_t> all(X.n_cols);
  std::iota(all.begin(), all.end(), 0u);
  return make_bins(X, bins, all, jobs);
}

BinnedAttributes joined(BinnedAttributes first, const BinnedAttributes& second, std::size_t jobs) {
  first.cuts.insert(first.cuts.end(), second.cuts.begin(), second.cuts.end());
  first.codes.insert(first.codes.end(), second.codes.begin(), second.codes.end());
  fill_by_row(first, jobs);
  return first;
}

}  // namespace lacp
