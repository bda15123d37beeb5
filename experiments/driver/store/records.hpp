#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "settings/task.hpp"

namespace lacp {

/// Held for as long as it lives: who reads a record of this folder, changes it and writes it back takes it
/// first, so that several runs at once lose nothing of each other. One process has it, or, where they only
/// put cells there, several. Where the file system has no locks, it does nothing.
class RecordsLock {
 public:
  enum Holders { one, several };
  explicit RecordsLock(const std::filesystem::path& folder, Holders holders = one);
  RecordsLock(const RecordsLock&) = delete;
  RecordsLock& operator=(const RecordsLock&) = delete;
  ~RecordsLock();

 private:
  int folder_ = -1;
};

struct Failure {
  std::string reason;
  /// Hash of the settings and data that it failed with, and will again; "" if it may go well the next time.
  std::string settings;
  bool operator==(const Failure&) const = default;
};

/// Why tasks failed: <folder>/failures.csv with dataset,run,method,reason,settings. No file: nothing failed.
/// Reading takes in what the workers of shards keep in <folder>/shards/*.
using Failures = std::map<Task, Failure>;
Failures read_failures(const std::filesystem::path& folder);
void write_failures(const std::filesystem::path& folder, const Failures& failures);

/// Takes rows out of the folder's own failures.csv and puts rows in; all others stay. The caller holds the
/// lock.
void change_failures(const std::filesystem::path& folder, const std::vector<Task>& out, const Failures& in);

/// How many seconds each task took: <folder>/times.csv with dataset,run,method,seconds. Rows of tasks that
/// are not among `times` stay. The caller holds the lock.
void add_times(const std::filesystem::path& folder, const std::map<Task, double>& times);
std::map<Task, double> read_times(const std::filesystem::path& folder);

/// What `lacp run --redo` did again: <folder>/redone.csv with dataset,run,method,before,after, the checksums
/// of the cell that was there first and of the last one made here; "" for none.
struct Redone {
  std::string before, after;
};
std::map<Task, Redone> read_redone(const std::filesystem::path& folder);

/// Adds a row, or replaces what a row says of the last cell made here. The caller holds the lock.
void add_redone(const std::filesystem::path& folder, const Task& task, const Redone& redone);

/// Removes failures.csv and times.csv.
void remove_rows(const std::filesystem::path& folder);

}  // namespace lacp
