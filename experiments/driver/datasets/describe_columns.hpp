#pragma once

#include "datasets/description.hpp"

namespace lacp {

class YamlMap;

/// Reads the keys `target`, `columns` and `missing` of a description. Which columns there are is not known
/// yet.
void describe_columns(const YamlMap& yaml, DatasetDescription& description);

}  // namespace lacp
