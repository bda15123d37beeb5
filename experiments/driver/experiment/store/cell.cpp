#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/frame.hpp"
#include "experiment/store/cells.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_bytes = 1 << 30;  // of a file; usual are some million
constexpr std::size_t least_bytes = 64;      // of a cell: its checksum alone
constexpr std::size_t most_damaged = 10000;  // cells of less, which take more memory than room in the file

/// What the rows of a cell say, right or wrong.
struct Parsed {
  Cell cell;
  std::string numbers;  ///< their rows, byte for byte
  std::string problem;  ///< "" if these are rows of a cell
};

/// Takes the text up to the next separator, and the separator, off the front.
std::string_view take(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return field;
}

std::string to_text(const Measurement& m) {
  return fmt::format("{},{},{},{}", m.metric, m.alpha, m.bin == 0 ? "" : std::to_string(m.bin), m.value);
}

/// What the checksum is of, before the numbers.
std::string head_text(const Cell& cell) {
  std::string text =
      fmt::format("# lacp cell, format 1\n# task: {} {} {}\n# settings: {}\n# data: {}\n", cell.task.dataset,
                  cell.task.run, cell.task.method, cell.settings, cell.data);
  if (!cell.intervals.empty()) text += fmt::format("# intervals: {}\n", cell.intervals);
  if (!cell.failure.empty()) text += fmt::format("# failure: {}\n", cell.failure);
  return text + "metric,alpha,bin,value\n";
}

std::optional<Measurement> measurement(std::string_view metric, std::string_view alpha, std::string_view bin,
                                       std::string_view value) {
  const auto number = parse_integer(bin.empty() ? "0" : bin);
  const auto parsed = parse_double(value);
  if (!number || *number < 0 || !parsed || std::isnan(*parsed)) return std::nullopt;
  return Measurement{std::string(metric), std::string(alpha), static_cast<std::size_t>(*number), *parsed};
}

/// Adds what the first row says; false if it is not one.
bool add_first(Parsed& parsed, std::string_view row) {
  const std::vector<std::string> f = csv_fields(row);
  if (f.size() != 13) return false;
  for (std::size_t i = 0; i < 12; ++i)  // names and hashes need no quotes
    if (csv_quoted(f[i]) != f[i]) return false;
  Cell& cell = parsed.cell;
  cell.settings = f[6];
  cell.data = f[7];
  cell.intervals = f[8];
  cell.checksum = f[9];
  cell.commit = f[10];
  cell.seconds = parse_double(f[11]);
  cell.failure = f[12];
  constexpr double longest = 1e9;  // no checksum is of it, and sums are made of it
  if (!f[11].empty() && !(cell.seconds && *cell.seconds >= 0.0 && *cell.seconds <= longest)) return false;
  if (!cell.failure.empty()) return f[2].empty() && f[3].empty() && f[4].empty() && f[5].empty();
  const auto number = measurement(f[2], f[3], f[4], f[5]);
  if (number) cell.values.push_back(*number);
  parsed.numbers = fmt::format("{},{},{},{}\n", f[2], f[3], f[4], f[5]);
  return number.has_value();
}

/// Adds the number of another row.
bool add_number(Parsed& parsed, std::string_view row) {
  const std::string_view whole = row;
  const std::string_view metric = take(row, ','), alpha = take(row, ','), bin = take(row, ',');
  const auto number = measurement(metric, alpha, bin, take(row, ','));
  if (!number || row.find_first_not_of(',') != std::string_view::npos || !parsed.cell.failure.empty())
    return false;
  parsed.cell.values.push_back(*number);
  parsed.numbers.append(whole.substr(0, whole.size() - std::min(row.size() + 1, whole.size()))).append("\n");
  return true;
}

Parsed parse(const Task& task, std::string_view rows) {
  Parsed parsed;
  parsed.cell.task = task;
  if (rows.empty()) parsed.problem = "is not a cell: it has no rows";
  const std::string prefix = fmt::format("{},{},", task.run, task.method);
  for (bool first = true; !rows.empty() && parsed.problem.empty(); first = false) {
    const bool ends = rows.find('\n') != std::string_view::npos;
    const std::string_view row = take(rows, '\n');
    if (!ends || !row.starts_with(prefix) ||
        !(first ? add_first(parsed, row) : add_number(parsed, row.substr(prefix.size()))))
      parsed.problem = fmt::format("is not a cell: row {} is not as `lacp run` writes it",
                                   show_text(std::string(row), 80));
  }
  return parsed;
}

/// The task that a row belongs to; nothing if it is none, as the header.
std::optional<Task> task_of_row(std::string_view row, const std::string& dataset) {
  const auto run = parse_integer(take(row, ','));
  const std::string_view method = take(row, ',');
  if (!run || *run < 0 || method.empty()) return std::nullopt;
  return Task{dataset, static_cast<std::size_t>(*run), std::string(method)};
}

}  // namespace

