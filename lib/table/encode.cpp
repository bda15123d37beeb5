// Tables read by columns: fit_columns and encode.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lacp/base/error.hpp"
#include "lacp/base/math.hpp"
#include "lacp/base/text.hpp"
#include "table/columns.hpp"
#include "table/value_codes.hpp"

namespace lacp {
namespace {

/// Reads the cells of a table into one number each, its code: a number as it is, a value's number, the
/// seconds of a date, NaN for a cell that holds nothing.
class ColumnCoder {
 public:
  ColumnCoder(const CsvSource& table, const Columns& columns, bool fitting, const EncodeOptions& options)
      : table_(table), columns_(columns), fitting_(fitting), options_(options) {
    for (const Column& column : columns.attributes) roles.push_back({&column, false});
    if (options.target)
      for (const Column& column : columns.target) roles.push_back({&column, true});
    for (ColumnRole& role : roles)
      for (const std::string& value : role.column->values)
        role.values.emplace(value, static_cast<double>(role.values.size()));
    find_columns();
    read();
  }

  /// X and y from the codes of these columns, which have the roles.
  EncodedTable expand(const Columns& columns) {
    if (options_.target) out.y = target();
    std::vector<arma::uword> rows;
    for (const ColumnRole& role : roles)
      if (!role.is_target) {
        rows.push_back(role.row);
        out.filled.push_back(role.gaps);
      }
    if (std::ranges::all_of(columns.attributes, is_one_code)) {
      out.X = codes.rows(arma::uvec(rows));
      return std::move(out);
    }
    out.X.set_size(columns.attribute_columns().size(), codes.n_cols);
    for (arma::uword n = 0; n < codes.n_cols; ++n) {
      double* cell = out.X.colptr(n);
      for (std::size_t i = 0; i < rows.size(); cell += attribute_count(columns.attributes[i]), ++i)
        write_attributes(columns.attributes[i], codes(rows[i], n), cell);
    }
    return std::move(out);
  }

  std::vector<ColumnRole> roles;  ///< of attributes, and behind them of targets
  arma::mat codes;
  EncodedTable out;

 private:
  void find_columns() {
    const std::vector<std::string>& names = table_.header.names;
    std::map<std::string_view, std::size_t> index;
    for (std::size_t i = 0; i < names.size(); ++i) index.emplace(names[i], i);
    std::vector<std::string> absent;
    for (ColumnRole& role : roles)
      if (const auto found = index.find(role.column->name); found != index.end())
        role.index = found->second;
      else
        absent.push_back(role.column->name);
    if (!absent.empty())
      user_error("{}: has no column {}, which was fitted; its own: {}", table_.name, short_list(absent),
                 short_list(names));
  }

  void read() {
    // A mark that is itself a number, as -999, is looked for among all numbers: -999.0 is the same.
    if (columns_.marks)
      for (const std::string& mark : *columns_.marks)
        if (const auto value = parse_number(mark)) number_marks_.push_back(*value);
    if (table_.memory != nullptr)
      take(*table_.memory);
    else
      read_records();
    for (ColumnRole& role : roles) {
      // Counted at the end, since a row may be left out for a cell further on.
      const IfMissing then = role.column->if_missing;
      if (then == IfMissing::fill || then == IfMissing::drop_column)
        role.gaps = arma::uvec(arma::find_nan(codes.row(role.row))).n_elem;
      const bool list = role.column->kind == ColumnKind::list;
      if (!learns_values(role.column->kind)) continue;
      // Cell by cell: where every row was left out, Armadillo would read a row of nothing.
      for (arma::uword n = 0; n < codes.n_cols; ++n) {
        const double code = codes(role.row, n);
        out.unseen += (list ? has_member(code, unseen_member) : code == unseen_value) ? 1 : 0;
      }
    }
  }

  /// What `read` makes of a cell; none if it refuses it and bad rows are listed.
  template <class Read>
  std::optional<double> or_bad_row(std::size_t line, const Read& read) {
    try {
      return read();
    } catch (const UserError& error) {
      if (options_.bad_rows == nullptr) throw;
      options_.bad_rows->push_back({line, error.what(), error.fault()});
      return std::nullopt;
    }
  }

  void take(const MemoryTable& table) {
    for (std::size_t i = 0; i < roles.size(); ++i) roles[i].row = i;
    codes.set_size(roles.size(), table.rows);
    for (std::size_t n = 0; n < table.rows; ++n) {
      double* const row = codes.colptr(out.lines.size());
      const std::size_t line = table_.header.line + n;
      const bool whole = std::ranges::all_of(roles, [&](ColumnRole& role) {
        const MemoryColumn& column = table.columns[role.index];
        const std::optional<double> found = or_bad_row(line, [&] {
          return column.texts != nullptr ? code(column.text(n), role, line)
                                         : number(column.number(n), role, line);
        });
        row[role.row] = found.value_or(0.0);
        return found.has_value();
      });
      if (whole) out.lines.push_back(line);
    }
    codes.resize(roles.size(), out.lines.size());
  }

