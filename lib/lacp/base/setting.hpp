#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

/// A setting that cannot work. Each struct of options has a `find_problem`, which whoever takes such options
/// asks: the functions of this library, which throw, and a reader of yaml, which adds file and line.
struct SettingProblem {
  std::string key;      ///< the field as C++ has it, dotted where it lies deeper: "adam.learning_rate"
  std::string message;  ///< "found 0; expected a number from 1"
};

/// Looks at one setting after the other and keeps the first problem.
class SettingCheck {
 public:
  SettingCheck& number(std::string_view key, double value, const Range& range);
  SettingCheck& that(std::string_view key, bool holds, std::string_view message);
  SettingCheck& part(std::string_view key,
                     const std::optional<SettingProblem>& problem);  ///< of a struct inside
  const std::optional<SettingProblem>& problem() const { return problem_; }

 private:
  std::optional<SettingProblem> problem_;
};

/// UserError "<whose>: <key>: <message>" if there is a problem.
void refuse(std::string_view whose, const std::optional<SettingProblem>& problem);

}  // namespace lacp
