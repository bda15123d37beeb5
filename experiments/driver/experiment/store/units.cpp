#include "common/frame.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

namespace lacp {
namespace fs = std::filesystem;

fs::path units_path(const fs::path& folder) { return folder / "units.csv"; }

Units read_units(const fs::path& folder) {
  const fs::path file = units_path(folder);
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const std::string text = read_file(file);
  if (!is_sealed(text))
    user_error(
        "{}: was changed, or is of an older version: its first line is not the checksum of the others; `lacp run` of that experiment, with its data, writes it again",
        file.string());
  Units units;
  for (const Row& row : parse_frame(text, file.string()))
    units[{row["dataset"], row.count("run")}] = {.used = row.number("mean_abs_y"),
                                                 .proper = row.number("mean_abs_y_proper"),
                                                 .settings = row["settings"]};
  return units;
}

void write_units(const fs::path& folder, const Units& units) {
  Frame table({"dataset", "run", "mean_abs_y", "mean_abs_y_proper", "settings"});
  for (const auto& [place, unit] : units)
    table.add({place.first, place.second, unit.used, unit.proper, unit.settings});
  write_file(units_path(folder), sealed(to_text(table)));
}

void keep_own_units(Units& units, const Manifest& manifest) {
  std::erase_if(units, [&](const auto& item) {
    const auto& [dataset, run] = item.first;
    return item.second.settings !=
           unit_hash(manifest.experiment, dataset, run, manifest.fingerprint(dataset));
  });
}

}  // namespace lacp
