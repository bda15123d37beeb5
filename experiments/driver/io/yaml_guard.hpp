#pragma once

#include <cstddef>
#include <string>

namespace lacp {

/// Longer texts are not read.
inline constexpr std::size_t most_yaml_bytes = 1 << 18;

/// Refuses, with a UserError, a yaml text that would cost more to read than a description ever needs: more
/// than that, 100,000 values, 1,000 keys in one mapping or 64 levels; and aliases, by which a short
/// text can stand for a huge one. Nothing that is read or refused takes more than 128 MB.
void refuse_costly_yaml(const std::string& text, const std::string& source_name);

}  // namespace lacp
