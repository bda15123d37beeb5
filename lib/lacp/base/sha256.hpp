#pragma once

#include <string>
#include <string_view>

namespace lacp {

/// SHA-256 (FIPS 180-4) of some bytes, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// Whether a text can be such a checksum.
bool is_sha256(std::string_view text);

}  // namespace lacp
