#include "tool/table_stream.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "table/csv_chunks.hpp"
#include "tool/row_stream.hpp"

namespace lacp {
namespace {

/// Reads pieces, works on them in several threads and emits the results in the order of the pieces. No more
/// pieces are in memory than there are threads. `read` and `emit` are called by this thread alone. The first
/// error, in the order of the pieces, ends it and is thrown.
///   read: () → std::optional<Piece>, none from the end on; work: (Piece) → Result; emit: (Result) → void
template <class Read, class Work, class Emit>
void in_order(std::size_t threads, Read read, Work work, Emit emit) {
  std::exception_ptr unread;
  const auto next = [&]() -> decltype(read()) {
    try {
      return read();
    } catch (...) {
      unread = std::current_exception();  // of a later piece than those under way
      return std::nullopt;
    }
  };
  std::deque<std::future<decltype(work(*read()))>> under_way;
  const auto finish_first = [&] {
    emit(under_way.front().get());
    under_way.pop_front();
  };
  while (auto piece = next()) {
    end_if_interrupted();
    // Copied, not moved: where no thread can be started, std::async lets this one do the task, once more.
    const auto task = [&work, by = interruption, held = std::make_shared<decltype(piece)>(std::move(piece))] {
      interruption = by;
      return work(**held);
    };
    under_way.push_back(std::async(task));
    if (under_way.size() >= threads) finish_first();
  }
  while (!under_way.empty()) finish_first();
  if (unread) std::rethrow_exception(unread);
}

/// Whether a date rises or falls from row to row of a table, which may come in pieces.
class TimeOrder {
 public:
  explicit TimeOrder(const Columns& columns) {
    for (const Column& column : columns.attributes)
      if (column.kind == ColumnKind::date) dates_.push_back({.column = &column});
  }

  void add(const CsvSource& table, const std::vector<std::size_t>& lines) {
    for (Dates& dates : dates_) {
      const std::size_t column = column_named(table, dates.column->name, "");
      const bool numbers = table.memory != nullptr && table.memory->columns[column].texts == nullptr;
      for (std::size_t n = 0; numbers && n < lines.size(); ++n)
        dates.add(table.memory->columns[column].number(lines[n] - table.header.line));
      if (numbers) continue;
      for (const std::string& cell : read_column(table, column, lines)) {
        const auto date = parse_date(cell, dates.column->order);
        dates.add(date ? date->seconds : std::numeric_limits<double>::quiet_NaN());
      }
    }
  }

  /// The first column of dates that does one of the two, with a date in every row, if it falls: then the
  /// first row is the newest. Else "".
  std::string falling() const {
    const auto is_order = [](const Dates& dates) { return !dates.missing && dates.rose != dates.fell; };
    const auto found = std::ranges::find_if(dates_, is_order);
    return found != dates_.end() && found->fell ? found->column->name : "";
  }

 private:
  struct Dates {
    const Column* column;
    double last = std::numeric_limits<double>::quiet_NaN();
    bool rose = false, fell = false, missing = false;

    void add(double seconds) {
      missing = missing || std::isnan(seconds);
      if (std::isnan(seconds)) return;
      rose = rose || seconds > last;
      fell = fell || seconds < last;
      last = seconds;
    }
  };
  std::vector<Dates> dates_;
};

/// Some rows of a table. The CsvSource that is made of them refers to them.
struct Rows {
  explicit Rows(CsvChunks::Chunk piece) : chunk(std::move(piece)) {}
  Rows(const CsvSource& all, std::size_t first, std::size_t count)
      : chunk{.bytes = {}, .header = all.header}, memory{.columns = all.memory->columns, .rows = count} {
    chunk.header.line += first;
    for (MemoryColumn& column : memory.columns) {
      if (column.texts != nullptr)
        column.ends += first;
      else
        column.numbers += static_cast<std::ptrdiff_t>(first) * column.stride;
    }
  }
  CsvChunks::Chunk chunk;
  MemoryTable memory = {};
};

/// Hands the rows of the table to `use`, as what gives the next of them and what makes a table of these, and
/// reports on them then.
using NextRows = std::function<std::optional<Rows>()>;
using AsTable = std::function<CsvSource(const Rows&)>;
void read_rows(const StreamOptions& options, const TableModel& model,
               const std::function<void(const NextRows&, const AsTable&)>& use) {
  if (const CsvSource* all = options.memory; all != nullptr) {
    std::size_t begin = 0;
    const auto next = [&]() -> std::optional<Rows> {
      const std::size_t first = begin;
      begin = std::min(begin + columns_of_a_task, all->memory->rows);
      return first == begin ? std::nullopt : std::optional(Rows(*all, first, begin - first));
    };
    return use(next, [&](const Rows& rows) {
      return CsvSource{"", all->name, all->format, rows.chunk.header, &rows.memory};
    });
  }
  try {
    RowStream rows(options, model);
    const auto next = [&] {
      std::optional<CsvChunks::Chunk> chunk = rows.next();
      return chunk ? std::optional(Rows(std::move(*chunk))) : std::nullopt;
    };
    use(next, [&](const Rows& some) { return rows.source(some.chunk); });
    rows.report();
  } catch (const BadRowError& error) {
    Fault fault = error.fault();
    if (fault.kind == FaultKind::other) fault.kind = FaultKind::bad_row;
    throw UserError(error.what(), std::move(fault));
  }
}

/// Of columns that had one value in all rows of the fit: how many of these rows have another.
std::map<std::string, std::size_t> count_changed(const TableModel& model, const CsvSource& table,
                                                 const std::vector<std::size_t>& lines) {
  std::map<std::string, std::size_t> changed;
  for (const auto& [name, only] : model.constant()) {
    const std::string& value = only;
    if (std::ranges::find(table.header.names, name) == table.header.names.end()) continue;
    const std::optional<double> number = parse_double(value);
    const auto differs = [&](const std::string& cell) {
      return cell != value && !says_missing(cell, model.columns()) &&
             (!number || parse_double(cell) != number);
    };
    const std::vector<std::string> cells = read_column(table, column_named(table, name, "column"), lines);
    if (const auto rows = std::ranges::count_if(cells, differs); rows > 0)
      changed[name] = static_cast<std::size_t>(rows);
  }
  return changed;
}

/// What became of a piece of a table.
struct Piece {
  TableIntervals found;
  std::string text;
  std::map<std::string, std::size_t> changed;
};

}  // namespace

StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& emit) {
  StreamCounts counts;
  read_rows(options, model, [&](const NextRows& next, const AsTable& as_table) {
    in_order(
        thread_count(options.jobs, static_cast<std::size_t>(-1)), next,
        [&](const Rows& rows) {
          const CsvSource table = as_table(rows);
          TableIntervals found = model.predict(table, options);
          std::string text = work(found);
          auto changed = count_changed(model, table, found.lines);
          return Piece{std::move(found), std::move(text), std::move(changed)};
        },
        [&](const Piece& piece) {
          const auto& [found, text, changed] = piece;
          emit(found, text);
          for (const auto& [column, count] : changed) counts.changed[column] += count;
          counts.rows += found.lines.size();
          counts.bad += found.bad_rows.size();
          counts.filled += found.filled;
          counts.unseen += found.unseen;
          counts.without_target += found.without_target;
          counts.new_classes += found.new_classes;
        });
  });
  return counts;
}

