#include "tool/table_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "datasets/catalog.hpp"
#include "datasets/load.hpp"
#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "table/csv_chunks.hpp"
#include "table/sheets/edges.hpp"
#include "table/sheets/zip.hpp"

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
    // Copied, not moved: where no thread can be started, std::async lets this one do the task, once more.
    const auto task = [&work, held = std::make_shared<decltype(piece)>(std::move(piece))] {
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
    for (Dates& dates : dates_)
      for (const std::string& cell : read_column(table, column_named(table, dates.column->name, ""), lines)) {
        const auto date = parse_date(cell, dates.column->order);
        dates.missing = dates.missing || !date;
        if (!date) continue;
        dates.rose = dates.rose || date->seconds > dates.last;
        dates.fell = dates.fell || date->seconds < dates.last;
        dates.last = date->seconds;
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
  };
  std::vector<Dates> dates_;
};

/// A new table may have another delimiter than that of the fit, and titles above its header: the beginning of
/// the table is changed to what has the columns of the model, if anything does.
void find_header(std::string& bytes, CsvFormat& format, const Columns& columns, const std::string& name) {
  constexpr std::size_t most_titles = 20;
  if (!format.header || !format.names.empty()) return;
  const auto fits = [&](const std::string& text, char delimiter) {
    CsvFormat other = format;
    other.delimiter = delimiter;
    try {
      const std::vector<std::string> names = read_csv_header(text, name, other).names;
      const std::set<std::string_view> known(names.begin(), names.end());
      return std::ranges::all_of(columns.attributes,
                                 [&](const Column& column) { return known.contains(column.name); });
    } catch (const UserError&) {
      return false;
    }
  };
  if (fits(bytes, format.delimiter)) return;
  for (std::size_t skip = 0; skip <= most_titles; ++skip) {
    std::string text = without_first_lines(bytes, skip);
    for (const char delimiter : {format.delimiter, ',', ';', '\t', '|', ' '}) {
      if (!fits(text, delimiter)) continue;
      if (delimiter != format.delimiter)
        note("{}: cells are separated by {} instead of {}\n", name, show_text({&delimiter, 1}),
             show_text({&format.delimiter, 1}));
      if (skip > 0) note("{}: {} above the header left out\n", name, counted(skip, "line"));
      bytes = std::move(text);
      format.delimiter = delimiter;
      return;
    }
  }
}

/// A csv, standard input ("-"), a sheet of an xlsx, or a csv that is unpacked while it is read.
CsvChunks open_table(const StreamOptions& options, const TableModel& model) {
  const std::filesystem::path& table = options.table;
  const std::string name = table == "-" ? "standard input" : table.string();
  if (!options.sheet.empty() && !ends_with_xlsx(name)) user_error("--sheet: {} is no xlsx file", name);
  if (table.extension() == ".zip") user_error("{}: expected csv, csv.gz or xlsx", name);
  const auto begin = [&](std::string& bytes, CsvFormat& of_table) {
    find_header(bytes, of_table, model.columns(), name);
  };
  CsvFormat format = model.format();
  CsvChunks::Read read;
  if (table == "-") {
    read = [](std::string& bytes, std::size_t size) { return read_all(STDIN_FILENO, bytes, size); };
  } else if (ends_with_xlsx(name)) {
    format.delimiter = ',';
    const auto sheet = std::make_shared<const TableBytes>(table_in(table, options.sheet));
    if (!sheet->note.empty()) note("{}\n", sheet->note);
    read = [sheet, at = std::size_t{0}](std::string& bytes, std::size_t size) mutable {
      const std::string_view next = std::string_view(sheet->text).substr(at, size - bytes.size());
      at += next.size();
      bytes += next;
      return true;
    };
  } else if (table.extension() == ".gz") {
    const auto packed = std::make_shared<GzipFile>(table);
    read = [packed](std::string& bytes, std::size_t size) {
      packed->read(bytes, size);
      return true;
    };
  } else {
    return CsvChunks(table, format, CsvChunks::usual_size, begin);
  }
  return CsvChunks(std::move(read), name, format, CsvChunks::usual_size, begin);
}

