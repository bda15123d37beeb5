#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/frame.hpp"
#include "experiment/store/cells.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"

// runs.csv: the part of many cells that is kept where all of them would be too much.
namespace lacp {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view seal = "# sha256 of the lines below: ";
constexpr std::array<const char*, 4> of_level = {"size_mean", "validity", "infinite", "empty"};
constexpr std::array<const char*, 3> of_cell = {"rows_test", "scored_points", "calibration_points"};

/// With all bits; "" if the cell does not have it.
std::string metric_text(const Cell& cell, const char* metric, const std::string& alpha = "") {
  const auto value = cell.value(metric, alpha);
  return value ? fmt::format("{}", *value) : "";
}

void add_values(Cell& cell, const Row& row, const auto& metrics, const std::string& alpha) {
  for (const char* metric : metrics)
    if (!row[metric].empty()) cell.values.push_back({metric, alpha, 0, row.number(metric)});
}

}  // namespace

std::string sealed(const std::string& csv) { return fmt::format("{}{}\n{}", seal, sha256(csv), csv); }

bool is_sealed(const std::string& text) {
  const std::size_t end = text.find('\n');
  return end != std::string::npos && text == sealed(text.substr(end + 1));
}

fs::path kept_path(const fs::path& folder) { return folder / "runs.csv"; }

bool is_in_tables(const Measurement& value) {
  return std::ranges::count(of_level, value.metric) + std::ranges::count(of_cell, value.metric) > 0;
}

std::string kept_csv(const std::map<Task, Cell>& cells) {
  std::vector<std::string> header{"dataset", "run", "method", "alpha"};
  header.insert(header.end(), of_level.begin(), of_level.end());
  header.insert(header.end(), of_cell.begin(), of_cell.end());
  header.insert(header.end(), {"settings", "checksum", "failure"});
  Frame table(header);
  for (const auto& [task, cell] : cells) {
    std::vector<std::string> alphas;
    for (const Measurement& m : cell.values)
      if (m.metric == of_level[1]) alphas.push_back(m.alpha);
    if (alphas.empty()) alphas.emplace_back();  // it failed
    for (std::size_t i = 0; i < alphas.size(); ++i) {
      std::vector<Field> row{task.dataset, task.run, task.method, alphas[i]};
      for (const char* metric : of_level) row.emplace_back(metric_text(cell, metric, alphas[i]));
      for (const char* metric : of_cell) row.emplace_back(i == 0 ? metric_text(cell, metric) : "");
      for (const std::string& text : {cell.settings, cell.checksum, cell.failure})
        row.emplace_back(i == 0 ? text : "");
      table.add(std::move(row));
    }
  }
  return sealed(to_text(table));
}

std::map<Task, FoundCell> read_kept(const fs::path& folder) {
  const fs::path file = kept_path(folder);
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  const std::string text = read_file(file);
  if (!is_sealed(text))
    user_error(
        "{}: is damaged: its rows are not those that the checksum in its first line is of; expected what `lacp table FOLDER --format runs` prints of the folder that has the cells",
        file.string());
  const auto data = load_manifest(folder).data;
  std::map<Task, FoundCell> kept;
  std::size_t line = 2;
  for (const Row& row : parse_frame(text, file.string())) {
    ++line;
    const Task task{row["dataset"], row.count("run"), row["method"]};
    FoundCell& found = kept[task];
    if (!found.cell) {
      found = {.source = fmt::format("{}:{}", file.string(), line), .rows = "", .in_part = true};
      const auto sums = data.find(task.dataset);
      found.cell = Cell{.task = task,
                        .settings = row["settings"],
                        .data = sums == data.end() ? "" : sums->second.fingerprint,
                        .values = {},
                        .failure = row["failure"],
                        .checksum = row["checksum"]};
      add_values(*found.cell, row, of_cell, "");
    }
    add_values(*found.cell, row, of_level, row["alpha"]);
  }
  return kept;
}

}  // namespace lacp
