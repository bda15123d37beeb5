#pragma once

#include <fmt/format.h>

#include <set>

#include "experiment/store/cells.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"

/// The tasks of which a folder of results has something.
inline std::set<lacp::Task> tasks_in(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  for (int attempt = 0;; ++attempt) {
    std::set<lacp::Task> tasks;
    try {
      if (!fs::exists(folder / "cells")) return tasks;
      for (const auto& entry : fs::directory_iterator(folder / "cells")) {
        const std::string name = entry.path().filename().string();
        if (entry.path().extension() != ".csv") continue;
        const lacp::CellFiles file(entry.path(), name.substr(0, name.find('.')));
        for (const auto& [task, place] : file.cells()) tasks.insert(task);
      }
      return tasks;
    } catch (const std::exception&) {  // a merge was faster
      if (attempt > 1000) throw;
    }
  }
}

/// All whole cells of a folder, as texts without how they came to be, by "<dataset>/<run>/<method>".
inline std::map<std::string, std::string> cells_in(const std::filesystem::path& folder) {
  const std::set<lacp::Task> tasks = tasks_in(folder);
  const lacp::Cells cells(folder);
  std::map<std::string, std::string> texts;
  for (const lacp::Task& task : tasks)
    if (const auto found = cells.newest(task); found && found->cell)
      texts[fmt::format("{}/{}/{}", task.dataset, task.run, task.method)] = lacp::to_text(*found->cell);
  return texts;
}

/// Puts rows in the place of those of a task, in the file of its data set. "": takes them out.
inline void put_rows(const std::filesystem::path& folder, const lacp::Task& task, const std::string& rows) {
  const std::filesystem::path path = lacp::cells_path(folder, task.dataset);
  std::multimap<lacp::Task, std::string> all;
  if (std::filesystem::exists(path)) {
    const lacp::CellFiles file(path, task.dataset);
    for (const auto& [other, place] : file.cells())
      if (other != task) all.emplace(other, file.read(other, place).rows);
  }
  if (!rows.empty()) all.emplace(task, rows);
  std::string text(lacp::cell_header);
  for (const auto& [other, part] : all) text += part;
  lacp::write_file(path, text);
}

inline void put_cell(const std::filesystem::path& folder, const lacp::Cell& cell) {
  put_rows(folder, cell.task, lacp::to_rows(cell));
}

inline lacp::FoundCell found_in(const std::filesystem::path& folder, const lacp::Task& task) {
  return lacp::Cells(folder).find(task).at(0);
}

/// Why tasks failed, as a text: "concrete,0,exp,reason" and a line break for each.
inline std::string failures_in(const std::filesystem::path& folder) {
  std::string text;
  const lacp::Cells cells(folder);
  for (const lacp::Task& task : tasks_in(folder))
    if (const auto found = cells.find(task);
        !found.empty() && found[0].cell && !found[0].cell->failure.empty())
      text += fmt::format("{},{},{},{}\n", task.dataset, task.run, task.method, found[0].cell->failure);
  return text;
}
