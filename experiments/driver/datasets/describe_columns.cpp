#include "datasets/describe_columns.hpp"

#include <algorithm>
#include <set>

#include "io/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

/// Different texts without blanks around them, as the cells of a table are read.
std::vector<std::string> read_texts(const YamlMap& map, const std::string& key, std::string_view what) {
  std::vector<std::string> texts;
  for (const std::string& text : map.get<std::vector<std::string>>(key)) {
    if (std::ranges::find(texts, trim(text)) != texts.end())
      map.fail(key, fmt::format("names {} twice; expected different {}", show_text(text), what));
    texts.emplace_back(trim(text));
  }
  return texts;
}

ColumnNames read_names(const YamlMap& map, const std::string& key) {
  if (!map.has(key)) return {};
  return {.columns = map.get<std::vector<std::string>>(key), .where = map.where(key)};
}

void read_target(const YamlMap& yaml, DatasetDescription& description) {
  if (!yaml.has_map("target")) {
    description.target = {.columns = {yaml.get<std::string>("target")}, .where = yaml.where("target")};
    return;
  }
  const YamlMap target = yaml.map("target");
  if (target.has("column") == target.has("sum"))
    yaml.fail("target", "expected either `column`, with a name or number, or `sum`, with a list of them");
  const std::string key = target.has("sum") ? "sum" : "column";
  description.target.where = target.where(key);
  if (key == "sum")
    description.target.columns = read_texts(target, key, "columns");
  else
    description.target.columns = {target.get<std::string>(key)};
  if (description.target.columns.empty()) target.fail(key, "is empty; expected columns to add up");
  description.log_target = target.get<bool>("log", false);
  target.finish();
}

void read_categories(const YamlMap& columns, std::vector<DescribedColumn>& special) {
  const std::string key = "categories";
  if (!columns.has(key)) return;
  for (const std::string& name : read_texts(columns, key, "columns"))
    special.push_back({name, {.name = "", .kind = ColumnKind::category}, columns.where(key)});
}

void read_ordered(const YamlMap& columns, std::vector<DescribedColumn>& special) {
  if (!columns.has("ordered")) return;
  const YamlMap ordered = columns.map("ordered");
  for (const std::string& name : ordered.keys()) {
    const std::vector<std::string> levels = read_texts(ordered, name, "levels");
    if (levels.size() < 2)
      ordered.fail(name, fmt::format("has {}; expected all levels in their order, as [small, medium, large]",
                                     counted(levels.size(), "level")));
    special.push_back(
        {name, {.name = "", .kind = ColumnKind::ordered, .levels = levels}, ordered.where(name)});
  }
  ordered.finish();
}

void read_dates(const YamlMap& columns, std::vector<DescribedColumn>& special) {
  if (!columns.has("dates")) return;
  const YamlMap dates = columns.map("dates");
  const std::vector<std::string> known = date_part_names();
  for (const std::string& name : dates.keys()) {
    Column column{.name = "", .kind = ColumnKind::date};
    for (const std::string& text : read_texts(dates, name, "parts")) {
      const std::optional<DatePart> part = parse_date_part(text);
      if (!part)
        dates.fail(name, fmt::format("found {}{}; expected some of {}", show_text(text),
                                     did_you_mean(text, known), join(known, ", ")));
      column.parts.push_back(*part);
    }
    if (column.parts.empty())
      dates.fail(name, fmt::format("is empty; expected some of {}", join(known, ", ")));
    special.push_back({name, column, dates.where(name)});
  }
  dates.finish();
}

IfMissing read_action(const YamlMap& map) {
  const std::vector<std::pair<std::string, IfMissing>> actions{{"refuse", IfMissing::refuse},
                                                               {"drop_rows", IfMissing::drop_row},
                                                               {"drop_columns", IfMissing::drop_column},
                                                               {"fill", IfMissing::fill}};
  const std::string text = map.get<std::string>("do", "refuse");
  std::vector<std::string> known;
  for (const auto& [name, action] : actions) {
    if (name == text) return action;
    known.push_back(name);
  }
  map.fail("do", fmt::format("found {}{}; expected one of {}", show_text(text), did_you_mean(text, known),
                             join(known, ", ")));
}

MissingRules read_missing(const YamlMap& yaml) {
  MissingRules rules;
  if (!yaml.has("missing")) return rules;
  const YamlMap map = yaml.map("missing");
  if (map.has("marks")) rules.marks = read_texts(map, "marks", "marks");
  rules.otherwise = read_action(map);
  rules.fill = read_names(map, "fill");
  rules.drop_rows = read_names(map, "drop_rows");
  map.finish();
  return rules;
}

}  // namespace

void describe_columns(const YamlMap& yaml, DatasetDescription& description) {
  read_target(yaml, description);
  if (yaml.has("columns")) {
    const YamlMap columns = yaml.map("columns");
    description.use = read_names(columns, "use");
    description.drop = read_names(columns, "drop");
    if (!description.use.columns.empty() && !description.drop.columns.empty())
      columns.fail("drop", "is given together with 'use'; expected one of the two");
    read_categories(columns, description.special);
    read_ordered(columns, description.special);
    read_dates(columns, description.special);
    columns.finish();
  }
  description.missing = read_missing(yaml);
}

std::string target_text(const DatasetDescription& description) {
  const std::string sum = join(description.target.columns, " + ");
  return description.log_target ? fmt::format("log(1 + {})", sum) : sum;
}

}  // namespace lacp
