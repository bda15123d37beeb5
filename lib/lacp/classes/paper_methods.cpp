// The paper's methods, by name: each class of transformations (transformations.hpp) with how it learns; and
// adapt.

#include "lacp/classes/make_method.hpp"
#include "lacp/classes/transformations.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {
namespace {

constexpr const char* as_exp = "for one g the intervals of exp";

}  // namespace

std::deque<Method> paper_methods() {
  return {
      make_method<Erc>("erc_error_fit", Learning::error_fit,
                       "erc with g fitted to A instead of trained for small intervals",
                       "φ(A) = A / (g² + γ), s = √(g² + γ), g from min Σ (g − A)²"),
      make_method<Erc>("erc", Learning::size, "error reweighting", "φ(A) = A / (g² + γ), s = √(g² + γ)"),
      make_method<Linear>("linear", Learning::size, as_exp, "φ(A) = log A + g, s = e^(−g/2)"),
      make_method<Exp>("exp", Learning::size, "the score times e to the g", "φ(A) = A · e^g, s = e^(−g/2)"),
      make_method<Sigma>("sigma", Learning::size, as_exp, "φ(A) = 1 / (1 + e^−(log A + g)), s = e^(−g/2)"),
      make_method<Fixed>("fixed", Learning::none, "the baseline: one size", "φ(A) = A, s = 1"),
      make_method<Mixture>("mixture", Learning::size, "erc, linear, exp and sigma with trained weights",
                           "φ(A) = Σ w_k φ_k(A), w ≥ 0"),
  };
}

Method adapt_method() {
  TransformationClass power = make_class<Power>(Learning::adaptation);
  power.adaptations = {0.25, 0.5, 0.75, 1.0};
  return make_method(std::move(power), "adapt",
                     "sizes follow the local error to the power θ that validates best; 0 is fixed",
                     "s = e^(−θg/2), g from min mean log s + log mean √A/s");
}

Method make_method(TransformationClass transformation, std::string name, std::string about,
                   std::string equation) {
  Method method{.name = std::move(name), .about = std::move(about), .equation = std::move(equation)};
  method.learning = transformation.learning;
  method.scale_family = transformation.scales != nullptr;
  method.every_row = transformation.learning == Learning::none;
  method.transformation = std::make_shared<TransformationClass>(std::move(transformation));
  return method;
}

}  // namespace lacp
