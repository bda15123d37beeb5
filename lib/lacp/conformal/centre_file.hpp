#pragma once

#include "lacp/conformal/model_bytes.hpp"
#include "lacp/model/boosted.hpp"

namespace lacp {

/// Boosted trees as a part of a model file, and back. A reader refuses trees that no fit makes.
void write(ModelWriter& out, const BoostedTrees& model);
BoostedTrees read_boosted(ModelReader& in);

}  // namespace lacp
