#include "lacp/conformal/registry.hpp"

#include <deque>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/classes/make_method.hpp"
#include "lacp/classes/transformations.hpp"
#include "models/methods/baselines.hpp"

namespace lacp {
namespace {

Method adapt_method() {
  TransformationClass power = make_class<Power>(Learning::adaptation);
  power.adaptations = {0.25, 0.5, 0.75, 1.0};
  return make_method(std::move(power), "adapt",
                     "sizes follow the local error to the power θ that validates best; 0 is fixed",
                     "s = e^(−θg/2), g from min mean log s + log mean √A/s");
}

constexpr const char* as_exp = "for one g the intervals of exp";

// A deque, so that references to methods stay valid when another one is added.
std::deque<Method> methods_of_the_library() {
  std::deque<Method> all = {
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
      adapt_method(),
  };
  for (Method& method : neighbour_methods()) all.push_back(std::move(method));
  for (Method (*make)() : {cqr_method, ml_method, forest_method}) all.push_back(make());
  return all;
}

std::deque<Method>& registered() {
  static std::deque<Method> all = methods_of_the_library();
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
    if (method.transformation != nullptr) names.push_back(method.name);
  return names;
}

bool learns_from_errors(const Method& method) {
  return !method.both_parts && !(method.transformation && method.learning == Learning::none);
}

const Method& find_method(std::string_view name) {
  const auto& all = registered();
  const auto found = std::ranges::find(all, name, &Method::name);
  if (found != all.end()) return *found;
  const std::vector<std::string> names = method_names();
  user_error("no method is called {}{}; there are: {}", show_text(name), did_you_mean(name, names),
             join(names, ", "));
}

const TransformationClass& find_class(std::string_view name) {
  const Method& method = find_method(name);
  if (method.transformation == nullptr) throw std::logic_error(method.name + " has no transformation");
  return *method.transformation;
}

Method make_method(TransformationClass transformation, std::string name, std::string about,
                   std::string equation) {
  Method method{.name = std::move(name), .about = std::move(about), .equation = std::move(equation)};
  method.learning = transformation.learning;
  method.scale_family = transformation.scales != nullptr;
  method.transformation = std::make_shared<TransformationClass>(std::move(transformation));
  return method;
}

void register_method(Method method) {
  const auto names = method_names();
  if (std::ranges::find(names, method.name) != names.end())
    user_error("a method '{}' exists already", method.name);
  registered().push_back(std::move(method));
}

}  // namespace lacp
