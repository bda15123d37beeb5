#include "lacp/conformal/registry.hpp"

#include <algorithm>
#include <deque>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/make_method.hpp"
#include "lacp/conformal/rows.hpp"
#include "lacp/conformal/transformations.hpp"

namespace lacp {
namespace {

// A deque, so that references to methods stay valid when another one is added.
std::deque<Method>& registered() {
  static std::deque<Method> all = {
      make_method<Erc>(
          "erc_error_fit", Learning::error_fit,
          "erc with the network fitted to the squared errors A instead of trained for small intervals (\"erc (error fit)\" in tables)",
          "φ(A) = A / (g² + γ), s = √(g² + γ), g from min Σ (g − A)²"),
      make_method<Erc>(
          "erc", Learning::size,
          "error reweighting: the score is divided by the square of the network, which is trained for small intervals",
          "φ(A) = A / (g² + γ), s = √(g² + γ)"),
      make_method<Linear>(
          "linear", Learning::size,
          "the network shifts the logarithm of the score; for the same g the same intervals as exp",
          "φ(A) = log A + g, s = e^(−g/2)"),
      make_method<Exp>("exp", Learning::size, "the score is multiplied by the exponential of the network",
                       "φ(A) = A · e^g, s = e^(−g/2)"),
      make_method<Sigma>(
          "sigma", Learning::size,
          "the logistic function of the shifted logarithm; for the same g the same intervals as exp",
          "φ(A) = 1 / (1 + e^−(log A + g)), s = e^(−g/2)"),
      make_method<Fixed>("fixed", Learning::none,
                         "the baseline: one size for all x, with no network and nothing to train",
                         "φ(A) = A, s = 1"),
      make_method<Mixture>(
          "mixture", Learning::size,
          "a sum of erc, linear, exp and sigma with trained weights, each with its own output of the network; inverted numerically",
          "φ(A) = Σ w_k φ_k(A), w ≥ 0"),
      knn_error_method(),
      mondrian_method(),
      cqr_method(),
      cqr_m_method(),
      cqr_r_method(),
      ml_method(),
      uniform_method(),
      rlcp_method(),
  };
  return all;
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : registered()) names.push_back(method.name);
  return names;
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (const Method& method : registered())
    if (method.scores != nullptr) names.push_back(method.name);
  return names;
}

const Method& find_method(std::string_view name) {
  const auto& all = registered();
  const auto found = std::ranges::find(all, name, &Method::name);
  if (found != all.end()) return *found;
  const std::vector<std::string> names = method_names();
  user_error("no method is called {}{}; there are: {}", show_text(name), did_you_mean(name, names),
             join(names, ", "));
}

MethodTraits method_traits(std::string_view name) {
  const Method& method = find_method(name);
  return {.name = method.name,
          .learning = method.learning,
          .outputs = method.outputs,
          .scale_family = method.scale_family,
          .about = method.about,
          .equation = method.equation};
}

void register_method(Method method) {
  const auto names = method_names();
  if (std::ranges::find(names, method.name) != names.end())
    user_error("a method '{}' exists already", method.name);
  registered().push_back(std::move(method));
}

}  // namespace lacp
