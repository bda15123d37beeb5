#include "work/table_stream.hpp"

#include <unistd.h>

#include <chrono>

#include "common/message.hpp"
#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"
#include "lacp/conformal/table_model.hpp"
#include "lacp/data/csv_chunks.hpp"
#include "work/pipeline.hpp"
#include "work/slurm.hpp"

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

void refuse_packed(const std::filesystem::path& table) {
  if (table.extension() == ".gz")
    user_error("{0}: is packed; expected csv; unpack it, or write <(zcat {0}) in its place", table.string());
  if (table.extension() == ".xlsx" || table.extension() == ".zip")
    user_error("{}: is no csv; save the table as csv", table.string());
}

}  // namespace

StreamCounts stream_table(const TableModel& model, const PredictRequest& request, bool target,
                          const std::function<std::string(const TableIntervals&)>& work,
                          const std::function<void(const TableIntervals&, const std::string&)>& hand_on) {
  refuse_packed(request.table);
  const TableOptions options{
      .target = target, .unseen_zeros = request.unseen_zeros, .skip_bad = request.skip_bad};
  CsvChunks chunks(request.table, model.format());
  StreamCounts counts;
  RowCount shown;
  struct Piece {
    TableIntervals intervals;
    std::string text;
  };
  in_order(
      thread_count(request.jobs, static_cast<std::size_t>(-1)), [&] { return chunks.next(); },
      [&](const CsvChunks::Chunk& chunk) {
        Piece piece{model.predict({chunk.bytes, chunks.name(), chunks.format(), chunk.header}, options), {}};
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
