#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lacp/base/error.hpp"
#include "models/predictor/predictor.hpp"
#include "table/columns.hpp"

namespace lacp {

/// A table to learn from: numbers, and how they came from its columns.
struct TableToFit {
  Columns columns;   ///< fitted to all rows, with columns that may be dropped (DropColumns::later)
  CsvFormat format;  ///< how further tables are written
  arma::mat X;       ///< a column for each row of the table; NaN: missing
  arma::vec y;
  /// An attribute that is a prediction of y by a model of the caller's, made without the rows at hand. It is
  /// the centre of the intervals, moved by its mean error; sizes are learnt around it. "": there is none.
  std::string prediction = {};
  /// A column of which each value is calibrated by itself (PredictorSettings::by). "": there is none.
  std::string by = {};
  /// The column that PredictorSettings::groups came from, and its text in each row. "": there is none.
  std::string group = {};
  std::vector<std::string> group_texts = {};
  /// Columns that are not learnt from since all rows have the same cell, and that cell.
  std::vector<std::pair<std::string, std::string>> constant = {};
};

/// Of each text a number that equal ones share: PredictorSettings::groups. An empty one is a group of its
/// own.
std::vector<std::size_t> groups_of(const std::vector<std::string>& texts);

/// Reads the columns of a table and fits them. Names of a table without a header go into the format: further
/// tables must have as many columns. UserError as for fit_columns.
TableToFit read_table(const CsvSource& table, Columns columns);

/// The rows of a table as a fit uses them.
struct FitRows {
  FitSplit parts;   ///< without calibration rows that could not be predicted
  Columns columns;  ///< levels and dropped columns as the rows before calibration have them
  arma::mat X;      ///< their attributes; NaN: to be filled. A level that they do not have is all zeros
};
FitRows rows_of_fit(const TableToFit& table, const PredictorSettings& settings);

/// What became of the rows of a table.
struct TableIntervals {
  std::vector<std::size_t> lines;  ///< of the rows in the file
  arma::vec f;                     ///< predictions, in the units of the target column
  arma::mat lower, upper;          ///< a row for each level; NaN for an empty interval
  SingleEnds single = {};          ///< those that were asked for
  arma::vec y;                     ///< what happened, if it was asked for
  std::size_t filled = 0;          ///< cells that held nothing
  std::size_t unseen = 0;          ///< cells of categories that the fit has not seen
  std::size_t without_target = 0;  ///< rows left out since the target that was asked for is missing
  std::vector<BadRow> bad_rows;    ///< rows that have no prediction, in the order of the file
  std::vector<std::vector<std::string>> kept;  ///< of each row, the cells of the columns to keep
  std::size_t new_classes = 0;       ///< rows of a class (TableToFit::by) that no calibration row has
  std::vector<std::string> groups;   ///< of each row, its text in the group column, if asked for
  std::vector<std::size_t> classes;  ///< of each row the place in predictor().classes(), if asked for
  /// The rows as `updated` and `drift_test` take them, if they were asked for.
  arma::mat X = {};
  arma::vec learnt = {};
};

/// A row cannot be predicted.
struct BadRowError : UserError {
  using UserError::UserError;
};

struct TableOptions {
  std::optional<Questions> questions = {};  ///< none: intervals at the levels of the model
  bool target = false;                      ///< read the target too
  bool unseen_zeros = false;  ///< a category that was never seen counts as none of those seen; else refused
  bool skip_bad = false;      ///< rows that cannot be predicted are listed; else the first is a BadRowError
  std::vector<std::string> keep = {};           ///< columns whose cells are handed on
  std::vector<std::string> keep_if_there = {};  ///< and behind them these, unless the table lacks one of them
  bool classes = false;                         ///< say of which class (TableToFit::by) each row is
  bool groups = false;                          ///< return the texts of the group column, if it is there
  bool rows = false;                            ///< return the rows as they are learnt
};

/// Intervals for the rows of raw tables: what to do with their columns, the means that fill missing cells,
/// the levels, and a LocalPredictor. Columns are found by name; a target of log(1 + y) is predicted as that
/// and turned back, which keeps the coverage, since it keeps the order.
class TableModel {
 public:
  /// As LocalPredictor::fit; a selection by the Winkler score looks at these levels. Missing cells are filled
  /// with the means of the part that makes the centre. Calibration rows teach nothing about columns: they
  /// are taken as a new row would be. With every_row all rows teach.
  static TableModel fit(const TableToFit& table, std::vector<Level> levels, PredictorSettings settings = {},
                        const std::function<void(const EpochReport&)>& on_epoch = {});
  /// The rows are those of rows_of_fit with these settings.
  static TableModel fit(const TableToFit& table, const FitRows& rows, std::vector<Level> levels,
                        PredictorSettings settings, const std::function<void(const EpochReport&)>& on_epoch);

