#include <algorithm>
#include <array>

#include "lacp/table/csv.hpp"

namespace lacp {
namespace {

/// How many bytes a character in UTF-8 has that begins with this one, which is not ASCII; 0 if none does.
std::size_t length_of_character(unsigned char first) {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/// Where the first byte is that belongs to no character in UTF-8; the size if there is none.
std::size_t first_wrong(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(i < text.size() ? text[i] : 0); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned char c = byte(i), next = byte(i + 1);
    if (c < 0x80) continue;
    const std::size_t length = length_of_character(c);
    // Longer than need be, halves of pairs, and beyond the last character.
    bool wrong = length == 0 || (c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) ||
                 (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f);
    for (std::size_t j = 1; j < length; ++j) wrong = wrong || (byte(i + j) & 0xc0) != 0x80;
    if (wrong) return i;
    i += length - 1;
  }
  return text.size();
}

void append(std::string& out, unsigned code) {
  const auto add = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xc0 | code >> 6), add(0x80 | (code & 0x3f));
  add(0xe0 | code >> 12);
  add(0x80 | (code >> 6 & 0x3f));
  add(0x80 | (code & 0x3f));
}

/// What Windows has at 0x80 to 0x9f; the five without a character stay control characters.
constexpr std::array<unsigned, 32> of_windows{0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021,
                                              0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d,   0x017d, 0x8f,
                                              0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                              0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

}  // namespace

std::size_t to_utf8(std::string& bytes) {
  std::size_t lines = 0, done = 0;  // bytes that are in `out`
  std::string out;
  for (std::size_t at = first_wrong(bytes); at < bytes.size();) {
    const std::size_t begin = std::string_view(bytes).substr(0, at).rfind('\n') + 1,  // npos + 1 is 0
        end = std::min(bytes.find('\n', at), bytes.size());
    out.append(bytes, done, begin - done);
    for (std::size_t i = begin; i < end; ++i) {
      const auto c = static_cast<unsigned char>(bytes[i]);
      append(out, c >= 0x80 && c < 0xa0 ? of_windows[c - 0x80u] : c);
    }
    ++lines;
    done = end;
    at = end + first_wrong(std::string_view(bytes).substr(end));
  }
  if (lines > 0) bytes = out.append(bytes, done);
  return lines;
}

}  // namespace lacp
