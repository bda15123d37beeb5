// Numbers of a spreadsheet, which are dates and times by the way they are shown.
#include <fmt/format.h>

#include <cmath>

#include "lacp/base/text.hpp"
#include "table/date.hpp"
#include "table/sheets/xlsx.hpp"

namespace lacp {
namespace {

/// What is left of the first section of a format without texts, colours and spaces: the letters that mean
/// something. What counts hours, minutes or seconds beyond their usual range, as [h], sets `counts`.
std::string letters_of(std::string_view code, bool& counts) {
  std::string letters;
  for (std::size_t i = 0; i < code.size() && code[i] != ';'; ++i) {
    const char c = code[i];
    if (c == '\\' || c == '_' || c == '*') {
      ++i;
    } else if (c == '"' || c == '[') {
      const std::size_t end = std::min(code.find(c == '"' ? '"' : ']', i + 1), code.size());
      const std::string inside = lower_case(code.substr(i + 1, end - i - 1));
      counts = counts ||
               (c == '[' && !inside.empty() && inside.find_first_not_of(inside[0]) == std::string::npos &&
                (inside[0] == 'h' || inside[0] == 'm' || inside[0] == 's'));
      i = end;
    } else {
      letters += c;
    }
  }
  return lower_case(letters);
}

}  // namespace

NumberFormat format_of(unsigned id, std::string_view code) {
  if (code.empty()) {
    if (id == 46) return NumberFormat::duration;
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id == 45 || id == 47) return NumberFormat::time;
    const bool date = (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
    return date ? NumberFormat::date : NumberFormat::number;
  }
  bool counts = false;
  const std::string letters = letters_of(code, counts);
  const auto has = [&](std::string_view any) { return letters.find_first_of(any) != std::string::npos; };
  if (counts) return NumberFormat::duration;
  if (letters == "general" || letters == "standard" || has("@")) return NumberFormat::number;
  if (has("yd")) return NumberFormat::date;
  if (has("hs")) return NumberFormat::time;
  return has("m") ? NumberFormat::date : NumberFormat::number;
}

std::string stored_text(double value, NumberFormat format, bool since_1904) {
  constexpr double after_9999 = 2958466.0, first_year = 366.0, to_1904 = 1462.0, day = 86400.0;
  if (format == NumberFormat::time && value >= first_year) format = NumberFormat::date;
  const double days = format == NumberFormat::date && since_1904 ? value + to_1904 : value;
  if (format == NumberFormat::number || !(days >= 0.0) || days >= after_9999) return fmt::format("{}", value);
  const double exact = days * day, whole = std::round(exact);
  const auto hours = static_cast<long long>(whole) / 3600, minutes = static_cast<long long>(whole) / 60 % 60,
             seconds = static_cast<long long>(whole) % 60;
  if (format != NumberFormat::date || days < 1.0) {
    // A stored time has some 15 digits, so a thousandth of a second is one, and a millionth is not.
    const auto thousandths = static_cast<long long>(std::round(1000.0 * exact));
    if (thousandths % 1000 != 0)
      return fmt::format("{:02}:{:02}:{:02}.{:03}", thousandths / 3'600'000, thousandths / 60'000 % 60,
                         thousandths / 1000 % 60, thousandths % 1000);
    return fmt::format("{:02}:{:02}:{:02}", hours, minutes, seconds);
  }
  // Days count from 1899-12-30, and those before March 1900 from a day later: 1900 is taken for a leap year.
  constexpr double until_1970 = 25569.0, march_1900 = 61.0;
  const double since_1970 = whole - day * (until_1970 - (days < march_1900 ? 1.0 : 0.0));
  const auto part = [&](DatePart which) { return static_cast<int>(part_of_date(which, since_1970)); };
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", part(DatePart::year), part(DatePart::month),
                     part(DatePart::day), part(DatePart::hour), part(DatePart::minute),
                     part(DatePart::second));
}

}  // namespace lacp