  /// UserError as for encode; BadRowError, with file, line and column, for a cell that cannot be read, and
  /// for a row too far out. Threads may predict at the same time, and a table may be cut into parts
  /// (csv_chunks.hpp): each row is predicted by itself.
  TableIntervals predict(const CsvSource& table, const TableOptions& options = {}) const;

  /// The same for attributes as `encode` makes them. UserError for one too far out, unless there is a list
  /// for these: all their numbers are NaN then.
  TableIntervals ask(const arma::mat& X, const Questions& questions,
                     std::vector<arma::uword>* too_far = nullptr, std::size_t jobs = 1) const;
  TableIntervals predict(const arma::mat& X, std::vector<arma::uword>* too_far = nullptr,
                         std::size_t jobs = 1) const {
    return ask(X, Questions{levels_}, too_far, jobs);
  }
  /// Of the rows that calibrate, as LocalPredictor::calibrating.
  TableIntervals calibrating(std::size_t jobs = 1) const;
  /// Which columns make intervals wide: of each column (a row, in the order of columns().attributes) and each
  /// column of X the width of the interval at questions.levels[l], over its mean if the column held what it
  /// holds in other rows: eight that calibrate, from the least value to the largest. About 1: the column does
  /// not matter. NaN where a width is infinite, or the mean 0.
  arma::mat widening(const arma::mat& X, const Questions& questions, std::size_t l,
                     std::size_t jobs = 1) const;
  arma::mat quantiles(const arma::mat& X, const std::vector<Level>& taus, std::size_t jobs = 1) const {
    return ask(X, Questions().with_quantiles(taus), nullptr, jobs).single.quantiles(taus);
  }

  /// The same model with other calibration rows: X as `encode` makes it, y as it is learnt. As LocalPredictor
  /// says. With a group column `groups` has its texts.
  TableModel updated(arma::mat X, arma::vec y, LocalPredictor::NewRows how,
                     const std::vector<std::string>& groups = {},
                     std::vector<arma::uword>* too_far = nullptr) const;

  /// As LocalPredictor says, of such rows, and in the units of the target column. Predictions of the caller's
  /// own are not judged: all numbers are NaN.
  DriftTest drift_test(arma::mat X, arma::vec y, const Level& level,
                       const std::vector<std::string>& groups = {}, std::size_t jobs = 1) const;
  /// How well the prediction of the fit explained the rows that calibrated it; the same after updates.
  const Explained& explained_at_fit() const { return at_fit_; }

  /// Of each column of X its class: predictor().classes_of.
  std::vector<std::size_t> classes_of(const arma::mat& X) const;
  /// How many of them lie in their interval, by level.
  std::vector<std::size_t> count_covered(const arma::mat& X, arma::vec y, std::size_t jobs = 1) const;

  const std::string& group() const { return group_; }            ///< TableToFit::group
  const std::string& prediction() const { return prediction_; }  ///< TableToFit::prediction
  /// TableToFit::constant.
  const std::vector<std::pair<std::string, std::string>>& constant() const { return constant_; }

  /// Of TableToFit::by: the column, and its values in calibration rows.
  struct Class {
    /// "": a category of none of those that it learnt, if it is not missing.
    std::string value;
    bool missing = false;  ///< the cells hold nothing
    std::size_t rows = 0;
  };
  std::string by() const;
  std::vector<Class> classes() const;

  const Columns& columns() const { return columns_; }
  const CsvFormat& format() const { return format_; }
  const std::vector<Level>& levels() const { return levels_; }
  const LocalPredictor& predictor() const { return predictor_; }

  /// A binary file: magic, format version, content, SHA-256. Written whole or not at all; UserError if what
  /// is loaded is not such a model, is of a newer format version, is damaged, or names an unknown method.
  void save(const std::filesystem::path& file) const;
  static TableModel load(const std::filesystem::path& file);
  /// The content of a saved file, and back. The only format that is read.
  static constexpr std::uint64_t file_format = 7;
  std::string to_bytes() const;
  static TableModel from_bytes(std::string_view bytes, const std::string& source_name);

 private:
  explicit TableModel(LocalPredictor predictor) : predictor_(std::move(predictor)) {}
  arma::mat inputs(const arma::mat& X) const;
  TableIntervals in_target_units(LevelIntervals found, const arma::mat& X) const;
  Explained explained_now() const;

  Columns columns_;
  CsvFormat format_;
  arma::vec means_;  // of each attribute; empty if no column is filled
  std::vector<Level> levels_;
  LocalPredictor predictor_;
  std::string prediction_, group_;  // TableToFit::prediction and group
  std::vector<std::pair<std::string, std::string>> constant_;
  Explained at_fit_ = {};
};

}  // namespace lacp
