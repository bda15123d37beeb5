#pragma once

#include <string>

namespace lacp {

/// Refuses, with a UserError, a yaml text that would cost more to read than a description ever needs: more
/// than a megabyte, 100,000 values, 1,000 keys in one mapping or 64 levels; and aliases, by which a short
/// text can stand for a huge one. Reading what passes takes at most 128 MB.
void refuse_costly_yaml(const std::string& text, const std::string& source_name);

}  // namespace lacp
