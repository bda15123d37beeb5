#include "lacp/table/date.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "lacp/base/text.hpp"

namespace lacp {
namespace {

constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                  "may",       "june",     "july",     "august",
                                                  "september", "october",  "november", "december"};

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
  /// The same of all digits that follow, at most this many.
  std::optional<int> all_digits(std::size_t longest, int most) {
    const std::size_t count = std::min(rest.find_first_not_of("0123456789"), rest.size());
    return count == 0 || count > longest ? std::nullopt : digits(count, most);
  }
  /// The month that the letters which follow name, in full or by three of them or more.
  std::optional<int> month_name() {
    const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    const std::string word = lower_case(
        rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin())));
    for (std::size_t i = 0; i < months.size(); ++i)
      if (word.size() >= 3 && months[i].starts_with(word)) {
        rest.remove_prefix(word.size());
        take('.');
        return static_cast<int>(i + 1);
      }
    return std::nullopt;
  }
  /// One mark between the parts of a date, and blanks.
  void separator() {
    while (take(' ')) {
    }
    if (take('/') || take('-') || take('.') || take(',')) {
    }
    while (take(' ')) {
    }
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

/// Midnight of a day, if there is such a day.
std::optional<double> midnight_of(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// 9:05, 14:30:05, 2:30 PM.
std::optional<int> clock_time(Scanner in) {
  const auto hour = in.all_digits(2, 23);
  const auto minute = hour && in.take(':') ? in.digits(2, 59) : std::nullopt;
  if (!minute) return std::nullopt;
  const auto second = in.take(':') ? in.digits(2, 59) : 0;
  if (!second) return std::nullopt;
  in.take(' ');
  const std::string half = lower_case(in.rest);
  if ((half != "am" && half != "pm" && !half.empty()) || (!half.empty() && (*hour == 0 || *hour > 12)))
    return std::nullopt;
  const int shift = half == "pm" && *hour < 12 ? 12 : half == "am" && *hour == 12 ? -12 : 0;
  return 3600 * (*hour + shift) + 60 * *minute + *second;
}

/// A day, with the time that the rest of the text has, if any.
std::optional<DateTime> with_time(std::optional<double> midnight, Scanner in,
                                  std::optional<int> (*time_of)(Scanner)) {
  if (!midnight || in.rest.empty())
    return midnight ? std::optional(DateTime{*midnight, false}) : std::nullopt;
  const auto time = in.take(' ') || in.take('T') ? time_of(in) : std::nullopt;
  return time ? std::optional(DateTime{*midnight + *time, true}) : std::nullopt;
}

std::optional<DateTime> parse_written_date(std::string_view text, DateOrder order) {
  Scanner in{text};
  std::optional<int> year, month = in.month_name(), day;
  if (month) {  // January 31, 2020
    in.separator(), day = in.all_digits(2, 31), in.separator(), year = in.all_digits(4, 9999);
  } else if (Scanner ahead = in; ahead.digits(4, 9999) && (ahead.take('/') || ahead.take('.'))) {
    year = in.digits(4, 9999), in.separator(), month = in.all_digits(2, 12), in.separator(),
    day = in.all_digits(2, 31);
  } else {
    std::optional<int> first = in.all_digits(2, 31);
    in.separator();
    month = in.month_name();  // 31-Jan-2020
    const std::optional<int> second = month ? month : in.all_digits(2, 31);
    day = month || order == DateOrder::day_first ? first : second;
    month = month || order == DateOrder::day_first ? second : first;
    in.separator(), year = in.all_digits(4, 9999);
    if (year && *year < 100) *year += *year < 69 ? 2000 : 1900;
  }
  if (!year || !month || !day || *month > 12 || *month < 1) return std::nullopt;
  if (in.rest.size() > 1) in.take(',');
  return with_time(midnight_of(*year, *month, *day), in, clock_time);
}

std::optional<DateTime> parse_iso_date(std::string_view text) {
  Scanner in{text};
  const auto year = in.digits(4, 9999);
  const bool dashes = in.take('-');
  const auto month = year ? in.digits(2, 12) : std::nullopt;
  if (dashes && !in.take('-')) return std::nullopt;
  const auto day = month ? in.digits(2, 31) : std::nullopt;
  return day ? with_time(midnight_of(*year, *month, *day), in, time_of_day) : std::nullopt;
}

}  // namespace

bool needs_time(DatePart part) {
  return part == DatePart::hour || part == DatePart::minute || part == DatePart::second;
}

std::optional<DateTime> parse_date(std::string_view text, DateOrder order) {
  const auto iso = parse_iso_date(text);
  return iso || order == DateOrder::iso ? iso : parse_written_date(text, order);
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
