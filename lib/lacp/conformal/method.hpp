#pragma once

#include <armadillo>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/conformal/objective.hpp"

namespace lacp {

/// A half-width that stands for an empty interval: q̂ lies below the codomain of φ_x (Section 2.5.4).
inline constexpr double empty_interval = -1.0;

/// One row of Table 1: a class of transformations and how it is trained. Made from a transformation struct by
/// `make_method` (methods are looked up by name; see registry.hpp). All functions work on whole batches;
/// columns of `g` belong to points, rows to outputs of the network; `v` are parameters shared by all points.
struct Method {
  std::string name;
  std::string about;     ///< what it does, in a line of words
  std::string equation;  ///< φ and s, in plain text
  Learning learning = Learning::none;
  std::size_t outputs = 0;           ///< outputs of g; 0: no network
  std::size_t shared = 0;            ///< length of v
  std::vector<double> shared_start;  ///< where v starts
  bool scale_family = false;         ///< intervals are f ± q·s(x)

  /// For Learning::adaptation: θ of ℓ_θ. If there are several, ending in 1, g is trained at θ = 1, and s to
  /// the power of the θ that validates best is used: v = {θ}. The optimum is that of a training at θ.
  std::vector<double> adaptations = {};

  /// Transformed scores B_n = φ_{x_n}(A_n), up to one strictly increasing function that is the same for all
  /// x. Score A = 0 is log_a = −inf.
  void (*scores)(const TransformationOptions&, const arma::vec& log_a, const arma::mat& g, const arma::vec& v,
                 arma::vec& b) = nullptr;

  /// Half-widths Δ = sqrt(φ_x⁻¹(q̂)) at each column of g, Section 2.3; q = +inf or above the codomain
  /// gives +inf, since then φ_x(A) ≤ q̂ for every A; q below the codomain gives `empty_interval`.
  void (*half_widths)(const TransformationOptions&, const arma::vec& q, const arma::mat& g,
                      const arma::vec& v, arma::vec& half_width) = nullptr;

  /// Loss of a batch; fills its gradient with respect to g (which has the size of g already) and v.
  double (*loss)(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
                 const arma::mat& g, const arma::vec& v, arma::mat& g_gradient, arma::vec& v_gradient,
                 ObjectiveScratch& scratch) = nullptr;
};

}  // namespace lacp
