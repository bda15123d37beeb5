// Numbers, dates and levels as spreadsheets write them.
#include <tuple>

#include "made_rows.hpp"
#include "table/columns.hpp"
#include "table/notation.hpp"

using namespace lacp;

namespace {

constexpr double none = -12345.0;

double read(std::string_view cell, char decimal, const std::string& unit = "") {
  return read_written(cell, {.decimal = decimal, .unit = unit}).value_or(none);
}

using Cells = std::initializer_list<std::string_view>;

/// Of cells in the lines from 2.
NotationGuess guess(Cells cells) {
  NotationGuess guess;
  std::size_t line = 1;
  for (const std::string_view cell : cells) guess.add(cell, ++line);
  return guess;
}

NotationGuess settled_guess(Cells cells) {
  NotationGuess of = guess(cells);
  of.settle(cells.size());
  return of;
}

double seconds(std::string_view text, DateOrder order) {
  const auto date = parse_date(text, order);
  return date ? date->seconds : none;
}

/// Whether these have one unit, and which, after all were seen.
std::string settled(Cells cells) {
  NotationGuess of = guess(cells);
  return of.settle(cells.size()) && of.numbers == cells.size() ? of.unit() : "none";
}

/// Levels with an effect, in sorted order, as fit_columns leaves them: codes.
struct Coded {
  Columns columns{
      .attributes = {{.name = "x"}, {.name = "code", .kind = ColumnKind::mean, .values = {"a", "b", "c"}}},
      .target = {{.name = "y"}}};
  arma::mat X{{0, 0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 1, 1, 2, 0}};
  arma::vec y{10, 20, 30, 100, 200, 300, 5000, 7000};
  std::vector<arma::uword> training{0, 1, 2, 3, 4, 5};
};

}  // namespace

TEST_CASE("numbers as spreadsheets write them, with or without the unit of their column") {
  using Values = std::initializer_list<std::pair<std::string_view, double>>;
  const auto check = [](char decimal, Values cells, const std::string& unit = "") {
    for (const auto& cell : cells) CHECK_MESSAGE(read(cell.first, decimal, unit) == cell.second, cell.first);
  };
  check('.', {{"8,123.45", 8123.45}, {"1,234,567", 1234567}, {"+5", 5}, {"(1,200.50)", -1200.5}});
  check('.', {{"1 234.5", 1234.5}, {"1'234", 1234}, {"1\u00a0234", 1234}, {"1\u2019234.5", 1234.5}});
  check('.', {{"\u22125.5", -5.5}, {"-5", -5}, {"1.5E+03", 1500}, {".5", 0.5}, {"0.25", 0.25}});
  check('.', {{"1.234", 1.234}, {"( 7 )", -7}});
  check(',', {{"8.123,45", 8123.45}, {"1.234.567", 1234567}, {"1,5", 1.5}, {"1.234", 1234}});
  check(',', {{"12", 12}, {"-0,5", -0.5}, {"1,234.5", none}});
  check('.', {{"$1,200", 1200}, {"-$1,200", -1200}, {"($ 1,200)", -1200}, {"1200", 1200}}, "$");
  check(',', {{"1.200,5 €", 1200.5}}, "€");
  check('.', {{"12.5 %", 12.5}, {"12.5", none}}, "%");  // without its sign it may be a share
  check('.', {{"2,156 sq ft", 2156}}, "sq ft");
  check(',', {{"25,4kg", 25.4}, {"12", 12}, {"12 lb", none}}, "kg");
  check('.', {{"85 m2", 85}}, "m2");
  check('.', {{"1 234.5 EUR/m²", 1234.5}}, "EUR/m²");
  check('.', {{"-3.5e2 °C", -350}}, "°C");
  check('.', {{"1 day", 1}}, "days");
  check('.', {{"12 ms", none}}, "m");
  // k, M and the like multiply, whatever the unit.
  check('.', {{"5.2k", 5200},
              {"66.6K", 66600},
              {"1.2 M", 1.2e6},
              {"0.3bn", 3e8},
              {"1.0 Tsd", 1000},
              {"(2k)", -2000}});
  check(',', {{"1,5 Mio. €", 1.5e6}, {"2,5k€", 2500}, {"3 Mrd €", 3e9}, {"€ 4k", 4000}, {"700", 700}}, "€");
  check('.', {{"5 kg", 5}, {"5 k kg", 5000}}, "kg");
  check('.', {{"5km", none}, {"1e3k", none}, {"5 kB", none}});
  // Another unit, or the other decimal mark, is another number.
  for (const std::string_view cell :
       {"€5", "5%",    "1,5", "12,34", "1,23,456", "1.2.3",  "12:30", "",     "-",  "x5",
        "(5", "5 $ 6", "$5€", "0,123", "--5",      "1,2345", "1 23",  "(-5)", "1e", "1,234'567"})
    CHECK_MESSAGE(read(cell, '.') == none, cell);
  CHECK(unit_in("2,156 sq ft") == "sq ft");
}

