#include "common/embedded.hpp"

#include <algorithm>

namespace lacp {

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

}  // namespace lacp
