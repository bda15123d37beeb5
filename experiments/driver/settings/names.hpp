#pragma once

#include <string>

namespace lacp {

/// Whether a text can name an experiment, a data set or a method: letters, digits, '_', '-', '.', of which
/// the first is no mark. Names become folders, fields of csv files and labels in LaTeX.
bool is_name(const std::string& text);

}  // namespace lacp
