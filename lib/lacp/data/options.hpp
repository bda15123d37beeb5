#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lacp/base/setting.hpp"

namespace lacp {

/// Section 3: "split into three parts, one to define the KNN point-prediction algorithm, one for training
/// Φ_θ, and one for testing". Shares of the rows; they sum to 1.
struct SplitOptions {
  double proper = 0.4;
  double train = 0.4;
  double test = 0.2;
};
std::optional<SettingProblem> find_problem(const SplitOptions& split);

/// How a table is written. Records end with LF or CRLF; a cell may stand in double quotes, with a quote
/// inside doubled.
struct CsvFormat {
  char delimiter = ',';  ///< one character; ' ' stands for any run of blanks
  bool header = true;    ///< the first record holds the names of the columns
  std::vector<std::string>
      names;  ///< names to use instead, one per column; empty: the header's, or c1, c2, ...
};

/// A synthetic set (Section 3.1): y = w·(1, x, x²) + σ(x) ξ, x uniform on [low, high], w ~ N(0, I₃), ξ ~ N(0,
/// 1).
struct SyntheticParameters {
  std::string profile;  ///< the name of σ: cos, squared, inverse or linear
  double rho = 0.1;     ///< ρ ≥ 0 of the profile
  double low = -1;
  double high = 1;
  std::size_t samples = 1000;
};

}  // namespace lacp
