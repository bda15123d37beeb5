// The saved form of fitted columns, and dates.
#include <doctest/doctest.h>

#include "lacp/base/error.hpp"
#include "lacp/data/columns.hpp"
#include "temporary_folder.hpp"

using namespace lacp;

namespace {

std::string refusal(const std::string& text) {
  return message_of<UserError>([&] { parse_columns(text, "m"); });
}

const std::string heading = "\"lacp columns\",\"1\"\n\"usual marks\"\n";
const std::string whole =
    heading + "\"target\",\"number\",\"refuse\",\"y\"\n\"attribute\",\"number\",\"fill\",\"a\"\n";

}  // namespace

TEST_CASE("saved columns are the same when read") {
  const Columns columns{
      .attributes = {{.name = "a \"b\", c", .if_missing = IfMissing::fill},
                     {.name = "k", .kind = ColumnKind::category, .levels = {"", "x,\ny", "z"}},
                     {.name = "o",
                      .kind = ColumnKind::ordered,
                      .if_missing = IfMissing::drop_row,
                      .levels = {"z", "a"}},
                     {.name = "d", .kind = ColumnKind::date, .parts = {DatePart::weekday, DatePart::year}}},
      .target = {{.name = "u"}, {.name = "v"}},
      .log_target = true,
      .marks = {{"-", ""}}};
  const std::string text = to_text(columns);
  const Columns read = parse_columns(text, "m");
  CHECK(to_text(read) == text);
  CHECK(read.attribute_names() == columns.attribute_names());
  CHECK(read.attributes[0].if_missing == IfMissing::fill);
  CHECK(read.attributes[2].levels == columns.attributes[2].levels);
  CHECK(read.marks == columns.marks);
  CHECK(read.target.size() == 2);
  CHECK(read.log_target);
  CHECK_FALSE(parse_columns(whole, "m").marks.has_value());
}

TEST_CASE("a text that is no saved form is refused with its line") {
  CHECK(refusal("") == "m: ends too early; expected attributes and a target");
  CHECK(refusal("\"lacp columns\",\"2\"\n")
            .starts_with("m:1: found 'lacp columns', '2'; expected 'lacp columns' of version 1"));
  CHECK(refusal(heading + "\"attribute\",\"number\",\"fill\",\"a\"\n")
            .find("expected attributes and a target") != std::string::npos);
  CHECK(refusal(whole + "\"attribute\",\"nubmer\",\"fill\",\"b\"\n") ==
        "m:5: found 'nubmer'; expected one of number, category, ordered, date");
  CHECK(refusal(whole + "\"attribute\",\"number\",\"fill\"\n").starts_with("m:5: ends too early"));
  CHECK(refusal(whole + "\"attribute\",\"number\",\"fill\",\"a\"\n") == "m: names column 'a' twice");
  CHECK(refusal(whole + "\"attribute\",\"category\",\"fill\",\"b\",\"z\",\"y\"\n").find("sorted order") !=
        std::string::npos);
  CHECK(refusal(whole + "\"attribute\",\"category\",\"fill\",\"b\"\n") ==
        "m:5: found 0 levels of a category");
  CHECK(refusal(whole + "\"attribute\",\"ordered\",\"fill\",\"b\",\"z\",\"z\"\n").find("twice") !=
        std::string::npos);
  CHECK(refusal(whole + "\"attribute\",\"date\",\"fill\",\"b\",\"hours\"\n")
            .find("found 'hours'; expected a part of a date") != std::string::npos);
  CHECK(refusal(whole + "\"log target\",\"number\",\"refuse\",\"z\"\n").find("a part of the target") !=
        std::string::npos);
  CHECK(refusal(whole + "\"target\",\"ordered\",\"refuse\",\"z\",\"p\",\"q\"\n").find("expected a number") !=
        std::string::npos);
  CHECK(refusal(whole + "\"else\"\n").starts_with("m:5: found 'else'"));
}

TEST_CASE("ISO dates are read, and nothing else") {
  const auto parts = [](std::string_view text) {
    const auto date = parse_date(text);
    REQUIRE(date.has_value());
    std::vector<double> values;
    for (const char* name : {"year", "month", "day", "weekday", "hour", "minute", "second"})
      values.push_back(part_of_date(*parse_date_part(name), date->seconds));
    return values;
  };
  CHECK(parts("2011-01-31 23:04:05") == std::vector<double>{2011, 1, 31, 0, 23, 4, 5});
  CHECK(parts("2011-01-31T23:04") == std::vector<double>{2011, 1, 31, 0, 23, 4, 0});
  CHECK(parts("20141013T000000") == std::vector<double>{2014, 10, 13, 0, 0, 0, 0});
  CHECK(parts("1969-12-31 23:59:59.999+05:30") == std::vector<double>{1969, 12, 31, 2, 23, 59, 59});
  CHECK(parts("0000-02-29") == std::vector<double>{0, 2, 29, 1, 0, 0, 0});
  CHECK(parts("9999-12-31 12:00:00Z") == std::vector<double>{9999, 12, 31, 4, 12, 0, 0});
  CHECK_FALSE(parse_date("2011-01-31")->has_time);
  CHECK(parse_date("2011-01-31 00:00")->has_time);
  for (const char* text : {"",
                           "2011",
                           "2011-02-29",
                           "2011-13-01",
                           "2011-00-01",
                           "2011-01-32",
                           "31.01.2011",
                           "01/31/2011",
                           "2011-0131",
                           "201101-31",
                           "2011-01-31x",
                           "2011-01-31 ",
                           "2011-01-31 24:00",
                           "2011-01-31 23:60",
                           "2011-01-31 23:00:60",
                           "2011-01-31 23",
                           "2011-01-31 23:00:",
                           "2011-01-31 23:00:01.",
                           "2011-01-31 2300:00",
                           "2011-01-31 23:00 PM",
                           "2011-01-31 23:00+1",
                           "2011-01-31 23:00+01:",
                           "2011-1-31",
                           "+011-01-31"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_date(text).has_value());
  }
}
