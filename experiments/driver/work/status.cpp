#include "work/status.hpp"

#include <fmt/format.h>

#include "common/exit_code.hpp"
#include "common/message.hpp"
#include "datasets/datasets_folder.hpp"
#include "lacp/base/error.hpp"
#include "settings/grid.hpp"
#include "store/manifest.hpp"
#include "store/survey.hpp"

namespace lacp {

int show_status(const RunRequest& request) {
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(request.experiment, ignored);
  if (is_folder && !request.set.empty())
    user_error("--set goes with an experiment yaml; {} is a folder of results", request.experiment.string());
  Experiment base;
  std::string again = run_command(request);
  if (is_folder) {
    const Manifest manifest = load_manifest(request.experiment);
    base = manifest.experiment, again = rerun_command(request.experiment, manifest);
  } else {
    base = load_experiment(request.experiment, request.set);
  }
  const Experiment experiment = select(base, request.selection);
  const auto results = is_folder ? folder_above(request.experiment) : request.results;
  std::string advice = "to do them again: " + again;
  try {
    if (!is_folder) check_owner(results / experiment.name, request.experiment, base, experiment);
  } catch (const UserError& error) {  // that command would be refused
    advice = error.what();
  }
  const Catalog catalog = open_catalog(request.datasets_folder);
  show("{}", status_text(experiment, survey(experiment, catalog, results, grid(experiment)), advice));
  return exit_done;
}

}  // namespace lacp
