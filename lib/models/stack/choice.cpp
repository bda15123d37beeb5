#include "models/stack/choice.hpp"

#include <cmath>

#include "lacp/base/sums.hpp"

namespace lacp {

std::size_t choose(const std::vector<arma::vec>& losses) {
  std::size_t best = 0;
  double most = 0.0;
  for (std::size_t i = 1; i < losses.size(); ++i) {
    const arma::vec gains = losses.front() - losses[i];
    if (gains.n_elem < 2) continue;
    const double gain = mean_of(gains), n = static_cast<double>(gains.n_elem);
    if (gain > most && gain > deviation_of(gains) / std::sqrt(n - 1.0)) {
      best = i;
      most = gain;
    }
  }
  return best;
}

arma::vec by_group(const std::vector<double>& losses, const Groups& groups) {
  if (groups.empty()) return losses;
  std::vector<double> sums;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (i == 0 || groups[i] != groups[i - 1]) sums.push_back(0.0);
    sums.back() += losses[i];
  }
  return sums;
}

}  // namespace lacp
