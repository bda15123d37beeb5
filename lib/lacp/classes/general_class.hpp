#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "lacp/base/math.hpp"
#include "lacp/classes/transformation_class.hpp"
#include "lacp/conformal/intervals.hpp"

namespace lacp {

/// Any class that satisfies Assumption 1, or only its first half: at(g, v) is φ_x as a function of z = log A,
/// with phi(z), slope(z) = dφ/dz > 0 and gradient(z, by_g, by_v). Optional:
///   log_inverse(b)     std::optional<double>, empty where b lies below the codomain and +inf where it lies
///                      above
///   start(b)           a first guess for the root-finder that is used otherwise
///   improve(…) and weighted_gradient(roots, count, by_g, by_v)
///                      with start, for speed: all roots of a batch at once (roots.hpp says what
///                      improve does), and Σ_j roots.weight[j] · gradient(z_j) over the first `count` of them
/// Optional in the class itself: from_shared(v), worked out once a batch and given to at(g, …) instead of v.
template <class F>
concept GeneralClass = requires(const F family, const double* g, double z, double* out) {
  F(TransformationOptions{});
  F::outputs;
  F::shared;
  family.at(g, g).phi(z);
  family.at(g, g).slope(z);
  family.at(g, g).gradient(z, out, out);
};

/// Scores, intervals and the size objective of a general class, by pairs: O(B²), and the inverse
/// differentiated implicitly (Section 2.8): with L = log φ_m⁻¹(b), dL/db = 1/φ_m'(L) and dL/dθ = −∂_θ φ_m(L)
/// / φ_m'(L).
template <GeneralClass F>
class GeneralRules {
 public:
  explicit GeneralRules(const TransformationOptions& options) : family_(options) {}

  /// Of the point n.
  double score(double log_a, const arma::mat& g, const arma::vec& v, arma::uword n) const {
    return family_.at(g.colptr(n), v.memptr()).phi(log_a);
  }
  double half_width(double q, const arma::mat& g, const arma::vec& v, arma::uword n) const {
    if (std::isinf(q)) return q > 0.0 ? HUGE_VAL : 0.0;  // −inf is the score of A = 0
    const auto log_a = log_inverse(family_.at(g.colptr(n), v.memptr()), q);
    return log_a ? math::exp(0.5 * *log_a) : empty_interval;
  }

  /// The mean over all pairs, or at one level that over each point's pair with the score that is its q̂.
  double size_loss(const ObjectiveOptions& options, const arma::vec& log_a, const arma::mat& g,
                   const arma::vec& v, arma::mat& g_gradient, arma::vec& v_gradient,
                   ObjectiveScratch& scratch) const {
    const std::size_t n = log_a.n_elem;
    const bool one_level = options.kind == Objective::one_level;
    const Batch batch{log_a, g, from_shared(family_, v), options.released.square_root ? 0.5 : 1.0,
                      1.0 / (one_level ? static_cast<double>(n) : pair_count(n, options))};
    std::vector<double>& b = transformed(batch, scratch);
    Sum sum(options.loss, batch, scratch.columns[1], g_gradient, v_gradient);
    if (one_level) {
      const LeaveOneOutRank chosen(options.level, b, n, scratch.order);
      for (std::size_t m = 0; m < n; ++m)
        add_pair(batch, family_.at(g.colptr(m), batch.shared), chosen(m), m, b[chosen(m)], sum);
      return finish(batch, sum);
    }
    const bool sorted = at_once && scratch.sorted.set(b, n, scratch.order);
    for (std::size_t m = 0; m < n; ++m) {
      const auto at = family_.at(g.colptr(m), batch.shared);
      if constexpr (at_once)
        if (sorted && add_pairs(batch, at, m, scratch, sum)) continue;
      for (std::size_t k = 0; k < n; ++k)
        if (k != m) add_pair(batch, at, k, m, b[k], sum);
    }
    return finish(batch, sum);
  }

 private:
  using At = decltype(std::declval<const F>().at(nullptr, nullptr));
  static constexpr bool at_once = requires(const At at, Roots& roots, double* out) {
    at.start(0.0);
    at.improve(out, roots, 0, 0, true);
    at.weighted_gradient(roots, 0, out, out);
  };

  /// What φ needs of v: v itself, unless the class works something out of it.
  static auto from_shared(const F& family, const arma::vec& v) {
    if constexpr (requires { family.from_shared(v.memptr()); })
      return family.from_shared(v.memptr());
    else
      return v.memptr();
  }
  using Shared = decltype(from_shared(std::declval<const F&>(), std::declval<const arma::vec&>()));

  struct Batch {
    const arma::vec& log_a;
    const arma::mat& g;
    Shared shared;
    double p;     // power of φ⁻¹: 1/2, or 1 for the released code
    double unit;  // weight of one term in the mean
  };

  /// The terms so far and their derivatives by B_n, g and v. For the logarithm all of them are in units of
  /// e^top, top the largest exponent so far, so that nothing overflows.
  struct Sum {
    bool logarithm;
    double unit, top, terms = 0.0;
    std::vector<double>& by_b;
    arma::mat& by_g;
    arma::vec& by_v;

    Sum(Loss loss, const Batch& batch, std::vector<double>& b, arma::mat& g, arma::vec& v)
        : logarithm(loss == Loss::logarithm),
          unit(logarithm ? 1.0 : batch.unit),
          top(logarithm ? -HUGE_VAL : 0.0),
          by_b(b),
          by_g(g),
          by_v(v) {
      by_g.zeros();
      by_v.zeros();
    }

