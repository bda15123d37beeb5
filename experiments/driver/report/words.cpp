#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "lacp/table/csv.hpp"

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

std::string_view embedded(std::string_view name) {
  return std::ranges::find(embedded_files(), name, &EmbeddedFile::name)->text;
}

const Row& method_style(std::string_view method) {
  static const Frame styles =
      parse_frame(std::string(embedded("figures/methods.csv")), "experiments/figures/methods.csv");
  return *std::ranges::find_if(styles, [&](const Row& style) {
    const std::string_view name = style["method"];
    return name.ends_with('*') ? method.starts_with(name.substr(0, name.size() - 1)) : method == name;
  });
}

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

std::string folded(std::string_view summary, std::string_view content, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n\n{}\n</details>\n\n", open ? " open" : "", summary,
                     content);
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

std::string mean_and_std(const Row& row, const std::string& quantity) {
  return display(row.number(quantity + "_mean")) + " ± " + display(row.number(quantity + "_std"));
}

std::string short_mean_and_std(const Row& row, const std::string& quantity) {
  const double deviation = row.number(quantity + "_std");
  return display(row.number(quantity + "_mean")) + (std::isnan(deviation) ? "" : "±" + display(deviation));
}

std::string percent(double ratio) {
  if (!std::isfinite(ratio)) return std::isnan(ratio) ? "–" : "∞";
  if (ratio >= 10.0) return fmt::format("× {:.3g}", ratio);
  const double change = 100.0 * (ratio - 1.0);
  return fmt::format("{}{:.1f} %", change < 0.0 ? "−" : "+", std::abs(change));
}

std::string percent(double ratio, double lower, double upper, bool significant) {
  const std::string bold = significant ? "**" : "", mean = bold + percent(ratio) + bold;
  if (!std::isfinite(ratio) || !std::isfinite(upper)) return mean;
  const auto end = [](double r) {
    return fmt::format("{}{:.1f}", r < 1.0 ? "−" : "+", std::abs(100.0 * (r - 1.0)));
  };
  return fmt::format("{} [{}, {}]", mean, end(lower), end(upper));
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

std::string json_text(std::string_view text) {
  std::string valid(text), quoted = "\"";
  to_utf8(valid);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const auto c = static_cast<unsigned char>(valid[i]);
    // U+0080 to U+009F are control characters, too, and a terminal may be what reads this.
    const bool high = c == 0xc2 && i + 1 < valid.size() && static_cast<unsigned char>(valid[i + 1]) < 0xa0;
    if (c == '"' || c == '\\')
      quoted.append(1, '\\').append(1, valid[i]);
    else if (high)
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(valid[++i]));
    else if (turns_text(std::string_view(valid).substr(i, 3))) {
      quoted += fmt::format("\\u20{:02x}", (valid[i + 1] & 0x01) << 6 | (valid[i + 2] & 0x3f));
      i += 2;
    } else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&')
      quoted += fmt::format("\\u{:04x}", c);
    else
      quoted += valid[i];
  }
  return quoted += '"';
}

std::string json_number(double value, int digits) {
  if (std::isnan(value)) return "null";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{:.{}g}", value == 0.0 ? 0.0 : value, digits);
}

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> members) {
  const auto written = [](const auto& member) { return json_text(member.first) + ":" + member.second; };
  return "{" + join_each(members, ",\n", written) + "}";
}

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

}  // namespace lacp
