#pragma once

#include "datasets/catalog.hpp"
#include "experiment/store/cells.hpp"

namespace lacp {

enum class CellState {
  done,     ///< whole, and made with these settings and this data
  missing,  ///< there is none
  changed,  ///< made with other settings or other data
  damaged,  ///< not a whole cell, or the cell of another task
};

struct Failure {
  std::string reason;
  /// Hash of the settings and data that it failed with, and will again; "" if it may go well the next time.
  std::string settings;
};
using Failures = std::map<Task, Failure>;

struct CellCheck {
  CellState state = CellState::missing;
  std::string message = {};             ///< about a damaged cell: the file, what is wrong with it
  std::optional<Cell> cell = {};        ///< that is done or changed
  std::optional<Failure> failure = {};  ///< why it is not done, if it failed with these or by chance
};

/// The one rule for what counts, where there are several: a cell of the task, whole, made with the
/// experiment's settings from data with this fingerprint. Where whole intervals are kept, they belong to what
/// is done.
CellCheck check_cell(const Cells& cells, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint);

/// Which numbers of a cell are held in memory.
using KeepValue = std::function<bool(const Measurement&)>;

/// The same of many tasks, in their order, on all processors. `fingerprints` is by data set.
std::vector<CellCheck> check_cells(const Cells& cells, const Experiment& experiment,
                                   const std::vector<Task>& tasks,
                                   const std::map<std::string, std::string>& fingerprints,
                                   const KeepValue& keep);

/// The result's cell, with the settings and data that it was made with.
Cell stored_cell(const Experiment& experiment, const std::string& fingerprint, const TaskResult& result);

/// Writes what a task left behind, the cell last: a task is done as soon as its cell is there.
void store_result(const std::filesystem::path& folder, const Experiment& experiment,
                  const std::string& fingerprint, const TaskResult& result);

/// <folder>/intervals/<dataset>.csv: method,row,x,y,f,half_width,truth,sigma, and below,above where a method
/// has unequal sides, in the units of the data file. `row` counts the data set's points from 1, in the order
/// of its file; x is empty where there are several attributes, truth and sigma where they are not known.
std::filesystem::path intervals_path(const std::filesystem::path& folder, const std::string& dataset);

/// What that file has of the task, as it was stored: a csv without the column `method`; "" if nothing.
std::string kept_intervals(const std::filesystem::path& folder, const Task& task);

/// The same. UserError if it is not what the cell was stored with.
std::string read_intervals(const std::filesystem::path& folder, const Cell& cell);

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

/// Why tasks failed, a line for each reason, of at most 20.
std::string failures_text(const Failures& failures);

/// SHA-256 of everything about a description that shapes its numbers: the file's own checksum, the columns
/// taken from it and its format, or the parameters of a synthetic set. Known without reading a file whose
/// checksum the description states, since loading refuses any other file.
std::string data_fingerprint(const DatasetDescription& description);

/// The same for a file with this checksum.
std::string data_fingerprint(const DatasetDescription& description, const std::string& file_sum);

/// How many rows to expect, for estimates; 0 if nothing is said about it.
std::size_t expected_rows(const DatasetDescription& description);

/// What sizes of a run are measured in, mean |y| over the rows that scale the target; and over split.proper
/// alone, which is the same whatever the predictor. They differ where predictor.cross_fit joins two parts.
struct TargetUnit {
  double used = 1.0, proper = 1.0;
  std::string settings = {};  ///< `unit_hash` of what it was made with
};

/// By data set and run.
using Units = std::map<std::pair<std::string, std::size_t>, TargetUnit>;

/// units.csv in the folder of an experiment: dataset,run,mean_abs_y,mean_abs_y_proper,settings below a
/// checksum of these lines. Nothing if it is not there; UserError if it was changed.
std::filesystem::path units_path(const std::filesystem::path& folder);
Units read_units(const std::filesystem::path& folder);
void write_units(const std::filesystem::path& folder, const Units& units);

}  // namespace lacp
