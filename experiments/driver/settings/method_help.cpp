#include "settings/method_help.hpp"

#include <fmt/format.h>

#include "common/frame.hpp"
#include "common/layout.hpp"
#include "lacp/conformal/registry.hpp"

namespace lacp {

std::string methods_text() {
  constexpr std::size_t column = 16;
  std::string text = wrapped(
      "A = (f(x) − y)² is the score of a point, g = g(x) the output of a trained network; the interval is f(x) ± q·s(x), with q² a quantile of A/s² over the calibration part. Methods beyond the paper state their score instead: the interval holds every y whose score is at most q, a quantile of the scores of the calibration part.");
  text += "\n\n";
  for (const std::string& name : method_names()) {
    const Method& method = find_method(name);
    text += fmt::format("{}{}\n{}{}\n", padded(name, column), wrapped(method.equation, column, column),
                        std::string(column, ' '), wrapped(method.about, column, column));
  }
  return text;
}

std::string methods_markdown() {
  Frame table({"method", "equation", "what it does"});
  for (const std::string& name : method_names()) {
    const Method& method = find_method(name);
    table.add({"`" + name + "`", std::string(method.equation), std::string(method.about)});
  }
  return to_markdown(table);
}

}  // namespace lacp
