#include "experiment/engine/units.hpp"

#include "common/message.hpp"
#include "experiment/engine/run_task.hpp"
#include "lacp/base/error.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

/// Nothing of a file that was changed: it is written again. `told`: whether to say so.
Units units_there(const fs::path& folder, bool told) {
  try {
    return read_units(folder);
  } catch (const UserError& problem) {
    if (told) tell("{}\n", problem.what());
    return {};
  }
}

std::vector<std::size_t> runs_without(const Units& units, const Experiment& experiment,
                                      const std::string& dataset) {
  std::vector<std::size_t> runs;
  for (std::size_t run = 0; run < experiment.runs; ++run)
    if (!units.contains({dataset, run})) runs.push_back(run);
  return runs;
}

}  // namespace

Units computed_units(const Manifest& manifest, const Catalog& catalog, const std::string& dataset,
                     const std::vector<std::size_t>& runs) {
  const Experiment& experiment = manifest.experiment;
  const std::string fingerprint = manifest.fingerprint(dataset);
  const DatasetDescription description = catalog.find(dataset);
  std::optional<Dataset> data;
  Units units;
  for (const std::size_t run : runs) {
    if (!data || is_synthetic(description)) data = load_run(description, fingerprint, experiment.seed, run);
    TargetUnit unit = target_unit(experiment, *data, run);
    unit.settings = unit_hash(experiment, dataset, run, fingerprint);
    units[{dataset, run}] = unit;
  }
  return units;
}

void update_units(const fs::path& folder, const Catalog& catalog) {
  const Manifest manifest = load_manifest(folder);
  if (manifest.experiment.predictor.cross_fit == 0) return;
  Units own = units_there(folder, true), computed;
  keep_own_units(own, manifest);
  for (const std::string& name : manifest.experiment.datasets) try {
      const std::vector<std::size_t> runs = runs_without(own, manifest.experiment, name);
      if (!runs.empty()) computed.merge(computed_units(manifest, catalog, name, runs));
    } catch (const std::exception& error) {
      tell("{}: lacks {}: {}\n", units_path(folder).string(), name, error.what());
    }
  if (computed.empty()) return;
  const FolderLock alone(folder);  // another run may have written units of other data sets meanwhile
  computed.merge(units_there(folder, false));
  write_units(folder, computed);
}

}  // namespace lacp
