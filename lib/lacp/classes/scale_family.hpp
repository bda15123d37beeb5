#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "lacp/base/math.hpp"
#include "lacp/classes/transformation_class.hpp"
#include "lacp/conformal/intervals.hpp"

namespace lacp {

/// What transformations.hpp calls a scale family.
template <class F>
concept ScaleFamily = requires(const F family, double g) {
  F(TransformationOptions{});
  family.log_scale(g);
  family.log_scale_slope(g);
};

/// Scores, intervals and the size objective of a scale family, in the logarithm, where little overflows. The
/// transformed score is r = log A − 2 log s, and φ_m⁻¹(φ_n(A_n)) = exp(r_n + 2 log s_m).
template <ScaleFamily F>
class ScaleFamilyRules {
 public:
  explicit ScaleFamilyRules(const TransformationOptions& options) : family_(options) {}

  /// Of the point n.
  double score(double log_a, const arma::mat& g, const arma::vec& v, arma::uword n) const {
    return score(log_a, output(g, v, n));
  }
  double half_width(double q, const arma::mat& g, const arma::vec& v, arma::uword n) const {
    return math::exp(0.5 * limited(q) + family_.log_scale(output(g, v, n)));
  }
  double scale(const arma::mat& g, const arma::vec& v, arma::uword n) const {
    return math::exp(family_.log_scale(output(g, v, n)));
  }

  /// The objective of the options, in u = p r and t = 2p log s with p = 1/2 (the paper) or 1.
  double size_loss(const ObjectiveOptions& options, const arma::vec& log_a, const arma::mat& g,
                   const arma::vec&, arma::mat& gradient, arma::vec& v_gradient,
                   ObjectiveScratch& scratch) const {
    v_gradient.zeros();
    const double p = options.released.square_root ? 0.5 : 1.0;
    fill(p, log_a, g, scratch);
    if (options.kind == Objective::one_level) return one_level(options, p, g, gradient, scratch);
    return options.loss == Loss::logarithm ? log_all_levels(options, p, g, gradient, scratch)
                                           : all_levels(options, p, g, gradient, scratch);
  }

  /// ℓ_1 = mean log s + log mean(|r|/s), r = f − y: the likelihood of Laplace errors. Its minimum is at s in
  /// proportion to E[|r| | x]; the unit of s does not matter. log(|r|/s) is u at p = 1/2, and log s is t.
  double adaptation_loss(const arma::vec& log_a, const arma::mat& g, arma::mat& gradient,
                         arma::vec& v_gradient, ObjectiveScratch& scratch) const {
    v_gradient.zeros();
    fill(0.5, log_a, g, scratch);
    const std::size_t n = g.n_cols;
    const auto& [u, t, free] = scratch.columns;
    const double top = *std::max_element(u.data(), u.data() + n);
    if (top == -HUGE_VAL) {
      gradient.zeros();
      return 0.0;
    }  // every error is zero
    std::vector<double>& part = scratch.others[0];
    double ratios = 0.0, logs = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      ratios += part[i] = math::exp(u[i] - top);
      logs += t[i];
    }
    const double unit = 1.0 / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
      gradient(0, i) = (unit - free[i] * (part[i] / ratios)) * family_.log_scale_slope(g(0, i));
    return logs / static_cast<double>(n) + (top + math::log(ratios / static_cast<double>(n)));
  }

