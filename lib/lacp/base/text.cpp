#include "lacp/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

namespace lacp {
namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Insertions, deletions and replacements of a character, and swaps of neighbours, that turn `a` into `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last.back();
}

/// How many bytes a character in UTF-8 has that begins with this one.
std::size_t length_of(unsigned char first) {
  if (first < 0xc0) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest_word = 200;  // keeps a hostile name from costing quadratic time
  if (word.size() > longest_word) return std::nullopt;
  const std::string* best = nullptr;
  const std::string lower = lower_case(word);
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower, lower_case(candidate));
    const bool shares_a_letter = distance < std::max(word.size(), candidate.size());
    if (shares_a_letter && distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto found = nearest(word, candidates);
  return found ? fmt::format(" (did you mean {}?)", show_text(*found)) : "";
}

std::string counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

bool turns_text(std::string_view character) {
  constexpr std::array<std::string_view, 11> controls{"\u2028", "\u2029", "\u202a", "\u202b",
                                                      "\u202c", "\u202d", "\u202e", "\u2066",
                                                      "\u2067", "\u2068", "\u2069"};
  return std::ranges::find(controls, character) != controls.end();
}

std::string one_line(std::string_view text) {
  std::string line;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = length_of(byte(i));  // 1 if the bytes are no character
    for (std::size_t j = 1; j < length; ++j)
      if ((byte(i + j) & 0xc0) != 0x80) length = 1;
    // U+0080 to U+009F are control characters, too, in UTF-8 and as bytes of their own.
    unsigned char code = length == 1 ? byte(i) : 0xff;
    if (length == 2 && byte(i) == 0xc2) code = byte(i + 1);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
      line += fmt::format("\\x{:02x}", code);
    else if (turns_text(text.substr(i, length)))
      for (std::size_t j = 0; j < length; ++j) line += fmt::format("\\x{:02x}", byte(i + j));
    else
      line.append(text.substr(i, length));
    i += length;
  }
  return line;
}

std::string show_text(std::string_view text, std::size_t longest) {
  return fmt::format("'{}{}'", one_line(text.substr(0, longest)), text.size() > longest ? "..." : "");
}

std::string short_list(std::span<const std::string> texts) {
  constexpr std::size_t most = 12;
  std::vector<std::string> shown;
  for (const std::string& text : texts.first(std::min(most, texts.size()))) shown.push_back(show_text(text));
  return join(shown, ", ") + (texts.size() > most ? fmt::format(", ... ({} in all)", texts.size()) : "");
}

std::optional<double> parse_double(std::string_view text) { return parse<double>(text); }
std::optional<long long> parse_integer(std::string_view text) { return parse<long long>(text); }

}  // namespace lacp