TEST_CASE("what stands behind every number of a column is its unit, and several are told apart") {
  CHECK(settled({"25.4 kg", "7 kg", "1,200 kg"}) == "kg");
  CHECK(settled({"3 rooms", "1 room", "2 rooms"}) == "rooms");
  CHECK(settled({"85 m2", "90", "1.5 m2"}) == "m2");
  CHECK(guess({"748", "66.6k", "2.1M"}).numbers == 3);
  const auto without_unit = [](Cells cells) {
    const auto bare = settled_guess(cells).without_unit();
    return bare ? fmt::format("{} in line {}, as {}", bare->cells, bare->line, bare->text) : "none";
  };
  CHECK(without_unit({"13 min", "1.7", "15 min", "2", "7 min"}) == "2 in line 3, as 1.7");
  CHECK(without_unit({"$5", "1,200", "7"}) == "2 in line 3, as 1,200");
  CHECK(without_unit({"5 %", "0.07", "7 %"}) == "1 in line 3, as 0.07");
  CHECK(without_unit({"5 kg", "7 kg"}) == "none");
  CHECK(without_unit({"748", "66.6k"}) == "none");
  CHECK(settled({"D12", "D7"}) == "none");  // a name
  CHECK(settled({"12 Oak", "3 Elm", "5 Main"}) == "none");
  CHECK(settled({"2020-01-31", "31-Jan-20", "5 Jan 2020"}) == "none");
  CHECK(settled({"10:30 kg", "10-20 kg"}) == "none");
  CHECK(settled({"5", "6", "12 kg"}) == "none");  // a cell that is no number, in a column of numbers
  const auto mixed = [](Cells cells) {
    std::string text;
    for (const NotationGuess::Unit& unit : settled_guess(cells).mixed_units())
      text += fmt::format("{} {} {},", unit.text, unit.cells, unit.line);
    return text;
  };
  CHECK(mixed({"1 kg", "2 kg", "3 kg", "4 kg", "5 kg", "6 kg", "7 kg", "8 kg", "9 kg", "7 lb"}) ==
        "kg 9 2,lb 1 11,");
  CHECK(mixed({"$5", "7 €", "$8", "9"}) == "$ 2 2,€ 1 3,");
  CHECK(mixed({"5 kg", "6 kg", "8", "1 kg"}).empty());
  CHECK(mixed({"12A", "14B", "3C"}).empty());
  CHECK(mixed({"1st", "2nd", "3rd"}).empty());
}

TEST_CASE("a whole column says which mark is the decimal one") {
  CHECK(guess({"1,234", "5.5"}).decimal() == '.');
  CHECK(guess({"1,234", "5,5"}).decimal() == ',');
  CHECK(guess({"1.234", "1.234.567"}).decimal() == ',');
  CHECK(guess({"1,234", "12"}).decimal() == 0);
  CHECK(guess({"1,234", "12"}).ambiguous_comma());
  CHECK(guess({"1.234", "12"}).ambiguous_point());
  CHECK_FALSE(guess({"1.234", "12.5"}).ambiguous_point());
  CHECK(guess({"0.123", "12"}).decimal() == '.');
  CHECK(guess({"1234.567"}).decimal() == '.');
  CHECK(guess({"$5", "7", "$1,200.5"}).unit() == "$");
  CHECK(guess({"5%", "7 %", "8"}).unit() == "%");
  CHECK(guess({"5%", "7", "8", "9"}).unit() == "%");
  CHECK(guess({"5", "12 kg", "$3", "abc", "2024-01-01"}).numbers == 2);
  CHECK(guess({"5", "1e3", "1,5"}).plain == 2);
}

TEST_CASE("points are those of thousands beside whole numbers that would have one if they were larger") {
  CHECK(guess({"1.872", "59", "430"}).thousands_points());
  CHECK_FALSE(guess({"1.872", "59"}).thousands_points());           // perhaps kilograms
  CHECK_FALSE(guess({"1.872", "430", "4175"}).thousands_points());  // without a point
  CHECK_FALSE(guess({"1.872", "430", "0.125"}).thousands_points());
  CHECK_FALSE(guess({"1.872", "430", "2.5"}).thousands_points());
  CHECK_FALSE(guess({"59", "430"}).thousands_points());
}

