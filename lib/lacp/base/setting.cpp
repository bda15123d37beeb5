#include "lacp/base/setting.hpp"

#include <algorithm>
#include <cmath>

#include "lacp/base/error.hpp"

namespace lacp {

bool Range::holds(double value) const {
  return std::isfinite(value) && (open ? value > low : value >= low) &&
         (open && !with_high ? value < high : value <= high);
}

std::string Range::text() const {
  if (std::isinf(high)) return fmt::format("a number {} {}", open ? "above" : "from", low);
  if (open && with_high) return fmt::format("a number above {}, at most {}", low, high);
  return fmt::format("a number {} {} and {}", open ? "strictly between" : "between", low, high);
}

SettingCheck& SettingCheck::within(std::string_view key, double value, const Range& range) {
  if (range.holds(value)) return *this;
  return that(key, false, fmt::format("found {}; expected {}", value, range.text()));
}

SettingCheck& SettingCheck::numbers(std::string_view key, const std::vector<std::size_t>& field,
                                    const Range& range) {
  ranges_.emplace_back(&field, range);
  for (const std::size_t value : field) within(key, static_cast<double>(value), range);
  return *this;
}

SettingCheck& SettingCheck::that(std::string_view key, bool holds, std::string_view message) {
  if (!holds && !problem_) problem_ = {std::string(key), std::string(message)};
  return *this;
}

SettingCheck& SettingCheck::part(std::string_view key, const SettingCheck& inside) {
  ranges_.insert(ranges_.end(), inside.ranges_.begin(), inside.ranges_.end());
  if (const auto& found = inside.problem_) that(fmt::format("{}.{}", key, found->key), false, found->message);
  return *this;
}

const Range& SettingCheck::range_of(const void* field) const {
  const auto found = std::ranges::find(ranges_, field, &std::pair<const void*, Range>::first);
  if (found == ranges_.end()) throw std::logic_error("a number without a range");
  return found->second;
}

void refuse(std::string_view whose, const SettingCheck& check) {
  if (const auto& found = check.problem()) user_error("{}: {}: {}", whose, found->key, found->message);
}

}  // namespace lacp