 private:
  /// ℓ_all (Section 2.7) on a batch, mean over pairs n ≠ m of [φ_m⁻¹(φ_n(A_n))]^p. It separates:
  /// Σ_{n≠m} = (Σ_n e^{u_n})(Σ_m e^{t_m}) − Σ_n e^{u_n + t_n}: O(B).
  double all_levels(const ObjectiveOptions& options, double p, const arma::mat& g, arma::mat& gradient,
                    ObjectiveScratch& scratch) const {
    const std::size_t n = g.n_cols;
    const auto& [u, t, free] = scratch.columns;
    // The largest exponents are taken out of both sums: the sums then lie between 1 and B.
    const double u_top = *std::max_element(u.data(), u.data() + n);
    const double t_top = *std::max_element(t.data(), t.data() + n);
    if (u_top == -HUGE_VAL) {
      gradient.zeros();
      return 0.0;
    }  // every score is zero
    double u_sum = 0.0, t_sum = 0.0, diagonal = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      u_sum += math::exp(u[i] - u_top);
      t_sum += math::exp(t[i] - t_top);
      diagonal += math::exp(u[i] + t[i] - u_top - t_top);
    }
    const double unit = math::exp(u_top + t_top) / pair_count(n, options);
    for (std::size_t i = 0; i < n; ++i) {
      const double eu = math::exp(u[i] - u_top), et = math::exp(t[i] - t_top), both = eu * et;
      const double by_t = et * u_sum - both;              // as the test object m
      const double by_u = free[i] * (eu * t_sum - both);  // as the calibration object n: du/dt = −1 or 0
      gradient(0, i) = unit * 2.0 * p * (by_t - by_u) * family_.log_scale_slope(g(0, i));
    }
    return unit * (u_sum * t_sum - diagonal);
  }

  /// log ℓ_all. With W_m the share of the test object m in the sum over pairs and V_n that of the calibration
  /// object n, ∂ log ℓ/∂t_m = W_m and ∂ log ℓ/∂u_n = V_n: a gradient between −1 and 1 times 2p and the slope.
  /// "All but one" is summed from both sides, not by subtraction: one pair may be all there is.
  double log_all_levels(const ObjectiveOptions& options, double p, const arma::mat& g, arma::mat& gradient,
                        ObjectiveScratch& scratch) const {
    const std::size_t n = g.n_cols;
    const auto& [u, t, free] = scratch.columns;
    auto& [other_u, other_t] = scratch.others;
    log_sums_from_both_ends(u, t, n, scratch.others, scratch.after);
    double total = -HUGE_VAL;
    for (std::size_t m = 0; m < n; ++m) {
      other_u[m] = log_add(other_u[m], scratch.after[0][m]);
      other_t[m] = log_add(other_t[m], scratch.after[1][m]);
      total = log_add(total, t[m] + other_u[m]);
    }
    if (total == -HUGE_VAL) {
      gradient.zeros();
      return 0.0;
    }  // every score is zero: nothing to learn
    for (std::size_t i = 0; i < n; ++i) {
      const double as_test = math::exp(t[i] + other_u[i] - total);
      const double as_calibration = free[i] * math::exp(u[i] + other_t[i] - total);
      gradient(0, i) = 2.0 * p * (as_test - as_calibration) * family_.log_scale_slope(g(0, i));
    }
    return total - math::log(pair_count(n, options));
  }

  /// ℓ_α (Section 2.7) by leave-one-out on the batch: the mean over m of [φ_m⁻¹(q̂_m)]^p, q̂_m the rank-th
  /// smallest of the other scores. Which score that is, is held fixed for the gradient.
  double one_level(const ObjectiveOptions& options, double p, const arma::mat& g, arma::mat& gradient,
                   ObjectiveScratch& scratch) const {
    const std::size_t n = g.n_cols;
    const auto& [u, t, free] = scratch.columns;
    const LeaveOneOutRank chosen(options.level, u, n, scratch.order);
    const bool logarithm = options.loss == Loss::logarithm;
    double top = logarithm ? -HUGE_VAL : 0.0;  // for log ℓ_α the largest exponent is taken out
    for (std::size_t m = 0; logarithm && m < n; ++m) top = std::max(top, u[chosen(m)] + t[m]);
    gradient.zeros();
    if (top == -HUGE_VAL) return 0.0;  // every size is zero: nothing to learn
    double sum = 0.0;
    for (std::size_t m = 0; m < n; ++m) {
      const std::size_t c = chosen(m);
      const double term = math::exp(u[c] + t[m] - top);
      sum += term;
      gradient(0, m) += term;
      gradient(0, c) -= free[c] * term;
    }
    const double divisor = logarithm ? sum : static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
      gradient(0, i) *= 2.0 * p * family_.log_scale_slope(g(0, i)) / divisor;
    return logarithm ? top + math::log(sum / static_cast<double>(n)) : sum / static_cast<double>(n);
  }

  /// log(e^a + e^b).
  static double log_add(double a, double b) {
    if (!(a >= b)) std::swap(a, b);  // so that a nan stays one
    return b == -HUGE_VAL ? a : a + math::log1p(math::exp(b - a));
  }

  /// log Σ_{k<i} e^{x_k} and log Σ_{k>i} e^{x_k} for each i, of two lists: each sum waits for the one before,
  /// so the processor works on all four at once.
  static void log_sums_from_both_ends(const std::vector<double>& x, const std::vector<double>& y,
                                      std::size_t n, std::array<std::vector<double>, 2>& before,
                                      std::array<std::vector<double>, 2>& after) {
    double x_before = -HUGE_VAL, y_before = -HUGE_VAL, x_after = -HUGE_VAL, y_after = -HUGE_VAL;
    for (std::size_t i = 0, j = n; j-- > 0; ++i) {
      before[0][i] = x_before;
      x_before = log_add(x_before, x[i]);
      before[1][i] = y_before;
      y_before = log_add(y_before, y[i]);
      after[0][j] = x_after;
      x_after = log_add(x_after, x[j]);
      after[1][j] = y_after;
      y_after = log_add(y_after, y[j]);
    }
  }

  /// g at a point: none without a network, and changed by v for a class that has one (Power).
  static double output(const arma::mat& g, [[maybe_unused]] const arma::vec& v, arma::uword n) {
    if (g.n_rows == 0) return 0.0;
    if constexpr (requires { F::output(g(0, n), v); })
      return F::output(g(0, n), v);
    else
      return g(0, n);
  }

  double score(double log_a, double g) const { return log_score(log_a) - 2.0 * family_.log_scale(g); }

  double log_score(double log_a) const {
    if constexpr (requires { family_.log_score(log_a); })
      return family_.log_score(log_a);
    else
      return log_a;
  }

  double limited(double r) const {
    if constexpr (requires { family_.score_limit(); })
      return std::isinf(r) && r > 0.0 ? r : std::clamp(r, -family_.score_limit(), family_.score_limit());
    else
      return r;
  }

  /// u, t, and whether u still moves with g (it does not where the score is limited).
  void fill(double p, const arma::vec& log_a, const arma::mat& g, ObjectiveScratch& scratch) const {
    auto& [u, t, free] = scratch.columns;
    for (std::size_t i = 0; i < log_a.n_elem; ++i) {
      const double r = score(log_a(i), g(0, i)), kept = limited(r);
      u[i] = p * kept;
      t[i] = 2.0 * p * family_.log_scale(g(0, i));
      free[i] = kept == r ? 1.0 : 0.0;
    }
  }

  F family_;
};

}  // namespace lacp
