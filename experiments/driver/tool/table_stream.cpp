#include "tool/table_stream.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "common/message.hpp"
#include "common/threads.hpp"
#include "datasets/catalog.hpp"
#include "datasets/edges.hpp"
#include "datasets/unpack.hpp"
#include "datasets/zip.hpp"
#include "lacp/base/descriptor.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/table/csv_chunks.hpp"
#include "tool/time_order.hpp"

namespace lacp {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads pieces, works on them in several threads and hands on the results in the order of the pieces.
/// No more pieces are in memory than there are threads. `read` and `hand_on` are never called by two threads
/// at once. The first error, in the order of the pieces, ends it and is thrown.
///   read: () → std::optional<Piece>, none from the end on; work: (Piece) → Result; hand_on: (Result) → void
template <class Read, class Work, class HandOn>
void in_order(std::size_t threads, Read read, Work work, HandOn hand_on) {
  std::mutex reading, mutex;
  std::condition_variable changed;
  std::size_t next_read = 0, next_out = 0;
  std::exception_ptr error;  // guarded by `mutex`, as next_out

  const auto run = [&] {
    for (bool going = true; going;) {
      std::size_t number = 0;
      std::optional<decltype(work(*read()))> result;
      std::exception_ptr failure;
      try {
        std::unique_lock lock(reading);
        number = next_read++;
        auto piece = read();
        lock.unlock();
        if (!piece) return;
        result.emplace(work(std::move(*piece)));
      } catch (...) {
        failure = std::current_exception();
      }
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return error || next_out == number; });
      if (error) return;
      try {
        if (failure) std::rethrow_exception(failure);
        hand_on(std::move(*result));
      } catch (...) {
        error = std::current_exception();
      }
      going = !error;
      ++next_out;
      changed.notify_all();
    }
  };

  std::vector<std::jthread> others = start_threads(threads - 1, run);
  run();
  others.clear();  // waits for them
  if (error) std::rethrow_exception(error);
}

/// Draws the number of rows on a terminal, now and then.
class RowCount {
 public:
  void draw(std::size_t rows) {
    constexpr std::chrono::milliseconds interval{200};
    if (!terminal_ || quiet || Clock::now() - last_ < interval) return;
    last_ = Clock::now();
    tell("\r{} rows, {:.0f} a second\033[K", rows,
         static_cast<double>(rows) / std::chrono::duration<double>(last_ - start_).count());
    drawn_ = true;
  }
  ~RowCount() {
    if (drawn_) tell("\r\033[K");
  }

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1, drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = start_;
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
    for (const char delimiter : {format.delimiter, ',', ';', '\t', '|'}) {
      if (!fits(text, delimiter)) continue;
      if (delimiter != format.delimiter)
        note("{}: cells are separated by {} instead of {}\n", name, show_text({&delimiter, 1}),
             show_text({&format.delimiter, 1}));
      if (skip > 0)
        note("{}: the names of the columns stand below {}, which {} left out\n", name, counted(skip, "line"),
             skip == 1 ? "is" : "are");
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
  if (table.extension() == ".zip") user_error("{}: is not a table; expected csv, csv.gz or xlsx", name);
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
      note("{} no UTF-8 and read as Windows-1252 (Latin-1)\n",
           lines == 1 ? "1 line was" : fmt::format("{} lines were", lines));
    if (end_.rows > 0) note("{}: {}; --all-rows reads them, too\n", chunks_.name(), end_.text());
    if (empty_ > 0)
      note("{}:{}: no attribute of this row is known{}: the means of the fit stand for all of them\n",
           chunks_.name(), first_empty_, empty_ == 1 ? "" : fmt::format(", nor of {} others", empty_ - 1));
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

  bool is_missing(const std::string& cell) const {
    if (!columns_.marks) return is_missing_mark(cell);
    return cell.empty() || std::ranges::find(*columns_.marks, cell) != columns_.marks->end();
  }

  void look_at(std::size_t line, const std::vector<std::string>& cells) {
    const auto known = [&](std::size_t i) { return i >= cells.size() || !is_missing(cells[i]); };
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
    user_error("{}; --skip-bad leaves such rows out", error.what());
  }
}

}  // namespace

StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on) {
  StreamCounts counts;
  RowCount shown;
  read_rows(options, model, [&](RowStream& rows) {
    in_order(
        thread_count(options.jobs, static_cast<std::size_t>(-1)), [&] { return rows.next(); },
        [&](const CsvChunks::Chunk& chunk) {
          TableIntervals found = model.predict(rows.source(chunk), options);
          std::string text = work(found);
          return std::pair(std::move(found), std::move(text));
        },
        [&](const std::pair<TableIntervals, std::string>& piece) {
          const auto& [found, text] = piece;
          hand_on(found, text);
          counts.rows += found.lines.size();
          counts.bad += found.bad_rows.size();
          counts.filled += found.filled;
          counts.unseen += found.unseen;
          counts.compared += found.compared;
          counts.of_fit += found.of_fit;
          counts.without_target += found.without_target;
          counts.new_classes += found.new_classes;
          shown.draw(counts.rows);
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

void LabelledRows::turn_round() {
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
      if (!bad.empty() && !options.skip_bad) throw BadRowError(bad.front().reason);
      order.add(table, rows.lines);
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
  if (order.falls()) all.newest_first = order.column();
  return all;
}

void stream_doubles(const TableModel& model, std::size_t jobs,
                    const std::function<void(const std::string&)>& hand_on) {
  const std::vector<Column>& columns = model.columns().attributes;
  for (const Column& column : columns)
    if (column.kind != ColumnKind::number)
      user_error("--doubles: column {} is not one of numbers; give the table as a csv",
                 show_text(column.name));
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
      user_error("row {} from 0: lies too far from those of the fit for a value there; leave it out",
                 first + too_far.front());
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
  in_order(thread_count(jobs, static_cast<std::size_t>(-1)), read, predict, hand_on);
}

void report_counts(const StreamCounts& counts, const TableModel& model) {
  if (counts.filled > 0)
    note(
        "{} held nothing and {} filled as in the fit: numbers with the mean, categories with the share of each\n",
        counted(counts.filled, "cell"), counts.filled == 1 ? "was" : "were");
  if (counts.unseen > 0)
    note("{} named a category that the fit has not seen and {} taken for none of those seen\n",
         counted(counts.unseen, "cell"), counts.unseen == 1 ? "was" : "were");
  if (counts.new_classes > 0)
    tell(
        "{} {} {} that no calibration row has: nothing is promised for {}; what calibrates the values with few rows calibrates them, too, and without any their intervals are infinite\n",
        counted(counts.new_classes, "row"), counts.new_classes == 1 ? "has" : "have",
        model.by_gaps() ? "a set of missing cells" : "a value of " + show_text(model.by()),
        counts.new_classes == 1 ? "it" : "them");
  if (model.columns().log_target)
    note("the model learnt log(1 + y); predictions and intervals are turned back, exp(x) - 1\n");
}

}  // namespace lacp
