#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "datasets/catalog.hpp"
#include "settings/experiment.hpp"
#include "store/store.hpp"

namespace lacp {

/// One data set of an experiment.
struct SurveyedDataset {
  DatasetDescription description;
  bool at_hand = false;
  std::string fingerprint;  ///< "" if the file is needed for it and is missing
  std::size_t filled = 0;   ///< missing cells that means stand in for, once the file was read
};

struct SurveyedTask {
  Task task;
  CellCheck check;  ///< its cell without values
};

/// Where an experiment stands: what is done and what is not, without loading any data.
struct Survey {
  std::filesystem::path folder;  ///< <results>/<experiment>
  std::map<std::string, SurveyedDataset> datasets;
  std::vector<SurveyedTask> tasks;  ///< those that were asked about

  /// How long tasks took that were done.
  std::map<Task, double> seconds() const;
};

/// Looks at more data sets, as far as the catalog knows them.
void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names);

/// Looks at these tasks of the experiment's grid. UserError for a data set that the catalog does not know.
Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results,
              const std::vector<Task>& tasks);

/// "X tasks, Y done, Z to run, F failed" in all and per data set. A task counts once: what failed is neither
/// done nor to run. Then, where there are some, cells that do not count and `advice` about them, and why
/// tasks failed.
std::string status_text(const Experiment& experiment, const Survey& survey, const std::string& advice);

/// Why tasks failed, a line for each reason, of at most 20.
std::string failures_text(const Failures& failures);

}  // namespace lacp
