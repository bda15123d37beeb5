#pragma once

#include <string>
#include <string_view>

#include "lacp/base/options.hpp"

namespace lacp {

/// What a table of this content seems to be: its delimiter, and whether its first row holds names.
CsvFormat guess_format(std::string_view bytes, const std::string& source);

/// A description of a table nobody has described, from a look at all of its cells; every guess is a comment
/// in it. `file` is the name that it is to lie under, `target` the column to predict ("": the last of
/// numbers). UserError if the table cannot be read or has no such column.
std::string draft_description(std::string_view bytes, const std::string& source, const std::string& file,
                              const std::string& target);

}  // namespace lacp
