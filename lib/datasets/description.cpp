#include "datasets/description.hpp"

#include <algorithm>
#include <cctype>

#include "common/yaml.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/csv.hpp"
#include "table/sheets/edges.hpp"

namespace lacp {
namespace fs = std::filesystem;
namespace {

char read_decimal(const YamlMap& map) {
  return map.one_of("decimal", map.get<std::string>("decimal"), {"point", "comma"}) == 1 ? ',' : '.';
}

void read_format(const YamlMap& map, DatasetDescription& description) {
  CsvFormat& format = description.format;
  if (map.has("delimiter")) try {
      format.delimiter = delimiter_of(map.get<std::string>("delimiter"));
    } catch (const UserError& error) {
      map.fail("delimiter", error.what());
    }
  format.header = map.get<bool>("header", true);
  if (map.has("names")) format.names = map.get<std::vector<std::string>>("names");
  if (map.has("decimal")) description.decimal = read_decimal(map);
  description.date = static_cast<DateOrder>(
      map.one_of("date", map.get<std::string>("date", "iso"), {"iso", "day_first", "month_first"}));
  description.skip = map.get<std::size_t>("skip", 0);
  description.skip_last = map.get<std::size_t>("skip_last", 0);
}

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
  if (target.has("column") == target.has("sum")) yaml.fail("target", "expected `column` or `sum`");
  const std::string key = target.has("sum") ? "sum" : "column";
  description.target.where = target.where(key);
  description.target.columns =
      key == "sum" ? read_texts(target, key, "columns") : std::vector{target.get<std::string>(key)};
  if (description.target.columns.empty()) target.fail(key, "is empty; name columns");
  description.log_target = target.get<bool>("log", false);
  description.least = target.get<double>("min", description.least);
  description.most = target.get<double>("max", description.most);
  if (!(description.least < description.most))
    target.fail("min",
                fmt::format("found {}, and {} as max; expected less", description.least, description.most));
  target.finish();
}

/// The keys `categories` and `means`.
void read_levels(const YamlMap& columns, const std::string& key, ColumnKind kind,
                 std::vector<DescribedColumn>& special) {
  if (!columns.has(key)) return;
  for (const std::string& name : read_texts(columns, key, "columns"))
    special.push_back({name, {.name = "", .kind = kind}, columns.where(key)});
}

/// The keys `numbers`, `ordered` and `dates`, whose columns each have a value. `how` reads it.
template <class How>
void read_each(const YamlMap& columns, const std::string& key, std::vector<DescribedColumn>& special,
               const How& how) {
  if (!columns.has(key)) return;
  const YamlMap map = columns.map(key);
  for (const std::string& name : map.keys()) special.push_back({name, how(map, name), map.where(name)});
  map.finish();
}

Column read_ordered(const YamlMap& map, const std::string& name) {
  const std::vector<std::string> levels = read_texts(map, name, "levels");
  if (levels.size() < 2)
    map.fail(name, fmt::format("has {}; expected all in their order, as [small, large]",
                               counted(levels.size(), "level")));
  return {.name = "", .kind = ColumnKind::ordered, .values = levels};
}

Column read_dates(const YamlMap& map, const std::string& name) {
  const std::vector<std::string> known(date_part_names.begin(), date_part_names.end());
  Column column{.name = "", .kind = ColumnKind::date};
  for (const std::string& text : read_texts(map, name, "parts"))
    column.parts.push_back(static_cast<DatePart>(map.one_of(name, text, known)));
  if (column.parts.empty()) map.fail(name, fmt::format("is empty; expected some of {}", join(known, ", ")));
  return column;
}

MissingRules read_missing(const YamlMap& map) {
  MissingRules rules;
  if (map.has("marks")) rules.marks = read_texts(map, "marks", "marks");
  rules.otherwise = static_cast<IfMissing>(map.one_of("do", map.get<std::string>("do", "refuse"),
                                                      {"refuse", "drop_rows", "drop_columns", "fill"}));
  rules.fill = read_names(map, "fill");
  rules.drop_rows = read_names(map, "drop_rows");
  map.finish();
  return rules;
}

/// Reads the keys `target`, `columns` and `missing`. Which columns there are is not known yet.
void describe_columns(const YamlMap& yaml, DatasetDescription& description) {
  read_target(yaml, description);
  if (yaml.has("columns")) {
    const YamlMap columns = yaml.map("columns");
    description.use = read_names(columns, "use");
    description.drop = read_names(columns, "drop");
    if (!description.use.columns.empty() && !description.drop.columns.empty())
      columns.fail("drop", "is given together with 'use'");
    read_levels(columns, "categories", ColumnKind::category, description.special);
    read_levels(columns, "means", ColumnKind::mean, description.special);
    read_each(columns, "ordered", description.special, read_ordered);
    read_each(columns, "dates", description.special, read_dates);
    read_each(columns, "lists", description.special, [](const YamlMap& map, const std::string& name) {
      Column column{.name = "", .kind = ColumnKind::list};
      const std::string separator = map.get<std::string>(name);
      if (separator.size() != 1) map.fail(name, "expected a character, as \";\"");
      column.separator = separator[0];
      return column;
    });
    read_each(columns, "numbers", description.special, [&](const YamlMap& map, const std::string& name) {
      const YamlMap how = map.map(name);
      Notation notation{.decimal = description.decimal.value_or('.'),
                        .unit = std::string(trim(how.get<std::string>("unit", "")))};
      if (how.has("decimal")) notation.decimal = read_decimal(how);
      if (how.has("time"))
        notation.clock = static_cast<TimeParts>(
            1 + how.one_of("time", how.get<std::string>("time"), {"hours", "minutes"}));
      notation.limits =
          how.has("limits") && how.one_of("limits", how.get<std::string>("limits"), {"whole"}) == 0;
      how.finish();
      return Column{.name = "", .written = std::move(notation)};
    });
    columns.finish();
  }
  if (yaml.has("missing")) description.missing = read_missing(yaml.map("missing"));
}

}  // namespace

