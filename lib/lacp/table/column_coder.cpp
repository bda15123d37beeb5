#include "lacp/table/column_coder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/table/csv_cells.hpp"

namespace lacp {

ColumnCoder::ColumnCoder(const CsvSource& table, const Columns& columns, bool fitting,
                         const EncodeOptions& options)
    : table_(table), columns_(columns), fitting_(fitting), options_(options) {
  for (const Column& column : columns.attributes) roles_.push_back({&column});
  if (options.target)
    for (const Column& column : columns.target) roles_.push_back({&column});
  find_columns();
  for (ColumnRole& role : roles_)
    for (const std::string& level : role.column->levels)
      role.levels.emplace(level, static_cast<double>(role.levels.size()));
}

void ColumnCoder::find_columns() {
  const std::vector<std::string>& names = table_.header.names;
  std::map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
  role_of_.resize(names.size());
  row_of_.resize(names.size());
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const auto found = index.find(roles_[i].column->name);
    if (found == index.end())
      absent.push_back(roles_[i].column->name);
    else
      roles_[i].index = found->second, role_of_[found->second] = i;
  }
  if (!absent.empty())
    user_error(
        "{}: has no column {}; expected all columns that were fitted, by name, in any order; its own: {}{}",
        table_.name, short_list(absent), short_list(names),
        names.size() > 1 ? ""
                         : fmt::format(", if cells are separated by {}, as in the fit",
                                       show_text({&table_.format.delimiter, 1})));
}

void ColumnCoder::read(CsvMissing* missing) {
  missing_ = missing;
  // A mark that is itself a number, as -999, is told by its text.
  const bool by_text = columns_.marks && std::ranges::any_of(*columns_.marks, [](const std::string& mark) {
                         return parse_double(mark).has_value();
                       });
  std::vector<CellUse> use(table_.header.names.size(), CellUse::skip);
  for (const auto& [column, index, levels, gaps] : roles_) {
    // Whether a cell that programs read as a number is that number.
    const bool plain = !column->written || (column->written->decimal == '.' && column->written->unit != "%");
    const bool number = column->kind == ColumnKind::number && !by_text && plain;
    use[index] = number ? CellUse::number : CellUse::text;
  }
  const auto reader = [&](std::string_view cell, std::size_t index,
                          std::size_t line) -> std::optional<double> {
    if (options_.bad_rows == nullptr) return code(cell, index, line);
    try {
      return code(cell, index, line);
    } catch (const UserError& error) {
      options_.bad_rows->push_back({line, error.what()});
      return std::nullopt;
    }
  };
  codes = read_csv(table_, use, reader, &lines, options_.bad_rows).values;
  std::size_t row = 0;
  for (std::size_t i = 0; i < use.size(); ++i)
    if (use[i] != CellUse::skip) row_of_[i] = row++;
  count();
}

/// Counted at the end, since a row may be left out for a cell further on.
void ColumnCoder::count() {
  for (ColumnRole& role : roles_) {
    const bool fills =
        role.column->if_missing == IfMissing::fill || role.column->if_missing == IfMissing::drop_column;
    const bool category = role.column->kind == ColumnKind::category || role.column->kind == ColumnKind::mean;
    if (!fills && !category) continue;
    for (arma::uword n = 0; n < codes.n_cols; ++n) {
      const double code = codes(row_of_[role.index], n);
      role.gaps += fills && std::isnan(code) ? 1 : 0;
      unseen += category && code == unseen_level ? 1 : 0;
    }
  }
}

bool ColumnCoder::is_missing(std::string_view cell, const Column& column) const {
  const bool of_levels = column.kind != ColumnKind::number && column.kind != ColumnKind::date;
  if ((!columns_.marks || !of_levels) && is_missing_mark(cell, of_levels)) return true;
  return columns_.marks &&
         (cell.empty() || std::ranges::find(*columns_.marks, cell) != columns_.marks->end());
}

