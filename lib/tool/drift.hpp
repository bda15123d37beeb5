#pragma once

#include <string>
#include <vector>

#include "tool/table_stream.hpp"

// Whether rows with known targets differ from those that calibrate a model, and what helps then.
namespace lacp {

/// Rows as a model learns them. With many rows every second, fourth ... one, so that few are kept.
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

/// What became of rows at one coverage.
struct SeenRows {
  std::size_t rows = 0, above = 0, below = 0;
  bool as_promised = true;  ///< coverage is everywhere what was to be expected
  double trend = 0.0;       ///< sign_trend of the errors, in the order of the table
  Explained explained = {};
};

/// Why there is no test.
enum class NoTest { none, without_groups, few_rows, few_groups, of_fit };

/// What helps against rows that differ.
enum class DriftAdvice { none, learn_trend, fit_again, calibrate_by_these };
std::string text_of(DriftAdvice advice);

struct DriftReport {
  Level level;
  SeenRows seen;
  DriftTest test = {};
  NoTest why_not = NoTest::none;
  Explained at_fit = {};

  /// A difference that chance makes once in a hundred files.
  bool differs() const { return test.p < 0.01; }
  std::string text() const;  ///< "these 500 rows differ from those of the fit: p = 2e-9; ..."
  DriftAdvice advice() const;
};

/// `groups`: texts of the rows in the group column, if there is one.
DriftReport compare(const TableModel& model, const arma::mat& X, const arma::vec& y,
                    const std::vector<std::string>& groups, const SeenRows& seen, std::size_t jobs);

/// Correlation of the place of an error with whether it is larger than most: far from 0 where errors move.
double sign_trend(const arma::vec& errors);
/// Whether that is more than chance and a little drift explain.
bool is_trend(double correlation, std::size_t rows);

/// The level that is spoken of: 0.1, or the one nearest to it.
std::size_t level_spoken_of(const std::vector<Level>& levels);

/// Whether coverage is what was to be expected at all levels, of as many independent units.
bool covered_as_promised(const TableModel& model, const std::vector<std::size_t>& covered, std::size_t rows,
                         std::size_t units);

}  // namespace lacp
