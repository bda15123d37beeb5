#include "models/trees/bins.hpp"

#include <array>
#include <numeric>
#include <type_traits>

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
  bins.by_row.clear();
  bins.others.clear();
  bins.first_other.clear();
  std::vector<std::size_t> first_bins{0};
  for (const std::vector<double>& cuts : bins.cuts) first_bins.push_back(first_bins.back() + cuts.size() + 1);
  if (others > bins.codes.size() / 2 && first_bins.back() <= std::size_t{1} << 16) {
    bins.by_row.resize(bins.codes.size());
    in_blocks(bins.rows, 4096, jobs, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = 0; a < width; ++a)
        for (std::size_t n = begin; n < end; ++n)
          bins.by_row[n * width + a] = static_cast<std::uint16_t>(first_bins[a] + bins.of(a)[n]);
    });
    return;
  }
  bins.others.reserve(others);
  for (std::size_t n = 0; n < bins.rows; ++n) {
    bins.first_other.push_back(bins.others.size());
    for (std::size_t a = 0; a < width; ++a)
      if (const std::uint8_t code = bins.of(a)[n]; code != bins.frequent[a])
        bins.others.push_back(static_cast<std::uint32_t>(first_bins[a] + code));
  }
  bins.first_other.push_back(bins.others.size());
}

}  // namespace

void code_numbers(std::span<const double> cuts, Strided<const double> numbers, std::size_t count,
                  Strided<std::uint8_t> codes) {
  constexpr std::size_t lanes = 8;
  std::size_t first = 0;
  // A binary search without jumps that a processor would have to guess, of several numbers side by side.
  const auto code = [&]<std::size_t some>(std::integral_constant<std::size_t, some>) {
    double x[some];
    std::size_t at[some] = {};
    for (std::size_t l = 0; l < some; ++l) x[l] = numbers[first + l];
    for (std::size_t left = cuts.size(); left > 0;) {
      const std::size_t step = (left + 1) / 2;
      for (std::size_t l = 0; l < some; ++l)
        at[l] += step & (std::size_t{0} - std::size_t{cuts[at[l] + step - 1] < x[l]});
      left -= step;
    }
    for (std::size_t l = 0; l < some; ++l) codes[first + l] = static_cast<std::uint8_t>(at[l]);
    first += some;
  };
  while (first + lanes <= count) code(std::integral_constant<std::size_t, lanes>());
  while (first < count) code(std::integral_constant<std::size_t, 1>());
}

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
      for (std::size_t i = begin; i < end; ++i) values[i - begin][k] = X(i, of[k]) + 0.0;  // +0 for −0
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::sort(values[i - begin]);
      out.cuts[i] = cuts_of(values[i - begin], bins);
    }
    for (std::size_t i = begin; i < end; ++i)
      code_numbers(out.cuts[i], {X.memptr() + i, X.n_rows}, out.rows, {out.codes.data() + i * out.rows, 1});
  });
  fill_by_row(out, jobs);
  return out;
}

BinnedAttributes make_bins(const arma::mat& X, std::size_t bins, std::size_t jobs) {
  std::vector<std::uint32_t> all(X.n_cols);
  std::iota(all.begin(), all.end(), 0u);
  return make_bins(X, bins, all, jobs);
}

}  // namespace lacp
