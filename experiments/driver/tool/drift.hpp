#pragma once

#include <span>
#include <string>
#include <vector>

#include "tool/table_stream.hpp"

// Whether rows with known targets differ from those that calibrate a model (drift.cpp), and what to do then
// (drift_advice.cpp): for `lacp evaluate` and `lacp update`.
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

/// What `lacp update` was told beside the files; nothing for `lacp evaluate`.
struct ToldToUpdate {
  std::string known = {}, group = {};
  std::size_t left_out = 0;  ///< rows that equal known ones, by --known drop
  bool updated = false;      ///< an update has just been made, in this way:
  bool instead = false;
  std::size_t window = 0;
};

struct Comparison {
  Level level;
  SeenRows seen;
  DriftTest test = {};
  std::string why_not = {};  ///< there is no test
  Explained at_fit = {};
  bool moves = false;      ///< later rows differ from earlier ones
  bool by_chance = false;  ///< rows equal known ones, no more than new rows do by chance
  std::string known =
      {};  ///< what --known has to say, so that an update takes the rows: "", "drop" or "keep"
  std::string refused = {};  ///< why an update refuses a target
  bool gaps = false;         ///< cells are missing
  /// Of the rows that would calibrate, one of each group, in their order: predictor().classes_of.
  std::vector<std::size_t> classes = {};

  /// A difference that chance makes once in a hundred files.
  bool differs() const { return test.p < 0.01; }
  /// The prediction does not explain these rows as it did those of the fit, not even if it were moved.
  bool stale() const;
  std::string text() const;  ///< "these 500 rows differ from those of the fit: p = 2e-9; ..."
};

/// The level that is spoken of: 0.1, or the one nearest to it.
std::size_t level_spoken_of(const std::vector<Level>& levels);

/// Rows that equal known ones stay if chance explains how many do, or --known keep says that they are new.
/// They are left out if chance makes next to none. Else there is no test: what were left would be a part of
/// the new rows that chance did not choose. `groups`: their texts in the group column, if there is one.
Comparison compare(const TableModel& model, arma::mat X, arma::vec y, std::vector<std::string> groups,
                   const SeenRows& seen, const ToldToUpdate& told, std::size_t jobs);

/// Why rows are no fair part of new ones, where --known drop has left out some that equal known ones; or "".
std::string no_fair_part(const TableModel& model, std::size_t rows, std::size_t left_out);

/// Whether coverage is what was to be expected at all levels, of as many independent units.
bool covered_as_promised(const TableModel& model, const std::vector<std::size_t>& covered, std::size_t rows,
                         std::size_t units);

/// How many different groups these texts name; an empty one is a group of its own.
std::size_t count_groups(const std::vector<std::string>& groups);

/// Why an update refuses a target, as it is learnt; "" if it takes it.
std::string refused_target(const TableModel& model, double learnt);

/// Whether each class of --by that is calibrated by its own rows still is if these alone calibrate
/// (predictor().classes_of), and the others still have enough together.
bool keeps_classes(const TableModel& model, std::span<const std::size_t> classes);

/// What to do about rows that differ, with the command; "" if nothing.
std::string advice_of(const Comparison& found, const TableModel& model, const StreamOptions& options,
                      const ToldToUpdate& told);

}  // namespace lacp
