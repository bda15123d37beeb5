#include "lacp/conformal/registry.hpp"

#include <algorithm>
#include <deque>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

// A deque, so that references to methods stay valid when another one is added.
std::deque<Method>& registered() {
  static std::deque<Method> all = paper_methods();
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

void register_method(Method method) {
  const auto names = method_names();
  if (std::ranges::find(names, method.name) != names.end())
    user_error("a method '{}' exists already", method.name);
  registered().push_back(std::move(method));
}

}  // namespace lacp
