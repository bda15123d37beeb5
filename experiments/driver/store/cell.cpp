#include "store/cell.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::string_view format_line = "# lacp cell, format 1\n";
constexpr std::string_view columns_line = "metric,alpha,bin,value\n";
constexpr std::string_view intervals_prefix = "# intervals: ";
constexpr std::string_view sum_prefix = "# sha256: ";

/// Takes the line that starts with `prefix` off the front of `text` and returns what follows the prefix.
std::string take_line(std::string_view& text, std::string_view prefix, const std::string& source) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(prefix) || end < prefix.size())
    user_error("{}: is not a cell: expected a line that starts with '{}'", source, trim(prefix));
  std::string rest(text.substr(prefix.size(), end - prefix.size()));
  text.remove_prefix(end + 1);
  return rest;
}

Measurement parse_row(const std::string& line, const std::string& source) {
  const std::vector<std::string> fields = split_text(line, ',');
  if (fields.size() == 4) {
    const auto bin = parse_integer(fields[2].empty() ? "0" : fields[2]);
    const auto value = parse_double(fields[3]);
    if (bin && *bin >= 0 && value && !std::isnan(*value))
      return {fields[0], fields[1], static_cast<std::size_t>(*bin), *value};
  }
  user_error("{}: is not a cell: row {} is not metric,alpha,bin,value", source, show_text(line, 80));
}

/// Everything that the checksum is of.
std::string body_text(const Cell& head, std::string_view rows) {
  std::string text(format_line);
  text += fmt::format("# task: {} {} {}\n", head.task.dataset, head.task.run, head.task.method);
  text += fmt::format("# settings: {}\n# data: {}\n", head.settings, head.data);
  if (!head.intervals.empty()) text += fmt::format("{}{}\n", intervals_prefix, head.intervals);
  return text.append(columns_line).append(rows);
}

}  // namespace

std::optional<double> Cell::value(std::string_view metric, std::string_view alpha, std::size_t bin) const {
  for (const Measurement& m : values)
    if (m.metric == metric && m.alpha == alpha && m.bin == bin) return m.value;
  return std::nullopt;
}

std::string to_text(const Measurement& m) {
  return fmt::format("{},{},{},{}", m.metric, m.alpha, m.bin == 0 ? "" : std::to_string(m.bin), m.value);
}

std::string to_text(const Cell& cell) {
  std::string rows;
  for (const Measurement& m : cell.values) rows.append(to_text(m)).append("\n");
  const std::string body = body_text(cell, rows);
  return body + fmt::format("{}{}\n", sum_prefix, sha256(body));
}

std::string cell_text(const Cell& head, std::string_view rows) {
  return fmt::format("{}{}{}\n", body_text(head, rows), sum_prefix, head.checksum);
}

Cell parse_cell(std::string_view text, const std::string& source) {
  const std::size_t sum_at = text.rfind(sum_prefix);
  if (!text.starts_with(format_line)) user_error("{}: is not a cell of this format", source);
  Cell cell;
  if (sum_at != std::string_view::npos) cell.checksum = sha256(text.substr(0, sum_at));
  if (sum_at == std::string_view::npos ||
      text.substr(sum_at) != fmt::format("{}{}\n", sum_prefix, cell.checksum))
    user_error("{}: is damaged: its contents do not match its checksum", source);
  text = text.substr(0, sum_at);

  text.remove_prefix(format_line.size());
  const std::vector<std::string> task = split_text(take_line(text, "# task: ", source), ' ');
  const auto run = task.size() == 3 ? parse_integer(task[1]) : std::nullopt;
  if (!run || *run < 0) user_error("{}: is not a cell: the task line is not 'dataset run method'", source);
  cell.task = {task[0], static_cast<std::size_t>(*run), task[2]};
  cell.settings = take_line(text, "# settings: ", source);
  cell.data = take_line(text, "# data: ", source);
  if (text.starts_with(intervals_prefix)) cell.intervals = take_line(text, intervals_prefix, source);
  take_line(text, columns_line.substr(0, columns_line.size() - 1), source);
  while (!text.empty()) cell.values.push_back(parse_row(take_line(text, "", source), source));
  return cell;
}

std::filesystem::path cell_path(const std::filesystem::path& folder, const Task& task) {
  return folder / "cells" / task.dataset / std::to_string(task.run) / (task.method + ".csv");
}

}  // namespace lacp
