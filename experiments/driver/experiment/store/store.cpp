#include "experiment/store/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>

#include "common/frame.hpp"
#include "experiment/store/manifest.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/files.hpp"
#include "lacp/base/sha256.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"

namespace lacp {
namespace fs = std::filesystem;

fs::path intervals_path(const fs::path& folder, const std::string& dataset) {
  return folder / "intervals" / (dataset + ".csv");
}

namespace {

/// Columns that a method with equal sides does not have. Beside one that has them, its rows leave them empty.
constexpr std::array<const char*, 2> sides = {"below", "above"};

bool has_sides(const Frame& intervals) { return std::ranges::count(intervals.header(), sides[0]) > 0; }

Frame without_sides(const Frame& intervals) { return intervals.without(sides[0]).without(sides[1]); }

/// The intervals of each method in the file of a data set; none if it cannot be read.
std::map<std::string, Frame> intervals_by_method(const fs::path& file) try {
  std::map<std::string, Frame> methods;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const Frame all = read_frame(file);
  for (const std::string& method : all.distinct("method")) {
    const Frame own = all.where({{"method", method}}).without("method");
    const bool equal =
        has_sides(own) && std::ranges::all_of(own, [](const Row& row) { return row[sides[0]].empty(); });
    methods[method] = equal ? without_sides(own) : own;
  }
  return methods;
} catch (const UserError&) {
  return {};
}

/// Puts the intervals of a task into the file of its data set.
void keep_intervals(const fs::path& folder, const Task& task, const std::string& text) {
  const fs::path file = intervals_path(folder, task.dataset);
  std::map<std::string, Frame> methods = intervals_by_method(file);
  methods[task.method] = parse_frame(text, file.string());
  const Frame& own = methods[task.method];
  std::vector<std::string> header = (has_sides(own) ? without_sides(own) : own).header();
  const bool with_sides =
      std::ranges::any_of(methods, [](const auto& item) { return has_sides(item.second); });
  header.insert(header.begin(), "method");
  if (with_sides) header.insert(header.end(), sides.begin(), sides.end());
  Frame all(header, file.string());
  for (const auto& [method, intervals] : methods)
    for (const Row& row : intervals) {
      std::vector<Field> fields = row.fields;
      fields.insert(fields.begin(), method);
      fields.resize(header.size());
      all.add(std::move(fields));
    }
  write_file(file, to_text(all));
}

SurveyedDataset survey_dataset(const DatasetDescription& description, const fs::path& folder) {
  const bool there = at_hand(description);
  const bool stated = is_synthetic(description) || !description.source->sha256.empty();
  return {.description = description,
          .at_hand = there,  // if not, what was made from it while it was there still counts
          .fingerprint = stated || there ? data_fingerprint(description)
                                         : recorded_fingerprint(folder, description.name)};
}

}  // namespace

std::string kept_intervals(const fs::path& folder, const Task& task) {
  const std::map<std::string, Frame> methods = intervals_by_method(intervals_path(folder, task.dataset));
  const auto found = methods.find(task.method);
  return found == methods.end() ? "" : to_text(found->second);
}

std::string read_intervals(const fs::path& folder, const Cell& cell) {
  std::string text = kept_intervals(folder, cell.task);
  if (sha256(text) != cell.intervals)
    user_error("{}: {} {}", intervals_path(folder, cell.task.dataset).string(), cell.task.method, is_damaged);
  return text;
}

CellCheck check_cell(const Cells& cells, const Experiment& experiment, const Task& task,
                     const std::string& fingerprint) {
  const std::string settings = settings_hash(experiment, task, fingerprint);
  CellCheck check;
  for (FoundCell& found : cells.find(task)) {
    if (!found.cell) {
      if (check.state != CellState::missing) continue;
      check.state = CellState::damaged;
      check.message = found.source + ": " + is_damaged;
    } else if (Cell& cell = *found.cell; !cell.failure.empty()) {
      if (!check.failure && cell.settings == settings) check.failure = cell.failure;
    } else if (cell.settings != settings) {
      if (check.cell) continue;
      check.state = CellState::changed;
      check.cell = std::move(cell);
    } else {
      const bool whole = !keeps_intervals(experiment, task) ||
                         sha256(kept_intervals(cells.folder(), task)) == cell.intervals;
      return {.state = whole ? CellState::done : CellState::missing, .cell = std::move(cell)};
    }
  }
  return check;
}

std::vector<CellCheck> check_cells(const Cells& cells, const Experiment& experiment,
                                   const std::vector<Task>& tasks,
                                   const std::map<std::string, std::string>& fingerprints,
                                   const KeepValue& keep) {
  std::vector<CellCheck> checks(tasks.size());
  const auto check = [&](std::size_t i) {
    checks[i] = check_cell(cells, experiment, tasks[i], fingerprints.at(tasks[i].dataset));
    if (!checks[i].cell) return;
    std::vector<Measurement>& values = checks[i].cell->values;
    std::erase_if(values, [&](const Measurement& value) { return !keep(value); });
    values.shrink_to_fit();
  };
  std::vector<std::function<void()>> work;
  for (std::size_t i = 0; i < tasks.size(); ++i) work.emplace_back([&check, i] { check(i); });
  do_all(work, std::thread::hardware_concurrency());
  return checks;
}

Cell stored_cell(const Experiment& experiment, const std::string& fingerprint, const TaskResult& result) {
  Cell cell = result.cell;
  cell.settings = settings_hash(experiment, cell.task, fingerprint);
  cell.data = fingerprint;
  if (!result.intervals.empty()) cell.intervals = sha256(result.intervals);
  return cell;
}

void store_result(const fs::path& folder, const Experiment& experiment, const std::string& fingerprint,
                  const TaskResult& result) {
  const Cell cell = stored_cell(experiment, fingerprint, result);
  if (result.intervals.empty()) {
    store_cell(folder, cell);
    return;
  }
  // Threads and processes take turns, so that none loses what another has kept, and who waits sees both.
  static std::mutex mutex;  // where the file system has no locks
  const std::lock_guard turn(mutex);
  const FolderLock lock(intervals_path(folder, cell.task.dataset).parent_path());
  keep_intervals(folder, cell.task, result.intervals);
  store_cell(folder, cell);
}

void add_datasets(Survey& survey, const Catalog& catalog, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (survey.datasets.contains(name)) continue;
    try {
      survey.datasets[name] = survey_dataset(catalog.find(name), survey.folder);
    } catch (const UserError&) {  // its description is gone or wrong: what is recorded of it stays
      survey.datasets.erase(name);
    }
  }
}

