#include "store/units.hpp"

#include "common/frame.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace {

constexpr const char* file_name = "units.csv";

}  // namespace

Units read_units(const std::filesystem::path& folder) {
  Units units;
  if (!std::filesystem::exists(folder / file_name)) return units;
  for (const Row& row : read_frame(folder / file_name))
    units[{row["dataset"], row.count("run")}] = {row.number("mean_abs_y"), row.number("mean_abs_y_proper")};
  return units;
}

void write_units(const std::filesystem::path& folder, const Units& units) {
  Frame table({"dataset", "run", "mean_abs_y", "mean_abs_y_proper"});
  for (const auto& [place, unit] : units) table.add({place.first, place.second, unit.used, unit.proper});
  write_file(folder / file_name, to_text(table));
}

}  // namespace lacp
