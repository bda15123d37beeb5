#include "engine/units.hpp"

#include "common/message.hpp"
#include "datasets/datasets_folder.hpp"
#include "engine/data_source.hpp"
#include "engine/prepare.hpp"
#include "lacp/base/error.hpp"
#include "store/fingerprint.hpp"
#include "store/manifest.hpp"
#include "store/units.hpp"

namespace lacp {

void update_units(const std::filesystem::path& folder, const std::filesystem::path& datasets) {
  const Experiment experiment = load_manifest(folder).experiment;
  if (experiment.predictor.cross_fit == 0) return;
  const Catalog catalog = open_catalog(datasets);
  Units units = read_units(folder);
  for (const std::string& name : experiment.datasets) try {
      const DatasetDescription description = catalog.find(name);
      DataSource source(experiment.seed);
      source.add(description, experiment.runs, data_fingerprint(description));
      for (std::size_t run = 0; run < experiment.runs; ++run)
        units[{name, run}] = target_unit(experiment, *source.get(name, run), run);
    } catch (const std::exception& error) {
      note("{}: {}; its rows in units.csv stay as they are\n", name, error.what());
    }
  write_units(folder, units);
}

}  // namespace lacp
