// The result of a task. The checksum would stop nearly every input, so each is also read with the right one
// below it.
#include "store/cell.hpp"

#include <cmath>
#include <optional>

#include "lacp/base/sha256.hpp"
#include "target.hpp"

namespace lacp {
namespace {

void read(std::string_view text) {
  std::optional<Cell> cell;
  fuzz::read_or_refuse("cell.csv", [&] { cell = parse_cell(text, "cell.csv"); });
  if (!cell) return;
  for (const Measurement& m : cell->values) fuzz::require(!std::isnan(m.value), "a cell holds no NaN");
  const std::string written = to_text(*cell);
  fuzz::require(to_text(parse_cell(written, "cell.csv")) == written,
                "a cell is the same once written and read");
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  read(bytes);
  read(fmt::format("{}# sha256: {}\n", bytes, sha256(bytes)));
}

std::vector<std::string> fuzz::costly_inputs() {
  const std::string head =
      "# lacp cell, format 1\n# task: a 0 b\n# settings: s\n# data: d\nmetric,alpha,bin,value\n";
  return {repeat(",,,0\n", head), repeat(",", head),    repeat("\n", head),
          repeat("m", head),      repeat("# sha256: "), repeat(" ", "# lacp cell, format 1\n# task: ", "\n")};
}

}  // namespace lacp
