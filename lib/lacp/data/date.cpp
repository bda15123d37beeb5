#include "lacp/data/date.hpp"

#include <array>
#include <chrono>
#include <cmath>

namespace lacp {
namespace {

constexpr std::array<std::string_view, 7> names{"year", "month",  "day",   "weekday",
                                                "hour", "minute", "second"};

/// Takes texts off the front of another.
struct Scanner {
  std::string_view rest;

  bool take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  /// A number of exactly this many digits, from 0 to `most`.
  std::optional<int> digits(std::size_t count, int most) {
    if (rest.size() < count) return std::nullopt;
    int value = 0;
    for (const char c : rest.substr(0, count)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = 10 * value + (c - '0');
    }
    rest.remove_prefix(count);
    return value <= most ? std::optional(value) : std::nullopt;
  }
};

/// What may follow a time: nothing, Z, or the difference from it, as +01, +0100 or +01:00.
bool is_zone(Scanner in) {
  if (in.rest.empty() || in.rest == "Z") return true;
  if (!in.take('+') && !in.take('-')) return false;
  if (!in.digits(2, 23)) return false;
  if (in.rest.empty()) return true;
  in.take(':');
  return in.digits(2, 59) && in.rest.empty();
}

/// Seconds since midnight of the rest of the text: 23:00, 2300, 23:00:05, 23:00:05.25, and a zone.
std::optional<int> time_of_day(Scanner in) {
  const auto hour = in.digits(2, 23);
  const bool colons = in.take(':');
  const auto minute = hour ? in.digits(2, 59) : std::nullopt;
  if (!minute) return std::nullopt;
  int second = 0;
  if (colons ? in.take(':') : !in.rest.empty() && in.rest[0] >= '0' && in.rest[0] <= '9') {
    const auto found = in.digits(2, 59);
    if (!found) return std::nullopt;
    second = *found;
    if (in.take('.')) {
      if (!in.digits(1, 9)) return std::nullopt;
      while (in.digits(1, 9)) {
      }
    }
  }
  return is_zone(in) ? std::optional(3600 * *hour + 60 * *minute + second) : std::nullopt;
}

}  // namespace

std::string_view date_part_name(DatePart part) { return names.at(static_cast<std::size_t>(part)); }

std::optional<DatePart> parse_date_part(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<DatePart>(i);
  return std::nullopt;
}

std::vector<std::string> date_part_names() { return {names.begin(), names.end()}; }

bool needs_time(DatePart part) {
  return part == DatePart::hour || part == DatePart::minute || part == DatePart::second;
}

std::optional<DateTime> parse_date(std::string_view text) {
  Scanner in{text};
  const auto year = in.digits(4, 9999);
  const bool dashes = in.take('-');
  const auto month = year ? in.digits(2, 12) : std::nullopt;
  if (dashes && !in.take('-')) return std::nullopt;
  const auto day = month ? in.digits(2, 31) : std::nullopt;
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  const double midnight =
      86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (in.rest.empty()) return DateTime{midnight, false};
  if (!in.take('T') && !in.take(' ')) return std::nullopt;
  const auto time = time_of_day(in);
  return time ? std::optional(DateTime{midnight + *time, true}) : std::nullopt;
}

double part_of_date(DatePart part, double seconds) {
  const double days = std::floor(seconds / 86400.0);
  const int time = static_cast<int>(seconds - 86400.0 * days);
  const std::chrono::sys_days date(std::chrono::days(static_cast<int>(days)));
  const std::chrono::year_month_day parts(date);
  switch (part) {
    case DatePart::year:
      return static_cast<int>(parts.year());
    case DatePart::month:
      return static_cast<unsigned>(parts.month());
    case DatePart::day:
      return static_cast<unsigned>(parts.day());
    case DatePart::weekday:
      return std::chrono::weekday(date).iso_encoding() - 1;
    case DatePart::hour:
      return time / 3600;
    case DatePart::minute:
      return time / 60 % 60;
    case DatePart::second:
      break;
  }
  return time % 60;
}

}  // namespace lacp