Survey survey(const Experiment& experiment, const Catalog& catalog, const fs::path& results,
              const std::vector<Task>& tasks) {
  Survey out;
  out.folder = results / experiment.name;
  for (const std::string& name : experiment.datasets)
    out.datasets[name] = survey_dataset(catalog.find(name), out.folder);
  std::map<std::string, std::string> fingerprints;
  for (const auto& [name, dataset] : out.datasets) fingerprints[name] = dataset.fingerprint;
  std::vector<CellCheck> checks =
      check_cells(out.folder, experiment, tasks, fingerprints, [](const Measurement&) { return false; });
  for (std::size_t i = 0; i < tasks.size(); ++i) out.tasks.push_back({tasks[i], std::move(checks[i])});
  return out;
}

std::string failures_text(const Failures& failures) {
  constexpr std::size_t most_shown = 20;
  std::map<std::string, std::size_t> times;
  for (const auto& [task, reason] : failures) ++times[reason];
  std::string text;
  std::size_t shown = 0, told = 0;
  for (const auto& [task, reason] : failures) {
    const std::size_t same = std::exchange(times[reason], 0);  // told with the first of them
    if (same == 0 || ++shown > most_shown) continue;
    told += same;
    text += fmt::format("  {}: {}{}\n", to_text(task), reason,
                        same > 1 ? fmt::format(" (and {} more)", same - 1) : "");
  }
  if (shown > most_shown)
    text +=
        fmt::format("  ... and {} more, in the column `failure` of cells/*.csv\n", failures.size() - told);
  return text;
}

namespace {

/// Texts as one that no other texts have, whatever is in them.
std::string listed(const std::vector<std::string>& texts) {
  std::string list = fmt::format("{}:", texts.size());
  for (const std::string& text : texts) list += fmt::format(" {}:{}", text.size(), text);
  return list + "\n";
}

/// A column that a description names; of one of plain numbers it says nothing.
std::string described(const DescribedColumn& described) {
  const Column& how = described.how;
  std::vector<std::string> parts;
  for (const DatePart part : how.parts) parts.emplace_back(date_part_name(part));
  std::string text = fmt::format("column {} {}", static_cast<int>(how.kind), listed({described.column}));
  text += listed(how.values) + listed(parts);
  if (how.kind == ColumnKind::list) text += listed({std::string(1, how.separator)});
  if (const auto& written = how.written)
    text += fmt::format("{} {} {}", static_cast<int>(written->clock), static_cast<int>(written->limits),
                        listed({std::string(1, written->decimal), written->unit}));
  return text;
}

}  // namespace

std::string data_fingerprint(const DatasetDescription& description) {
  if (const auto& synthetic = description.synthetic)
    return sha256(fmt::format("synthetic\n{}\n{}\n{}\n{}\n{}\n", synthetic->profile, synthetic->rho,
                              synthetic->low, synthetic->high, synthetic->samples));
  const DatasetSource& source = *description.source;
  return data_fingerprint(description,
                          source.sha256.empty() ? sha256(read_file(source.path)) : source.sha256);
}

std::string data_fingerprint(const DatasetDescription& description, const std::string& file_sum) {
  const DatasetSource& source = *description.source;
  const CsvFormat& format = description.format;
  const MissingRules& missing = description.missing;
  std::string text = listed({file_sum, source.member});
  text += fmt::format("sheet {} delimiter {} header {} skip {} {}\n", source.sheet, format.delimiter,
                      format.header, description.skip, description.skip_last);
  for (const auto* names : {&format.names, &description.target.columns, &description.use.columns,
                            &description.drop.columns, &missing.fill.columns, &missing.drop_rows.columns})
    text += listed(*names);
  text += fmt::format("log {} decimal {} date {} missing {}\n", description.log_target,
                      description.decimal.value_or('-'), date_order_name(description.date),
                      static_cast<int>(missing.otherwise));
  if (missing.marks) text += "marks " + listed(*missing.marks);
  for (const DescribedColumn& column : description.special) text += described(column);
  return sha256(text);
}

std::size_t expected_rows(const DatasetDescription& description) {
  return description.synthetic ? description.synthetic->samples : description.rows;
}

}  // namespace lacp
