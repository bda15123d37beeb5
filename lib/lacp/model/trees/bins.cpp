#include "lacp/model/trees/bins.hpp"

#include <array>
#include <bit>
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

/// Numbers without NaN, in increasing order. Many are sorted byte by byte, from the last: their bits, with
/// the sign turned and, of negative ones, all others too, have the order of the numbers.
void sort_numbers(std::vector<double>& numbers) {
  constexpr std::size_t few = 1000, digits = sizeof(double);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  if (numbers.size() < few) {
    std::ranges::sort(numbers);
    return;
  }
  std::vector<std::uint64_t> keys(numbers.size()), sorted(numbers.size());
  std::array<std::array<std::size_t, 256>, digits> counts{};
  const auto digit = [](std::uint64_t key, std::size_t d) { return key >> 8 * d & 255; };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto bits = std::bit_cast<std::uint64_t>(numbers[i] + 0.0);  // +0 for −0
    keys[i] = (bits & sign) != 0 ? ~bits : bits | sign;
    for (std::size_t d = 0; d < digits; ++d) ++counts[d][digit(keys[i], d)];
  }
  for (std::size_t d = 0; d < digits; ++d) {
    if (counts[d][digit(keys[0], d)] == keys.size()) continue;  // all have the same
    std::exclusive_scan(counts[d].begin(), counts[d].end(), counts[d].begin(), std::size_t{0});
    for (const std::uint64_t key : keys) sorted[counts[d][digit(key, d)]++] = key;
    keys.swap(sorted);
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    numbers[i] = std::bit_cast<double>((keys[i] & sign) != 0 ? keys[i] ^ sign : ~keys[i]);
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
      for (std::size_t i = begin; i < end; ++i) values[i - begin][k] = X(i, of[k]);
    for (std::size_t i = begin; i < end; ++i) {
      sort_numbers(values[i - begin]);
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
