// The paper's methods, and adapt, which lacp::models registers elsewhere.
#pragma once

#include "lacp/conformal/registry.hpp"

inline const bool has_adapt = (lacp::register_method(lacp::adapt_method()), true);
