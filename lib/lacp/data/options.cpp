#include "lacp/data/options.hpp"

#include <fmt/format.h>

#include <cmath>

namespace lacp {

std::optional<SettingProblem> find_problem(const SplitOptions& split) {
  const double sum = split.proper + split.train + split.test;
  return SettingCheck()
      .number("proper", split.proper, share)
      .number("train", split.train, share)
      .number("test", split.test, share)
      .that("test", std::abs(sum - 1.0) <= 1e-9,
            fmt::format("the three shares add up to {}; expected 1", sum))
      .problem();
}

}  // namespace lacp
