#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lacp {

/// Parts of a date and time that can be attributes. Weekdays count from Monday, 0, to Sunday, 6.
enum class DatePart : std::uint8_t { year, month, day, weekday, hour, minute, second };

/// By their places.
constexpr std::array<std::string_view, 7> date_part_names{"year", "month",  "day",   "weekday",
                                                          "hour", "minute", "second"};
constexpr std::string_view date_part_name(DatePart part) {
  return date_part_names.at(static_cast<std::size_t>(part));
}

/// Which of the first two numbers of 03/04/2020 is the day.
enum class DateOrder : std::uint8_t { iso, day_first, month_first };

constexpr std::string_view date_order_name(DateOrder order) {
  return std::array{"iso", "day_first", "month_first"}.at(static_cast<std::size_t>(order));
}

struct DateTime {
  double seconds = 0;  ///< since 1970 began, by the clock that the date was read from; a whole number
  bool has_time = false;
  bool has_day = true;  ///< a month or a quarter has none, and is its first day
};

/// An ISO 8601 date of the years 0 to 9999, with or without a time: 2011-01-31, 2011-01-31 23:00,
/// 2011-01-31T23:00:05.5Z, 20110131T230005. A time zone may follow and is not used; fractions of a second are
/// cut off. In another order than iso also what spreadsheets write: 31/01/2020, 31.1.20, 1/31/2020 2:30 PM,
/// 2020/01/31, 31-Jan-2020, January 31, 2020; years of two digits are those from 1969 to 2068. Months and
/// quarters of the years 1800 to 2199 are dates in any order: 2020-01, 01/2020, Jan 2020, 2020-Q1, Q1 2020;
/// and so are weeks, as their Thursdays: 2020-W05.
std::optional<DateTime> parse_date(std::string_view text, DateOrder order = DateOrder::iso);

double part_of_date(DatePart part, double seconds);

/// What 6:15 is, a time of day or a duration: hours and minutes, or minutes and seconds.
enum class TimeParts : std::uint8_t { none, hours, minutes };

/// Seconds of 3:34:12, 6:15, 2:30 PM, -0:05 and of 0:05.3, which is minutes and seconds
/// always.
std::optional<double> parse_clock(std::string_view text, TimeParts of_two_parts);

}  // namespace lacp
