#pragma once

#include <string>
#include <vector>

#include "lacp/table/table_model.hpp"

namespace lacp {

/// Counts rows whose numbers lie far from those of the fit, of which a model keeps means and deviations.
class FarCells {
 public:
  explicit FarCells(const TableModel& model);
  /// Rows as they are learnt.
  void add(const arma::mat& X);
  /// On standard error, a line for each column.
  void report() const;

 private:
  struct Counted {
    std::string column;
    arma::uword row;
    double mean, deviation;
    std::size_t far = 0;
  };
  std::vector<Counted> columns_;
};

}  // namespace lacp
