#include "output/labels.hpp"

namespace lacp {

std::string method_label(std::string_view method) {
  return method == "erc_error_fit" ? "erc (error fit)" : std::string(method);
}

std::string tex_escape(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\\')
      safe += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      safe.append(1, '\\').append(1, c).append("{}");
    else if (std::string_view("_%&#${}").find(c) != std::string_view::npos)
      safe.append(1, '\\').append(1, c);
    else
      safe += c;
  }
  return safe;
}

std::string method_label_tex(std::string_view method) {
  if (method == "erc_error_fit") return "\\texttt{erc} (error fit)";
  return "\\texttt{" + tex_escape(method) + "}";
}

}  // namespace lacp
