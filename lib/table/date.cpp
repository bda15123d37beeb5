#include "table/date.hpp"

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

/// Takes texts off the front of another. What is needed and not there makes `fits` false.
struct Scanner {
  std::string_view rest;
  bool fits = true;

  /// One of these characters.
  bool take(std::string_view any) {
    const bool found = !rest.empty() && std::ranges::find(any, rest[0]) != any.end();
    if (found) rest.remove_prefix(1);
    return found;
  }
  void need(std::string_view any) { fits = take(any) && fits; }
  std::size_t digits_ahead() const {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return static_cast<std::size_t>(std::ranges::find_if_not(rest, is_digit) - rest.begin());
  }
  /// A number of exactly this many digits, from 0 to `most`.
  int digits(std::size_t count, int most) {
    int value = 0;
    fits = fits && digits_ahead() >= count;
    if (!fits) return value;
    for (const char c : rest.substr(0, count)) value = 10 * value + (c - '0');
    rest.remove_prefix(count);
    fits = value <= most;
    return value;
  }
  /// The same of all digits that follow, at most this many.
  int all_digits(std::size_t longest, int most) {
    const std::size_t count = digits_ahead();
    fits = fits && count > 0 && count <= longest;
    return digits(count, most);
  }
  /// The month that the letters which follow name, in full or by three of them or more; 0 if they do not.
  int month_name() {
    const auto is_letter = [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; };
    const std::string word = lower_case(
        rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin())));
    if (word.size() < 3) return 0;
    const auto* month = std::ranges::find_if(months, [&](auto name) { return name.starts_with(word); });
    if (month == months.end()) return 0;
    rest.remove_prefix(word.size());
    take(".");
    return static_cast<int>(month - months.begin()) + 1;
  }
  /// One mark between the parts of a date, and blanks.
  void separator() {
    while (take(" ")) continue;
    take("/-.,");
    while (take(" ")) continue;
  }
};

/// Seconds since midnight of the rest of the text: 23:00, 2300, 23:00:05, 23:00:05.25, and a zone: none, Z,
/// or the difference from it, as +01, +0100 or +01:00.
int time_of_day(Scanner& in) {
  const int hour = in.digits(2, 23);
  const bool colons = in.take(":");
  const int minute = in.digits(2, 59);
  int second = 0;
  if (colons ? in.take(":") : in.digits_ahead() > 0) {
    second = in.digits(2, 59);
    if (in.take(".")) {
      in.need("0123456789");
      in.rest.remove_prefix(in.digits_ahead());
    }
  }
  if (in.take("+-")) {
    in.digits(2, 23);
    if (!in.rest.empty()) {
      in.take(":");
      in.digits(2, 59);
    }
  } else {
    in.take("Z");
  }
  return 3600 * hour + 60 * minute + second;
}

/// The hours that "am" or "pm" adds, if the rest of the text is that.
int half_day(Scanner& in, int hour) {
  const std::string half = lower_case(trim(in.rest));
  if (half != "am" && half != "pm") return 0;
  in.fits = in.fits && hour >= 1 && hour <= 12;
  in.rest = {};
  if (half == "pm" && hour < 12) return 12;
  return half == "am" && hour == 12 ? -12 : 0;
}

/// 9:05, 14:30:05, 2:30 PM.
int clock_time(Scanner& in) {
  const int hour = in.all_digits(2, 23);
  in.need(":");
  const int minute = in.digits(2, 59), second = in.take(":") ? in.digits(2, 59) : 0;
  return 3600 * (hour + half_day(in, hour)) + 60 * minute + second;
}

/// A day, if there is such a day, with the time that the rest of the text has, if any.
std::optional<DateTime> with_time(int year, int month, int day, Scanner in, int (*time_of)(Scanner&)) {
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!in.fits || !date.ok()) return std::nullopt;
  DateTime out{86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()),
               !in.rest.empty()};
  if (out.has_time) {
    in.need(" T");
    out.seconds += time_of(in);
  }
  return in.fits && in.rest.empty() ? std::optional(out) : std::nullopt;
}

std::optional<DateTime> parse_written_date(std::string_view text, DateOrder order) {
  Scanner in{text};
  int year = 0, month = in.month_name(), day = 0;
  if (month > 0) {  // January 31, 2020
    in.separator();
    day = in.all_digits(2, 31);
    in.separator();
    year = in.all_digits(4, 9999);
  } else if (in.digits_ahead() == 4 && (text.substr(4).starts_with('/') || text.substr(4).starts_with('.'))) {
    year = in.digits(4, 9999);
    in.separator();
    month = in.all_digits(2, 12);
    in.separator();
    day = in.all_digits(2, 31);
  } else {
    const int first = in.all_digits(2, 31);
    in.separator();
    month = in.month_name();  // 31-Jan-2020
    const bool day_first = month > 0 || order == DateOrder::day_first;
    const int second = month > 0 ? month : in.all_digits(2, 31);
    day = day_first ? first : second;
    month = day_first ? second : first;
    in.separator();
    year = in.all_digits(4, 9999);
    if (year < 100) year += year < 69 ? 2000 : 1900;
  }
  if (in.rest.size() > 1) in.take(",");
  return with_time(year, month, day, in, clock_time);
}

