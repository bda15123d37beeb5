#include "common/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

bool has_colours(std::FILE* stream) {
  const char *no_colour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return ::isatty(::fileno(stream)) == 1 && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::string for_terminal(std::string_view text) {
  std::string safe;
  if (text.starts_with('\r')) {
    safe = '\r';
    text.remove_prefix(1);
  }
  while (!text.empty()) {
    std::size_t end = text.size(), length = 0;
    for (const std::string_view own : {"\n", "\t", "\033[1m", "\033[0m", "\033[K"})
      if (const std::size_t at = text.find(own); at < end) {
        end = at;
        length = own.size();
      }
    safe.append(one_line(text.substr(0, end))).append(text.substr(end, length));
    text.remove_prefix(end + length);
  }
  return safe;
}

void option_error(const std::string& option, const std::string& value, const std::string& wrong) {
  const std::string shown = option == "set" ? value : show_text(value);
  user_fault({.kind = FaultKind::option, .values = {option, value, wrong}}, "--{} {}: {}", option, shown,
             wrong);
}

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t width = text_width(text);
  return std::string(text).append(width < columns ? columns - width : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t width = text_width(text);
  return std::string(width < columns ? columns - width : 0, ' ').append(text);
}

namespace {

/// Words that a line may end behind: not between a number and its "%".
std::vector<std::string> unbroken_words(std::string_view text) {
  std::vector<std::string> words;
  for (const std::string& word : split_text(text, ' ')) {
    if (word.empty()) continue;
    if (!words.empty() && word.starts_with('%'))
      words.back() += " " + word;
    else
      words.push_back(word);
  }
  return words;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t used, std::size_t columns) {
  std::string lines;
  std::size_t at = used;
  for (const std::string& word : unbroken_words(text)) {
    const std::size_t width = text_width(word);
    if (!lines.empty() && at + 1 + width > columns) {
      lines.append("\n").append(indent, ' ');
      at = indent;
    } else if (!lines.empty()) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += width;
  }
  return lines;
}

std::string five_digits(double value) {
  const double size = std::abs(value);
  return size >= 1e4 && size < 1e12 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

std::string duration_text(double seconds) {
  const long long total = std::llround(seconds);
  if (total < 60) return fmt::format("{} s", total);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} h {:02} min", total / 3600, total / 60 % 60);
}

std::string in_columns(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                       bool words_outside) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    text.append(indent, ' ');
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool words = words_outside && (i == 0 || i + 1 == row.size());
      text.append(i > 0 ? "  " : "").append((words ? padded : padded_left)(row[i], widths[i]));
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace lacp
