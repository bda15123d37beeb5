#include "models/stack/member_weights.hpp"

#include <algorithm>
#include <optional>

#include "lacp/base/sums.hpp"

namespace lacp {
namespace {

/// A member with less weight is not worth what it costs in every prediction.
constexpr double least_weight = 0.02;

/// Solves A·w = b for a symmetric A; nothing where A is close to singular.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> A, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double diagonal = A[i][i];
    for (std::size_t k = 0; k < i; ++k) {
      const double by = A[i][k] / A[k][k];
      for (std::size_t j = k; j < n; ++j) A[i][j] -= by * A[k][j];
      b[i] -= by * b[k];
    }
    if (!(A[i][i] > 1e-10 * diagonal)) return std::nullopt;
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= A[i][j] * b[j];
    b[i] /= A[i][i];
  }
  return b;
}

/// Non-negative least squares for y − mean by the members' own distances from it. Of all sets of members
/// whose weights are positive by themselves, the one with the least error: there are few.
std::vector<double> all_weights_of(const Members& members, const arma::vec& y, double mean) {
  const std::size_t count = members.size();
  std::vector<std::vector<double>> A(count, std::vector<double>(count));
  std::vector<double> b(count), best(count, 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j)
      A[i][j] = A[j][i] = mean_of(arma::vec((members[i] - mean) % (members[j] - mean)));
    b[i] = mean_of(arma::vec((members[i] - mean) % (y - mean)));
  }
  double most = 0.0;  // by which the squared error falls
  for (std::size_t set = 1; set < std::size_t{1} << count; ++set) {
    std::vector<std::size_t> in;
    for (std::size_t i = 0; i < count; ++i)
      if ((set >> i & 1) != 0) in.push_back(i);
    std::vector<std::vector<double>> of_set(in.size());
    std::vector<double> right;
    for (std::size_t i = 0; i < in.size(); ++i) {
      for (const std::size_t j : in) of_set[i].push_back(A[in[i]][j]);
      right.push_back(b[in[i]]);
    }
    const auto weights = solve(of_set, right);
    if (!weights || std::ranges::any_of(*weights, [](double weight) { return !(weight >= 0.0); })) continue;
    double gain = 0.0;
    for (std::size_t i = 0; i < in.size(); ++i) gain += (*weights)[i] * right[i];
    if (!(gain > most)) continue;
    most = gain;
    std::ranges::fill(best, 0.0);
    for (std::size_t i = 0; i < in.size(); ++i) best[in[i]] = (*weights)[i];
  }
  return best;
}

}  // namespace

std::vector<double> weights_of(Members members, const arma::vec& y, double mean) {
  for (;;) {
    Members there;
    for (const arma::vec& member : members)
      if (!member.empty()) there.push_back(member);
    const std::vector<double> own = all_weights_of(there, y, mean);
    std::vector<double> weights;
    bool all = true;
    for (std::size_t i = 0, k = 0; i < members.size(); ++i) {
      weights.push_back(members[i].empty() ? 0.0 : own[k++]);
      if (weights.back() < least_weight) {
        all = all && members[i].empty();
        members[i].reset();
      }
    }
    if (all) return weights;
  }
}

arma::vec weighted(const Members& members, const std::vector<double>& weights, double mean,
                   arma::uword rows) {
  arma::vec out(rows, arma::fill::value(mean));
  for (std::size_t i = 0; i < members.size(); ++i)
    if (weights[i] > 0.0) out += weights[i] * (members[i] - mean);
  return out;
}

double gain_by(const Members& members, std::size_t which, const arma::vec& y) {
  arma::uword rows = y.n_elem;
  for (const arma::vec& member : members)
    if (!member.empty()) rows = std::min(rows, member.n_elem);
  Members first;
  for (const arma::vec& member : members)
    first.push_back(member.empty() ? arma::vec() : arma::vec(member.head(rows)));
  const arma::vec known = y.head(rows);
  const double mean = mean_of(known);
  const auto error = [&] {
    const arma::vec f = weighted(first, weights_of(first, known, mean), mean, rows);
    return mean_of(arma::vec(arma::square(f - known)));
  };
  const double with_it = error();
  first[which].reset();
  const double without_it = error();
  return without_it > 0.0 ? 1.0 - with_it / without_it : 0.0;
}

}  // namespace lacp
