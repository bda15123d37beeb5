#include "work/status.hpp"

#include <fmt/format.h>

#include "common/exit_code.hpp"
#include "lacp/base/error.hpp"
#include "settings/grid.hpp"
#include "store/manifest.hpp"
#include "store/survey.hpp"
#include "work/datasets_folder.hpp"

namespace lacp {

int show_status(const RunRequest& request) {
  const bool is_folder = std::filesystem::is_directory(request.experiment);
  if (is_folder && !request.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", request.experiment.string());
  Experiment experiment;
  std::string again = run_command(request);
  if (is_folder) {
    const Manifest manifest = load_manifest(request.experiment);
    experiment = manifest.experiment, again = rerun_command(request.experiment, manifest);
  } else {
    experiment = load_experiment(request.experiment, request.set);
  }
  experiment = select(std::move(experiment), request.selection);
  const auto results = is_folder ? std::filesystem::absolute(request.experiment / "..") : request.results;
  const Catalog catalog(datasets_folder(request.datasets_folder));
  fmt::print("{}", status_text(experiment, survey(experiment, catalog, results, grid(experiment)), again));
  return exit_done;
}

}  // namespace lacp