  void read_records() {
    const bool by_text = !number_marks_.empty();
    std::vector<CellUse> use(table_.header.names.size(), CellUse::skip);
    std::vector<ColumnRole*> role_of(use.size());
    for (ColumnRole& role : roles) {
      const Column& column = *role.column;
      // Whether a cell that programs read as a number is that number.
      const bool plain = !column.written || (column.written->decimal == '.' && column.written->unit != "%");
      const bool number = column.kind == ColumnKind::number && !by_text && plain;
      use[role.index] = number ? CellUse::number : CellUse::text;
      role_of[role.index] = &role;
    }
    const auto reader = [&](std::string_view cell, std::size_t index,
                            std::size_t line) -> std::optional<double> {
      return or_bad_row(line, [&] { return code(cell, *role_of[index], line); });
    };
    codes = read_csv(table_, use, reader, &out.lines, options_.bad_rows).values;
    std::vector<std::size_t> row_of;
    for (std::size_t rows = 0; const CellUse each : use)
      row_of.push_back(each == CellUse::skip ? rows : rows++);
    for (ColumnRole& role : roles) role.row = row_of[role.index];
  }

  bool is_missing(std::string_view cell, ColumnKind kind) const {
    const bool of_levels = kind != ColumnKind::number && kind != ColumnKind::date,
               usual = is_missing_mark(cell, of_levels);
    if (!columns_.marks) return usual;
    return (usual && !of_levels) || cell.empty() ||
           std::ranges::find(*columns_.marks, cell) != columns_.marks->end();
  }

  std::optional<double> code(std::string_view cell, ColumnRole& role, std::size_t line) {
    const Column& column = *role.column;
    if (cell == no_result)
      user_fault({.line = line},
                 "{}: a formula without a stored result; save the file in a spreadsheet program",
                 place_of(table_, line, role.index));
    if (is_missing(cell, column.kind)) return missing_cell(role, cell, line);
    if (column.kind == ColumnKind::date) return date(role, cell, line);
    if (column.kind == ColumnKind::list) return list(role, cell, line);
    if (column.kind != ColumnKind::number) return value(role, cell, line);
    const std::optional<double> value = number(column, cell, role.index, line);
    return is_mark(*value) ? missing_cell(role, cell, line) : value;
  }

  bool is_mark(double value) const { return std::ranges::find(number_marks_, value) != number_marks_.end(); }

  std::optional<double> number(double value, const ColumnRole& role, std::size_t line) {
    if (std::isnan(value) || is_mark(value)) return missing_cell(role, "", line);
    if (role.column->kind != ColumnKind::number && role.column->kind != ColumnKind::date)
      user_fault({.line = line}, "{}: found {}; expected a text", place_of(table_, line, role.index), value);
    if (std::isinf(value))
      user_fault({.line = line}, "{}: found {}; expected a finite number", place_of(table_, line, role.index),
                 value);
    return value;
  }

  std::optional<double> number(const Column& column, std::string_view cell, std::size_t index,
                               std::size_t line) const {
    if (!column.written) return read_number(table_, cell, index, line);
    const std::optional<double> value = read_written(cell, *column.written);
    const Fault fault{FaultKind::no_number, {std::string(cell)}, line};
    if (!value && column.written->clock != TimeParts::none)
      user_fault(fault, "{}: found {}; expected a time or duration, as 3:34:12",
                 place_of(table_, line, index), show_text(cell));
    if (!value)
      user_fault(fault, "{}: found {}; expected a number with a decimal {}{}", place_of(table_, line, index),
                 show_text(cell), column.written->decimal == ',' ? "comma" : "point",
                 column.written->unit.empty() ? "" : " and " + show_text(column.written->unit));
    return value;
  }

  std::optional<double> missing_cell(const ColumnRole& role, std::string_view cell, std::size_t line) {
    const IfMissing then = role.column->if_missing;
    if (then == IfMissing::fill || (then == IfMissing::drop_column && fitting_)) return missing_value;
    if (fitting_ ? then == IfMissing::drop_row : role.is_target) {
      ++out.dropped_rows;
      return std::nullopt;
    }
    user_fault(
        {role.is_target ? FaultKind::missing_target : FaultKind::missing_cell, {}, line},
        "{}: {}; expected a {}", place_of(table_, line, role.index),
        cell.empty() ? "the cell is empty" : fmt::format("found {}, which means missing", show_text(cell)),
        role.column->kind == ColumnKind::number ? "number" : "value");
  }

  [[noreturn]] void refuse_value(const ColumnRole& role, std::string_view value, std::size_t line) const {
    const bool learnt = role.column->kind != ColumnKind::ordered;
    user_fault({learnt ? FaultKind::unseen_category : FaultKind::other, {std::string(value)}, line},
               "{}: found {}{}{}; expected one of {}", place_of(table_, line, role.index), show_text(value),
               did_you_mean(value, role.column->values), learnt ? ", a value that was never seen" : "",
               short_list(role.column->values));
  }

