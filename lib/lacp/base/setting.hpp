#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacp {

/// Values that a number may take.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;       ///< the bounds themselves are not allowed
  bool with_high = false;  ///< of an open range the upper one is

  bool holds(double value) const;  ///< never nan or an infinity
  std::string text() const;        ///< "a number above 0"
};
inline constexpr Range share{.low = 0.0, .high = 1.0, .open = true};
inline constexpr Range share_or_all{.low = 0.0, .high = 1.0, .open = true, .with_high = true};
inline constexpr Range positive{.low = 0.0, .open = true};
inline constexpr Range not_negative{.low = 0.0};
inline constexpr Range from_one{.low = 1.0};

/// A setting that cannot work.
struct SettingProblem {
  std::string key;      ///< the field as C++ has it, dotted where it lies deeper: "adam.learning_rate"
  std::string message;  ///< "found 0; expected a number from 1"
};

/// Looks at one setting after the other, keeps the first problem, and knows the range of each number. Each
/// struct of options has a `check_of`, the one place that states its ranges. Whoever takes such options asks:
/// the functions of this library, which throw, and a reader of yaml, which adds file and line.
class SettingCheck {
 public:
  template <class T>
  SettingCheck& number(std::string_view key, const T& field, const Range& range) {
    ranges_.emplace_back(&field, range);
    return within(key, static_cast<double>(field), range);
  }
  SettingCheck& numbers(std::string_view key, const std::vector<std::size_t>& field, const Range& range);
  SettingCheck& that(std::string_view key, bool holds, std::string_view message);
  SettingCheck& part(std::string_view key, const SettingCheck& inside);  ///< of a struct inside
  const std::optional<SettingProblem>& problem() const { return problem_; }

  /// Of a number, or of each number of a list, that was looked at, by its address.
  const Range& range_of(const void* field) const;

 private:
  SettingCheck& within(std::string_view key, double value, const Range& range);

  std::optional<SettingProblem> problem_;
  std::vector<std::pair<const void*, Range>> ranges_;
};

/// UserError "<whose>: <key>: <message>" if there is a problem.
void refuse(std::string_view whose, const SettingCheck& check);

}  // namespace lacp
