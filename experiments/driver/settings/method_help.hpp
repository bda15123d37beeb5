#pragma once

#include <string>

namespace lacp {

/// `lacp methods`: every method with its equation and a line of words, as the registry has them.
std::string methods_text();

/// The same as a table for the pages that list the methods.
std::string methods_markdown();

}  // namespace lacp
