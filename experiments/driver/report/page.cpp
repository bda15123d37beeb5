#include "report/page.hpp"

#include <fmt/format.h>

#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "report/words.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

std::string_view page_file(std::string_view name) { return embedded(fmt::format("page/{}", name)); }

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
