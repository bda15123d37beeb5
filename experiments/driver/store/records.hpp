#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/cell.hpp"

namespace lacp {

/// Held by one process at a time, for as long as it lives: who reads a record of this folder, changes it and
/// writes it back takes it first, so that several runs at once lose nothing of each other. Where the file
/// system has no locks, it does nothing.
class RecordsLock {
 public:
  explicit RecordsLock(const std::filesystem::path& folder);
  RecordsLock(const RecordsLock&) = delete;
  RecordsLock& operator=(const RecordsLock&) = delete;
  ~RecordsLock();

 private:
  int folder_ = -1;
};

/// Why tasks failed: <folder>/failures.csv with dataset,run,method,reason. No file: nothing failed. Reading
/// takes in what the workers of shards keep in <folder>/shards/*.
using Failures = std::map<Task, std::string>;
Failures read_failures(const std::filesystem::path& folder);
void write_failures(const std::filesystem::path& folder, const Failures& failures);

/// Takes rows out of the folder's own failures.csv and puts rows in; all others stay. The caller holds the
/// lock.
void change_failures(const std::filesystem::path& folder, const std::vector<Task>& out, const Failures& in);

/// How many seconds each task took: <folder>/times.csv with dataset,run,method,seconds. Rows of tasks that
/// are not among `times` stay. The caller holds the lock.
void add_times(const std::filesystem::path& folder, const std::map<Task, double>& times);
std::map<Task, double> read_times(const std::filesystem::path& folder);

/// Removes failures.csv and times.csv.
void remove_rows(const std::filesystem::path& folder);

/// A field of a csv: in quotes and on one line, whatever the text holds.
std::string csv_quoted(std::string_view text);

}  // namespace lacp
