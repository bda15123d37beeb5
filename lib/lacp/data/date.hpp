#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacp {

/// Parts of a date and time that can be attributes. Weekdays count from Monday, 0, to Sunday, 6.
enum class DatePart { year, month, day, weekday, hour, minute, second };

/// "year", "month", ...
std::string_view date_part_name(DatePart part);
std::optional<DatePart> parse_date_part(std::string_view name);
std::vector<std::string> date_part_names();

/// Whether a date alone, without a time of day, has no such part.
bool needs_time(DatePart part);

struct DateTime {
  double seconds = 0;  ///< since 1970 began, by the clock that the date was read from; a whole number
  bool has_time = false;
};

/// An ISO 8601 date of the years 0 to 9999, with or without a time: 2011-01-31, 2011-01-31 23:00,
/// 2011-01-31T23:00:05.5Z, 20110131T230005. A time zone may follow and is not used; fractions of a second are
/// cut off.
std::optional<DateTime> parse_date(std::string_view text);

double part_of_date(DatePart part, double seconds);

}  // namespace lacp
