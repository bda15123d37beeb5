// `lacp info`: what a model was fitted for, for people and for programs.
#include "tool/info.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/json.hpp"
#include "common/message.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/registry.hpp"
#include "tool/class_coverage.hpp"

namespace lacp {

namespace {

std::string kind_name(ColumnKind kind) {
  constexpr const char* names[] = {"number", "category", "ordered", "date", "mean of target"};
  return names[static_cast<std::size_t>(kind)];
}

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

}  // namespace

std::string info_json(const std::string& file, const TableModel& model) {
  const auto level = [](const Level& alpha) {
    return json_object({{"level", alpha.text()}, {"coverage", alpha.complement().text()}});
  };
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
                      {"levels", json_list(model.levels(), level)},
                      {"columns", json_list(columns.attributes, column_json)},
                      {"plain", is_plain(model) ? "true" : "false"}});
}

std::string column_json(const Column& column) {
  return json_object({{"column", json_text(column.name)},
                      {"kind", json_text(kind_name(column.kind))},
                      {"attributes", fmt::format("{}", attribute_count(column))}});
}

namespace {

/// "'north' (120 rows), 'south' (98 rows)" of the classes with these numbers of calibration rows; or "".
std::string classes_between(const TableModel& model, std::size_t least, std::size_t below) {
  std::vector<std::string> texts;
  for (const TableModel::Class& own : model.classes()) {
    if (own.rows < least || own.rows >= below) continue;
    std::string name = own.value.empty() ? "others" : show_text(own.value);
    if (own.missing) name = "missing";
    texts.push_back(fmt::format("{} ({})", name, counted(own.rows, "row")));
  }
  constexpr std::size_t most = 12;
  const std::size_t all = texts.size();
  texts.resize(std::min(most, all));
  return join(texts, ", ") + (all > most ? fmt::format(", ... ({} in all)", all) : "");
}

std::size_t rows_below(const TableModel& model, std::size_t below) {
  std::size_t rows = 0;
  for (const TableModel::Class& own : model.classes()) rows += own.rows < below ? own.rows : 0;
  return rows;
}

constexpr std::size_t without_end = std::numeric_limits<std::size_t>::max();

std::size_t needed_in_class(const TableModel& model) {
  return model.predictor().rows_needed_in_class(Level(0.5));
}

}  // namespace

std::vector<std::string> class_lines(const TableModel& model) {
  const std::size_t least = needed_in_class(model);
  std::vector<std::string> lines;
  if (const std::string own = classes_between(model, least, without_end); !own.empty())
    lines.push_back("each by its own rows: " + own);
  if (const std::string small = classes_between(model, 0, least); !small.empty())
    lines.push_back(fmt::format(
        "together, since each has fewer than {}: {}; coverage holds on average over these", least, small));
  return lines;
}

std::vector<std::string> class_lines_at(const TableModel& model, std::span<const Level> levels, Ends ends) {
  std::vector<std::string> lines;
  if (model.by().empty()) return lines;
  for (const Level& level : levels) {
    const std::size_t needed = model.predictor().rows_needed(level, ends),
                      in_class = model.predictor().rows_needed_in_class(level, ends),
                      together = rows_below(model, in_class);
    const std::string coverage = level.complement().text();
    if (const std::string few = classes_between(model, needed_in_class(model), in_class); !few.empty())
      lines.push_back(fmt::format(
          "coverage {} needs {} rows of a class; calibrated together with smaller ones, since they have fewer: {}",
          coverage, in_class, few));
    if (together > 0 && together < needed)
      lines.push_back(fmt::format(
          "coverage {} needs {} rows, but these have only {} together, so their intervals are infinite: {}",
          coverage, needed, together, classes_between(model, 0, in_class)));
  }
  return lines;
}

std::string ends_text(const FitReport& report) {
  const std::vector<ForestEnds>& all = report.ends;
  if (all.empty()) return "";
  const auto folds_with = [&](const ForestEnds& ends) { return std::ranges::count(all, ends); };
  const ForestEnds& ends = *std::ranges::max_element(all, {}, folds_with);
  const std::string errors = fmt::format("errors, leaves of {}", ends.leaf_of_errors),
                    values = fmt::format("values, leaves of {}", ends.leaf_of_targets);
  constexpr const char* parts[] = {"", "a quarter", "half", "three quarters", ""};
  const std::string part = parts[static_cast<std::size_t>(std::lround(4.0 * ends.mix))];
  std::string text = fmt::format("{}; {} of the forest of {}", errors, part, values);
  if (part.empty()) text = ends.mix < 0.5 ? errors : values;
  if (const auto count = folds_with(ends); count < std::ssize(all))
    text += fmt::format(" (in {} of {} folds)", count, all.size());
  return text;
}

