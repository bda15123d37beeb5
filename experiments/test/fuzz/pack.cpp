// Packed cells. The checksum would stop nearly every input, so each is also read as the rows of a cell that
// has the right one.
#include "store/pack.hpp"

#include "lacp/base/sha256.hpp"
#include "target.hpp"

namespace lacp {
namespace {

void read(std::string_view text) {
  const Pack pack(std::string(text), "data", "data.csv");
  std::size_t rows = 0;
  for (const auto& [task, packed] : pack.cells()) {
    rows += packed.text.size();
    fuzz::require(!packed.text.empty() && packed.line > 0, "a cell has rows, and they are in a line");
  }
  fuzz::require(rows <= text.size(), "no row belongs to two cells");
  for (auto item = pack.cells().begin(); item != pack.cells().end();
       item = pack.cells().upper_bound(item->first)) {
    const Task& task = item->first;
    fuzz::read_or_refuse("data.csv", [&] {
      const CellText found = pack.text(task);
      const Cell cell = parse_cell(found.text, found.source);
      fuzz::require(cell.task == task, "a cell is that of its rows");
      const std::string again = packed_rows(cell);
      if (unpacked_text(task, again) == to_text(cell))
        fuzz::require(Pack(again, "data", "").text(task).text == to_text(cell),
                      "a cell is the same once packed and read");
    });
  }
}

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  read(bytes);
  const Pack pack(std::string(bytes), "data", "data.csv");
  if (pack.cells().empty()) return;
  // The first cell, with the checksum that its text should have.
  const auto& [task, rows] = *pack.cells().begin();
  const std::string text = unpacked_text(task, rows.text);
  const std::size_t last = text.rfind("# sha256: "),
                    comma = rows.text.substr(0, rows.text.find('\n')).rfind(',');
  if (last == std::string::npos || comma == std::string_view::npos) return;
  const std::size_t end = std::min(rows.text.find('\n'), rows.text.size());
  read(fmt::format("{}{}{}", rows.text.substr(0, comma + 1), sha256(text.substr(0, last)),
                   rows.text.substr(end)));
}

std::vector<std::string> fuzz::costly_inputs() {
  const std::string head = "run,method,metric,alpha,bin,value,settings,data,intervals,checksum\n";
  const std::string first = head + "0,a,m,,,1,s,d,,c\n";
  return {repeat("0,a,m,,,1,,,,\n", first),
          repeat("0,a,m,,,1,s,d,,c\n", head),
          repeat("\n", first),
          repeat("1,b\n", first),
          repeat(",", first),
          repeat("0,a,", head)};
}

}  // namespace lacp