std::optional<double> Cell::value(std::string_view metric, std::string_view alpha, std::size_t bin) const {
  for (const Measurement& m : values)
    if (m.metric == metric && m.alpha == alpha && m.bin == bin) return m.value;
  return std::nullopt;
}

std::string to_text(const Cell& cell) {
  std::string text = head_text(cell);
  for (const Measurement& m : cell.values) text.append(to_text(m)).append("\n");
  return text;
}

std::string to_rows(const Cell& cell) {
  std::string rows;
  const auto add = [&](const std::string& number, const std::string& rest) {
    rows += fmt::format("{},{},{},{}\n", cell.task.run, cell.task.method, number, rest);
  };
  const std::string head =
      fmt::format("{},{},{},{},{},{},{}", cell.settings, cell.data, cell.intervals, checksum_of(cell),
                  cell.commit, cell.seconds ? fmt::format("{:.3f}", *cell.seconds) : "",
                  cell.failure.empty() ? "" : csv_quoted(cell.failure));
  if (!cell.failure.empty()) add(",,,", head);
  for (const Measurement& m : cell.values) add(to_text(m), rows.empty() ? head : ",,,,,,");
  return rows;
}

Cell parse_rows(const Task& task, std::string_view rows, const std::string& source) {
  Parsed parsed = parse(task, rows);
  if (!parsed.problem.empty()) user_error("{}: {}", source, parsed.problem);
  if (parsed.cell.checksum != sha256(head_text(parsed.cell) + parsed.numbers))
    user_error("{}: is damaged: its contents do not match its checksum", source);
  return std::move(parsed.cell);
}

std::optional<Cell> parse_damaged_rows(const Task& task, std::string_view rows) {
  Parsed parsed = parse(task, rows);
  return parsed.problem.empty() ? std::optional(std::move(parsed.cell)) : std::nullopt;
}

CellFiles::CellFiles(const fs::path& merged, const std::string& dataset,
                     const std::vector<fs::path>& of_tasks) {
  std::error_code error;
  const auto add = [&](const fs::path& file) {
    try {
      std::string bytes = read_file(file, most_bytes);
      files_.push_back({file, text_.size(), text_.size() + bytes.size()});
      if (of_tasks.empty())
        text_ = std::move(bytes);
      else
        text_ += bytes;
    } catch (const UserError&) {
      if (fs::exists(file, error) || error) throw;
    }
  };
  std::uintmax_t room = 0;
  for (const fs::path& file : of_tasks)
    if (const auto size = fs::file_size(file, error); !error) room += size;
  text_.reserve(room);
  std::ranges::for_each(of_tasks, add);
  const std::size_t number = files_.size();
  add(merged);  // what a merge took from the others meanwhile is here by now
  std::rotate(files_.begin(), files_.begin() + static_cast<std::ptrdiff_t>(number), files_.end());
  for (std::size_t i = 0; i < files_.size(); ++i) find_cells(i, dataset);
}

void CellFiles::find_cells(std::size_t number, const std::string& dataset) {
  const File& file = files_[number];
  std::string_view prefix;  // "0,exp," of the cell that the rows before belong to
  std::multimap<Task, Place>::iterator current;
  std::size_t lines = 0, found = 0;
  for (std::size_t begin = file.begin, end = 0; begin < file.end; begin = end) {
    end = std::min(text_.find('\n', begin), file.end - 1) + 1;
    std::string_view row = std::string_view(text_).substr(begin, end - begin);
    if (row.ends_with('\n')) row.remove_suffix(1);
    ++lines;
    std::optional<Task> task;
    const bool has_checksum = !row.ends_with(",,,,");  // as the first of a cell
    const bool first = has_checksum || prefix.empty() || !row.starts_with(prefix);
    if (first && (task = task_of_row(row, dataset))) {
      current = cells_.emplace(*task, Place{number, begin, 0, lines});
      prefix = row.substr(0, row.find(',', row.find(',') + 1) + 1);
      ++found;
    }
    if (const std::size_t bytes = end - file.begin; found > most_damaged + bytes / least_bytes)
      user_error("{}:{}: found {} cells in {} bytes, and each has at least {}; correct or remove the file",
                 file.path.string(), lines, found, bytes, least_bytes);
    // What is no row of a task is the header, or is missed by the checksum of its cell.
    if (!first || task) current->second.size = end - current->second.offset;
  }
}

std::string_view CellFiles::text(const File& file) const {
  return std::string_view(text_).substr(file.begin, file.end - file.begin);
}

std::string_view CellFiles::rows(const Place& place) const {
  return std::string_view(text_).substr(place.offset, place.size);
}

FoundCell CellFiles::read(const Task& task, const Place& place) const {
  FoundCell found{.source = fmt::format("{}:{}", files_[place.file].path.string(), place.line),
                  .rows = std::string(rows(place))};
  try {
    found.cell = parse_rows(task, found.rows, found.source);
  } catch (const UserError& problem) {
    found.problem = problem.what();
  }
  return found;
}

}  // namespace lacp
