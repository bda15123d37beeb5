#pragma once

#include <string_view>
#include <vector>

#include "common/frame.hpp"

namespace lacp {

/// A file that is part of the program, by its path from experiments: "figures/style.gp".
struct EmbeddedFile {
  std::string_view name, text;
};
const std::vector<EmbeddedFile>& embedded_files();
std::string_view embedded(std::string_view name);

/// How a method is drawn and called: its row of experiments/figures/methods.csv (colour, dash, mark, label).
const Row& method_style(std::string_view method);

}  // namespace lacp
