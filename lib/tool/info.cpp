// `lacp info`: what a model was fitted for, for people and for programs.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "common/coverage.hpp"
#include "common/json.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "models/methods/forest_choice.hpp"
#include "tool/tool.hpp"

namespace lacp {
namespace {

std::string kind_name(ColumnKind kind) {
  constexpr const char* names[] = {"number", "category", "ordered", "date", "mean of target", "list"};
  return names[static_cast<std::size_t>(kind)];
}

std::string target_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns.target) names.push_back(column.name);
  return columns.log_target ? "log(1 + " + join(names, " + ") + ")" : join(names, " + ");
}

/// The unit of a column of numbers, in brackets and behind a blank; nothing if it has none.
std::string unit_text(const Column& column) {
  const std::string unit = column.written.value_or(Notation{}).unit;
  return unit.empty() ? "" : fmt::format(" ({})", unit);
}

/// Whether tables are written as a program would: a header, commas, decimal points and ISO dates.
bool is_plain(const TableModel& model) {
  const CsvFormat& format = model.format();
  return format.delimiter == ',' && format.header && format.names.empty() &&
         std::ranges::all_of(model.columns().attributes, [](const Column& column) {
           return column.order == DateOrder::iso && column.written.value_or(Notation{}) == Notation{};
         });
}

/// Whether coverage may be more than its law says, as ties and every_row make it.
bool may_be_more(const TableModel& model) {
  return model.predictor().whole() || model.predictor().every_row();
}

bool has_one_quantile(const TableModel& model) { return model.predictor().method() != "mondrian"; }

/// The rows that calibrate a class at a level: its own, or those of all classes that have too few of them.
std::size_t calibrating_rows(const TableModel& model, std::size_t own, const Level& level) {
  if (model.by().empty()) return model.predictor().calibration_size();
  const std::size_t needed = model.predictor().rows_needed_in_class(level);
  if (own >= needed) return own;
  std::size_t together = 0;
  for (const LocalPredictor::Class& each : model.predictor().classes())
    together += each.rows < needed ? each.rows : 0;
  return together;
}

/// The range in which the coverage of a class with this many calibration rows lies, for nineteen models of
/// twenty; up to 1 where ties of whole numbers may make it more. (1, 1): its intervals are infinite.
std::pair<double, double> class_coverage(const TableModel& model, std::size_t own, const Level& level) {
  const auto [low, high] =
      expected_coverage(level, model.predictor().sides(), calibrating_rows(model, own, level), 0.025);
  return {low, may_be_more(model) ? 1.0 : high};
}

std::string range_text(const TableModel& model, std::size_t own, const Level& level) {
  const auto [low, high] = class_coverage(model, own, level);
  if (low == 1.0) return "infinite";
  if (high == 1.0) return fmt::format("{:.3f} or more", low);
  return fmt::format("{:.3f} to {:.3f}", low, high);
}

/// That of each class as a table for people; "" without classes, and for a method with several quantiles.
std::string class_coverage_text(const TableModel& model) {
  constexpr std::size_t most = 12;
  if (model.by().empty() || !has_one_quantile(model)) return "";
  const std::vector<Level>& levels = model.levels();
  std::vector<std::vector<std::string>> table{{"class", "rows"}};
  for (const Level& level : levels) table[0].push_back("coverage " + level.complement().text());
  std::size_t left = 0, small = 0;
  const auto add = [&](const std::string& name, std::size_t rows, std::size_t own) {
    table.push_back({name, fmt::format("{}", rows)});
    for (const Level& level : levels) table.back().push_back(range_text(model, own, level));
  };
  for (const TableModel::Class& own : model.classes()) {
    const auto too_few = [&](const Level& level) {
      return own.rows < model.predictor().rows_needed_in_class(level);
    };
    std::string name = own.value.empty() ? "others" : show_text(own.value);
    if (own.missing) name = "missing";
    if (std::ranges::all_of(levels, too_few))
      small += own.rows;
    else if (table.size() > most)
      ++left;
    else
      add(name, own.rows, own.rows);
  }
  if (small > 0) add("those with few rows", small, 0);
  std::string text = in_columns(table, 4, true);
  if (left > 0) text += fmt::format("    and {} more (--json)\n", left);
  return text;
}

/// The classes of --by, for programs.
std::string classes_json(const TableModel& model) {
  return json_list(model.classes(), [&](const TableModel::Class& own) {
    const auto enough = [&](const Level& level) {
      return own.rows >= model.predictor().rows_needed_in_class(level);
    };
    const auto expected = [&](const Level& level) {
      const auto [low, high] = class_coverage(model, own.rows, level);
      return json_object({{"coverage", level.complement().text()},
                          {"expected_low", json_number(low, 4)},
                          {"expected_high", json_number(high, 4)}});
    };
    return json_object({{"value", json_text(own.value)},
                        {"missing", own.missing ? "true" : "false"},
                        {"calibration_rows", fmt::format("{}", own.rows)},
                        {"by_itself", std::ranges::all_of(model.levels(), enough) ? "true" : "false"},
                        {"coverages", json_list(model.levels(), expected)}});
  });
}

}  // namespace

