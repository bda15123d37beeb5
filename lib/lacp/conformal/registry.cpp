#include "lacp/conformal/registry.hpp"

#include <algorithm>
#include <deque>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/make_method.hpp"
#include "lacp/conformal/transformations.hpp"

namespace lacp {
namespace {

// A deque, so that references to methods stay valid when another one is added.
std::deque<Method>& registered() {
  static std::deque<Method> all = {
      make_method<Erc>("erc_error_fit", Learning::error_fit),
      make_method<Erc>("erc", Learning::size),
      make_method<Linear>("linear", Learning::size),
      make_method<Exp>("exp", Learning::size),
      make_method<Sigma>("sigma", Learning::size),
      make_method<Fixed>("fixed", Learning::none),
      make_method<Mixture>("mixture", Learning::size),
  };
  return all;
}

}  // namespace

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method& method : registered()) names.push_back(method.name);
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
  return {.learning = method.learning, .outputs = method.outputs};
}

void register_method(Method method) {
  const auto names = method_names();
  if (std::ranges::find(names, method.name) != names.end())
    user_error("a method '{}' exists already", method.name);
  registered().push_back(std::move(method));
}

}  // namespace lacp