TEST_CASE("times of day and durations are numbers of seconds") {
  const auto time = [](std::string_view cell, TimeParts clock) {
    return read_written(cell, {.clock = clock}).value_or(none);
  };
  for (const auto& [cell, hours, minutes] :
       std::vector<std::tuple<const char*, double, double>>{{"3:34:12", 12852, 12852},
                                                            {"6:15", 22500, 375},
                                                            {"0:05.3", 5.3, 5.3},
                                                            {"1:02:03,5", 3723.5, 3723.5},
                                                            {"-0:30", -1800, -30},
                                                            {"120:00", 432000, 7200},
                                                            {"2:30 PM", 52200, none},
                                                            {"12:05 am", 300, none},
                                                            {"58.31", 58.31, 58.31}}) {
    CHECK_MESSAGE(time(cell, TimeParts::hours) == hours, cell);
    if (minutes != none) CHECK_MESSAGE(time(cell, TimeParts::minutes) == minutes, cell);
    if (std::string_view(cell).find(':') != std::string_view::npos)
      CHECK_MESSAGE(time(cell, TimeParts::none) == none, cell);
  }
  for (const char* cell :
       {"3:4", "3:60", "1:00:60", ":30", "3:", "1:2:3:4", "13:00 pm", "a:10", "1:00 x", "1:00."})
    CHECK_MESSAGE(time(cell, TimeParts::hours) == none, cell);
}

TEST_CASE("a whole column says whether its times have hours, and whether its limits are numbers") {
  const auto clock = [](Cells cells) {
    const NotationGuess of = settled_guess(cells);
    CHECK(of.numbers == (of.clock() == TimeParts::none ? of.numbers : cells.size()));
    return of.clock();
  };
  CHECK(clock({"6:15", "7:00", "23:59"}) == TimeParts::hours);
  CHECK(clock({"3:34:12", "2:59:01"}) == TimeParts::hours);
  CHECK(clock({"1:02:33", "59:10"}) == TimeParts::minutes);
  CHECK(clock({"45:30", "6:15"}) == TimeParts::minutes);
  CHECK(clock({"58.31", "1:02.44"}) == TimeParts::minutes);
  CHECK(clock({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "1:30"}) == TimeParts::none);
  CHECK(clock({"6:15", "noon"}) == TimeParts::none);

  const auto limits = [](Cells cells) { return settled_guess(cells).limits(); };
  CHECK(limits({"0.7", "<0.5", "1.2", "≤ 0.5", ">100", ">= 100"}) == 4);
  CHECK(limits({"<18", "18-65", ">65"}) == 0);  // names
  CHECK(limits({"<18", ">=18"}) == 0);
  CHECK(limits({"1", "2", "<none"}) == 0);
  CHECK(limits({"1", "2", std::string(1 << 20, '<') + "1"}) == 0);
}

TEST_CASE("a cell below a limit is the limit, and nothing where nobody said so") {
  const auto value = [](std::string_view cell, bool limits, char decimal = '.') {
    return read_written(cell, {.decimal = decimal, .unit = "mg", .limits = limits}).value_or(none);
  };
  for (const char* cell : {"<0.5", "< 0.5 mg", "<=0.5", "≤0.5", ">= 0.5"}) {
    CHECK_MESSAGE(value(cell, true) == 0.5, cell);
    CHECK_MESSAGE(value(cell, false) == none, cell);
  }
  CHECK(value("<0,5", true, ',') == 0.5);
  for (const char* cell : {"<", "<<1", "<a", "<1 kg"}) CHECK_MESSAGE(value(cell, true) == none, cell);
}

TEST_CASE("dates in either order, with names of months, and with the time of a clock") {
  const double day = seconds("2020-01-31", DateOrder::iso);
  for (const char* text : {"31/01/2020", "31.1.2020", "31-01-20", "31 Jan 2020", "31-Jan-20",
                           "January 31, 2020", "Jan. 31 2020", "2020/01/31", "2020-01-31"})
    CHECK_MESSAGE(seconds(text, DateOrder::day_first) == day, text);
  for (const char* text : {"01/31/2020", "1/31/20", "1-31-2020", "31 January 2020", "2020-01-31"})
    CHECK_MESSAGE(seconds(text, DateOrder::month_first) == day, text);
  CHECK(seconds("03/04/2020", DateOrder::day_first) == seconds("2020-04-03", DateOrder::iso));
  CHECK(seconds("03/04/2020", DateOrder::month_first) == seconds("2020-03-04", DateOrder::iso));
  CHECK(seconds("1/31/2020 2:30:05 PM", DateOrder::month_first) == day + 14 * 3600 + 30 * 60 + 5);
  CHECK(seconds("1/31/2020 12:00 am", DateOrder::month_first) == day);
  CHECK(seconds("31.01.2020 9:05", DateOrder::day_first) == day + 9 * 3600 + 5 * 60);
  CHECK(seconds("31.12.69", DateOrder::day_first) == seconds("1969-12-31", DateOrder::iso));
  for (const char* text :
       {"01/31/2020", "32/01/2020", "30/02/2020", "0/1/2020", "31/01", "31/01/2020x", "1.5", "12", "",
        "31/01/2020 25:00", "31/01/2020 13:00 pm", "May", "31 Foo 2020", "1/2/345678"})
    CHECK_MESSAGE(seconds(text, DateOrder::day_first) == none, text);
  CHECK(seconds("31/01/2020", DateOrder::iso) == none);
}

