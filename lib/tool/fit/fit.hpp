#pragma once

#include <filesystem>

#include "datasets/load.hpp"
#include "table/table_model.hpp"
#include "tool/draft/draft.hpp"

// `lacp fit` in four files: the settings that its options make (settings.cpp), the fit (fit.cpp), what may be
// wrong with its promise (doubts.cpp), and what it says (report.cpp).
namespace lacp {

struct FitOptions {
  std::string data, method, group, by, prediction, sides, clip, copies, calibration;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> coverage, set;
  std::uint64_t seed = 1;
  bool json = false, no_whole_ends = false;
  std::size_t jobs = 0;
};

/// Those of the model. UserError if the options do not fit together.
PredictorSettings settings_of(const FitOptions& options);

/// Where `units`, which are groups or rows, are few, more of them calibrate, up to a half: as many as the
/// smallest level needs for which that is enough. Where they are many, no more than 50,000.
void share_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t units,
                const FitOptions& options);

/// Whether every row trains and calibrates: as --calibration says, or where it pays.
bool uses_every_row(const FitOptions& options, const PredictorSettings& settings, std::size_t rows,
                    std::size_t units);

/// --clip into the columns: "0,100", "0," or ",100".
void read_limits(const std::string& clip, Columns& columns);

/// The settings as --set takes them, with those that were given besides.
std::string as_set_options(const PredictorSettings& settings, const std::vector<std::string>& given = {});

/// `lacp fit`. Returns the exit code.
int fit_model(const FitOptions& given);

/// What is known before a table is read.
struct FitPlan {
  FitOptions options;  ///< with the method
  PredictorSettings settings;
  std::vector<Level> levels;
  bool own_method = false;  ///< the options name none
};
/// UserError if the options do not fit together.
FitPlan plan_of(const FitOptions& options);

/// What a person should know: a code and values for another program, and the words of this one.
struct Notice {
  std::string_view code;
  std::vector<std::string> values;
  std::string text;
};

/// A fit, and what it was made of.
struct Fitted {
  FitOptions options;
  Draft input;
  LoadedDataset loaded;
  TableToFit table;
  PredictorSettings settings;
  FitRows rows;
  TableModel model;
  std::optional<Notice> repeats;  ///< rows that are equal, if they are many

  std::size_t learning() const;  ///< rows that the prediction was learnt from
};

/// Fits a model to a table that was read, as `lacp fit` and the interface of Python do. It says nothing.
Fitted fit_table(FitPlan plan, Draft input, LoadedDataset loaded,
                 const std::function<void(const EpochReport&)>& on_epoch = {});

/// What is said about a fit: as json for programs, and what speaks against its promise.
struct FitAnswer {
  std::string json;
  std::vector<Notice> notices;
};
FitAnswer answer_of(const Fitted& fit);
void report_fit(const Fitted& fit);

/// Rows that the prediction has not seen: training rows out of folds, if it has any, else those that
/// calibrate. By their places in the table, in the unit of the target column.
struct UnseenRows {
  arma::uvec rows;
  arma::vec f, y;
};
UnseenRows unseen_rows(const Fitted& fit);

/// A few targets that are many times as large as all others, which no R² survives; or "".
std::string extreme_targets(const arma::vec& y);

/// What speaks against the promise: errors that move from row to row, groups that are not
/// named, classes that are too small, targets far out, and an R² near 0.
std::vector<Notice> find_doubts(const Fitted& fit, double r2);

}  // namespace lacp
