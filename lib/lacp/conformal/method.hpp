#pragma once

#include <armadillo>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/conformal/intervals.hpp"
#include "lacp/conformal/classes/objective.hpp"

namespace lacp {

class FittedScore;
class ModelReader;
struct FitInput;
struct FitResult;
struct Localizer;
struct Method;

/// How intervals are calibrated, as far as the coverage that they promise depends on it.
struct CalibrationPlan {
  Level level;
  std::size_t points = 0;  ///< calibration points
  QuantileRule rule = QuantileRule::ceiling;
  bool leave_one_out = false;               ///< each point is calibrated by the others
  const std::vector<Level>* all = nullptr;  ///< levels that the method was fitted for; none: this one
  RowOptions rows = {};

  /// Points that calibrate one interval.
  std::size_t n() const { return points - (leave_one_out ? 1 : 0); }
};

/// Coverage of exchangeable points without ties: between these two, which are equal where it is known.
struct Promise {
  double least = 0.0, most = 1.0;

  bool operator==(const Promise&) const = default;
};

/// Of q̂ as one order statistic of all calibration scores: rank / (N + 1).
Promise promise_of_rank(const CalibrationPlan& plan);

/// Trains the transformation of a class (Section 3), and reads it back from a saved model.
FitResult fit_class(const Method& method, const FitInput& input);
std::shared_ptr<const FittedScore> read_class(const Method& method, ModelReader& in, std::size_t inputs);

/// A row of a table: how a score of (x, y) is fitted. Methods are looked up by name; see registry.hpp.
struct Method {
  std::string name;
  std::string about;     ///< what it does, in a line of words
  std::string equation;  ///< φ and s, or the score, in plain text
  int version = 0;       ///< raised when the same settings give other numbers of this method alone
  Learning learning = Learning::none;
  bool scale_family = false;  ///< intervals are f ± q·s(x), s > 0
  bool both_parts = false;    ///< needs no centre, so it learns from the first part, too

  /// Fits the score, and reads a fitted one from a saved model of this many attributes.
  FitResult (*fit)(const Method&, const FitInput&) = &fit_class;
  std::shared_ptr<const FittedScore> (*read)(const Method&, ModelReader&, std::size_t inputs) = &read_class;

  /// The coverage that its intervals promise, with one q̂ for both sides.
  Promise (*promise)(const CalibrationPlan&) = &promise_of_rank;

  // The rest is for a class of transformations, a row of Table 1, and empty for other scores. It is made from
  // a transformation struct by `make_method`. All functions work on whole batches; columns of `g` belong to
  // points, rows to outputs of the network; `v` are parameters shared by all points.

  std::size_t outputs = 0;           ///< outputs of g; 0: no network
  std::size_t shared = 0;            ///< length of v
  std::vector<double> shared_start;  ///< where v starts

  /// For Learning::adaptation: θ of ℓ_θ. If there are several, ending in 1, g is trained at θ = 1, and s to
  /// the power of the θ that validates best is used: v(0) = θ. The optimum is that of a training at θ. v(1)
  /// and v(2) are limits of g, from the rows that it was trained on (fit_localizer.cpp): far out it would
  /// make sizes of any order.
  std::vector<double> adaptations = {};

  /// Transformed scores B_n = φ_{x_n}(A_n), up to one strictly increasing function that is the same for all
  /// x. Score A = 0 is log_a = −inf.
  void (*scores)(const TransformationOptions&, const arma::vec& log_a, const arma::mat& g, const arma::vec& v,
                 arma::vec& b) = nullptr;

  /// Half-widths Δ = sqrt(φ_x⁻¹(q̂)) at each column of g, Section 2.3; q = +inf or above the codomain
  /// gives +inf, since then φ_x(A) ≤ q̂ for every A; q below the codomain gives `empty_interval`.
  void (*half_widths)(const TransformationOptions&, const arma::vec& q, const arma::mat& g,
                      const arma::vec& v, arma::vec& half_width) = nullptr;

  /// s(x) at each column of g; only for a scale family.
  void (*scales)(const TransformationOptions&, const arma::mat& g, const arma::vec& v,
                 arma::vec& s) = nullptr;

  /// Loss of a batch; fills its gradient with respect to g (which has the size of g already) and v.
  std::function<double(const TransformationOptions&, const ObjectiveOptions&, const arma::vec& log_a,
                       const arma::mat& g, const arma::vec& v, arma::mat& g_gradient, arma::vec& v_gradient,
                       ObjectiveScratch& scratch)>
      loss = nullptr;

  /// What validation compares between epochs; none: the mean size of the intervals.
  std::function<double(const Localizer&, const arma::mat& X, const arma::vec& log_a)> criterion = nullptr;
};

}  // namespace lacp
