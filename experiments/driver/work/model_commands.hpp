#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lacp {

/// `lacp fit`.
struct FitRequest {
  std::string data;    ///< a data set, its yaml, or a table
  std::string target;  ///< of a table; empty: its last column of numbers
  std::filesystem::path model;
  std::string method = "adapt";
  std::vector<std::string> levels;    ///< none: 0.05, 0.1, 0.32, or as `coverage` says
  std::vector<std::string> coverage;  ///< 1 minus these are the levels
  std::string group;                  ///< column that says which rows belong together; empty: none does
  std::uint64_t seed = 1;
  std::vector<std::string> set;           ///< key=value
  std::filesystem::path datasets_folder;  ///< empty: the usual one
};

/// `lacp predict` and `lacp evaluate`.
struct PredictRequest {
  std::filesystem::path model, table;
  std::filesystem::path output;  ///< of predict; empty: standard output
  bool unseen_zeros = false;     ///< categories that the fit has not seen: all zeros, and counted
  bool skip_bad =
      false;  ///< rows that cannot be predicted: predict writes them to a file, evaluate counts them
  std::size_t jobs = 0;  ///< threads; 0: as many as Slurm gave, or as processors
};

// Each returns the exit code.

/// Fits a model to a table, saves it, and says what it learnt.
int fit_model(const FitRequest& request);

/// Intervals for the rows of a table, in their order, whatever its length.
int predict_table(const PredictRequest& request);

/// How good the intervals are where the target is known.
int evaluate_table(const PredictRequest& request);

}  // namespace lacp