/// The rows of a new table, piece by piece, without totals and notes below them. These are known once the
/// table ends, so one piece, and little more, is kept back.
class RowStream {
 public:
  RowStream(const StreamOptions& options, const TableModel& model)
      : chunks_(open_table(options, model)),
        all_(options.all_rows),
        columns_(model.columns()),
        last_(chunks_.header().names, names_like_totals(),
              [this](std::size_t line, const std::vector<std::string>& cells) { look_at(line, cells); }) {
    const std::map<std::string_view, const Column*> known = columns_by_name();
    for (std::size_t i = 0; i < chunks_.header().names.size(); ++i)
      if (known.contains(chunks_.header().names[i])) attributes_.push_back(i);
  }
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  std::optional<CsvChunks::Chunk> next() {
    while (!ended_) {
      std::optional<CsvChunks::Chunk> chunk = chunks_.next();
      if (chunk) last_.see(chunk->bytes, chunk->header.line, chunks_.format().delimiter);
      ended_ = !chunk;
      if (ended_)
        leave_out_end();
      else if (!kept_)
        kept_ = std::move(chunk);
      else if (belongs_to_kept(*chunk))
        kept_->bytes += chunk->bytes;
      else
        return std::exchange(kept_, std::move(chunk));
    }
    return std::exchange(kept_, std::nullopt);
  }

  /// These rows as the models read them.
  CsvSource source(const CsvChunks::Chunk& chunk) const {
    return {chunk.bytes, chunks_.name(), chunks_.format(), chunk.header};
  }

  /// What a person should know once all is read.
  void report() const {
    if (const std::size_t lines = chunks_.converted(); lines > 0)
      note("{} no UTF-8: read as Windows-1252 (Latin-1)\n", counted(lines, "line"));
    if (end_.rows > 0) tell("{}: {}; --all-rows reads them, too\n", chunks_.name(), end_.text());
    if (empty_ > 0)
      note("{}:{}: no attribute of this row is known{}: means are used\n", chunks_.name(), first_empty_,
           empty_ == 1 ? "" : fmt::format(", nor of {} others", empty_ - 1));
  }

 private:
  std::map<std::string_view, const Column*> columns_by_name() const {
    std::map<std::string_view, const Column*> by_name;
    for (const Column& column : columns_.attributes) by_name[column.name] = &column;
    return by_name;
  }

  /// Columns that have a category called "Total", or the like.
  std::vector<bool> names_like_totals() const {
    const std::map<std::string_view, const Column*> known = columns_by_name();
    std::vector<bool> names;
    for (const std::string& name : chunks_.header().names) {
      const auto column = known.find(name);
      names.push_back(column != known.end() && std::ranges::any_of(column->second->values, says_total));
    }
    return names;
  }

  void look_at(std::size_t line, const std::vector<std::string>& cells) {
    const auto known = [&](std::size_t i) { return i >= cells.size() || !says_missing(cells[i], columns_); };
    if (std::ranges::any_of(attributes_, known)) return;
    if (empty_ == 0) first_empty_ = line;
    ++empty_;
  }

  /// The last piece may be short, and what stands below the table long.
  bool belongs_to_kept(const CsvChunks::Chunk& chunk) const {
    const auto lines = static_cast<std::size_t>(std::ranges::count(kept_->bytes, '\n'));
    return kept_->bytes.size() + chunk.bytes.size() <= 3 * CsvChunks::usual_size / 2 &&
           chunk.header.line == kept_->header.line + lines;
  }

  void leave_out_end() {
    if (!kept_ || !last_.readable()) return;
    const char delimiter = chunks_.format().delimiter;
    end_ = last_.finish(all_ ? 0 : count_rows(kept_->bytes, delimiter));
    kept_->bytes = without_last_rows(std::move(kept_->bytes), delimiter, end_.rows);
    if (kept_->bytes.empty()) kept_.reset();
  }

  CsvChunks chunks_;
  bool all_, ended_ = false;
  const Columns& columns_;
  std::vector<std::size_t> attributes_;  // where they are in this table
  LastRows last_;
  std::optional<CsvChunks::Chunk> kept_;
  TableEnd end_;
  std::size_t empty_ = 0, first_empty_ = 0;  // rows without any attribute, and the line of the first
};

