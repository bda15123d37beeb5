#include "lacp/base/level.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "lacp/base/error.hpp"
#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr int most_digits = 9;
constexpr double roundings = 0x1p-51;  // four of them in a number near 1, as 1 - 0.9 may have

}  // namespace

Level Level::parse(std::string_view text) {
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  std::string_view digits = point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
  while (digits.ends_with('0')) digits.remove_suffix(1);
  const bool is_decimal = (whole.empty() || whole == "0") && !digits.empty() &&
                          std::ssize(digits) <= most_digits &&
                          std::ranges::all_of(digits, [](char c) { return '0' <= c && c <= '9'; });
  Level level;
  if (is_decimal) {
    level.text_ = fmt::format("0.{}", digits);
    std::from_chars(digits.data(), digits.data() + digits.size(), level.numerator_);
    for (std::size_t i = 0; i < digits.size(); ++i) level.denominator_ *= 10;
  }
  if (!is_decimal || level.numerator_ == 0)
    user_error("level {}: expected a decimal between 0 and 1 with at most {} digits, such as 0.05",
               show_text(text), most_digits);
  return level;
}

Level::Level(double alpha) {
  std::array<char, 400> text;  // the smallest positive number has 327 characters
  auto written = std::to_chars(text.begin(), text.end(), alpha, std::chars_format::fixed, most_digits);
  double nearest = 0.0;
  std::from_chars(text.begin(), written.ptr, nearest);
  if (!(std::abs(alpha - nearest) <= roundings))
    written = std::to_chars(text.begin(), text.end(), alpha, std::chars_format::fixed);
  *this = parse({text.begin(), written.ptr});
}

Level Level::half() const {
  Level level;
  level.numerator_ = 5 * numerator_;
  level.denominator_ = 10 * denominator_;
  level.text_ = fmt::format("{:.10f}", value() / 2.0);
  while (level.text_.ends_with('0')) level.text_.pop_back();
  return level;
}

Level Level::complement() const {
  std::string digits = fmt::format("{}", denominator_ - numerator_);
  digits.insert(0, std::to_string(denominator_).size() - 1 - digits.size(), '0');
  return parse("0." + digits);
}

double Level::value() const { return static_cast<double>(numerator_) / static_cast<double>(denominator_); }

std::size_t Level::rank(std::size_t n, QuantileRule rule) const {
  const auto covered = static_cast<std::uint64_t>(denominator_ - numerator_);  // 1 − α, times the denominator
  const auto unit = static_cast<std::uint64_t>(denominator_);
  if (rule == QuantileRule::floor_index) return static_cast<std::size_t>(n * covered / unit) + 1;
  return static_cast<std::size_t>(((n + 1) * covered + unit - 1) / unit);
}

double Level::above_share(std::size_t n) const {
  const auto covered = static_cast<std::uint64_t>(denominator_ - numerator_);
  const auto unit = static_cast<std::uint64_t>(denominator_);
  return static_cast<double>(rank(n) * unit - (n + 1) * covered) / static_cast<double>(unit);
}

std::size_t Level::fewest(QuantileRule rule) const {
  if (rule == QuantileRule::floor_index) return 1;
  // ⌈(N + 1)(1 − α)⌉ ≤ N where (1 − α) ≤ N·α.
  return static_cast<std::size_t>((denominator_ - 1) / numerator_);
}

}  // namespace lacp
