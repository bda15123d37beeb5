#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/settings/experiment.hpp"
#include "experiment/store/store.hpp"
#include "report/analysis/statistics.hpp"

namespace lacp {

/// What an experiment has on disk: its settings and its finished cells.
struct Results {
  std::filesystem::path folder;  ///< results/<experiment>
  std::filesystem::path source;  ///< the yaml it was run from
  Experiment experiment;
  std::map<Task, Cell> cells = {};   ///< of the experiment's grid
  std::vector<Task> missing = {};    ///< of the experiment's grid, not finished
  std::vector<Task> different = {};  ///< stale, not used: its settings or data are not the manifest's
  std::string rerun;                 ///< the command that does what is missing or stale
  Failures failed = {};              ///< of the missing ones: those that fail with these settings, and why
  std::vector<std::string> log_targets = {};  ///< data sets of which log(1 + y) is predicted
  std::vector<std::string> synthetic = {};    ///< data sets that every run draws anew
  bool in_part = false;                       ///< of runs.csv, which has the size and validity of every run
};

/// The experiment of a folder, from its manifest, and its cells; or, in a tenth of the memory, nothing in the
/// cells but what a table is made of. UserError if there is no manifest, or a cell is damaged.
Results load_results(const std::filesystem::path& folder);
Results load_table_results(const std::filesystem::path& folder);

/// Names one quantity of a grid.
struct Quantity {
  std::string_view dataset, method, metric;
  std::string_view alpha = "";
  std::size_t bin = 0;
};

/// The metric that Table 1 calls size: mean half-width, infinite as soon as one interval of the run is.
inline constexpr std::string_view size_metric = "size";

/// The values of a quantity in each run that has it.
using ByRun = std::map<std::size_t, double>;
ByRun by_run(const Results& results, const Quantity& quantity);

/// How far runs of a data set overlap (`Moments`): rows scored / rows of both parts that are learned from, by
/// the split's shares and the share of the test rows that is scored. 0 for a synthetic set.
double overlap_of(const Results& results, const std::string& dataset);

/// The values alone; their mean and spread.
std::vector<double> values_of(const ByRun& by_run);
Moments moments(const ByRun& by_run);
Moments summarise(const Results& results, const Quantity& quantity);

/// Leave-one-out that scores its whole pool has a fixed share of points inside: a rank identity.
bool validity_is_constant(const Experiment& experiment, const Cell& cell);

/// Points of the cell: "rows_test", "scored_points", "calibration_points"; 0 if it does not say.
std::size_t points_of(const Cell& cell, std::string_view metric);

/// Whether the experiment's grid has that data set or method.
bool has_dataset(const Results& results, std::string_view dataset);
bool has_method(const Results& results, std::string_view method);

}  // namespace lacp
