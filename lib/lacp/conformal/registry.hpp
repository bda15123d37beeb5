#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/options.hpp"

namespace lacp {

struct Method;

/// What can be said of a method without any mathematics.
struct MethodTraits {
  std::string_view name;
  Learning learning = Learning::none;
  std::size_t outputs = 0;    ///< of its network; 0: it has none
  bool scale_family = false;  ///< intervals are f ± q·s(x)
  bool both_parts = false;    ///< it learns from the points of the centre, too
  std::string_view about, equation;
  int version = 0;
};

/// Names of all methods, in the order of Table 1, then mixture, then those added.
std::vector<std::string> method_names();

/// Of those that are a class of transformations, with a φ to train or to state.
std::vector<std::string> class_names();

/// The method of that name; UserError naming the nearest otherwise. The reference stays valid.
const Method& find_method(std::string_view name);

/// Its traits; the same error for an unknown name.
MethodTraits method_traits(std::string_view name);

/// What of the settings the method cannot be trained with.
std::optional<SettingProblem> find_problem(const Method& method, const TrainingOptions& training);

/// Adds a method, e.g. register_method(make_method<MyClass>("mine", Learning::size)), before any thread is
/// started.
void register_method(Method method);

}  // namespace lacp