/// Hands the rows of the table to `use`, and reports on them then.
void read_rows(const StreamOptions& options, const TableModel& model,
               const std::function<void(RowStream&)>& use) {
  try {
    RowStream rows(options, model);
    use(rows);
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

bool says_missing(const std::string& cell, const Columns& columns) {
  return columns.marks ? cell.empty() || std::ranges::count(*columns.marks, cell) > 0 : is_missing_mark(cell);
}

StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& emit) {
  StreamCounts counts;
  read_rows(options, model, [&](RowStream& rows) {
    in_order(
        thread_count(options.jobs, static_cast<std::size_t>(-1)), [&] { return rows.next(); },
        [&](const CsvChunks::Chunk& chunk) {
          const CsvSource table = rows.source(chunk);
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
  read_rows(options, model, [&](RowStream& stream) {
    while (const auto chunk = stream.next()) {
      std::vector<BadRow> bad;
      const CsvSource table = stream.source(*chunk);
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

void stream_doubles(const TableModel& model, std::size_t jobs,
                    const std::function<void(const std::string&)>& emit) {
  const std::vector<Column>& columns = model.columns().attributes;
  for (const Column& column : columns)
    if (column.kind != ColumnKind::number)
      user_error("--doubles: column {} is not one of numbers", show_text(column.name));
  using Rows = std::pair<std::size_t, arma::mat>;  // the number of the first, and all of them
  constexpr std::size_t piece = 4096;
  std::size_t next = 0;
  const auto read = [&]() -> std::optional<Rows> {
    arma::mat X(columns.size(), piece);
    const std::size_t row_bytes = columns.size() * sizeof(double);
    std::size_t got = 0;
    for (ssize_t more = 1; more != 0 && got < piece * row_bytes; got += static_cast<std::size_t>(more)) {
      more = ::read(STDIN_FILENO, reinterpret_cast<char*>(X.memptr()) + got, piece * row_bytes - got);
      if (more < 0) user_error("standard input: cannot be read: {}", std::strerror(errno));
    }
    if (got % row_bytes != 0) user_error("standard input: ends within a row of {} doubles", columns.size());
    if (got == 0) return std::nullopt;
    X.resize(columns.size(), got / row_bytes);
    return Rows{std::exchange(next, next + X.n_cols), std::move(X)};
  };
  const auto predict = [&](const Rows& rows) {
    const auto& [first, X] = rows;
    for (arma::uword n = 0; n < X.n_cols; ++n)
      for (arma::uword i = 0; i < X.n_rows; ++i)
        if (const double x = X(i, n);
            std::isinf(x) || (std::isnan(x) && columns[i].if_missing != IfMissing::fill))
          user_error("row {} from 0, column {}: found {}; expected a finite number", first + n,
                     show_text(columns[i].name), x);
    std::vector<arma::uword> too_far;
    const TableIntervals found = model.predict(X, &too_far);
    if (!too_far.empty())
      user_error("row {} from 0: lies too far from those of the fit", first + too_far.front());
    std::string bytes;
    const auto add = [&](double value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (arma::uword n = 0; n < found.f.n_elem; ++n) {
      add(found.f(n));
      for (arma::uword l = 0; l < found.lower.n_rows; ++l) {
        add(found.lower(l, n));
        add(found.upper(l, n));
      }
    }
    return bytes;
  };
  in_order(thread_count(jobs, static_cast<std::size_t>(-1)), read, predict, emit);
}

void report_counts(const StreamCounts& counts, const TableModel& model) {
  if (counts.filled > 0) note("{} missing, filled as in the fit\n", counted(counts.filled, "cell"));
  if (counts.unseen > 0)
    note("{} with a category that the fit has not seen\n", counted(counts.unseen, "cell"));
  if (counts.new_classes > 0)
    tell("{} with a new value of {}: nothing is promised for these\n", counted(counts.new_classes, "row"),
         show_text(model.by()));
  for (const auto& [column, rows] : counts.changed)
    tell("{} of {} have another {} than every row of the fit\n", rows, counted(counts.rows, "row"),
         show_text(column));
}

}  // namespace lacp