  double value(ColumnRole& role, std::string_view cell, std::size_t line) const {
    if (const auto found = role.values.find(cell); found != role.values.end()) return found->second;
    const bool category = role.column->kind == ColumnKind::category,
               mean = role.column->kind == ColumnKind::mean;
    if (!fitting_ && (mean || (category && options_.unseen_zeros))) return unseen_value;
    if (!mean && (!category || !fitting_)) refuse_value(role, cell, line);
    if (category && role.values.size() == most_values)
      user_fault({FaultKind::many_categories, {}, line}, "{}: found {}; a category may have {} values",
                 place_of(table_, line, role.index), show_text(cell), most_values);
    return role.values.emplace(cell, static_cast<double>(role.values.size())).first->second;
  }

  double list(ColumnRole& role, std::string_view cell, std::size_t line) const {
    double sum = 0.0;
    for (const std::string& member : members_of(cell, role.column->separator)) {
      auto found = role.values.find(member);
      if (found == role.values.end() && fitting_) {
        if (role.values.size() == most_members)
          user_fault({FaultKind::many_categories, {}, line}, "{}: found {}; lists may have {} members",
                     place_of(table_, line, role.index), show_text(member), most_members);
        found = role.values.emplace(member, static_cast<double>(role.values.size())).first;
      }
      const bool unseen = found == role.values.end();
      if (unseen && !options_.unseen_zeros) refuse_value(role, member, line);
      const std::size_t place = unseen ? unseen_member : static_cast<std::size_t>(found->second);
      if (!has_member(sum, place)) sum += code_of_member(place);
    }
    return sum;
  }

  double date(const ColumnRole& role, std::string_view cell, std::size_t line) const {
    const DateOrder order = role.column->order;
    const std::optional<DateTime> read = parse_date(cell, order);
    if (!read) {
      const bool other = order == DateOrder::iso &&
                         (parse_date(cell, DateOrder::day_first) || parse_date(cell, DateOrder::month_first));
      constexpr std::array examples{"ISO, as 2011-01-31 23:00:00", "the day first, as 31/01/2011",
                                    "the month first, as 01/31/2011"};
      user_fault({other ? FaultKind::date_order : FaultKind::other, {}, line},
                 "{}: found {}; expected a date, {}", place_of(table_, line, role.index), show_text(cell),
                 examples.at(static_cast<std::size_t>(order)));
    }
    for (const DatePart part : role.column->parts) {
      const bool of_day = part == DatePart::day || part == DatePart::weekday;
      if ((of_day && !read->has_day) || (part >= DatePart::hour && !read->has_time))
        user_fault({.line = line}, "{}: found {}, which has no {}", place_of(table_, line, role.index),
                   show_text(cell), date_part_name(part));
    }
    return read->seconds;
  }

  arma::vec target() const {
    arma::vec y(codes.n_cols);
    for (arma::uword n = 0; n < y.n_elem; ++n) {
      double sum = 0.0;
      for (const ColumnRole& role : roles) sum += role.is_target ? codes(role.row, n) : 0.0;
      if (std::isinf(sum) || (columns_.log_target && sum <= -1.0))
        user_error("{}: the target is {}; expected {}", place_of(table_, out.lines[n]), sum,
                   columns_.log_target ? "more than -1, since log(1 + y) is taken of it" : "a finite sum");
      y[n] = columns_.log_target ? math::log1p(sum) : sum;
    }
    return y;
  }

  const CsvSource& table_;
  const Columns& columns_;
  bool fitting_;
  const EncodeOptions& options_;
  std::vector<double> number_marks_;
};

}  // namespace

EncodedTable fit_columns(Columns& columns, const CsvSource& table, DropColumns drop) {
  for (const Column& part : columns.target)
    if (part.if_missing == IfMissing::fill || part.if_missing == IfMissing::drop_column)
      user_error("{}: column {} is part of the target: drop_row or refuse", table.name, show_text(part.name));
  const EncodeOptions options{.target = true};
  ColumnCoder coder(table, columns, true, options);
  if (coder.codes.n_cols == 0)
    user_error("{}: every row has a missing cell; drop or fill columns instead", table.name);
  Columns fitted = columns;
  fitted.attributes.clear();
  for (ColumnRole& role : std::exchange(coder.roles, {})) {
    Column column = *role.column;
    if (role.gaps > 0 && column.if_missing == IfMissing::drop_column) {
      coder.out.dropped_columns.push_back(column.name);
      if (drop == DropColumns::now) continue;
    } else if (role.gaps >= coder.codes.n_cols) {
      user_fault({.kind = FaultKind::empty_column}, "{}: column {} is missing in every row", table.name,
                 show_text(column.name));
    }
    if (column.kind == ColumnKind::list)
      column.values = learn_members(coder.codes, role);
    else if (learns_values(column.kind))
      column.values = learn_values(coder.codes, role);
    if (!role.is_target) fitted.attributes.push_back(std::move(column));
    coder.roles.push_back(std::move(role));
  }
  if (fitted.attributes.empty())
    user_error("{}: every column has a missing cell; drop rows or fill instead", table.name);
  EncodedTable out = coder.expand(fitted);
  columns = std::move(fitted);
  return out;
}

EncodedTable encode(const Columns& columns, const CsvSource& table, const EncodeOptions& options) {
  return ColumnCoder(table, columns, false, options).expand(columns);
}

}  // namespace lacp