DatasetDescription read_description(const fs::path& file, const fs::path& cache) {
  const YamlMap yaml = YamlMap::load(file);
  DatasetDescription description;
  description.name = dataset_name(file);
  description.yaml = file;
  description.title = yaml.get<std::string>("title");
  description.citation = yaml.get<std::string>("citation", "");
  description.licence = yaml.get<std::string>("licence", "");
  yaml.get<std::string>("home", "");  // for people
  if (yaml.has("synthetic")) {
    description.synthetic = read_synthetic(yaml.map("synthetic"));
    description.rows = description.synthetic->samples;
    description.attributes = 3;
    yaml.finish();
    return description;
  }
  if (!yaml.has("source")) yaml.fail("source", "is missing; expected it, or `synthetic` for a generated set");
  const YamlMap format = yaml.has("format") ? yaml.map("format") : YamlMap::parse("{}", file.string());
  read_format(format, description);
  description.source = read_source(yaml, format, file.parent_path(), cache);
  format.finish();
  for (const auto& [key, text] :
       {std::pair("citation", description.citation), {"licence", description.licence}})
    if (text.empty() && !description.source->url.empty()) yaml.fail(key, "is missing, needed with a url");
  describe_columns(yaml, description);
  description.rows = yaml.get<std::size_t>("rows", 0);
  description.attributes = yaml.get<std::size_t>("attributes", 0);
  yaml.finish();
  return description;
}

std::string table_alone(std::string bytes, const DatasetDescription& description) {
  to_utf8(bytes);
  if (description.skip > 0) bytes = without_first_lines(bytes, description.skip);
  return without_last_rows(std::move(bytes), description.format.delimiter, description.skip_last);
}

std::string delimiter_name(char delimiter) {
  if (delimiter == '\t') return "tab";
  return delimiter == ' ' ? "blanks" : std::string(1, delimiter);
}

char delimiter_of(const std::string& name) {
  for (const char mark : {'\t', ' '})
    if (name == delimiter_name(mark)) return mark;
  const bool fits = name == "\t" || (name.size() == 1 && name[0] >= 0x20 && name[0] < 0x7f &&
                                     std::isalnum(static_cast<unsigned char>(name[0])) == 0 &&
                                     std::string_view("\".+-").find(name[0]) == std::string_view::npos);
  if (!fits) user_error("found {} as delimiter; expected one character, tab or blanks", show_text(name));
  return name[0];
}

std::string target_text(const DatasetDescription& description) {
  const std::string sum = join(description.target.columns, " + ");
  return description.log_target ? fmt::format("log(1 + {})", sum) : sum;
}

}  // namespace lacp
