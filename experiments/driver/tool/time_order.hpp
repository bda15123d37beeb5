#pragma once

#include <string>
#include <vector>

#include "lacp/table/columns.hpp"
#include "lacp/table/csv.hpp"

namespace lacp {

/// Whether a date rises or falls from row to row of a table, which may come in pieces.
class TimeOrder {
 public:
  explicit TimeOrder(const Columns& columns);
  /// The rows that stand in these lines.
  void add(const CsvSource& table, const std::vector<std::size_t>& lines);

  /// The first column of dates that does one of the two, and has a date in every row; "" if none does.
  std::string column() const;
  /// Whether it falls: the first row is the newest.
  bool falls() const;

 private:
  struct Dates {
    const Column* column;
    double last = 0.0;
    bool any = false, rose = false, fell = false, missing = false;
    bool is_order() const { return !missing && rose != fell; }
  };
  std::vector<Dates> dates_;
};

}  // namespace lacp
