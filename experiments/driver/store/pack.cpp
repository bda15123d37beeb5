#include "store/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"
#include "store/records.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view header = "run,method,metric,alpha,bin,value,settings,data,intervals,checksum\n";

/// Takes the text up to the next separator, and the separator, off the front.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

/// The task that a row belongs to; nothing if it is none, as the header.
std::optional<Task> task_of(std::string_view row, const std::string& dataset) {
  const auto run = parse_integer(take(row, ','));
  const std::string_view method = take(row, ',');
  if (!run || *run < 0 || method.empty()) return std::nullopt;
  return Task{dataset, static_cast<std::size_t>(*run), std::string(method)};
}

std::vector<fs::path> entries(const fs::path& folder, bool folders) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.is_directory(error) == folders) found.push_back(entry.path());
  std::ranges::sort(found);
  return found;
}

/// A loose cell that goes into a pack.
struct Loose {
  fs::path file;
  std::string text;
  Cell cell;
};

/// The loose cells of a data set; why others cannot be packed goes to `left`.
std::vector<Loose> loose_cells(const fs::path& folder, const std::string& dataset,
                               std::vector<std::string>& left) {
  std::vector<Loose> cells;
  for (const fs::path& run : entries(folder / "cells" / dataset, true))
    for (const fs::path& file : entries(run, false)) {
      if (file.filename().string().starts_with('.')) continue;  // being written
      try {
        std::string text = read_file(file);
        Cell cell = parse_cell(text, file.string());
        if (cell_path(folder, cell.task) != file)
          user_error("{}: is the cell of another task ({})", file.string(), to_text(cell.task));
        if (unpacked_text(cell.task, packed_rows(cell)) != text)
          user_error("{}: is not written as `lacp run` writes a cell", file.string());
        cells.push_back({file, std::move(text), std::move(cell)});
      } catch (const UserError& problem) {
        left.emplace_back(problem.what());
      }
    }
  return cells;
}

std::string read_pack(const fs::path& file) {
  std::string text = read_file(file);
  if (!text.starts_with(header))
    user_error("{}: does not begin with the line '{}'; correct or remove it", file.string(), trim(header));
  return text;
}

/// Rewrites the pack of a data set: its cells, those that are damaged as they are, with loose ones in
/// place of its own.
void write_pack(const fs::path& file, const std::string& dataset, const std::vector<Loose>& loose) {
  std::multimap<Task, std::string> rows;
  std::error_code error;
  if (fs::exists(file, error)) {
    const Pack before(read_pack(file), dataset, file.string());
    for (const auto& [task, packed] : before.cells()) rows.emplace(task, packed.text);
  }
  for (const Loose& item : loose) {
    rows.erase(item.cell.task);
    rows.emplace(item.cell.task, packed_rows(item.cell));
  }
  std::string text(header);
  for (const auto& [task, packed] : rows) text.append(packed).append(packed.ends_with('\n') ? "" : "\n");
  write_file(file, text);
}

}  // namespace

Pack::Pack(std::string text, std::string dataset, std::string source)
    : text_(std::move(text)), source_(std::move(source)) {
  std::string_view rest = text_, prefix;  // "0,exp," of the cell that the rows before belong to
  std::multimap<Task, Rows>::iterator current;
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t begin = text_.size() - rest.size();
    const std::string_view row = take(rest, '\n');
    const bool first = !row.ends_with(',');  // it has a checksum
    if (first || prefix.empty() || !row.starts_with(prefix)) {
      const std::optional<Task> task = task_of(row, dataset);
      if (!task) continue;  // the header; any other is missed by the checksum of its cell
      current = cells_.emplace(*task, Rows{std::string_view(text_).substr(begin, 0), line});
      prefix = row.substr(0, row.find(',', row.find(',') + 1) + 1);
    }
    const char* from = current->second.text.data();
    current->second.text = {from, static_cast<std::size_t>(text_.data() + text_.size() - rest.size() - from)};
  }
}

CellText Pack::text(const Task& task) const {
  const auto [first, last] = cells_.equal_range(task);
  for (auto found = first; found != last; ++found) {
    const Rows& rows = found->second;
    CellText cell{unpacked_text(task, rows.text), fmt::format("{}:{}", source_, rows.line)};
    if (std::next(found) == last) return cell;
    try {
      parse_cell(cell.text, cell.source);
      return cell;
    } catch (const UserError&) {  // the line of another cell was changed
    }
  }
  user_error("{}: has no cell of {}", source_, to_text(task));
}

std::string packed_rows(const Cell& cell) {
  std::string rows;
  for (const Measurement& m : cell.values)
    rows += fmt::format(
        "{},{},{},{}\n", cell.task.run, cell.task.method, to_text(m),
        rows.empty() ? fmt::format("{},{},{},{}", cell.settings, cell.data, cell.intervals, cell.checksum)
                     : ",,,");
  return rows;
}

std::string unpacked_text(const Task& task, std::string_view packed) {
  constexpr std::string_view nothing_more = ",,,,";
  const std::string prefix = fmt::format("{},{},", task.run, task.method);
  Cell head;
  head.task = task;
  std::string rows;
  rows.reserve(packed.size());
  for (bool first = true; !packed.empty(); first = false) {
    std::string_view row = take(packed, '\n');
    if (!row.starts_with(prefix) || (!first && !row.ends_with(nothing_more))) return "";
    row.remove_prefix(prefix.size());
    if (!first) row.remove_suffix(std::min(nothing_more.size(), row.size()));
    for (std::string* field : {&head.checksum, &head.intervals, &head.data, &head.settings}) {
      if (!first) break;
      const std::size_t comma = std::min(row.rfind(','), row.size());
      *field = row.substr(std::min(comma + 1, row.size()));
      row = row.substr(0, comma);
    }
    rows.append(row).append("\n");
  }
  return cell_text(head, rows);
}

fs::path pack_path(const fs::path& folder, const std::string& dataset) {
  return folder / "cells" / (dataset + ".csv");
}

Packing pack_cells(const fs::path& folder) {
  Packing packing;
  const RecordsLock alone(folder);  // no run puts a cell there meanwhile
  for (const fs::path& place : entries(folder / "cells", true)) {
    const std::string dataset = place.filename().string();
    const std::vector<Loose> loose = loose_cells(folder, dataset, packing.left);
    if (loose.empty()) continue;
    const fs::path file = pack_path(folder, dataset);
    write_pack(file, dataset, loose);
    packing.packs.push_back(file);
    const Pack pack(read_file(file), dataset, file.string());
    std::error_code error;
    for (const Loose& item : loose)
      if (pack.text(item.cell.task).text == item.text && read_file(item.file) == item.text)
        packing.cells += fs::remove(item.file, error) ? 1 : 0;
    for (const fs::path& run : entries(place, true)) fs::remove(run, error);  // those that are empty
    fs::remove(place, error);
  }
  return packing;
}

}  // namespace lacp
