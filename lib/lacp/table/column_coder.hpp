#pragma once

#include <map>

#include "lacp/table/columns.hpp"

namespace lacp {

/// A column in use, and where it is in a table.
struct ColumnRole {
  const Column* column = nullptr;
  std::size_t index = 0;
  std::map<std::string, double, std::less<>> levels = {};  ///< with the code of each
  std::size_t gaps = 0;                                    ///< cells that hold nothing and are NaN
};

/// Reads the cells of a table into one number each, its code: a number as it is, a level's number, the
/// seconds of a date, NaN for a cell that holds nothing. The first half of fit_columns and encode.
class ColumnCoder {
 public:
  static constexpr double unseen_level = -1;

  ColumnCoder(const CsvSource& table, const Columns& columns, bool fitting, const EncodeOptions& options);

  void read(CsvMissing* missing);

  /// Attributes count from 0, and behind them the targets. The row of `codes` is theirs.
  const ColumnRole& role(std::size_t i) const { return roles_[i]; }
  std::size_t row(std::size_t i) const { return row_of_[roles_[i].index]; }

  arma::mat codes;
  std::vector<std::size_t> lines;
  std::size_t dropped_rows = 0, unseen = 0;

 private:
  void find_columns();
  void count();
  bool is_missing(std::string_view cell, const Column& column) const;
  std::optional<double> code(std::string_view cell, std::size_t index, std::size_t line);
  std::optional<double> missing_cell(const ColumnRole& role, std::string_view cell, std::size_t line);
  double level(ColumnRole& role, std::string_view cell, std::size_t line);
  double date(const ColumnRole& role, std::string_view cell, std::size_t line) const;

  const CsvSource& table_;
  const Columns& columns_;
  bool fitting_;
  EncodeOptions options_;
  CsvMissing* missing_ = nullptr;
  std::vector<ColumnRole> roles_;
  std::vector<std::size_t> role_of_, row_of_;  ///< of each column of the table
};

}  // namespace lacp
