#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "report/figures.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::string_view page_file(std::string_view name) {
  return std::ranges::find(page_files(), name, &PageFile::name)->text;
}

/// A checksum as browsers write it: base64 of its bytes.
std::string base64(std::string_view hexadecimal) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  // Six hexadecimal digits are three bytes are four letters.
  for (std::size_t at = 0; at < hexadecimal.size(); at += 6) {
    std::string digits(hexadecimal.substr(at, 6));
    const std::size_t bytes = digits.size() / 2;
    digits.resize(6, '0');
    const unsigned long bits = std::stoul(digits, nullptr, 16);
    for (std::size_t i = 0; i < 4; ++i) text += i <= bytes ? letters[(bits >> (18 - 6 * i)) & 63] : '=';
  }
  return text;
}

/// Replaces what stands between `before` and `after`, everywhere, by what `change` makes of it.
template <class Change>
std::string replaced(std::string_view text, std::string_view before, std::string_view after,
                     const Change& change) {
  std::string result;
  for (;;) {
    const std::size_t begin = text.find(before);
    if (begin == std::string_view::npos) return result.append(text);
    const std::size_t inner = begin + before.size(), end = text.find(after, inner);
    result.append(text.substr(0, begin)).append(change(text.substr(inner, end - inner)));
    text.remove_prefix(end + after.size());
  }
}

}  // namespace

std::string drawn_as(std::string_view choice, std::string_view method) {
  std::string_view style = std::ranges::find(figure_scripts(), "style.gp", &FigureScript::name)->text;
  const std::string start = fmt::format("\n{}(m) = ", choice);
  const std::size_t begin = style.find(start);
  if (begin == std::string_view::npos) return "";
  style.remove_prefix(begin + start.size());
  std::string text;  // the definition, whose lines end in a backslash up to its last
  for (const std::string& line : split_text(style, '\n')) {
    text.append(trim(line.ends_with('\\') ? line.substr(0, line.size() - 1) : line)).append(" ");
    if (!line.ends_with('\\')) break;
  }
  // condition ? value : condition ? value : … : value, where a condition is m eq "x" or m[1:3] eq "x", or
  // several.
  const auto holds = [&](std::string_view condition) {
    for (std::size_t at = 0; (at = condition.find(" eq \"", at)) != std::string_view::npos;) {
      const std::size_t name = at + 5, end = condition.find('"', name);
      const bool prefix = at > 0 && condition[at - 1] == ']';
      const std::string_view wanted = condition.substr(name, end - name);
      if (prefix ? method.starts_with(wanted) : method == wanted) return true;
      at = end;
    }
    return false;
  };
  const auto value = [](std::string_view word) {
    word = trim(word);
    return std::string(word.starts_with('"') ? word.substr(1, word.size() - 2) : word);
  };
  for (std::string_view rest = text;;) {
    const std::size_t end = rest.find(" : "), question = rest.find(" ? ");
    if (end == std::string_view::npos) return trim(rest) == "m" ? std::string(method) : value(rest);
    if (holds(rest.substr(0, question))) return value(rest.substr(question + 3, end - question - 3));
    rest.remove_prefix(end + 3);
  }
}

std::string page_html(const std::string& data) {
  std::string hashes;
  std::string page = replaced(page_file("page.html"), "<script src=\"", "\"></script>", [&](auto name) {
    const std::string_view script = page_file(name);
    hashes += fmt::format(" 'sha256-{}'", base64(sha256(script)));
    return fmt::format("<script>{}</script>", script);
  });
  page = replaced(page, "<link rel=\"stylesheet\" href=\"", "\">",
                  [](auto name) { return fmt::format("<style>\n{}</style>", page_file(name)); });
  page = replaced(page, "script-src 'self'", "", [&](auto) { return "script-src" + hashes; });
  return replaced(page, "<script type=\"application/json\" id=\"data\">", "</script>", [&](auto) {
    return fmt::format("<script type=\"application/json\" id=\"data\">{}</script>", data);
  });
}

fs::path write_page(const Report& report, const fs::path& folder) {
  const fs::path page = folder / "index.html";
  write_file(page, page_html(page_data(report, folder)));
  return page;
}

}  // namespace lacp
