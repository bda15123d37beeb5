#include "lacp/table/columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {

std::size_t attribute_count(const Column& column) {
  if (column.kind == ColumnKind::category) return column.levels.size();
  if (column.kind == ColumnKind::mean && !column.means.empty())
    return column.means.size() / (column.levels.size() + 1);
  return column.kind == ColumnKind::date ? column.parts.size() : 1;
}

std::vector<std::string> Columns::attribute_names() const {
  std::vector<std::string> names;
  for (const Column& column : attributes) {
    if (column.kind != ColumnKind::category && column.kind != ColumnKind::date)
      names.insert(names.end(), attribute_count(column), column.name);
    for (const DatePart part : column.parts)
      names.push_back(fmt::format("{}.{}", column.name, date_part_name(part)));
    if (column.kind == ColumnKind::category)
      for (const std::string& level : column.levels) names.push_back(column.name + "=" + level);
  }
  return names;
}

std::vector<const Column*> Columns::attribute_columns() const {
  std::vector<const Column*> columns;
  for (const Column& column : attributes) columns.resize(columns.size() + attribute_count(column), &column);
  return columns;
}

bool Columns::fills_missing() const {
  return std::ranges::count(attributes, IfMissing::fill, &Column::if_missing) > 0;
}

namespace {

// The saved form, as a part of a model.

constexpr std::string_view heading = "lacp columns";
/// Version 1 knows plain numbers, ISO dates and no means, version 2 no times and limits: columns that are no
/// more than that are written so.
constexpr std::array<std::string_view, 3> versions{"1", "2", "3"};
constexpr std::array<std::string_view, 3> clocks{"", "time in hours", "time in minutes"};
constexpr std::array<std::string_view, 3> limit_words{"", "limits", "half of limits"};
constexpr std::array<std::string_view, 5> kinds{"number", "category", "ordered", "date", "mean"};
constexpr std::array<std::string_view, 4> actions{"refuse", "drop_row", "drop_column", "fill"};

using Record = std::vector<std::string>;

std::string to_line(const Record& record) {
  std::string line;
  for (const std::string& cell : record) {
    line += line.empty() ? "\"" : ",\"";
    for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }
  return line + "\n";
}

Record to_record(std::string_view role, const Column& column) {
  Record record{std::string(role), std::string(kinds.at(static_cast<std::size_t>(column.kind))),
                std::string(actions.at(static_cast<std::size_t>(column.if_missing))), column.name};
  if (column.written) {
    record.insert(record.end(), {std::string(1, column.written->decimal), column.written->unit});
    for (const std::string_view word : {clocks.at(static_cast<std::size_t>(column.written->clock)),
                                        limit_words.at(static_cast<std::size_t>(column.written->limits))})
      if (!word.empty()) record.emplace_back(word);
  }
  if (column.order != DateOrder::iso) record.emplace_back(date_order_name(column.order));
  record.insert(record.end(), column.levels.begin(), column.levels.end());
  for (const DatePart part : column.parts) record.emplace_back(date_part_name(part));
  for (const double mean : column.means) record.push_back(fmt::format("{}", mean));
  return record;
}

bool is_limited(const Columns& columns) {
  return std::isfinite(columns.least) || std::isfinite(columns.most);
}

std::size_t version_of(const Column& column) {
  const Notation written = column.written.value_or(Notation{});
  if (written.clock != TimeParts::none || written.limits != Limits::none) return 3;
  return column.written || column.order != DateOrder::iso || column.kind == ColumnKind::mean ? 2 : 1;
}

std::string_view version_of(const Columns& columns) {
  std::size_t version = is_limited(columns) ? 2 : 1;
  for (const auto* list : {&columns.attributes, &columns.target})
    for (const Column& column : *list) version = std::max(version, version_of(column));
  return versions.at(version - 1);
}

/// What a column is that is read by the means of several folds, before their number.
constexpr std::string_view attribute_of_folds = "attribute of folds ";

/// Levels, and behind them, for each fold, their means and that of any other.
void read_means(std::string_view role, Record& rest, Column& column, const std::string& place) {
  const bool several = role.starts_with(attribute_of_folds);
  const double given =
      several ? parse_double(role.substr(attribute_of_folds.size())).value_or(std::nan("")) : 1.0;
  if (!(given >= (several ? 2.0 : 1.0) && given <= 1000.0))
    user_error("{}: found {}; expected a number of folds", place, show_text(role));
  const auto folds = static_cast<std::size_t>(given);
  const std::size_t levels = rest.size() < folds ? 0 : (rest.size() - folds) / (folds + 1);
  for (std::size_t i = levels; i < rest.size(); ++i)
    column.means.push_back(parse_double(rest[i]).value_or(std::nan("")));
  if (column.means.size() != folds * (levels + 1) ||
      !std::ranges::all_of(column.means, [](double mean) { return std::isfinite(mean); }))
    user_error("{}: expected a mean for each level, and one more", place);
  rest.resize(levels);
}

template <class Value, std::size_t count>
Value parse_name(const std::array<std::string_view, count>& names, const std::string& text,
                 const std::string& place) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end())
    user_error("{}: found {}; expected one of {}", place, show_text(text), fmt::join(names, ", "));
  return static_cast<Value>(found - names.begin());
}

/// The place of the first text among these words, and the text is taken off; 0 if it is none of them.
std::size_t take_word(Record& rest, const std::array<std::string_view, 3>& words) {
  const auto found = rest.empty() ? words.end() : std::ranges::find(words, rest[0]);
  if (found == words.end() || found->empty()) return 0;
  rest.erase(rest.begin());
  return static_cast<std::size_t>(found - words.begin());
}

