#include "engine/table_stream.hpp"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <mutex>
#include <optional>

#include "common/message.hpp"
#include "datasets/draft.hpp"
#include "engine/plan.hpp"
#include "io/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/base/threads.hpp"
#include "lacp/data/csv_chunks.hpp"

namespace lacp {
namespace {

using Clock = std::chrono::steady_clock;

/// Reads pieces, works on them in several threads and hands on the results in the order of the pieces.
/// No more pieces are in memory than there are threads. `read` and `hand_on` are never called by two threads
/// at once. The first error, in the order of the pieces, ends it and is thrown.
///   read: () → std::optional<Piece>, work: (Piece) → Result, hand_on: (Result) → void
template <class Read, class Work, class HandOn>
void in_order(std::size_t threads, Read read, Work work, HandOn hand_on) {
  std::mutex reading, mutex;
  std::condition_variable changed;
  std::size_t next_read = 0, next_out = 0;
  bool stopped = false;  // guarded by `mutex`, as next_out and the error
  std::exception_ptr error;

  const auto run = [&] {
    for (;;) {
      decltype(read()) piece;
      std::size_t number = 0;
      std::exception_ptr failure;
      {
        const std::lock_guard lock(reading);
        try {
          piece = read();
        } catch (...) {
          failure = std::current_exception();
        }
        if (!piece && !failure) return;
        number = next_read++;
      }
      std::optional<decltype(work(std::move(*piece)))> result;
      try {
        if (!failure) result.emplace(work(std::move(*piece)));
      } catch (...) {
        failure = std::current_exception();
      }
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stopped || next_out == number; });
      if (stopped) return;
      try {
        if (failure) std::rethrow_exception(failure);
        hand_on(std::move(*result));
      } catch (...) {
        error = std::current_exception();
        stopped = true;
      }
      ++next_out;
      changed.notify_all();
      if (stopped) return;
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

/// A csv, standard input ("-"), the first sheet of an xlsx, or a csv that gzip unpacks while it is read.
class TableInput {
 public:
  TableInput(const std::filesystem::path& table, const CsvFormat& format) : name_(table.string()) {
    if (table.extension() == ".zip") user_error("{}: is not a table; expected csv, csv.gz or xlsx", name_);
    if (table == "-") {
      chunks_.emplace(Descriptor(::dup(STDIN_FILENO)), name_ = "standard input", format);
      return;
    }
    if (ends_with_xlsx(name_)) {
      CsvFormat of_sheet = format;
      of_sheet.delimiter = ',';
      chunks_.emplace(unnamed_file(table_in(table)), name_, of_sheet);
      return;
    }
    if (table.extension() != ".gz") {
      chunks_.emplace(table, format);
      return;
    }
    gzip_.emplace(std::vector<std::string>{"gzip", "-dc", "--", name_});
    try {
      chunks_.emplace(gzip_->take_output(), name_, format);
    } catch (const UserError&) {
      finish();
      throw;
    }
  }

  CsvChunks& chunks() { return *chunks_; }

  /// Once the table was read, or could not be: UserError if gzip failed, which then explains whatever else
  /// went wrong.
  void finish() {
    chunks_.reset();  // so that gzip does not wait for a reader, and ends by SIGPIPE
    if (!gzip_) return;
    const ProgramResult result = gzip_->finish();
    if (result.status != 0 && result.status != 128 + SIGPIPE)
      user_error("{}: cannot be unpacked: {}", name_,
                 result.messages.empty() ? fmt::format("gzip ended with {}", result.status)
                                         : one_line(result.messages));
  }

 private:
  std::string name_;
  std::optional<ProgramPipe> gzip_;  // before the chunks, which must stop reading first
  std::optional<CsvChunks> chunks_;
};

}  // namespace

StreamCounts stream_table(const TableModel& model, const StreamOptions& options,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on) {
  TableInput input(options.table, model.format());
  CsvChunks& chunks = input.chunks();
  StreamCounts counts;
  RowCount shown;
  struct Piece {
    TableIntervals intervals;
    std::string text;
  };
  try {
    in_order(
        thread_count(options.jobs, static_cast<std::size_t>(-1)), [&] { return chunks.next(); },
        [&](const CsvChunks::Chunk& chunk) {
          Piece piece{model.predict({chunk.bytes, chunks.name(), chunks.format(), chunk.header}, options),
                      {}};
          piece.text = work(piece.intervals);
          return piece;
        },
        [&](const Piece& piece) {
          hand_on(piece.intervals, piece.text);
          counts.rows += piece.intervals.lines.size();
          counts.bad += piece.intervals.bad_rows.size();
          counts.filled += piece.intervals.filled;
          counts.unseen += piece.intervals.unseen;
          counts.compared += piece.intervals.compared;
          counts.of_fit += piece.intervals.of_fit;
          shown.draw(counts.rows);
        });
  } catch (const BadRowError& error) {
    input.finish();
    user_error("{}; --skip-bad leaves such rows out", error.what());
  } catch (const UserError&) {
    input.finish();
    throw;
  }
  input.finish();
  return counts;
}

void report_counts(const StreamCounts& counts, const TableModel& model) {
  if (counts.filled > 0)
    note("{} held nothing and {} filled with the mean of the fit\n", counted(counts.filled, "cell"),
         counts.filled == 1 ? "was" : "were");
  if (counts.unseen > 0)
    note("{} named a category that the fit has not seen and {} taken for none of those seen\n",
         counted(counts.unseen, "cell"), counts.unseen == 1 ? "was" : "were");
  if (model.columns().log_target)
    note("the model learnt log(1 + y); predictions and intervals are turned back, exp(x) - 1\n");
}

}  // namespace lacp
