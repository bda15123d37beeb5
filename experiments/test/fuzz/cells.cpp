// A file of cells. Checksums would stop nearly every input, so its cells are also read with the right ones.
#include "experiment/store/cells.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <optional>

#include "target.hpp"

namespace lacp {
namespace {

void check(const Cell& cell) {
  for (const Measurement& m : cell.values) fuzz::require(!std::isnan(m.value), "a cell holds no NaN");
  const std::string rows = to_rows(cell);
  fuzz::require(to_rows(parse_rows(cell.task, rows, "data.csv")) == rows,
                "a cell is the same once written and read");
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  const Descriptor memory(::memfd_create("data", MFD_CLOEXEC));
  require(::write(memory.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "room");
  const std::string name = fmt::format("/proc/self/fd/{}", memory.get());
  std::optional<CellFiles> read;
  read_or_refuse(name, [&] { read.emplace(name, "data"); });
  if (!read) return;
  const CellFiles& file = *read;
  std::size_t size = 0;
  for (const auto& [task, place] : file.cells()) {
    size += place.size;
    require(place.size > 0 && place.line > 0, "a cell has rows, and they are in a line");
    const FoundCell found = file.read(task, place);
    read_or_refuse(name, [&, &expected = task] {  // clang 14 captures no structured binding
      if (!found.cell) throw UserError(found.problem);
      require(found.cell->task == expected, "a cell is that of its rows");
      check(*found.cell);
    });
    if (const std::optional<Cell> damaged = parse_damaged_rows(task, found.rows)) check(*damaged);
  }
  require(size <= bytes.size(), "no row belongs to two cells");
}

std::vector<std::string> fuzz::costly_inputs() {
  const std::string head(cell_header), first = head + "0,a,m,,,1,s,d,,c,,,\n";
  return {repeat("0,a,m,,,1,,,,,,,\n", first),
          repeat("0,a,m,,,1,s,d,,c,,,\n", head),
          repeat("\n", first),
          repeat("1,b\n", first),
          repeat(",", first),
          repeat("\"\"", head + "0,a,,,,,s,d,,c,,,\"", "\"\n"),
          repeat("0,a,", head)};
}

}  // namespace lacp
