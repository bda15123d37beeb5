#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "datasets/load.hpp"
#include "lacp/table/table_model.hpp"
#include "tool/draft/draft.hpp"

// `lacp fit` in five files: the settings that its options make (settings.cpp), the fit (fit.cpp), what may be
// wrong with its promise (doubts.cpp), columns that hold the target (leak.cpp), and what it says
// (report.cpp).
namespace lacp {

struct FitOptions {
  std::string data, method, group, by, prediction, sides, clip, copies;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> coverage, set;
  std::uint64_t seed = 1;
  bool json = false, no_whole_ends = false, no_row_hashes = false, doubles = false;
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
};
void report_fit(const Fitted& fit);

/// What speaks against the promise, a sentence each: coverage of the last rows where a date rises, groups
/// that are not named, predictions of one's own that are too good to be of unseen rows.
std::vector<std::string> find_doubts(const Fitted& fit);

/// Where the share of covered rows at a level is below what calibration and their number explain, but for one
/// table of 200, and the range that nineteen of twenty have; or "". `units`: as many of the rows as are
/// independent, which is their groups if they have some; `classes`: rows of each class of --by.
std::string coverage_shortfall(const TableModel& model, const std::vector<std::size_t>& covered,
                               std::size_t rows, std::size_t units,
                               std::map<std::size_t, std::size_t> classes = {});

/// A few targets that are many times as large as all others, which no R² survives; or "".
std::string extreme_targets(const Fitted& fit);

/// Of a column that was left out as an id, or as one that counts the rows: that it follows the target; or "".
std::string leak_of(const Fitted& fit, const std::string& column, const std::string& why);

/// That columns add up to the target, or are it times a number, or predict it nearly exactly; or "".
std::string target_in_columns(const Fitted& fit, double r2);

/// What an R² near 0 or below means; "" of any other.
std::string weak_prediction(double r2);

}  // namespace lacp
