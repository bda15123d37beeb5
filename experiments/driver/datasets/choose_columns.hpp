#pragma once

#include "datasets/description.hpp"
#include "lacp/data/csv.hpp"

namespace lacp {

/// The columns of a table that a description takes, in the table's order, not yet fitted. UserError, with
/// line and key, if it names one that the table does not have, or one in two ways.
Columns choose_columns(const DatasetDescription& description, const CsvSource& table);

}  // namespace lacp
