#include "models/methods/methods.hpp"

#include "lacp/conformal/registry.hpp"
#include "models/methods/baselines.hpp"

namespace lacp {
namespace {

bool add_methods() {
  register_method(adapt_method());
  for (Method& method : neighbour_methods()) register_method(std::move(method));
  for (Method (*make)() : {cqr_method, ml_method, forest_method}) register_method(make());
  return true;
}

}  // namespace

bool register_models() {
  static const bool added = add_methods();
  return added;
}

}  // namespace lacp