std::string classes_json(const TableModel& model) {
  return json_list(model.classes(), [&](const TableModel::Class& own) {
    const auto enough = [&](const Level& level) {
      return own.rows >= model.predictor().rows_needed_in_class(level);
    };
    const auto expected = [&](const Level& level) {
      const auto [low, high] = class_coverage(model, own.rows, level);
      return json_object({{"level", level.text()},
                          {"expected_low", json_number(low, 4)},
                          {"expected_high", json_number(high, 4)}});
    };
    return json_object({{"value", json_text(own.value)},
                        {"missing", own.missing ? "true" : "false"},
                        {"calibration_rows", fmt::format("{}", own.rows)},
                        {"by_itself", std::ranges::all_of(model.levels(), enough) ? "true" : "false"},
                        {"levels", json_list(model.levels(), expected)}});
  });
}

namespace {

/// Of the smallest class that is calibrated by its own rows; without one, all calibration rows.
std::size_t fewest_together(const TableModel& model, const Level& level) {
  const std::size_t needed = model.predictor().rows_needed_in_class(level);
  std::size_t rows = model.predictor().calibration_size();
  for (const TableModel::Class& own : model.classes())
    if (own.rows >= needed) rows = std::min(rows, own.rows);
  return rows;
}

/// "rank 181 of 200, which promises 0.9005": which score is q̂, and what a new row then has. Folds have no
/// such rank, nor have methods with a quantile for each point.
std::string rank_text(const TableModel& model, const Level& level) {
  const LocalPredictor& predictor = model.predictor();
  if (predictor.folds() > 1) return "";
  const bool each = predictor.sides() == Sides::each;
  const Level side = each ? level.half() : level;
  if (find_method(predictor.method()).promise != &promise_of_rank) return "";
  const std::size_t needed = side.fewest(), rows = fewest_together(model, level), rank = side.rank(rows);
  if (rank > rows)
    return fmt::format("none of {} promises {}, for which {} are needed", counted(rows, "row"),
                       level.complement().text(), needed);
  const double missed = static_cast<double>(rows + 1 - rank) / static_cast<double>(rows + 1);
  std::string where = each ? " on each side" : "";
  if (!model.by().empty()) where += " in the smallest class";
  return fmt::format("rank {} of {}{}, which promises {:.4f}", rank, rows, where,
                     1.0 - (each ? 2.0 : 1.0) * missed);
}

}  // namespace

int show_info(const InfoOptions& options) {
  const TableModel model = TableModel::load(options.model);
  if (options.json) {
    show("{}\n", info_json(options.model.string(), model));
    return exit_done;
  }
  std::vector<std::string> levels;
  for (const Level& level : model.levels())
    levels.push_back(fmt::format("{} (coverage {})", level.text(), level.complement().text()));
  const Columns& columns = model.columns();
  show("{}: predicts {}\n  {:<18}{}\n  {:<18}{}, calibrated on {}\n", options.model.string(),
       one_line(target_of(columns)), "levels", wrapped(join(levels, ", "), 20, 20), "method",
       model.predictor().method(), counted(model.predictor().calibration_size(), "row"));
  show("  {:<18}{}\n", "sides",
       model.predictor().sides() == Sides::each ? "a quantile for each" : "one quantile for both");
  if (model.predictor().folds() > 1)
    show(
        "  {:<18}of each of {} folds, where coverage is measured, not a theorem;\n  {:<18}`lacp fit --calibration-folds 0` makes it one\n",
        "rank", model.predictor().folds(), "");
  for (const Level& level : model.levels())
    if (const std::string rank = rank_text(model, level); !rank.empty())
      show("  {:<18}{}\n", "coverage " + level.complement().text(), wrapped(rank, 20, 20));
  if (const std::string ends = ends_text(model.predictor().report()); !ends.empty())
    show("  {:<18}{}\n", "ends", wrapped(ends, 20, 20));
  std::string label = "by " + one_line(model.by());
  for (const auto& lines : {class_lines(model), class_lines_at(model, model.levels())})
    for (const std::string& line : lines) {
      show("  {:<18}{}\n", label, wrapped(line, 20, 20));
      label.clear();
    }
  if (!model.group().empty())
    show("  {:<18}{}; one row of each group calibrates\n", "groups", one_line(model.group()));
  if (std::isfinite(columns.least) || std::isfinite(columns.most))
    show("  {:<18}intervals end at {} and {}\n", "clip", columns.least, columns.most);
  for (const Column& column : columns.attributes)
    show("  {:<18}{}\n", kind_name(column.kind), one_line(column.name));
  return exit_done;
}

}  // namespace lacp
