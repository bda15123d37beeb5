#pragma once

#include <filesystem>
#include <optional>

#include "datasets/draft.hpp"
#include "datasets/load.hpp"
#include "lacp/conformal/table_model.hpp"

// `lacp fit` in three files: what it may be told (fit_options.cpp), the fit (fit.cpp), and what it says
// (fit_report.cpp).
namespace lacp {

struct FitOptions {
  std::string data, method, group, prediction, sides, clip;
  DraftOptions draft;
  std::filesystem::path model, datasets_folder;
  std::vector<std::string> levels, coverage, set;
  std::uint64_t seed = 1;
  bool json = false;
  std::size_t jobs = 0;
  std::optional<std::size_t> calibration_folds;
};

/// Those of the model. UserError if the options do not fit together.
PredictorSettings settings_of(const FitOptions& options);
std::vector<Level> levels_of(const FitOptions& options);

/// Where rows are few, more of them calibrate, up to a half: as many as the smallest level needs.
void share_few_rows(PredictorSettings& settings, const std::vector<Level>& levels, std::size_t rows,
                    const std::vector<std::string>& set);

/// Where rows are fewer still, all of them calibrate, in folds: how many, or 0.
std::size_t calibration_folds(const FitOptions& options, const PredictorSettings& settings,
                              const TableToFit& table);

/// --clip into the columns: "0,100", "0," or ",100".
void read_limits(const std::string& clip, Columns& columns);

Level rest_of(const Level& level);  ///< 1 − α

/// The settings as --set takes them, with those that were given besides.
std::string as_set_options(const PredictorSettings& settings, const std::vector<std::string>& given = {});

int fit_model(const FitOptions& given);

/// What a fit is told about, once for people and once for programs.
struct Fitted {
  const FitOptions& options;
  const DescribedTable& input;
  const LoadedDataset& loaded;
  const TableToFit& table;
  const PredictorSettings& settings;
  const FitRows& rows;
  const TableModel& model;
};
void report_fit(const Fitted& fit);

}  // namespace lacp
