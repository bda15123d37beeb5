#include "store/units.hpp"

#include "common/text_table.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace {

constexpr const char* file_name = "units.csv";

}  // namespace

Units read_units(const std::filesystem::path& folder) {
  Units units;
  if (!std::filesystem::exists(folder / file_name)) return units;
  const TextTable table = read_text_table(folder / file_name);
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    units[{table.rows[i][table.column("dataset")], table.count(i, "run")}] = {
        table.number(i, "mean_abs_y"), table.number(i, "mean_abs_y_proper")};
  return units;
}

void write_units(const std::filesystem::path& folder, const Units& units) {
  TextTable table{{"dataset", "run", "mean_abs_y", "mean_abs_y_proper"}, {}, file_name};
  for (const auto& [place, unit] : units)
    table.add({place.first, std::to_string(place.second), number_text(unit.used), number_text(unit.proper)});
  write_file(folder / file_name, to_text(table));
}

}  // namespace lacp
