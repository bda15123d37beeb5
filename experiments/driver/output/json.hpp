#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lacp {

/// A text in quotes. `<`, `>` and `&` are written as escapes, so that no text can end, or begin, an element
/// of the page that the json stands in.
std::string json_text(std::string_view text);

/// A number with this many significant digits: null if it is not a number, "inf" and "-inf" as texts.
std::string json_number(double value, int digits = 10);

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members);

/// The items of a range, each as `item` writes it.
template <class Range, class Item>
std::string json_list(const Range& range, const Item& item) {
  std::string text = "[";
  for (const auto& element : range) {
    if (text.size() > 1) text += ',';
    text += item(element);
  }
  return text += ']';
}

/// The same of texts.
template <class Range>
std::string json_texts(const Range& range) {
  return json_list(range, [](const auto& text) { return json_text(text); });
}

}  // namespace lacp