void LabelledRows::leave_out(const std::vector<arma::uword>& rows) {
  std::vector<bool> out(y.n_elem, false);
  for (const arma::uword n : rows) out[n] = true;
  X.shed_cols(arma::uvec(rows));
  y.shed_rows(arma::uvec(rows));
  std::size_t place = 0;
  std::erase_if(lines, [&](std::size_t) { return out[place++]; });
  place = 0;
  std::erase_if(groups, [&](const std::string&) { return out[place++]; });
}

void LabelledRows::reverse() {
  X = arma::fliplr(X);
  y = arma::reverse(y);
  std::ranges::reverse(lines);
  std::ranges::reverse(groups);
}

LabelledRows read_labelled(const TableModel& model, const StreamOptions& options, const std::string& group) {
  LabelledRows all{arma::mat(model.columns().attribute_columns().size(), 0), {}, {}, {}, {}, {}};
  TimeOrder order(model.columns());
  read_rows(options, model, [&](const NextRows& next, const AsTable& as_table) {
    while (const auto some = next()) {
      std::vector<BadRow> bad;
      const CsvSource table = as_table(*some);
      const EncodedTable rows = encode(
          model.columns(), table, {.target = true, .unseen_zeros = options.unseen_zeros, .bad_rows = &bad});
      if (!bad.empty() && !options.skip_bad) throw BadRowError(bad.front().reason, bad.front().fault);
      order.add(table, rows.lines);
      for (const auto& [column, count] : count_changed(model, table, rows.lines))
        all.counts.changed[column] += count;
      all.X = arma::join_rows(all.X, rows.X);
      all.y = arma::join_cols(all.y, rows.y);
      all.lines.insert(all.lines.end(), rows.lines.begin(), rows.lines.end());
      if (!group.empty())
        std::ranges::move(read_column(table, column_named(table, group, "--group"), rows.lines),
                          std::back_inserter(all.groups));
      all.counts.rows += rows.y.n_elem;
      all.counts.bad += bad.size();
      all.counts.unseen += rows.unseen;
      all.counts.without_target += rows.dropped_rows;
      for (const std::size_t filled : rows.filled) all.counts.filled += filled;
    }
  });
  all.newest_first = order.falling();
  return all;
}

std::vector<std::string> warnings_of(const StreamCounts& counts, const TableModel& model) {
  std::vector<std::string> warnings;
  if (counts.new_classes > 0)
    warnings.push_back(fmt::format("{} with a new value of {}: nothing is promised for these",
                                   counted(counts.new_classes, "row"), show_text(model.by())));
  for (const auto& [column, rows] : counts.changed)
    warnings.push_back(fmt::format("{} of {} have another {} than every row of the fit", rows,
                                   counted(counts.rows, "row"), show_text(column)));
  return warnings;
}

void report_counts(const StreamCounts& counts, const TableModel& model) {
  if (counts.filled > 0) note("{} missing, filled as in the fit\n", counted(counts.filled, "cell"));
  if (counts.unseen > 0)
    note("{} with a category that the fit has not seen\n", counted(counts.unseen, "cell"));
  for (const std::string& warning : warnings_of(counts, model)) tell("{}\n", warning);
}

}  // namespace lacp
