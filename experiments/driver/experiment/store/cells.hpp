#pragma once

#include <functional>
#include <mutex>
#include <optional>

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
  std::string settings;  ///< SHA-256 of every setting that the task depends on; "": see `failure`
  std::string data;      ///< fingerprint of the data
  std::vector<Measurement> values;
  std::string intervals = {};  ///< SHA-256 of the file of whole intervals; "" where none is kept
  /// Why the task failed; "" if it did not. With its settings and data it will fail again; without, as on a
  /// full disk, it may go well the next time.
  std::string failure = {};

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

/// And back. UserError, naming the source, if these are not the whole, undamaged rows of the task's cell.
Cell parse_rows(const Task& task, std::string_view rows, const std::string& source);

/// The same with any checksum, for saying what differs; nothing if they are no rows at all.
std::optional<Cell> parse_damaged_rows(const Task& task, std::string_view rows);

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

/// What was found of a task.
struct FoundCell {
  std::string source;             ///< file:line
  std::string rows;               ///< as they stand there
  std::optional<Cell> cell = {};  ///< if they are whole
  std::string problem = {};       ///< if not
  bool in_part = false;           ///< kept with those of its numbers that tables are made of
};

/// A csv below a checksum of its lines, and whether a text is one that nobody changed.
std::string sealed(const std::string& csv);
bool is_sealed(const std::string& text);

/// <folder>/runs.csv stands for cells that are too many to keep: dataset,run,method,alpha, the numbers that
/// tables are made of, and in a cell's first row its settings, its checksum, and why it failed. The first
/// line is a checksum of the others. Nothing if there is no such file; UserError if it was changed.
std::filesystem::path kept_path(const std::filesystem::path& folder);
std::map<Task, FoundCell> read_kept(const std::filesystem::path& folder);

/// Whether such a file keeps this number.
bool is_in_tables(const Measurement& value);

/// The text of that file.
std::string kept_csv(const std::map<Task, Cell>& cells);

/// The cells of one data set, as its files were when they were read: the merged one, then those of tasks, the
/// oldest first. A line that was changed spoils its cell and no other.
class CellFiles {
 public:
  struct File {
    std::filesystem::path path;
    std::size_t begin = 0, end = 0;  ///< of its text
  };
  struct Place {
    std::size_t file = 0, offset = 0, size = 0, line = 0;
  };

  /// What is not there is left out. UserError for what cannot be read.
  CellFiles(const std::filesystem::path& merged, const std::string& dataset,
            const std::vector<std::filesystem::path>& of_tasks = {});

  /// By task; of one task in the order of the files, and in each as it has them.
  const std::multimap<Task, Place>& cells() const { return cells_; }
  std::string_view rows(const Place& place) const;
  FoundCell read(const Task& task, const Place& place) const;

  const std::vector<File>& files() const { return files_; }
  std::string_view text(const File& file) const;

 private:
  void find_cells(std::size_t number, const std::string& dataset);

  std::vector<File> files_;
  std::string text_;  ///< of all files: each for itself would take more memory
  std::multimap<Task, Place> cells_;
};

/// The cells of a folder of results, as they are when a data set is first asked for. Threads may share it.
class Cells {
 public:
  /// A folder stands for its cells.
  Cells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// All that there is of the task, failures included, the newest first; if that is nothing, what is kept of
  /// it in part.
  std::vector<FoundCell> find(const Task& task) const;

  /// The newest that has numbers, of these settings if there is one, or was damaged.
  std::optional<FoundCell> newest(const Task& task, const std::string& settings = "") const;

 private:
  const CellFiles& files(const std::string& dataset) const;
  const std::map<Task, FoundCell>& kept() const;

  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, CellFiles> files_;  ///< by data set
  mutable std::optional<std::map<Task, FoundCell>> kept_;
};

/// Brings what tasks left into one file per data set, with one cell for each task and its settings: numbers
/// before a failure, a new one before an old one, unless they differ in nothing but how they came to be. If
/// it is said which of them count, with one cell for each task: one that counts before one that does not.
/// Nothing else is lost, however this ends. Returns how many files were written. Where the file system has no
/// locks nothing is merged, which is told: another merge might be under way. UserError for a file that is not
/// of cells.
using CountsCell = std::function<bool(const Cell&)>;
std::size_t merge_cells(const std::filesystem::path& folder, const CountsCell& counts = {});

}  // namespace lacp
