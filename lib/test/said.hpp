#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "lacp/base/error.hpp"

/// An expression that ends in a UserError whose message has this part.
#define CHECK_REFUSED(expression, part) \
  CHECK_THROWS_WITH_AS(expression, doctest::Contains(part), lacp::UserError)

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// None, one or several parts of a text.
struct Parts {
  std::vector<std::string> all;
  Parts() = default;
  Parts(const char* one) : all{one} {}
  Parts(const std::string& one) : all{one} {}
  Parts(std::initializer_list<std::string> some) : all(some) {}
};

inline void check_has(const std::string& text, const Parts& parts) {
  for (const std::string& part : parts.all) CHECK_MESSAGE(has(text, part), "'", part, "' is not in: ", text);
}

inline void check_lacks(const std::string& text, const Parts& parts) {
  for (const std::string& part : parts.all) CHECK_MESSAGE(!has(text, part), "'", part, "' is in: ", text);
}
