#pragma once

#include <string>

namespace lacp {

/// A field of a csv as every reader takes it for one: in quotes if it needs them.
std::string csv_quoted(const std::string& field);

}  // namespace lacp
