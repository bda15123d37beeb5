#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/layout.hpp"
#include "lacp/base/text.hpp"
#include "output/labels.hpp"
#include "output/pool.hpp"
#include "output/table.hpp"

namespace lacp {
namespace {

constexpr std::size_t method_column = 18;  // "  erc (error fit) "

struct Field {
  std::string size, validity;
  bool best = false;
};

Field field(const TableEntry& e) {
  if (e.runs == 0) return {"missing", "", false};
  const std::string deviation = std::isnan(e.size.deviation) ? "" : "±" + display(e.size.deviation);
  const std::string runs = e.complete() ? "" : fmt::format("†{}", e.runs);
  return {display(e.size.mean) + deviation + (e.best ? "*" : "") + runs, display(e.validity.mean), e.best};
}

/// The methods of one data set at these levels.
std::string block(const std::vector<std::string>& methods, const std::vector<std::string>& alphas,
                  const std::vector<std::vector<Field>>& fields, bool bold) {
  std::string head = padded("", method_column), names = padded("  method", method_column), rows;
  std::vector<std::size_t> widths;
  for (std::size_t l = 0; l < alphas.size(); ++l) {
    std::size_t width = 4;
    for (const auto& row : fields) width = std::max(width, text_width(row[l].size));
    widths.push_back(width);
    head += padded_left("α = " + alphas[l], width + 6) + "  ";
    names += padded_left("size", width) + " valid  ";
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::string row = padded("  " + method_label(methods[m]), method_column);
    for (std::size_t l = 0; l < alphas.size(); ++l) {
      const Field& f = fields[m][l];
      const std::string size = padded_left(f.size, widths[l]);
      row.append(bold && f.best ? "\033[1m" + size + "\033[0m" : size).append(" ");
      row.append(padded_left(f.validity, 5)).append("  ");
    }
    rows.append(row.substr(0, row.find_last_not_of(' ') + 1)).append("\n");
  }
  const auto trimmed = [](std::string line) { return line.substr(0, line.find_last_not_of(' ') + 1) + "\n"; };
  return trimmed(head) + trimmed(names) + rows;
}

std::string failures_text(const Results& results) {
  constexpr std::size_t most = 5;
  std::vector<std::string> tasks;
  for (const auto& [task, failure] : results.failed)
    if (tasks.size() < most) tasks.push_back(to_text(task));
  if (results.failed.size() > most) tasks.push_back(fmt::format("{} more", results.failed.size() - most));
  return fmt::format("{} failed, and `lacp status` says why: {}.", counted(results.failed.size(), "task"),
                     join(tasks, "; "));
}

}  // namespace

std::string table_text(const Results& results, const std::vector<TableEntry>& entries, bool bold) {
  const Experiment& e = results.experiment;
  const std::size_t levels = e.levels.size(), methods = e.methods.size();
  std::string text;
  for (std::size_t d = 0; d < e.datasets.size(); ++d) {
    text += fmt::format("data set {}\n", e.datasets[d]);
    for (std::size_t first = 0, count = 0; first < levels; first += count) {
      std::vector<std::vector<Field>> fields(methods);
      std::vector<std::string> alphas;
      std::size_t columns = method_column;
      for (count = 0; first + count < levels; ++count) {  // as many levels as fit
        std::size_t width = 4;
        for (std::size_t m = 0; m < methods; ++m)
          width =
              std::max(width, text_width(field(entries[(d * methods + m) * levels + first + count]).size));
        if (count > 0 && columns + width + 6 > terminal_columns) break;
        columns += width + 8;
        alphas.push_back(e.levels[first + count].text());
        for (std::size_t m = 0; m < methods; ++m)
          fields[m].push_back(field(entries[(d * methods + m) * levels + first + count]));
      }
      text += block(e.methods, alphas, fields, bold);
    }
    text += "\n";
  }
  std::vector<std::string> notes = {fmt::format(
      "size: mean half-width of the intervals in units of mean |y|, mean ± standard deviation over {}; * the smallest of its data set and level. valid: share of the points inside their interval; it should be 1 − α.",
      counted(e.runs, "run"))};
  if (std::ranges::any_of(entries, [](const TableEntry& entry) { return !entry.complete(); }))
    notes.push_back(fmt::format("†k: mean of only k of {}; missing: of none.", counted(e.runs, "run")));
  if (!results.failed.empty()) notes.push_back(failures_text(results));
  for (const std::string& pool : pool_notes(results)) notes.push_back(pool);
  for (const std::string& line : notes) text += wrapped(line) + "\n";
  return text;
}

}  // namespace lacp
