#include "python/given.hpp"

#include <charconv>
#include <cmath>
#include <cstring>
#include <set>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

std::vector<std::string> texts_in(const lacp_texts& given) {
  const MemoryColumn column{.texts = given.bytes, .ends = given.ends};
  std::vector<std::string> texts;
  for (std::int64_t i = 0; i < given.count; ++i) texts.emplace_back(column.text(static_cast<std::size_t>(i)));
  return texts;
}

/// Whether the offsets can be those of as many texts.
bool is_usable(const lacp_texts& texts, std::int64_t count) {
  if (texts.count != count || texts.ends == nullptr || texts.ends[0] < 0) return false;
  for (std::int64_t i = 0; i < count; ++i)
    if (texts.ends[i + 1] < texts.ends[i]) return false;
  return texts.bytes != nullptr || texts.ends[count] == 0;
}

MemoryColumn column_in(const lacp_column& given, std::int64_t rows) {
  if (given.numbers != nullptr)
    return {.numbers = reinterpret_cast<const char*>(given.numbers), .stride = given.stride};
  if (!is_usable(given.texts, rows))
    user_error("column {}: has neither numbers nor {}", show_text(given.name),
               counted(static_cast<std::size_t>(rows), "text"));
  return {.texts = given.texts.bytes == nullptr ? "" : given.texts.bytes, .ends = given.texts.ends};
}

/// Weekday, month and year, and the hour if any date has a time.
std::vector<DatePart> date_parts(const MemoryColumn& column, std::size_t rows) {
  std::vector<DatePart> parts{DatePart::weekday, DatePart::month, DatePart::year};
  for (std::size_t n = 0; n < rows && parts.size() == 3; ++n)
    if (std::fmod(column.number(n), 86400.0) != 0.0 && std::isfinite(column.number(n)))
      parts.insert(parts.begin(), DatePart::hour);
  return parts;
}

std::vector<std::string> levels_of(const lacp_column& given) {
  const std::vector<std::string> levels =
      is_usable(given.levels, given.levels.count) ? texts_in(given.levels) : std::vector<std::string>();
  const std::set<std::string> different(levels.begin(), levels.end());
  if (levels.empty() || different.size() < levels.size() || different.contains(""))
    user_error("column {}: expected its levels, each once", show_text(given.name));
  return levels;
}

std::string choice(const YamlMap& map, const char* key, const std::vector<std::string>& known) {
  if (!map.has(key)) return "";
  return known[map.one_of(key, map.get<std::string>(key), known)];
}

std::size_t jobs_of(const YamlMap& map) {
  const auto jobs = map.get<std::size_t>("jobs", 0);
  if (jobs > 1024) option_error("jobs", fmt::format("{}", jobs), "expected 1 to 1024");
  return jobs;
}

template <class Options>
Options stream_options(const YamlMap& map, const GivenTable& table) {
  Options options;
  options.memory = &table.source;
  options.table = "X";
  options.unseen_zeros = choice(map, "unseen", {"error", "zeros"}) == "zeros";
  options.jobs = jobs_of(map);
  return options;
}

std::vector<std::string> list_of(const YamlMap& map, const char* key) {
  return map.get<std::vector<std::string>>(key, {});
}

}  // namespace

GivenTable::GivenTable(const lacp_table* given) {
  constexpr std::int64_t most_columns = 1'000'000, most_cells = std::int64_t{1} << 40;
  if (given == nullptr || given->count < 1 || given->rows < 0 || given->columns == nullptr ||
      given->count > most_columns || given->rows > most_cells / given->count)
    user_error("X: is no table; expected columns");
  memory.rows = static_cast<std::size_t>(given->rows);
  std::set<std::string> names;
  for (std::int64_t i = 0; i < given->count; ++i) {
    const lacp_column& column = given->columns[i];
    if (column.name == nullptr || *column.name == '\0') user_error("column {}: has no name", i);
    if (!names.insert(column.name).second)
      user_fault({.kind = FaultKind::repeated_name}, "two columns have the same name, {}",
                 show_text(column.name));
    header.names.emplace_back(column.name);
    memory.columns.push_back(column_in(column, given->rows));
  }
}

