#pragma once

#include <string>
#include <vector>

#include "tool/table_stream.hpp"

// Whether rows with known targets differ from those that calibrate a model, and what to do then: for `lacp
// evaluate` and `lacp update`.
namespace lacp {

/// Rows as a model learns them. Of many every second, fourth ... one, so that few are kept.
class RowsToCompare {
 public:
  void add(const arma::mat& X, const arma::vec& y, arma::uword n, const std::string& group);

  arma::mat X() const;
  arma::vec y() const { return arma::vec(y_); }
  const std::vector<std::string>& groups() const { return groups_; }

 private:
  std::vector<arma::vec> X_;
  std::vector<double> y_;
  std::vector<std::string> groups_;
  std::size_t seen_ = 0, step_ = 1;
};

/// What became of rows at one level.
struct SeenRows {
  std::size_t rows = 0, above = 0, below = 0;
  std::size_t table = 0;    ///< rows of the table, of which these may be some
  bool as_promised = true;  ///< coverage at all levels is what was to be expected
  Explained explained = {};
};

struct Comparison {
  Level level;
  SeenRows seen;
  DriftTest test = {};
  std::string why_not = {};  ///< there is no test
  Explained at_fit = {};
  bool moves = false;  ///< later rows differ from earlier ones

  /// A difference that chance makes once in a hundred files.
  bool differs() const { return test.p < 0.01; }
  /// The prediction does not explain these rows as it did those of the fit, not even if it were moved.
  bool stale() const;
  std::string text() const;  ///< "these 500 rows differ from those of the fit: p = 2e-9; ..."
};

/// The level that is spoken of: 0.1, or the one nearest to it.
std::size_t level_spoken_of(const std::vector<Level>& levels);

/// Rows that equal those of the fit are no new ones: they are left out, unless rows of this table repeat each
/// other, too, as rows of few values do. `groups`: their texts in the group column, if there is one.
Comparison compare(const TableModel& model, arma::mat X, arma::vec y, std::vector<std::string> groups,
                   const SeenRows& seen, std::size_t jobs);

/// Whether coverage is what was to be expected at all levels.
bool covered_as_promised(const TableModel& model, const std::vector<std::size_t>& covered, std::size_t rows);

/// What to do about rows that differ, with the command; "" if nothing.
std::string advice_of(const Comparison& found, const TableModel& model, const StreamOptions& options);

}  // namespace lacp
