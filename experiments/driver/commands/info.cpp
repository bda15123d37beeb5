// `lacp info`: what a model was fitted for, for people and for programs.
#include <algorithm>
#include <cmath>

#include "commands/commands.hpp"
#include "commands/fit/fit.hpp"
#include "report/words.hpp"

namespace lacp {

namespace {

std::string kind_name(ColumnKind kind) {
  constexpr const char* names[] = {"number", "category", "ordered", "date", "mean of target"};
  return names[static_cast<std::size_t>(kind)];
}

struct InfoOptions {
  fs::path model;
  bool json = false;
};

std::string target_of(const Columns& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns.target) names.push_back(column.name);
  return columns.log_target ? "log(1 + " + join(names, " + ") + ")" : join(names, " + ");
}

/// Whether tables are written as a program would: a header, commas, decimal points and ISO dates.
bool is_plain(const TableModel& model) {
  const CsvFormat& format = model.format();
  return format.delimiter == ',' && format.header && format.names.empty() &&
         std::ranges::all_of(model.columns().attributes, [](const Column& column) {
           return column.order == DateOrder::iso && column.written.value_or(Notation{}) == Notation{};
         });
}

std::string json_of(const InfoOptions& options, const TableModel& model) {
  const auto level = [](const Level& alpha) {
    return json_object({{"level", alpha.text()}, {"coverage", alpha.complement().text()}});
  };
  const auto limit = [](double end) { return std::isfinite(end) ? json_number(end) : "null"; };
  const Columns& columns = model.columns();
  return json_object({{"model", json_text(options.model.string())},
                      {"target", json_text(target_of(columns))},
                      {"method", json_text(model.predictor().method())},
                      {"calibration_rows", fmt::format("{}", model.predictor().calibration_size())},
                      {"by", json_text(model.by())},
                      {"classes", classes_json(model)},
                      {"least", limit(columns.least)},
                      {"most", limit(columns.most)},
                      {"levels", json_list(model.levels(), level)},
                      {"columns", json_list(columns.attributes, column_json)},
                      {"plain", is_plain(model) ? "true" : "false"}}) +
         "\n";
}

int show_info(const InfoOptions& options) {
  const TableModel model = TableModel::load(options.model);
  if (options.json) {
    show("{}", json_of(options, model));
    return exit_done;
  }
  std::vector<std::string> levels;
  for (const Level& level : model.levels())
    levels.push_back(fmt::format("{} (coverage {})", level.text(), level.complement().text()));
  const Columns& columns = model.columns();
  show("{}: predicts {}\n  {:<18}{}\n  {:<18}{}, calibrated on {}\n", options.model.string(),
       one_line(target_of(columns)), "levels", wrapped(join(levels, ", "), 20, 20), "method",
       model.predictor().method(), counted(model.predictor().calibration_size(), "row"));
  for (const bool own : {true, false})
    if (const std::string classes = classes_text(model, own); !classes.empty())
      show("  {:<18}{}\n", own ? "by " + one_line(model.by()) : "by all rows", wrapped(classes, 20, 20));
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    show("  {:<18}intervals end at {} and {}\n", "clip", columns.least, columns.most);
  for (const Column& column : columns.attributes)
    show("  {:<18}{}\n", kind_name(column.kind), one_line(column.name));
  return exit_done;
}

}  // namespace

std::string column_json(const Column& column) {
  return json_object({{"column", json_text(column.name)},
                      {"kind", json_text(kind_name(column.kind))},
                      {"attributes", fmt::format("{}", attribute_count(column))}});
}

std::string classes_text(const TableModel& model, bool by_themselves) {
  std::vector<std::string> texts;
  for (const TableModel::Class& own : model.classes())
    if (own.calibrates == by_themselves)
      texts.push_back(fmt::format("{} ({})", own.value.empty() ? "others" : show_text(own.value),
                                  counted(own.rows, "row")));
  return join(texts, ", ");
}

std::string classes_json(const TableModel& model) {
  return json_list(model.classes(), [](const TableModel::Class& own) {
    return json_object({{"value", json_text(own.value)},
                        {"calibration_rows", fmt::format("{}", own.rows)},
                        {"by_itself", own.calibrates ? "true" : "false"}});
  });
}

void add_info(CLI::App& program) {
  const auto [command, o] =
      add_command(program, "info", "Say what a model was fitted for: target, levels, columns", show_info);
  add(command, "MODEL", o.model, "FILE", "what `lacp fit` wrote")->required();
  command.add_flag("--json", o.json, "print it as json");
  command.footer(
      "plain (json): whether its tables have a header, commas, decimal points and ISO dates; --doubles of `lacp predict` needs no more than columns that are all numbers.");
}

}  // namespace lacp
