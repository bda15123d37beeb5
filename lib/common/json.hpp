#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "lacp/base/text.hpp"

namespace lacp {

/// A text in quotes, `<`, `>` and `&` as escapes, so that no text can end, or begin, an element of the page
/// that the json stands in. A number with this many significant digits: null if it is not a number, "inf" and
/// "-inf" as texts.
std::string json_text(std::string_view text);
std::string json_number(double value, int digits = 10);
std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members);

/// The items of a range, each as `item` writes it, or as it is; and of texts.
template <class Range, class Item = std::identity>
std::string json_list(const Range& range, const Item& item = {}) {
  return "[" + join_each(range, ",", item) + "]";
}
template <class Range>
std::string json_texts(const Range& range) {
  return json_list(range, [](const auto& text) { return json_text(text); });
}

}  // namespace lacp