std::optional<double> ColumnCoder::code(std::string_view cell, std::size_t index, std::size_t line) {
  ColumnRole& role = roles_[role_of_[index]];
  if (is_missing(cell, *role.column)) return missing_cell(role, cell, line);
  switch (role.column->kind) {
    case ColumnKind::number:
      break;
    case ColumnKind::category:
    case ColumnKind::ordered:
    case ColumnKind::mean:
      return level(role, cell, line);
    case ColumnKind::date:
      return date(role, cell, line);
  }
  if (!role.column->written) return read_number(table_, cell, index, line);
  const std::optional<double> value = read_written(cell, *role.column->written);
  if (!value)
    user_error("{}: found {}; expected a number with {}, as the others; {}", place_of(table_, line, index),
               show_text(cell), notation_text(*role.column->written), or_missing(cell));
  return value;
}

std::optional<double> ColumnCoder::missing_cell(const ColumnRole& role, std::string_view cell,
                                                std::size_t line) {
  constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();
  const IfMissing then = role.column->if_missing;
  if (then == IfMissing::fill || (then == IfMissing::drop_column && fitting_)) return missing_value;
  const bool target = role_of_[role.index] >= columns_.attributes.size();
  if (fitting_ ? then == IfMissing::drop_row : target) {
    ++dropped_rows;
    return std::nullopt;
  }
  const std::string message = fmt::format(
      "{}: {}; expected a {}; {}", place_of(table_, line, role.index),
      cell.empty() ? "the cell is empty" : fmt::format("found {}, which means missing", show_text(cell)),
      role.column->kind == ColumnKind::number ? "number" : "value",
      target
          ? "correct the cell, or name the target under missing.drop_rows in the description to leave such rows out"
          : "correct the cell, or say under 'missing' in the description what to do about such cells");
  if (missing_ == nullptr) throw UserError(message);
  if (missing_->cells++ == 0) missing_->first = message;
  return missing_value;
}

double ColumnCoder::level(ColumnRole& role, std::string_view cell, std::size_t line) {
  if (const auto found = role.levels.find(cell); found != role.levels.end()) return found->second;
  const bool category = role.column->kind == ColumnKind::category,
             mean = role.column->kind == ColumnKind::mean;
  if (!fitting_ && (mean || (category && options_.unseen_zeros))) return unseen_level;
  if (!mean && (!category || !fitting_))
    user_error("{}: found {}{}{}; expected one of {}{}", place_of(table_, line, role.index), show_text(cell),
               did_you_mean(cell, role.column->levels), category ? ", a level that was never seen" : "",
               short_list(role.column->levels),
               category ? "; --unseen zeros takes such a cell for none of them" : "");
  if (category && role.levels.size() == most_levels)
    user_error(
        "{}: found {}, one level more than the {} that a category may have; name the column under columns.means, leave it out (columns.drop), or, if its cells are numbers, take it out of columns.categories",
        place_of(table_, line, role.index), show_text(cell), most_levels);
  return role.levels.emplace(cell, static_cast<double>(role.levels.size())).first->second;
}

double ColumnCoder::date(const ColumnRole& role, std::string_view cell, std::size_t line) const {
  const DateOrder order = role.column->order;
  const std::optional<DateTime> read = parse_date(cell, order);
  if (!read && order == DateOrder::iso)
    user_error("{}: found {}; expected an ISO date, as 2011-01-31 or 2011-01-31 23:00:00{}",
               place_of(table_, line, role.index), show_text(cell),
               parse_date(cell, DateOrder::day_first) || parse_date(cell, DateOrder::month_first)
                   ? "; say `format: {date: day_first}` or month_first"
                   : "");
  if (!read)
    user_error("{}: found {}; expected a date, the {} first, as {}", place_of(table_, line, role.index),
               show_text(cell), order == DateOrder::day_first ? "day" : "month",
               order == DateOrder::day_first ? "31/01/2011" : "01/31/2011");
  for (const DatePart part : role.column->parts)
    if (needs_time(part) && !read->has_time)
      user_error("{}: found {}, which has no {}; expected a date with a time, as 2011-01-31 23:00:00",
                 place_of(table_, line, role.index), show_text(cell), date_part_name(part));
  return read->seconds;
}

}  // namespace lacp
