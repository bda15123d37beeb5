#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace lacp {
namespace {

/// The text with a blank for each control character, U+0080 to U+009F among them.
std::string without_controls(std::string_view text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool pair = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    safe += byte < 0x20 || byte == 0x7f || pair ? ' ' : text[i];
    i += pair ? 1 : 0;
  }
  return safe;
}

}  // namespace

std::string method_label(std::string_view method) {
  const std::string& label = method_style(method)["label"];
  return label.empty() ? std::string(method) : label;
}

std::string method_label_tex(std::string_view method) {
  const std::string label = method_label(method);
  const std::size_t end = std::min(label.find(" ("), label.size());  // what is in brackets is no name
  return "\\texttt{" + tex_escape(label.substr(0, end)) + "}" + tex_escape(label.substr(end));
}

std::string tex_escape(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    if (std::string_view("~^_%&#${}\\").find(c) != std::string_view::npos) safe += '\\';
    safe += c == '\\' ? "textbackslash" : std::string(1, c);
    if (c == '~' || c == '^' || c == '\\') safe += "{}";
  }
  return safe;
}

std::string tex_text(std::string_view text) {
  std::string safe = tex_escape(text);
  for (const auto& [sign, formula] : {std::pair("α", "$\\alpha$"), {"−", "$-$"}})
    for (std::size_t at = safe.find(sign); at != safe.npos; at = safe.find(sign, at))
      safe.replace(at, std::string_view(sign).size(), formula);
  return safe;
}

std::string markdown_text(std::string_view text) {
  std::string safe;
  for (const char c : without_controls(text)) {
    if (std::string_view("\\`*_[]<>&~#$").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string markdown_code(std::string_view text) {
  std::string safe = "`";
  for (const char c : without_controls(text)) safe += c == '`' ? '\'' : c;
  return safe + "`";
}

std::string markdown_link(std::string_view path) {
  std::string safe;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) || std::string_view("/._-").find(c) != std::string_view::npos)
      safe += c;
    else
      safe += fmt::format("%{:02X}", byte);
  }
  return safe;
}

std::string tex_number(double value) {
  if (std::isnan(value)) return "\\textrm{--}";
  if (std::isinf(value)) return "\\infty";
  if (std::abs(value) < 1e4) return fmt::format("{:.3f}", value);
  const std::string text = fmt::format("{:.1e}", value);
  const std::size_t e = text.find('e');
  return fmt::format("{}{{\\cdot}}10^{{{}}}", text.substr(0, e), std::stoi(text.substr(e + 1)));
}

std::string mean_and_std(const Moments& m) { return display(m.mean) + " ± " + display(m.deviation); }

std::string short_mean_and_std(const Moments& m) {
  return display(m.mean) + (std::isnan(m.deviation) ? "" : "±" + display(m.deviation));
}

std::string percent_change(double ratio) {
  if (!std::isfinite(ratio)) return std::isnan(ratio) ? "–" : "∞";
  if (ratio >= 10.0) return fmt::format("× {:.3g}", ratio);
  const double change = 100.0 * (ratio - 1.0);
  return fmt::format("{}{:.1f} %", change < 0.0 ? "−" : "+", std::abs(change));
}

std::string percent_change(const PairedInterval& ratio) {
  const std::string mean = percent_change(ratio.mean);
  if (!std::isfinite(ratio.mean) || !std::isfinite(ratio.upper)) return mean;
  const auto end = [](double r) {
    return fmt::format("{}{:.1f}", r < 1.0 ? "−" : "+", std::abs(100.0 * (r - 1.0)));
  };
  return fmt::format("{} [{}, {}]", mean, end(ratio.lower), end(ratio.upper));
}

void WideTable::set(const std::vector<std::string>& row, const std::string& column, const std::string& text) {
  const auto is_it = [&](const auto& made) { return std::equal(row.begin(), row.end(), made.begin()); };
  auto found = std::ranges::find_if(rows, is_it);
  if (found == rows.end()) found = rows.insert(found, row);
  const auto first = header.begin() + static_cast<std::ptrdiff_t>(row.size());
  const auto place = static_cast<std::size_t>(std::find(first, header.end(), column) - header.begin());
  if (place == header.size()) header.push_back(column);
  found->resize(std::max(found->size(), place + 1), "–");
  (*found)[place] = text;
}

std::string WideTable::markdown() {
  Frame table(header);
  for (std::vector<std::string>& row : rows) {
    row.resize(header.size(), "–");
    table.add({row.begin(), row.end()});
  }
  return to_markdown(table);
}

}  // namespace lacp