std::optional<DateTime> parse_iso_date(std::string_view text) {
  Scanner in{text};
  const int year = in.digits(4, 9999);
  const bool dashes = in.take("-");
  const int month = in.digits(2, 12);
  if (dashes) in.need("-");
  const int day = in.digits(2, 31);
  return with_time(year, month, day, in, time_of_day);
}

/// The first month of a quarter that is written here as Q2; 0 if none is.
int quarter(Scanner& in) {
  if (!in.take("Qq")) return 0;
  const int number = in.digits(1, 4);
  in.fits = in.fits && number > 0;
  return 3 * number - 2;
}

/// 2020-01, 2020-Q1, 2020Q1; 01/2020, Jan 2020, Jan-2020, Q1 2020, Q1/2020.
std::optional<DateTime> parse_month(std::string_view text) {
  constexpr std::size_t shortest = 6, longest = 14;  // 2020Q1, September 2020
  if (text.size() < shortest || text.size() > longest) return std::nullopt;
  Scanner in{text};
  int year = 0, month = 0;
  if (in.digits_ahead() == 4) {
    year = in.digits(4, 2199);
    const bool dash = in.take("-/ ");
    month = quarter(in);
    if (month == 0 && dash) month = in.digits(2, 12);
  } else {
    month = in.month_name();
    if (month == 0) month = quarter(in);
    if (month == 0) {
      month = in.all_digits(2, 12);
      in.need("/");
    } else {
      in.need(" -/");
    }
    year = in.digits(4, 2199);
  }
  if (!in.fits || month == 0 || year < 1800 || !in.rest.empty()) return std::nullopt;
  auto date = with_time(year, month, 1, in, clock_time);
  if (date) date->has_day = false;
  return date;
}

/// 2020-W05, 2020W05: the Thursday of the week, which lies in its year.
std::optional<DateTime> parse_week(std::string_view text) {
  namespace chrono = std::chrono;
  Scanner in{text};
  const int year = in.digits(4, 2199);
  in.take("-");
  in.need("W");
  const int week = in.digits(2, 53);
  if (!in.fits || week == 0 || year < 1800 || !in.rest.empty()) return std::nullopt;
  const chrono::sys_days fourth = chrono::year(year) / 1 / 4;  // it is in the first week
  const chrono::sys_days monday = fourth - (chrono::weekday(fourth) - chrono::Monday);
  const chrono::sys_days thursday = monday + chrono::days(7 * (week - 1) + 3);
  if (chrono::year_month_day(thursday).year() != chrono::year(year)) return std::nullopt;
  const double seconds = 86400.0 * static_cast<double>(thursday.time_since_epoch().count());
  return DateTime{.seconds = seconds, .has_time = false, .has_day = false};
}

}  // namespace

std::optional<DateTime> parse_date(std::string_view text, DateOrder order) {
  if (const auto iso = parse_iso_date(text)) return iso;
  if (const auto month = parse_month(text)) return month;
  if (const auto week = parse_week(text)) return week;
  return order == DateOrder::iso ? std::nullopt : parse_written_date(text, order);
}

std::optional<double> parse_clock(std::string_view text, TimeParts of_two_parts) {
  Scanner in{trim(text)};
  const bool negative = in.take("-");
  const int first = in.all_digits(4, 9999);
  in.need(":");
  const int second = in.digits(2, 59);
  const bool three = in.take(":");
  const int third = three ? in.digits(2, 59) : 0;
  double fraction = 0.0;
  const bool has_fraction = in.take(".,");
  if (has_fraction) {
    const std::string digits(in.rest.substr(0, in.digits_ahead()));
    in.fits = in.fits && !digits.empty();
    in.rest.remove_prefix(digits.size());
    fraction = parse_double("0." + digits + "0").value_or(0.0);
  }
  const int shift = half_day(in, first);
  if (!in.fits || !in.rest.empty()) return std::nullopt;
  const bool hours = three || (of_two_parts == TimeParts::hours && !has_fraction);
  const double whole = hours ? 3600.0 * (first + shift) + 60.0 * second + third : 60.0 * first + second;
  const double seconds = whole + fraction;
  return negative ? -seconds : seconds;
}

double part_of_date(DatePart part, double seconds) {
  const double days = std::floor(seconds / 86400.0);
  const int time = static_cast<int>(seconds - 86400.0 * days);
  const std::chrono::sys_days date(std::chrono::days(static_cast<int>(days)));
  const std::chrono::year_month_day parts(date);
  const std::array<int, date_part_names.size()> values{
      static_cast<int>(parts.year()),
      static_cast<int>(static_cast<unsigned>(parts.month())),
      static_cast<int>(static_cast<unsigned>(parts.day())),
      static_cast<int>(std::chrono::weekday(date).iso_encoding()) - 1,
      time / 3600,
      time / 60 % 60,
      time % 60};
  return values.at(static_cast<std::size_t>(part));
}

}  // namespace lacp