TEST_CASE("a level's mean comes from training rows, and no row sees its own target") {
  Coded table;
  code_by_means(table.columns, table.X, table.y, table.training, {});
  const double all = 660.0 / 6.0;
  // c: in a calibration row alone
  CHECK(table.columns.attributes[1].values == std::vector<std::string>{"a", "b"});
  CHECK(table.X(1, 6) == all);
  CHECK(table.X(1, 7) == (60.0 + 5.0 * all) / 8.0);
  CHECK(table.columns.attributes[1].means ==
        std::vector<double>{(60.0 + 5.0 * all) / 8.0, (600.0 + 5.0 * all) / 8.0, all});
  // Rows 0 and 5 are the first fold.
  const double others = 350.0 / 4.0;
  CHECK(table.X(1, 0) == (50.0 + 5.0 * others) / 7.0);
  CHECK(arma::all(table.X.row(0) == 0.0));

  Coded other;  // neither its own target nor that of a calibration row changes a row's code
  other.y(0) = 1e6, other.y(6) = 1e6, other.y(7) = -1e6;
  code_by_means(other.columns, other.X, other.y, other.training, {});
  CHECK(other.X(1, 0) == table.X(1, 0));
  CHECK(other.X(1, 1) != table.X(1, 1));
  Coded grouped, plain;  // rows of a group are in one fold
  grouped.y(1) = 1e6;
  for (Coded* of : {&grouped, &plain})
    code_by_means(of->columns, of->X, of->y, of->training, {7, 7, 8, 8, 9, 9, 1, 2});
  CHECK(grouped.X(1, 0) == plain.X(1, 0));
  CHECK(grouped.X(1, 2) != plain.X(1, 2));
}

TEST_CASE("a saved column reads cells as that of the fit did") {
  const Columns columns{
      .attributes =
          {{.name = "price", .written = Notation{.decimal = ',', .unit = "€"}},
           {.name = "share", .written = Notation{.unit = "%"}},
           {.name = "sold",
            .kind = ColumnKind::date,
            .parts = {DatePart::month, DatePart::year},
            .order = DateOrder::day_first},
           {.name = "code", .kind = ColumnKind::mean, .values = {"a", "b"}, .means = {0.1, 1e300, -2}},
           {.name = "finish", .written = Notation{.clock = TimeParts::minutes}},
           {.name = "start", .written = Notation{.clock = TimeParts::hours, .limits = true}}},
      .target = {{.name = "y", .written = Notation{.limits = true}}}};
  const Columns back = reloaded(columns);
  for (std::size_t i = 0; i < 6; ++i) CHECK(back.attributes[i].written == columns.attributes[i].written);
  const Table table(
      "code,price,share,sold,finish,start,y\n"
      "b,\"1.200,5 €\",12%,03/04/2020,59:10,6:15,\"<1,200\"\n"
      "z,7,5 %,31/01/2020,1:00:00,<7:00,-3\n");
  const EncodedTable read = encode(back, table.source(), {.target = true});
  const arma::mat expected{{1200.5, 7}, {12, 5},      {4, 1},        {2020, 2020},
                           {1e300, -2}, {3550, 3600}, {22500, 25200}};
  CHECK(arma::approx_equal(read.X, expected, "absdiff", 0));
  CHECK(arma::approx_equal(read.y, arma::vec{1200, -3}, "absdiff", 0));
  CHECK(read.unseen == 1);
  const std::string names = "code,price,share,sold,finish,start\n";
  CHECK_REFUSED(encode(back, Table(names + "b,1.5,12%,03/04/2020,1,1\n").source()),
                "found '1.5'; expected a number with a decimal comma and '€'");
  CHECK_REFUSED(encode(back, Table(names + "b,1,12%,03/04/2020,late,1\n").source()),
                "found 'late'; expected a time or duration, as 3:34:12");
}
