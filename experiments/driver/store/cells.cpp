#include "store/cells.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void cannot_read(const fs::path& file) {
  user_error("{}: cannot be read: {}", file.string(), std::strerror(errno));
}

}  // namespace

CellFile::CellFile(fs::path file, const std::string& dataset)
    : file_(std::move(file)), descriptor_(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  if (!descriptor_.is_open()) cannot_read(file_);
  std::string prefix;  // "0,exp," of the cell that the rows before belong to
  std::multimap<Task, Place>::iterator current;
  std::size_t offset = 0, lines = 0;
  const auto add = [&](std::string_view text) {  // a row and its line break
    const std::string_view row = text.substr(0, text.find('\n'));
    if (++lines == 1) header_ = row;
    std::optional<Task> task;
    const bool first = begins_cell(row) || prefix.empty() || !row.starts_with(prefix);
    if (first && (task = task_of_row(row, dataset))) {
      current = cells_.emplace(*task, Place{offset, 0, lines});
      prefix = row.substr(0, row.find(',', row.find(',') + 1) + 1);
    }
    offset += text.size();
    // What is no row of a task is the header, or is missed by the checksum of its cell.
    if (!first || task) current->second.size = offset - current->second.offset;
  };
  std::vector<char> block(1 << 16);
  std::string text;
  for (ssize_t got = 0; (got = ::read(descriptor_.get(), block.data(), block.size())) != 0;) {
    if (got < 0 && errno != EINTR) cannot_read(file_);
    text.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    std::size_t from = 0;
    for (std::size_t end; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
      add(std::string_view(text).substr(from, end + 1 - from));
    text.erase(0, from);
  }
  if (!text.empty()) add(text);
}

FoundCell CellFile::read(const Task& task, const Place& place) const {
  constexpr std::size_t most_bytes = 4 << 20;  // usual are some thousand
  FoundCell found{.source = fmt::format("{}:{}", file_.string(), place.line),
                  .rows = std::string(std::min(place.size, most_bytes), '\0')};
  std::string& text = found.rows;
  for (std::size_t filled = 0; filled < text.size();) {
    const ssize_t got = ::pread(descriptor_.get(), text.data() + filled, text.size() - filled,
                                static_cast<off_t>(place.offset + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) cannot_read(file_);
    if (got == 0) user_error("{}: became shorter while it was read", file_.string());
    filled += static_cast<std::size_t>(got);
  }
  try {
    if (place.size > most_bytes)
      user_error("{}: has {} bytes; at most {} are read", found.source, place.size, most_bytes);
    found.cell = parse_rows(task, found.rows, found.source);
  } catch (const UserError& problem) {
    found.problem = problem.what();
  }
  return found;
}

const Cells::Files& Cells::files(const std::string& dataset) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = files_.find(dataset); found != files_.end()) return found->second;
  Files files;
  std::error_code error;
  // Workers first: what a merge takes from one of them meanwhile is in the other file by then.
  for (const fs::path& worker : worker_folders(folder_)) {
    const fs::path file = worker / (dataset + ".csv");
    try {
      if (fs::exists(file, error)) files.logs.push_back(std::make_unique<CellFile>(file, dataset));
    } catch (const UserError&) {
      if (fs::exists(file, error)) throw;
    }
  }
  const fs::path merged = cells_path(folder_, dataset);
  if (fs::exists(merged, error) || error) files.merged = std::make_unique<CellFile>(merged, dataset);
  return files_.emplace(dataset, std::move(files)).first->second;
}

std::vector<FoundCell> Cells::find(const Task& task) const {
  std::vector<FoundCell> all;
  const auto add = [&](const CellFile& file, bool damaged_too) {
    const auto [first, last] = file.cells().equal_range(task);
    for (auto place = last; place != first;) {
      FoundCell found = file.read(task, (--place)->second);
      if (found.cell || damaged_too) all.push_back(std::move(found));
    }
  };
  const Files& opened = files(task.dataset);
  for (auto log = opened.logs.rbegin(); log != opened.logs.rend(); ++log) add(**log, false);
  if (opened.merged) add(*opened.merged, true);
  return all;
}

std::optional<FoundCell> Cells::newest(const Task& task) const {
  std::optional<FoundCell> damaged;
  for (FoundCell& found : find(task)) {
    if (found.cell && found.cell->failure.empty()) return std::move(found);
    if (!found.cell && !damaged) damaged = std::move(found);
  }
  return damaged;
}

std::optional<Cell> Cells::read(const Task& task) const {
  std::optional<FoundCell> found = newest(task);
  if (!found) return std::nullopt;
  if (!found->cell) throw UserError(found->problem);
  return std::move(found->cell);
}

fs::path cells_path(const fs::path& folder, const std::string& dataset) {
  return folder / "cells" / (dataset + ".csv");
}

std::vector<fs::path> worker_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "cells", error))
    if (entry.is_directory(error)) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

}  // namespace lacp
