#pragma once

#include "lacp/conformal/model_bytes.hpp"
#include "lacp/model/centre.hpp"

namespace lacp {

/// A point prediction as a part of a model file, and back. A reader refuses what no fit makes.
void write(ModelWriter& out, const Centre& centre);
Centre read_centre(ModelReader& in, CentreKind kind, std::size_t attributes);

}  // namespace lacp
