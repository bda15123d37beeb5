#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// A to Z in lower case; other letters stay.
std::string lower_case(std::string_view text);

/// "1 row", "2 rows".
std::string counted(std::size_t count, std::string_view thing);

/// The candidate nearest to `word`, if it is near enough to be what was meant. Case does not count.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

/// " (did you mean 'x'?)", or "" if nothing is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

std::vector<std::string> split_text(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string join(std::span<const std::string> parts, std::string_view separator);

/// What `text` makes of each item of a range; and that in one line.
template <class Range, class Text>
std::vector<std::string> texts_of(const Range& range, const Text& text) {
  std::vector<std::string> texts;
  for (const auto& item : range) texts.emplace_back(std::invoke(text, item));
  return texts;
}
template <class Range, class Text>
std::string join_each(const Range& range, std::string_view separator, const Text& text) {
  return join(texts_of(range, text), separator);
}

/// Whether a character of UTF-8 breaks a line or turns the direction of what follows (U+202E and the like):
/// a terminal would show another text than there is.
bool turns_text(std::string_view character);

/// The text with control characters escaped: messages stay on one line, whatever a file holds.
std::string one_line(std::string_view text);

/// The same in quotes, cut to a length that fits a message.
std::string show_text(std::string_view text, std::size_t longest = 40);

/// The first dozen texts, each as show_text has it, and how many there are if that is more.
std::string short_list(std::span<const std::string> texts);

/// A number read from the whole of `text`, independent of the locale; nothing if it is not one.
std::optional<double> parse_double(std::string_view text);
std::optional<long long> parse_integer(std::string_view text);

}  // namespace lacp
