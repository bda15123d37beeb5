#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lacp/datasets/catalog.hpp"
#include "settings/experiment.hpp"
#include "store/records.hpp"
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
  CellCheck check;                 ///< its cell without values
  std::optional<Failure> failure;  ///< not done because it failed, with these settings and data or by chance
};

/// Where an experiment stands: what is done and what is not, without loading any data.
struct Survey {
  std::filesystem::path folder;  ///< <results>/<experiment>
  std::map<std::string, SurveyedDataset> datasets;
  std::vector<SurveyedTask> tasks;  ///< those that were asked about
  Failures failures;                ///< as failures.csv has them
  std::map<Task, Redone> redone;    ///< as redone.csv has them
};

/// Whether `lacp run --redo` need not do the task: what is there was made here.
bool made_here(const Survey& survey, const SurveyedTask& item);

/// Looks at more data sets, as far as the catalog knows them.
void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names);

/// Looks at these tasks of the experiment's grid. UserError for a data set that the catalog does not know.
Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results,
              const std::vector<Task>& tasks);

/// "X tasks, Y done, Z to run, F failed" in all and per data set. A task counts once: what failed is neither
/// done nor to run. Then, where there are some, cells that do not count and `advice` about them,
/// and in a folder that `lacp run --redo` was used on, which cells are not made here.
std::string status_text(const Experiment& experiment, const Survey& survey, const std::string& advice);

}  // namespace lacp
