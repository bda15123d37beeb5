#include "lacp/base/setting.hpp"

#include <cmath>

#include "lacp/base/error.hpp"

namespace lacp {

bool Range::holds(double value) const {
  if (!std::isfinite(value)) return false;
  if (open && with_high) return value > low && value <= high;
  return open ? value > low && value < high : value >= low && value <= high;
}

std::string Range::text() const {
  if (std::isinf(high)) return fmt::format("a number {} {}", open ? "above" : "from", low);
  if (open && with_high) return fmt::format("a number above {}, at most {}", low, high);
  return fmt::format("a number {} {} and {}", open ? "strictly between" : "between", low, high);
}

SettingCheck& SettingCheck::number(std::string_view key, double value, const Range& range) {
  return that(key, range.holds(value), fmt::format("found {}; expected {}", value, range.text()));
}

SettingCheck& SettingCheck::that(std::string_view key, bool holds, std::string_view message) {
  if (!holds && !problem_) problem_ = {std::string(key), std::string(message)};
  return *this;
}

SettingCheck& SettingCheck::part(std::string_view key, const std::optional<SettingProblem>& problem) {
  if (problem) that(fmt::format("{}.{}", key, problem->key), false, problem->message);
  return *this;
}

void refuse(std::string_view whose, const std::optional<SettingProblem>& problem) {
  if (problem) user_error("{}: {}: {}", whose, problem->key, problem->message);
}

}  // namespace lacp