Column to_column(const Record& record, const std::string& place) {
  if (record.size() < 4) user_error("{}: ends too early; expected a column", place);
  Column column{.name = record[3],
                .kind = parse_name<ColumnKind>(kinds, record[1], place),
                .if_missing = parse_name<IfMissing>(actions, record[2], place)};
  Record rest(record.begin() + 4, record.end());
  if (column.kind == ColumnKind::number && rest.size() >= 2 && (rest[0] == "." || rest[0] == ",")) {
    column.written = Notation{.decimal = rest[0][0], .unit = rest[1]};
    rest.erase(rest.begin(), rest.begin() + 2);
    column.written->clock = static_cast<TimeParts>(take_word(rest, clocks));
    column.written->limits = static_cast<Limits>(take_word(rest, limit_words));
  }
  for (const DateOrder order : {DateOrder::day_first, DateOrder::month_first})
    if (column.kind == ColumnKind::date && !rest.empty() && rest[0] == date_order_name(order)) {
      column.order = order;
      rest.erase(rest.begin());
      break;
    }
  if (column.kind == ColumnKind::mean) read_means(record[0], rest, column, place);
  if (std::set<std::string>(rest.begin(), rest.end()).size() != rest.size())
    user_error("{}: names something twice; expected different levels", place);
  if (rest.empty() != (column.kind == ColumnKind::number))
    user_error("{}: found {} of a {}", place, counted(rest.size(), "level"), record[1]);
  if (learns_levels(column.kind) &&
      (!std::ranges::is_sorted(rest) || (column.kind == ColumnKind::category && rest.size() > most_levels)))
    user_error("{}: expected at most {} levels in sorted order", place, most_levels);
  if (column.kind == ColumnKind::date)
    for (const std::string& name : rest)
      column.parts.push_back(parse_name<DatePart>(date_part_names, name, place));
  else
    column.levels = std::move(rest);
  return column;
}

}  // namespace

std::string to_text(const Columns& columns) {
  std::string text = to_line({std::string(heading), std::string(version_of(columns))});
  Record marks{columns.marks ? "marks" : "usual marks"};
  if (columns.marks) marks.insert(marks.end(), columns.marks->begin(), columns.marks->end());
  text += to_line(marks);
  for (const Column& column : columns.target)
    text += to_line(to_record(columns.log_target ? "log target" : "target", column));
  const auto limit = [](double end) { return std::isfinite(end) ? fmt::format("{}", end) : ""; };
  if (is_limited(columns)) text += to_line({"limits", limit(columns.least), limit(columns.most)});
  for (const Column& column : columns.attributes) {
    const std::size_t folds = column.kind == ColumnKind::mean ? attribute_count(column) : 1;
    text +=
        to_line(to_record(folds == 1 ? "attribute" : fmt::format("{}{}", attribute_of_folds, folds), column));
  }
  return text;
}

Columns parse_columns(std::string_view text, const std::string& source) {
  Columns columns;
  CsvCells cells(text, 0, 1, ',', source);
  for (std::size_t number = 0; cells.start_record(); ++number) {
    const std::string place = fmt::format("{}:{}", source, cells.line());
    Record record;
    do record.emplace_back(cells.text());
    while (cells.another_cell());
    const std::string role = record[0];
    if (number == 0) {
      if (record.size() != 2 || record[0] != heading ||
          std::ranges::find(versions, record[1]) == versions.end())
        user_error("{}: found {}; expected '{}' of version 1 to {}", place, short_list(record), heading,
                   versions.back());
    } else if (number == 1) {
      if (role == "marks")
        columns.marks.emplace(record.begin() + 1, record.end());
      else if (record != Record{"usual marks"})
        user_error("{}: found {}; expected the marks of missing cells", place, show_text(role));
    } else if (role == "limits" && record.size() == 3) {
      if (!record[1].empty()) columns.least = parse_double(record[1]).value_or(std::nan(""));
      if (!record[2].empty()) columns.most = parse_double(record[2]).value_or(std::nan(""));
      if (!(columns.least < columns.most) || !is_limited(columns))
        user_error("{}: found {}; expected a smaller and a larger number", place, short_list(record));
    } else if (role == "attribute" || (role.starts_with(attribute_of_folds) && record.size() > 1 &&
                                       record[1] == kinds[static_cast<std::size_t>(ColumnKind::mean)])) {
      columns.attributes.push_back(to_column(record, place));
    } else if (role == "target" || role == "log target") {
      const bool log = role == "log target";
      if (!columns.target.empty() && columns.log_target != log)
        user_error("{}: takes the logarithm of a part of the target", place);
      columns.target.push_back(to_column(record, place));
      columns.log_target = log;
      if (columns.target.back().kind != ColumnKind::number)
        user_error("{}: the target is a {}; expected a number", place, record[1]);
    } else {
      user_error("{}: found {}; expected 'attribute' or 'target'", place, show_text(role));
    }
  }
  std::set<std::string_view> names;
  for (const auto* list : {&columns.attributes, &columns.target})
    for (const Column& column : *list)
      if (!names.insert(column.name).second)
        user_error("{}: names column {} twice", source, show_text(column.name));
  if (columns.attributes.empty() || columns.target.empty())
    user_error("{}: ends too early; expected attributes and a target", source);
  return columns;
}

}  // namespace lacp
