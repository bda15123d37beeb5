#pragma once

#include <filesystem>
#include <optional>

#include "datasets/load.hpp"
#include "table/table_model.hpp"
#include "tool/draft/draft.hpp"

// `lacp fit` in four files: the settings that its options make (settings.cpp), the fit (fit.cpp), what may be
// wrong with its promise (doubts.cpp), and what it says (report.cpp).
namespace lacp {

struct FitOptions {
  std::string data, method, group, by, prediction, sides, clip, copies;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> coverage, set;
  std::uint64_t seed = 1;
  bool json = false, no_whole_ends = false, doubles = false;
  std::size_t jobs = 0;
  std::optional<std::size_t> calibration_folds;
};

/// Those of the model. UserError if the options do not fit together.
PredictorSettings settings_of(const FitOptions& options);

/// Where `units`, which are groups or rows, are few, more of them calibrate, up to a half: as many as the
/// smallest level needs for which that is enough. Where they are many, no more than 50,000.
void share_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t units,
                const FitOptions& options);

/// Where they are fewer still, all of them calibrate, in folds: how many, or 0.
std::size_t calibration_folds(const FitOptions& options, const PredictorSettings& settings,
                              std::size_t units);

/// --clip into the columns: "0,100", "0," or ",100".
void read_limits(const std::string& clip, Columns& columns);

/// The settings as --set takes them, with those that were given besides.
std::string as_set_options(const PredictorSettings& settings, const std::vector<std::string>& given = {});

int fit_model(const FitOptions& given);

/// What a fit is told about, once for people and once for programs.
struct Fitted {
  const FitOptions& options;
  const Draft& input;
  const LoadedDataset& loaded;
  const TableToFit& table;
  const PredictorSettings& settings;
  const FitRows& rows;
  const TableModel& model;

  std::size_t learning() const;  ///< rows that the prediction was learnt from
};
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

/// What speaks against the promise, a sentence each: errors that move from row to row, groups that are not
/// named, classes that are too small, targets far out, and an R² near 0.
std::vector<std::string> find_doubts(const Fitted& fit, double r2);

}  // namespace lacp