std::string info_json(const std::string& file, const TableModel& model) {
  const auto coverage = [](const Level& level) { return level.complement().text(); };
  const auto limit = [](double end) { return std::isfinite(end) ? json_number(end) : "null"; };
  const Columns& columns = model.columns();
  return json_object({{"model", json_text(file)},
                      {"target", json_text(target_of(columns))},
                      {"method", json_text(model.predictor().method())},
                      {"ends", json_text(ends_text(model.predictor().report()))},
                      {"calibration_rows", fmt::format("{}", model.predictor().calibration_size())},
                      {"sides", model.predictor().sides() == Sides::each ? "\"each\"" : "\"both\""},
                      {"by", json_text(model.by())},
                      {"classes", classes_json(model)},
                      {"group", json_text(model.group())},
                      {"least", limit(columns.least)},
                      {"most", limit(columns.most)},
                      {"coverage", json_list(model.levels(), coverage)},
                      {"columns", json_list(columns.attributes, column_json)},
                      {"plain", is_plain(model) ? "true" : "false"}});
}

std::string column_json(const Column& column) {
  return json_object({{"column", json_text(column.name)},
                      {"kind", json_text(kind_name(column.kind))},
                      {"attributes", fmt::format("{}", attribute_count(column))}});
}

std::string ends_text(const FitReport& report) {
  if (!report.ends) return "";
  const ForestEnds& ends = *report.ends;
  std::string text;
  for (const auto& [part, forest, leaf] : {std::tuple{1.0 - ends.mix, "errors", ends.leaf_of_errors},
                                           std::tuple{ends.mix, "values", ends.leaf_of_targets}})
    if (part > 0.0)
      text += fmt::format("{}{}{} (leaves of {})", text.empty() ? "" : " + ",
                          part < 1.0 ? fmt::format("{} ", part) : "", forest, leaf);
  if (ends.power != 1.0)
    text += fmt::format(", {:.3f} asked for 0.9", 1.0 - asked_alpha(Level(0.1), ends.power));
  return text;
}

std::optional<std::pair<double, double>> expected_in(const TableModel& model,
                                                     const std::map<std::size_t, std::size_t>& rows,
                                                     const Level& level) {
  const LocalPredictor& predictor = model.predictor();
  if (predictor.grouped() || !has_one_quantile(model)) return std::nullopt;
  const std::vector<LocalPredictor::Class> classes = predictor.classes();
  std::vector<NewPoints> points;
  NewPoints together{};
  double all = 0.0;
  for (const auto& [place, count] : rows) {
    const std::size_t own = place < classes.size() ? classes[place].rows : 0,
                      calibrating = calibrating_rows(model, own, level);
    all += static_cast<double>(count);
    if (calibrating == own || model.by().empty())
      points.push_back({count, calibrating});
    else
      together = {together.rows + count, calibrating};
  }
  if (together.rows > 0) points.push_back(together);
  const auto [least, most] = expected_covered(level, predictor.sides(), points);
  const double high = may_be_more(model) ? 1.0 : static_cast<double>(most) / all;
  return std::pair(static_cast<double>(least) / all, high);
}

std::vector<std::string> infinite_lines(const TableModel& model, std::span<const Level> levels, Ends ends) {
  std::vector<std::string> lines;
  for (const Level& level : levels) {
    const std::size_t needed = model.predictor().rows_needed(level, ends),
                      in_class = model.predictor().rows_needed_in_class(level, ends);
    std::size_t rows = model.predictor().calibration_size(), together = 0;
    if (!model.by().empty())
      for (const TableModel::Class& own : model.classes()) together += own.rows < in_class ? own.rows : 0;
    const char* of = "";
    if (together > 0 && together < needed) {
      rows = together;
      of = " of small classes";
    }
    if (rows < needed)
      lines.push_back(fmt::format("coverage {} needs {} rows that calibrate, and {}{} do: infinite {}",
                                  level.complement().text(), needed, rows, of,
                                  ends == Ends::both ? "intervals" : "bounds"));
  }
  return lines;
}

int show_info(const InfoOptions& options) {
  const TableModel model = TableModel::load(options.model);
  if (options.json) {
    show("{}\n", info_json(options.model.string(), model));
    return exit_done;
  }
  std::vector<std::string> coverages;
  for (const Level& level : model.levels()) coverages.push_back(level.complement().text());
  const Columns& columns = model.columns();
  show("{}: predicts {}\n  {:<18}{}\n  {:<18}{}, calibrated on {}\n", options.model.string(),
       one_line(target_of(columns) + unit_text(columns.target.front())), "coverage",
       wrapped(join(coverages, ", "), 20, 20), "method", model.predictor().method(),
       counted(model.predictor().calibration_size(), "row"));
  show("  {:<18}{}\n", "sides",
       model.predictor().sides() == Sides::each ? "a quantile for each" : "one quantile for both");
  if (model.predictor().every_row())
    show("  {:<18}every row trained, too: coverage is measured (--calibration split: a theorem)\n", "");
  if (const std::string ends = ends_text(model.predictor().report()); !ends.empty())
    show("  {:<18}{}\n", "ends", wrapped(ends, 20, 20));
  for (const std::string& line : infinite_lines(model, model.levels()))
    show("  {:<18}{}\n", "BEWARE", wrapped(line, 20, 20));
  if (const std::string classes = class_coverage_text(model); !classes.empty())
    show("  by {}; coverage to expect (95 %)\n{}", show_text(model.by()), classes);
  if (!model.group().empty())
    show("  {:<18}{}; one row of each group calibrates\n", "groups", one_line(model.group()));
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    show("  {:<18}intervals end at {} and {}\n", "clip", columns.least, columns.most);
  for (const Column& column : columns.attributes)
    show("  {:<18}{}\n", kind_name(column.kind), one_line(column.name + unit_text(column)));
  return exit_done;
}

}  // namespace lacp
