#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "datasets/catalog.hpp"
#include "experiment/settings/experiment.hpp"
#include "lacp/base/descriptor.hpp"
#include "lacp/base/sha256.hpp"

namespace lacp {

/// One number of a cell.
struct Measurement {
  std::string metric;
  std::string alpha;    ///< the level it belongs to; "" for none
  std::size_t bin = 0;  ///< from 1 where a metric has several values; 0 for none
  double value = 0.0;   ///< not NaN, written so that reading it back gives the same bits
};

/// What a finished task left: its numbers, or why there are none.
struct Cell {
  Task task;
  std::string settings;  ///< SHA-256 of every setting that the task depends on
  std::string data;      ///< fingerprint of the data
  std::vector<Measurement> values;
  std::string intervals = {};  ///< SHA-256 of the file of whole intervals; "" where none is kept
  std::string failure = {};    ///< why the task failed, and will again; "" if it did not

  std::string checksum = {};  ///< as it was read; "" in one that is new

  // What follows differs between two runs of the same work, and the checksum is not of it.
  std::string commit = {};             ///< of the program
  std::optional<double> seconds = {};  ///< of one thread

  /// The value, or nothing if the cell does not have it.
  std::optional<double> value(std::string_view metric, std::string_view alpha = "",
                              std::size_t bin = 0) const;
};

/// What one task leaves behind.
struct TaskResult {
  Cell cell;              ///< without its `settings` and `data`, which the store knows
  std::string intervals;  ///< csv of the whole intervals where the experiment keeps them; else ""
};

/// Everything that a cell's checksum is of, as text: comment lines with task, settings, data, intervals and
/// failure, then csv rows metric,alpha,bin,value.
std::string to_text(const Cell& cell);

/// SHA-256 of that text.
inline std::string checksum_of(const Cell& cell) { return sha256(to_text(cell)); }

/// The first line of a file of cells.
inline constexpr std::string_view cell_header =
    "run,method,metric,alpha,bin,value,settings,data,intervals,checksum,commit,seconds,failure\n";

/// A cell as rows of a csv of long form, one for each number, which any statistics program reads as it is.
/// What belongs to the whole cell stands in the first; a failure is one row without a number.
std::string to_rows(const Cell& cell);

/// And back; nothing unless these are the rows of the task's cell, byte for byte as `to_rows` writes them.
std::optional<Cell> parse_rows(const Task& task, std::string_view rows);

/// Held for as long as it lives: who reads a record of a folder, changes it and writes it back takes its lock
/// first, and waits until it is free. Where the file system has no locks, nobody has it, and everybody goes
/// on.
class FolderLock {
 public:
  /// Makes the folder, if it can.
  explicit FolderLock(const std::filesystem::path& folder);

  bool held() const { return held_; }

 private:
  Descriptor folder_;
  bool held_ = false;
};

// The cells of a folder of results lie in <folder>/cells/<dataset>.csv. A task that is finished leaves its
// own in a file beside it, <dataset>.<nanoseconds since 1970>.<run>.<method>.csv, until a merge brings them
// together. Whoever reads takes in both.

/// <folder>/cells/<dataset>.csv
std::filesystem::path cells_path(const std::filesystem::path& folder, const std::string& dataset);

/// The files of finished tasks, of one data set or of all; of one the oldest first.
std::vector<std::filesystem::path> task_files(const std::filesystem::path& folder,
                                              const std::string& dataset = "");

/// Writes the file of a finished task. Returns once it is on the disk; RunError if it cannot be.
void store_cell(const std::filesystem::path& folder, const Cell& cell);

/// The cells of a data set as its files were when they were read: the merged one, then those of tasks, the
/// oldest first. A row that was changed spoils its cell and no other.
struct CellFiles {
  struct Rows {
    std::string source;     ///< file:line
    std::string_view rows;  ///< in one of the texts
  };

  std::deque<std::string> texts;    ///< that of the merged file first; "" if there is none
  std::multimap<Task, Rows> cells;  ///< of one task in the order of the files
};

/// UserError for a file that cannot be read or is not of cells.
CellFiles read_cells(const std::filesystem::path& folder, const std::string& dataset);

/// What was found of a task.
struct FoundCell {
  std::string source;
  std::optional<Cell> cell = {};  ///< nothing if its rows do not match their checksum
};

/// The cells of a folder of results, as they are when a data set is first asked for. Threads may share it.
class Cells {
 public:
  /// A folder stands for its cells.
  Cells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// All that there is of the task, failures included, the newest first.
  std::vector<FoundCell> find(const Task& task) const;

 private:
  const CellFiles& files(const std::string& dataset) const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, CellFiles> files_;  ///< by data set
};

/// Whether a cell is one of the settings and data that a folder is about.
using CountsCell = std::function<bool(const Cell&)>;

/// Brings what tasks left into one file per data set, with one cell for each task and its settings; if it is
/// said which of them count, with one for each task: one that counts before one that does not. Numbers go
/// before a failure, a new cell before an old one, damaged rows after all. Returns how many files were
/// written: none, which is told, where the file system has no locks.
std::size_t merge_cells(const std::filesystem::path& folder, const CountsCell& counts = {});

inline constexpr const char* is_damaged = "is damaged: it does not match its checksum";

enum class CellState {
  done,     ///< whole, and made with these settings and this data
  missing,  ///< there is none
  changed,  ///< made with other settings or other data
  damaged,  ///< not a whole cell, or the cell of another task
};

/// Why tasks failed.
using Failures = std::map<Task, std::string>;

struct CellCheck {
  CellState state = CellState::missing;
  std::string message = {};                 ///< about a damaged cell: the file, what is wrong with it
  std::optional<Cell> cell = {};            ///< that is done or changed
  std::optional<std::string> failure = {};  ///< why it is not done, if it failed with these settings and data
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
};

/// Looks at more data sets, as far as the catalog knows them.
void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names);

/// Looks at these tasks of the experiment's grid. UserError for a data set that the catalog does not know.
Survey survey(const Experiment& experiment, const Catalog& catalog, const std::filesystem::path& results,
              const std::vector<Task>& tasks);

/// A line for each reason, of at most 20.
std::string failures_text(const Failures& failures);

/// SHA-256 of everything about a description that shapes its numbers: the file's own checksum, the columns
/// taken from it and its format, or the parameters of a synthetic set. Known without reading a file whose
/// checksum the description states, since loading refuses any other file.
std::string data_fingerprint(const DatasetDescription& description);

/// The same for a file with this checksum.
std::string data_fingerprint(const DatasetDescription& description, const std::string& file_sum);

/// How many rows to expect, for estimates; 0 if nothing is said about it.
std::size_t expected_rows(const DatasetDescription& description);

}  // namespace lacp
