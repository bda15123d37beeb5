#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "common/frame.hpp"

namespace lacp {

/// A file that is part of the program, by its path from experiments: "figures/style.gp".
struct EmbeddedFile {
  std::string_view name, text;
};
const std::vector<EmbeddedFile>& embedded_files();

inline std::string_view embedded(std::string_view name) {
  return std::ranges::find(embedded_files(), name, &EmbeddedFile::name)->text;
}

/// How a method is drawn and called: its row of experiments/figures/methods.csv (colour, dash, mark, label).
inline const Row& method_style(std::string_view method) {
  static const Frame styles = parse_frame(std::string(embedded("figures/methods.csv")), "methods.csv");
  return *std::ranges::find_if(styles, [&](const Row& style) {
    const std::string_view name = style["method"];
    return name.ends_with('*') ? method.starts_with(name.substr(0, name.size() - 1)) : method == name;
  });
}

}  // namespace lacp
