#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "table/csv_chunks.hpp"
#include "table/sheets/edges.hpp"
#include "tool/table_stream.hpp"

namespace lacp {

/// The rows of a new table, piece by piece, without totals and notes below them. These are known once the
/// table ends, so one piece, and little more, is kept back.
class RowStream {
 public:
  RowStream(const StreamOptions& options, const TableModel& model);
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  std::optional<CsvChunks::Chunk> next();

  /// These rows as the models read them.
  CsvSource source(const CsvChunks::Chunk& chunk) const;

  /// What a person should know once all is read.
  void report() const;

 private:
  std::map<std::string_view, const Column*> columns_by_name() const;

  /// Columns that have a category called "Total", or the like.
  std::vector<bool> names_like_totals() const;

  void look_at(std::size_t line, const std::vector<std::string>& cells);

  /// The last piece may be short, and what stands below the table long.
  bool belongs_to_kept(const CsvChunks::Chunk& chunk) const;

  void leave_out_end();

  CsvChunks chunks_;
  bool all_, ended_ = false;
  const Columns& columns_;
  std::vector<std::size_t> attributes_;  // where they are in this table
  LastRows last_;
  std::optional<CsvChunks::Chunk> kept_;
  TableEnd end_;
  std::size_t empty_ = 0, first_empty_ = 0;  // rows without any attribute, and the line of the first
};

}  // namespace lacp
