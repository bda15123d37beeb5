#include "lacp/base/groups.hpp"

#include "lacp/base/error.hpp"

namespace lacp {

std::vector<std::size_t> group_starts(std::size_t n, const Groups& groups) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < n; ++i)
    if (groups.empty() || i == 0 || groups[i] != groups[i - 1]) starts.push_back(i);
  starts.push_back(n);
  return starts;
}

std::vector<std::size_t> run_starts(std::size_t n, std::size_t runs, const Groups& groups) {
  const std::vector<std::size_t> starts = group_starts(n, groups);
  std::vector<std::size_t> of_runs;
  for (std::size_t run = 0; run <= runs; ++run) of_runs.push_back(starts[(starts.size() - 1) * run / runs]);
  return of_runs;
}

std::vector<std::size_t> shuffled_rows(std::size_t n, const Groups& groups, Stream& stream) {
  const std::vector<std::size_t> starts = group_starts(n, groups);
  std::vector<std::size_t> rows;
  for (const std::size_t group : stream.permutation(starts.size() - 1))
    for (std::size_t row = starts[group]; row < starts[group + 1]; ++row) rows.push_back(row);
  return rows;
}

TwoParts divide_rows(std::size_t n, std::size_t most, const Groups& groups, Stream& stream) {
  const std::vector<std::size_t> order = shuffled_rows(n, groups, stream);
  std::size_t cut = most;
  if (!groups.empty()) {
    const std::vector<std::size_t> starts = group_starts(n, groups_of(order, groups));
    if (starts.size() < 3) user_error("rows of one group cannot be divided");
    cut = starts[1];
    for (std::size_t group = 2; group + 1 < starts.size() && starts[group] <= most; ++group)
      cut = starts[group];
  }
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(cut);
  return {.first = {order.begin(), end}, .second = {end, order.end()}};
}

}  // namespace lacp