DatasetDescription description_of(const lacp_table& given, const GivenTable& table, std::string& group) {
  DatasetDescription description;
  description.name = "table";
  description.source.emplace().path = table.name;
  Columns columns;
  columns.marks.emplace();  // "NA" may be a category
  for (std::size_t i = 0; i < table.memory.columns.size(); ++i) {
    const lacp_column& own = given.columns[i];
    const MemoryColumn& cells = table.memory.columns[i];
    const std::string_view kind = own.kind == nullptr ? "" : own.kind;
    Column column{.name = own.name, .if_missing = IfMissing::fill};
    const bool numbers = kind == "number" || kind == "date" || kind == "target";
    if (kind != "group" && numbers != (cells.texts == nullptr))
      user_error("column {}: is of kind {}, and holds {}", show_text(own.name), show_text(kind),
                 numbers ? "texts" : "numbers");
    if (kind == "category") column.kind = ColumnKind::category;
    if (kind == "mean") column.kind = ColumnKind::mean;
    if (kind == "ordered") {
      column.kind = ColumnKind::ordered;
      column.values = levels_of(own);
    }
    if (kind == "date") {
      column.kind = ColumnKind::date;
      column.parts = date_parts(cells, table.memory.rows);
    }
    if (kind == "target") {
      column.if_missing = IfMissing::refuse;
      columns.target.push_back(column);
      description.target.columns.push_back(column.name);
    } else if (kind == "group") {
      group = own.name;
    } else if (numbers || column.kind != ColumnKind::number) {
      columns.attributes.push_back(std::move(column));
    } else {
      user_error("column {}: is of no kind", show_text(own.name));
    }
  }
  if (columns.target.size() != 1) user_error("X: has {} targets; expected 1", columns.target.size());
  if (columns.attributes.empty()) user_error("X: has no attribute beside the target");
  description.target.where = "y";
  description.columns = std::move(columns);
  return description;
}

YamlMap read_options(const char* options) {
  return YamlMap::parse(options == nullptr || *options == '\0' ? "{}" : options, "options");
}

FitOptions fit_options(const YamlMap& map) {
  FitOptions options;
  const auto text = [&](const char* key) { return map.get<std::string>(key, ""); };
  options.method = text("method");
  options.coverage = list_of(map, "coverage");
  options.sides = choice(map, "sides", {"both", "each"});
  options.copies = choice(map, "copies", {"keep", "drop"});
  options.prediction = text("prediction");
  options.clip = text("clip");
  options.by = text("by");
  options.set = list_of(map, "set");
  options.jobs = jobs_of(map);
  options.calibration = choice(map, "calibration", {"every-row", "split"});
  const std::string seed = map.get<std::string>("seed", "1");
  const char* const end = seed.data() + seed.size();
  if (std::from_chars(seed.data(), end, options.seed).ptr != end || seed.empty())
    map.fail("seed", "expected a whole number from 0 to 2^64 - 1");
  map.finish();
  return options;
}

PredictOptions predict_options(const YamlMap& map, const GivenTable& table) {
  PredictOptions options = stream_options<PredictOptions>(map, table);
  options.coverage = list_of(map, "coverage");
  options.lower = list_of(map, "lower");
  options.upper = list_of(map, "upper");
  options.quantiles = list_of(map, "quantiles");
  options.why = options.rows = map.get<bool>("why", false);
  map.finish();
  return options;
}

UpdateOptions update_options(const YamlMap& map, const GivenTable& table) {
  UpdateOptions options = stream_options<UpdateOptions>(map, table);
  options.instead = map.get<bool>("instead", false);
  options.window = map.get<std::size_t>("window", 0);
  options.sides = choice(map, "sides", {"both", "each"});
  options.group = map.get<std::string>("group", "");
  map.finish();
  return options;
}

EvaluateOptions evaluate_options(const YamlMap& map, const GivenTable& table) {
  EvaluateOptions options = stream_options<EvaluateOptions>(map, table);
  map.finish();
  return options;
}

}  // namespace lacp
