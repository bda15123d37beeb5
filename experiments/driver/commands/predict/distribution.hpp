#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "commands/predict/asked.hpp"

// A model as a distribution, as `lacp evaluate` judges it.
namespace lacp {

/// A model and what gives its quantiles 0.01 to 0.99, if it has them.
struct Distribution {
  std::vector<TableModel> models;
  Increasing quantiles = {};
  std::string why_not = {};

  Distribution(const TableModel& model, std::size_t jobs);
  bool is_there() const { return models.size() > 1; }
};

/// What became of rows, by these quantiles.
struct DistributionScore {
  static constexpr std::size_t bins = 10;
  double crps = 0.0;               ///< twice the mean pinball loss of the quantiles, summed
  std::array<double, bins> pit{};  ///< rows by the share of the quantiles below y

  /// Quantiles that are infinite, since few rows calibrate, count as the last finite one.
  void add(const arma::mat& quantiles, double y);
};

/// One bar a tenth, as long as it has rows, the longest of 40 characters; and as a picture.
std::string pit_text(const DistributionScore& score, std::size_t rows);
void draw_pit(const std::filesystem::path& file, const DistributionScore& score, std::size_t rows,
              const TableModel& model);

}  // namespace lacp
