#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lacp/base/math.hpp"
#include "lacp/classes/transformation_class.hpp"

namespace lacp {

// The classes of transformations of Section 3. A class is one struct, and one line in registry.cpp.
//
// A *scale family* needs two functions of g, log_scale and its slope: then φ_m⁻¹(φ_n(A)) = A · (s_m / s_n)²,
// intervals are f(x) ± q·s(x), and the size objective separates (scale_family.hpp). `phi` and `inverse` state
// the class as the paper does; the tests hold both forms against each other. Optional members:
//   log_score(log A)   what stands for log A inside φ
//   score_limit()      |log φ⁻¹(B) + g| is cut at this limit
//   shared_start       parameters v that all points share, as they are while g is trained; then they are
//   chosen output(g, v)       what stands for g then
// Any other class says what φ_x is, given the outputs of g at x and the shared v (general_class.hpp).

/// Φ_0 (Section 3): φ(A) = A. The non-adaptive baseline: s = 1, no network.
struct Fixed {
  static constexpr std::size_t outputs = 0;
  explicit Fixed(const TransformationOptions&) {}
  double phi(double a, double) const { return a; }
  double inverse(double b, double) const { return b; }
  double log_scale(double) const { return 0.0; }
  double log_scale_slope(double) const { return 0.0; }
};

/// Φ_erc (Sections 2.5.2 and 3): φ_x(A) = A / (g² + γ). s = sqrt(g² + γ).
struct Erc {
  double gamma;
  explicit Erc(const TransformationOptions& options) : gamma(options.gamma) {}
  double phi(double a, double g) const { return a / (g * g + gamma); }
  double inverse(double b, double g) const { return b * (g * g + gamma); }
  double log_scale(double g) const { return 0.5 * math::log(g * g + gamma); }
  double log_scale_slope(double g) const { return g / (g * g + gamma); }
};

/// Φ_linear (Section 3): φ_x(A) = log A + g. s = e^{−g/2}.
struct Linear {
  double offset, sign;
  explicit Linear(const TransformationOptions& options)
      : offset(options.released.log_offset), sign(options.released.minus_g ? -1.0 : 1.0) {}
  double phi(double a, double g) const { return math::log(a + offset) + sign * g; }
  double inverse(double b, double g) const { return math::exp(b - sign * g); }
  double log_scale(double g) const { return -0.5 * sign * g; }
  double log_scale_slope(double) const { return -0.5 * sign; }
  double log_score(double log_a) const {
    return offset == 0.0 ? log_a : math::log(math::exp(log_a) + offset);
  }
};

/// Φ_exp (Section 3): φ_x(A) = A·e^g. s = e^{−g/2}: for the same g the intervals of Φ_linear and Φ_sigma.
struct Exp {
  explicit Exp(const TransformationOptions&) {}
  double phi(double a, double g) const { return a * math::exp(g); }
  double inverse(double b, double g) const { return b * math::exp(-g); }
  double log_scale(double g) const { return -0.5 * g; }
  double log_scale_slope(double) const { return -0.5; }
};

/// Φ_exp with s to a power: φ_x(A) = A·e^{θc}, s = e^{−θc/2}, c is g cut to [low, high]; v = {θ, low, high}.
struct Power : Exp {
  static constexpr std::size_t shared = 3;
  static constexpr std::array<double, shared> shared_start = {1.0, std::numeric_limits<double>::lowest(),
                                                              std::numeric_limits<double>::max()};
  using Exp::Exp;
  static constexpr arma::uword theta = 0, low = 1, high = 2;  // places in v
  static double output(double g, const arma::vec& v) { return v(theta) * std::clamp(g, v(low), v(high)); }
};

/// Φ_sigma (Section 3): φ_x(A) = σ(log A + g), σ logistic. s = e^{−g/2}. In logit B, where nothing saturates.
struct Sigma : Linear {
  double clamp;
  explicit Sigma(const TransformationOptions& options)
      : Linear(options), clamp(options.released.logit_clamp) {}
  double phi(double a, double g) const { return 1.0 / (1.0 + math::exp(-Linear::phi(a, g))); }
  double inverse(double b, double g) const { return Linear::inverse(math::log(b / (1.0 - b)), g); }
  double score_limit() const { return clamp == 0.0 ? HUGE_VAL : math::log((1.0 - clamp) / clamp); }
};

/// The combination that Section 4 proposes: φ_x = Σ_k w_k φ_k, w = softplus(v) ≥ 0, of Φ_erc, Φ_linear, Φ_exp
/// and Φ_sigma, each with its own output of g. In z = log A: φ = a·e^z + w_1 (z + g_1) + w_3 σ(z + g_3) with
/// a = w_0 / (g_0² + γ) + w_2 e^{g_2}. It has no closed inverse.
struct Mixture {
  static constexpr std::size_t outputs = 4, shared = 4;
  static constexpr std::array<double, shared> shared_start = {0.0, 0.0, 0.0, 0.0};  // equal weights

  double gamma;
  explicit Mixture(const TransformationOptions& options) : gamma(options.gamma) {}

  /// w = softplus(v) and its derivative.
  struct Weights {
    std::array<double, shared> value, slope;
    explicit Weights(const double* v);
  };

  /// φ_x for one x, with what does not depend on A worked out.
  class At {
   public:
    At(double gamma, const double* g, const Weights& weights);
    double phi(double z) const;
    double slope(double z) const;  ///< dφ/dz, z = log A

    /// Derivatives of φ(z) with respect to the outputs of g and to v.
    void gradient(double z, double* by_g, double* by_v) const;

    /// Just above the solution of φ(z) = b in most cases: a Newton iteration from there is monotone.
    double start(double b) const;

    /// For many roots at once (roots.hpp).
    void improve(const double* b, Roots& roots, std::size_t first, std::size_t last, bool near) const;
    void weighted_gradient(const Roots& roots, std::size_t count, double* by_g, double* by_v) const;

   private:
    template <bool near>
    void improve_from_exp(const double* b, Roots& roots, std::size_t first, std::size_t last) const;
    double sigmoid(double z) const { return 1.0 / (1.0 + sigma_shift_ * math::exp(-z)); }

    std::array<double, 4> g_, weight_, weight_slope_;
    double erc_, exp_;    // 1 / (g_0² + γ) and e^{g_2}
    double sigma_shift_;  // e^{−g_3}
    double a_;
  };

  Weights from_shared(const double* v) const { return Weights(v); }
  At at(const double* g, const Weights& weights) const { return At(gamma, g, weights); }
  At at(const double* g, const double* v) const { return at(g, Weights(v)); }
};

}  // namespace lacp
