#pragma once

#include <string>
#include <vector>

#include "lacp/conformal/method.hpp"

namespace lacp {

/// All methods, in the order of Table 1, then mixture, then those added.
const std::vector<Method>& methods();

/// The method of that name; UserError naming the nearest otherwise.
const Method& find_method(const std::string& name);

/// Adds a method, e.g. register_method(make_method<MyClass>("mine", Learning::size)), before any thread is
/// started.
void register_method(Method method);

}  // namespace lacp
