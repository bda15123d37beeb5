#include "work/table_stream.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <optional>

#include "common/message.hpp"
#include "engine/slurm.hpp"
#include "io/process.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/csv_chunks.hpp"
#include "work/pipeline.hpp"

namespace lacp {
namespace {

using Clock = std::chrono::steady_clock;

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

/// A csv, or one that gzip unpacks while it is read.
class TableInput {
 public:
  TableInput(const std::filesystem::path& table, const CsvFormat& format) : name_(table.string()) {
    if (table.extension() == ".xlsx" || table.extension() == ".zip")
      user_error("{}: is not a csv; save the table as csv or csv.gz", name_);
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
      throw DamagedTable(fmt::format("{}: cannot be unpacked: {}", name_,
                                     result.messages.empty()
                                         ? fmt::format("gzip ended with {}", result.status)
                                         : one_line(result.messages)));
  }

 private:
  std::string name_;
  std::optional<ProgramPipe> gzip_;  // before the chunks, which must stop reading first
  std::optional<CsvChunks> chunks_;
};

}  // namespace

StreamCounts stream_table(const TableModel& model, const PredictRequest& request, bool target,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on) {
  const TableOptions options{
      .target = target, .unseen_zeros = request.unseen_zeros, .skip_bad = request.skip_bad};
  TableInput input(request.table, model.format());
  CsvChunks& chunks = input.chunks();
  StreamCounts counts;
  RowCount shown;
  struct Piece {
    TableIntervals intervals;
    std::string text;
  };
  try {
    in_order(
        thread_count(request.jobs, static_cast<std::size_t>(-1)), [&] { return chunks.next(); },
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
          shown.draw(counts.rows);
        });
  } catch (const UserError&) {
    input.finish();
    throw;
  }
  input.finish();
  return counts;
}

void report_counts(const StreamCounts& counts) {
  if (counts.filled > 0)
    note("{} held nothing and {} filled with the mean of the fit\n", counted(counts.filled, "cell"),
         counts.filled == 1 ? "was" : "were");
  if (counts.unseen > 0)
    note("{} named a category that the fit has not seen and {} taken for none of those seen\n",
         counted(counts.unseen, "cell"), counts.unseen == 1 ? "was" : "were");
}

}  // namespace lacp
