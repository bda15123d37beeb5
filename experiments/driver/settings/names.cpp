#include "settings/names.hpp"

#include <algorithm>
#include <cctype>

namespace lacp {

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= 100 && std::isalnum(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
         });
}

}  // namespace lacp
