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
/// first. Where the file system has no locks, nobody has it, and everybody goes on.
class FolderLock {
 public:
  /// Makes the folder, if it can. Waits until the lock is free, or not.
  explicit FolderLock(const std::filesystem::path& folder, bool wait = true);

  bool held() const { return held_; }
  bool is_busy() const { return busy_; }  ///< somebody else has it

 private:
  Descriptor folder_;
  bool held_ = false, busy_ = false;
};

// The cells of a folder of results lie in <folder>/cells/<dataset>.csv. A worker, that is one call of `lacp
// run`, appends what it finishes to <folder>/cells/<worker>/<dataset>.csv, which no other process writes
// (CellLog); a merge brings the two together. Whoever reads takes in both.

/// <folder>/cells/<dataset>.csv
std::filesystem::path cells_path(const std::filesystem::path& folder, const std::string& dataset);

/// The folders of workers, the oldest first.
std::vector<std::filesystem::path> worker_folders(const std::filesystem::path& folder);

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

/// One csv of cells, as it was when it was read. A line that was changed spoils its cell and no other.
class CellFile {
 public:
  struct Place {
    std::size_t offset = 0, size = 0, line = 0;
  };

  CellFile() = default;
  /// UserError if the file cannot be read.
  CellFile(std::filesystem::path file, const std::string& dataset);

  /// By task; of one task in the order of the file.
  const std::multimap<Task, Place>& cells() const { return cells_; }
  FoundCell read(const Task& task, const Place& place) const;

  const std::string& header() const { return header_; }  ///< its first line

 private:
  std::filesystem::path file_;
  std::string text_, header_;
  std::multimap<Task, Place> cells_;
};

/// The files of a data set: the merged one, empty if there is none, then those of workers, the oldest first.
using CellFiles = std::vector<CellFile>;

/// The cells of a folder of results, as they are when a data set is first asked for. Threads may share it.
class Cells {
 public:
  /// A folder stands for its cells.
  Cells(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }

  /// All that there is of the task, failures included, the newest first; if that is nothing, what is kept of
  /// it in part. What a worker was killed in the middle of is not there.
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

/// Where a worker appends what it finishes. The folder is locked as long as this lives, which tells others
/// that the worker does. May be used from several threads.
class CellLog {
 public:
  /// `start`: when, which orders the workers. The caller holds the lock of `folder`. RunError if the worker's
  /// folder cannot be made.
  CellLog(const std::filesystem::path& folder, const std::string& start);
  ~CellLog();

  /// Returns once the cell is on the disk. RunError if it cannot be; then nothing of it is left.
  void append(const Cell& cell);

 private:
  struct File {
    Descriptor descriptor;
    bool torn = false;  ///< the last row may be incomplete
  };

  std::filesystem::path folder_;
  FolderLock lock_;
  std::mutex mutex_;
  std::map<std::string, File> files_;  ///< by data set
};

/// What a merge did.
struct Merged {
  std::size_t files = 0;  ///< that were written
  /// Workers that are still at work, or of which that is not known, since the file system has no locks: what
  /// they did stays with them.
  std::size_t busy = 0, unknown = 0;

  /// ", 2 workers still at work": who keeps what they did; "" if nobody does.
  std::string left_text() const;
};

/// Brings what workers left into one file per data set, with one cell for each task and its settings: numbers
/// before a failure, a new one before an old one, unless they differ in nothing but how they came to be. If
/// it is said which of them count, with one cell for each task: one that counts before one that does not.
/// Nothing else is lost, however this ends. UserError for a file that is not of cells.
using CountsCell = std::function<bool(const Cell&)>;
Merged merge_cells(const std::filesystem::path& folder, const CountsCell& counts = {});

}  // namespace lacp