    /// e^{exponent} in the unit of the sum.
    double term(double exponent) {
      raise(exponent);
      return math::exp(exponent - top);
    }

    void raise(double exponent) {
      if (!logarithm || exponent <= top) return;
      if (terms != 0.0) scale(math::exp(top - exponent));
      top = exponent;
    }

    void scale(double factor) {
      terms *= factor;
      by_g *= factor;
      by_v *= factor;
      for (double& value : by_b) value *= factor;
    }
  };

  template <class At>
  static std::optional<double> log_inverse(const At& at, double b) {
    if constexpr (requires { at.log_inverse(b); })
      return at.log_inverse(b);
    else if constexpr (requires { at.start(b); })
      return solve_increasing(at, b, at.start(b));
    else
      return solve_increasing(at, b, 0.0);
  }

  /// B_n = φ_n(A_n) in column 0; column 1, the derivative of the sum by B_n, starts at zero. A score of zero
  /// is taken as the smallest that the root-finder knows.
  std::vector<double>& transformed(const Batch& batch, ObjectiveScratch& scratch) const {
    for (std::size_t n = 0; n < batch.log_a.n_elem; ++n) {
      scratch.columns[0][n] = family_.at(batch.g.colptr(n), batch.shared).phi(floored(batch.log_a(n)));
      scratch.columns[1][n] = 0.0;
    }
    return scratch.columns[0];
  }

  static double floored(double log_a) { return std::fmax(log_a, -widest_log); }

  /// One term [φ_m⁻¹(b_n)]^p and what it adds to the gradients through φ_m; what reaches b_n is kept in
  /// `by_b`. An empty interval has size zero and no gradient; an infinite one makes the loss infinite.
  template <class At>
  void add_pair(const Batch& batch, const At& at, std::size_t n, std::size_t m, double b, Sum& sum) const {
    const auto log_size = log_inverse(at, b);
    if (!log_size) return;
    if (!std::isfinite(*log_size)) {
      if (*log_size != -HUGE_VAL) sum.terms = *log_size;  // and stays that or becomes nan
      return;
    }
    const double term = sum.term(batch.p * *log_size);
    sum.terms += term;
    const double by_log = sum.unit * batch.p * term / at.slope(*log_size);
    sum.by_b[n] += by_log;
    std::array<double, F::outputs + F::shared + 1> partial;  // one more, so that it is never empty
    at.gradient(*log_size, partial.data(), partial.data() + F::outputs);
    for (std::size_t k = 0; k < F::outputs; ++k) sum.by_g(k, m) -= by_log * partial[k];
    for (std::size_t k = 0; k < F::shared; ++k) sum.by_v(k) -= by_log * partial[F::outputs + k];
  }

  /// add_pair for all n at once. False, and nothing added, if a root is infinite or a sum overflows.
  bool add_pairs(const Batch& batch, const At& at, std::size_t m, ObjectiveScratch& scratch, Sum& sum) const {
    const SortedScores& scores = scratch.sorted;
    Roots& roots = scratch.roots;
    if (!solve_sorted(at, scores, roots)) return false;
    const std::size_t count = scores.b().size(), largest = scores.largest_but(m);
    if (roots.exp_z[largest] == 0.0) return true;  // every interval is empty
    sum.raise(batch.p * roots.z[largest]);

    const double unit = math::exp(-sum.top), weight = sum.unit * batch.p;
    std::vector<double>& term = scratch.columns[2];
    for (std::size_t j = 0; j < count; ++j)
      term[j] = (batch.p == 0.5 ? std::sqrt(roots.exp_z[j]) : roots.exp_z[j]) * unit;
    term[scores.place(m)] = 0.0;
    double terms = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      terms += term[j];
      roots.weight[j] = weight * term[j] * roots.slope[j];
    }
    std::array<double, F::outputs + F::shared + 1> partial{};
    at.weighted_gradient(roots, count, partial.data(), partial.data() + F::outputs);
    for (const double value : partial)
      if (!std::isfinite(value)) return false;
    sum.terms += terms;
    for (std::size_t j = 0; j < count; ++j) sum.by_b[scores.index()[j]] += roots.weight[j];
    for (std::size_t k = 0; k < F::outputs; ++k) sum.by_g(k, m) -= partial[k];
    for (std::size_t k = 0; k < F::shared; ++k) sum.by_v(k) -= partial[F::outputs + k];
    return true;
  }

  /// The loss, and its whole gradient. A batch whose every size is zero teaches nothing: 0, and no gradient.
  double finish(const Batch& batch, Sum& sum) const {
    std::array<double, F::outputs + F::shared + 1> partial;  // through B_n to g and v at n
    for (std::size_t n = 0; n < batch.log_a.n_elem; ++n) {
      family_.at(batch.g.colptr(n), batch.shared)
          .gradient(floored(batch.log_a(n)), partial.data(), partial.data() + F::outputs);
      for (std::size_t k = 0; k < F::outputs; ++k) sum.by_g(k, n) += sum.by_b[n] * partial[k];
      for (std::size_t k = 0; k < F::shared; ++k) sum.by_v(k) += sum.by_b[n] * partial[F::outputs + k];
    }
    if (!sum.logarithm) return sum.terms * batch.unit;
    if (sum.terms == 0.0) return 0.0;
    const double terms = sum.terms;
    sum.scale(1.0 / terms);
    return sum.top + math::log(terms * batch.unit);
  }

  F family_;
};

}  // namespace lacp
