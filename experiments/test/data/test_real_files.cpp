// Tables as spreadsheets and people write them: read to the same numbers, or refused with one line.
#include <cmath>
#include <functional>
#include <tuple>

#include "common/frame.hpp"
#include "described_table.hpp"
#include "fitted_houses.hpp"
#include "tool/draft/draft.hpp"

namespace {

/// How the numbers and dates of a table are written.
enum class Style { plain, american, european };

std::string grouped(double value, char decimal, char group) {
  std::string text = fmt::format("{:.2f}", std::abs(value));
  const std::size_t point = text.find('.');
  text[point] = decimal;
  for (std::size_t at = point; at > 3; at -= 3) text.insert(at - 3, 1, group);
  return (value < 0 ? "-" : "") + text;
}

/// Flats with an income, a share, a balance, a day, a postcode, a note, a column of nothing and a rent. Some
/// have no balance, and some no rent.
std::string flats(std::size_t n, std::uint64_t seed, Style style) {
  lacp::Stream stream(seed);
  const bool us = style == Style::american, eu = style == Style::european;
  const auto line = [&](const std::vector<std::string>& cells) {
    return fmt::format("{}\n", fmt::join(cells, eu ? ";" : ","));
  };
  std::string text =
      line({"income", "share", "balance", "sold", "garden", "code", "note", "nothing", "rent"});
  for (std::size_t i = 0; i < n; ++i) {
    const double income = std::round(100 * stream.uniform(500, 9000)) / 100,
                 balance = std::round(stream.uniform(-2000, 2000)), share = std::round(stream.uniform(1, 99));
    const int month = 1 + static_cast<int>(stream.uniform() * 12),
              day = 1 + static_cast<int>(stream.uniform() * 28),
              code = static_cast<int>(stream.uniform() * 90);
    const bool garden = stream.uniform() < 0.5, no_balance = stream.uniform() < 0.03,
               no_rent = stream.uniform() < 0.02;
    const double rent = std::round(300 + 0.1 * income + 2 * share + 0.05 * balance + 10 * month +
                                   (garden ? 50 : 0) + 10 * (code % 30) + 20 * stream.normal());
    const auto money = [&](double value) {
      if (eu) return grouped(value, ',', '.') + " €";
      if (us)
        return "\"" + (value < 0 ? "(" + grouped(-value, '.', ',') + ")" : "$" + grouped(value, '.', ',')) +
               "\"";
      return fmt::format("{:.2f}", value);
    };
    text += line({money(income), fmt::format("{}{}", share, us || eu ? "%" : ""),
                  no_balance ? "-" : money(balance),
                  us   ? fmt::format("{:02}/{:02}/2020", month, day)
                  : eu ? fmt::format("{:02}.{:02}.2020", day, month)
                       : fmt::format("2020-{:02}-{:02}", month, day),
                  garden ? "yes" : "no", fmt::format("D{}", code), fmt::format("\"note {}; {}, x\"", i, seed),
                  "", no_rent ? "" : money(rent)});
  }
  return text;
}

using Change = std::function<std::string(int, std::string)>;

std::string as_is(int, const std::string& cell) { return cell; }

/// 400 incomes and rents, some of them changed.
std::string with_cells(const Change& income, const Change& rent = as_is) {
  return drawn("income,rent", 400, [&](int i, lacp::Stream& stream) {
    const double x = std::round(100 * stream.uniform(1000, 9000)) / 100,
                 y = 500 + 0.2 * x + 30 * stream.normal();
    return income(i, fmt::format("{:.2f}", x)) + "," + rent(i, fmt::format("{:.1f}", y));
  });
}

std::string drafted(const std::string& table, const lacp::DraftOptions& options = {}) {
  return lacp::draft_description({table}, "t.csv", "t.csv", options).text;
}

}  // namespace

TEST_CASE("a text among numbers is refused, by its line and column, and is a gap only if that is said") {
  const Place place;
  for (const auto& [column, mark, line] :
       {std::tuple{"column 2 'rent'", "on request", 5}, {"column 1 'income'", "secret", 5}}) {
    const Change change = [mark = mark](int i, const std::string& cell) { return i % 22 == 3 ? mark : cell; };
    const bool target = std::string_view(column).ends_with("'rent'");
    const std::string table = place.write("t.csv", target ? with_cells(as_is, change) : with_cells(change));
    check_refused(place.fit_fixed(table), 2,
                  fmt::format("t.csv:{}: {}: 19 of 400 cells in a column of numbers are something else: '{}'",
                              line, column, mark));
    CHECK_FALSE(fs::exists(place.folder / "m.lacp"));
    check_ran(place.fit_fixed(table, {"--missing", mark}), 0, target ? "19 of 400 rows have no target" : "");
    check_has(drafted(place.read("t.csv"), {.target = "rent", .missing = {mark}}),
              fmt::format("marks: [\"{}\"]", mark));
    if (!target) check_ran(place.predict(place.write("new.csv", "income\nsecret\n")), 0);
    fs::remove(place.folder / "m.lacp");
  }
}

TEST_CASE("numbers with thousands separators are not lost, and currencies are not mixed") {
  const Place place;
  const auto predictions = [&](const std::string& table, const std::string& more) {
    check_ran(place.fit_fixed(place.write("t.csv", table)), 0);
    check_ran(place.predict(place.write("new.csv", more)), 0);
    return place.read("out.csv");
  };
  const Change separated = [](int i, const std::string& cell) {
    return i % 40 != 7 ? cell : "\"" + grouped(std::stod(cell), '.', ',') + "\"";
  };
  CHECK(predictions(with_cells(as_is), "income\n8123.45\n") ==
        predictions(with_cells(separated), "income\n\"8,123.45\"\n"));
  const Change mixed = [](int i, const std::string& cell) {
    return (i == 0 ? "$" : i == 9 ? "€" : "") + cell;
  };
  check_refused(
      place.fit_fixed(place.write("two.csv", with_cells(mixed))), 2,
      "two.csv:11: column 1 'income': numbers of this column have different units, '$' (1 cell), '€'");
}

TEST_CASE("American and European sheets give the intervals that plain numbers give") {
  const Place place;
  std::string expected;
  for (const auto& [style, name] :
       {std::pair{Style::plain, "plain"}, {Style::american, "us"}, {Style::european, "eu"}}) {
    const std::string table = place.write(fmt::format("{}.csv", name), flats(400, 1, style));
    const Ran ran = check_ran(place.fit_fixed(table, {"--target", "rent", "--coverage", "0.9"}), 0,
                              {"have no target ('')", "column 'note' is not used: text: 400 different values",
                               "column 'nothing' is not used: holds nothing"},
                              {"sold: weekday, month, year", "garden: no = 0, yes = 1",
                               "mean of target  code, by its 87 different values"});
    if (style == Style::american)
      check_has(ran.output, {"date: month_first  # guess: as in '", "decimal: point  # guess: as in '$"});
    if (style == Style::european)
      check_has(ran.output, {"date: day_first  # guess: as in '", "decimal: comma  # guess: as in '",
                             "numbers         income (€), share (%), balance (€)"});
    const std::string more = place.write(fmt::format("more_{}.csv", name), flats(300, 2, style));
    check_ran(place.predict(more), 0);
    const Ran evaluated = check_ran(place.evaluate(more, {"--skip-bad", "--csv"}), 0);
    // 80 rows calibrate, some 294 are counted: four standard deviations.
    CHECK(std::abs(lacp::parse_frame(evaluated.output, "csv").number(0, "coverage") - 0.9) <
          4 * std::sqrt(0.09 * (1.0 / 80 + 1.0 / 294)));
    const std::string numbers = place.read("out.csv") + evaluated.output;
    if (expected.empty()) expected = numbers;
    CHECK(numbers == expected);
  }
}

TEST_CASE("what could be either is decided by the column, said, and settable") {
  const auto table = [](char delimiter, auto x, auto day) {
    return table_of(fmt::format("x{0}day{0}y", delimiter), 40, [&](int i) {
      return fmt::format("{1}{0}{2}{0}{3}", delimiter, x(i), day(i), i * i % 17);
    });
  };
  const auto either = [](int i) { return fmt::format("1,{}", 101 + i); };
  const auto day = [](int i) { return fmt::format("{:02}/{:02}/2020", 1 + i % 12, 1 + i % 11); };
  const std::string commas = table(';', either, day),
                    quoted = table(
                        ',', [&](int i) { return "\"" + either(i) + "\""; }, day);
  check_has(drafted(commas), {"decimal: comma  # guess: '1,101' is read as 1.101", "--decimal point"});
  check_has(drafted(quoted),
            {"decimal: point  # guess: '1,101' is read as 1101", "--decimal comma",
             "date: month_first  # guess: '12/01/2020' could be either", "--date day_first"});
  check_has(drafted(quoted, {.decimal = "comma", .date = "day_first"}),
            "  decimal: comma  # --decimal\n  date: day_first  # --date\n");
  CHECK(has(drafted(table(
                ';', [](int i) { return i == 7 ? "1,5" : fmt::format("1.{}", 101 + i); }, day)),
            "decimal: comma  # guess: as in '1,5'\n"));
  const lacp::Draft mixed = lacp::draft_description(
      {table(
          ',', [](int i) { return i; }, [](int i) { return i % 2 ? "31/01/2020" : "01/30/2020"; })},
      "t.csv", "t.csv", {});
  check_has(mixed.text, {"  - \"day\"  # guess: dates in both orders, as '31/01/2020' and '01/30/2020'\n"});
  REQUIRE(mixed.unused.size() == 2);  // x counts the rows
  CHECK(mixed.unused[1].first == "day");
}

TEST_CASE("a column of many levels is read by the mean of the target, and may have others later") {
  const Place place;
  const auto postcodes = [](int n, std::uint64_t seed, bool known) {
    const auto row = [&](int, lacp::Stream& stream) {
      const int code = static_cast<int>(stream.uniform() * 150);
      const double effect = (code * 7919 % 150 - 75) * 8.0, area = stream.uniform(20, 200);
      return fmt::format("{}{},{},{}", known ? "P" : "Q", code, area,
                         1500 + 5 * area + effect + 30 * stream.normal());
    };
    return drawn("postcode,area,rent", n, row, seed);
  };
  const std::string table = place.write("t.csv", postcodes(1500, 1, true)),
                    more = place.write("new.csv", postcodes(2000, 2, true));
  check_ran(place.fit_fixed(table, {"--coverage", "0.9"}), 0, {}, "mean of target  postcode, by its 1");
  const lacp::Frame scores = place.scores(more);
  // 300 rows calibrate, 2000 are counted: four standard deviations.
  CHECK(std::abs(scores.number(0, "coverage") - 0.9) < 4 * std::sqrt(0.09 * (1.0 / 300 + 1.0 / 2000)));
  check_ran(place.predict(place.write("unseen.csv", postcodes(50, 3, false))), 0,
            "50 cells named a category that the fit has not seen");
  check_ran(place.fit_fixed(table, {"--coverage", "0.9", "--drop", "postcode"}), 0);
  CHECK(scores.number(0, "half_width") < 0.5 * place.scores(more).number(0, "half_width"));
  // An experiment splits the rows again and again: it has no such means.
  fs::create_directory(place.folder / "datasets");
  check_ran(lacp_program({"datasets", "--datasets-folder", place.at("datasets"), "add", table}), 0,
            "column 'postcode' is not used: 150 different values");
  const std::string yaml = place.write(
      "by_mean.yaml", "title: T\nsource: {file: t.csv}\ntarget: rent\ncolumns: {means: [postcode]}\n");
  check_ran(lacp_program({"datasets", "check", yaml}), 2, "'postcode' is read by the mean of the target");
}

TEST_CASE("what spreadsheets add to a table: marks, indices, ids, names twice, Windows") {
  const Place place;
  const std::string text = table_of("\xEF\xBB\xBF,\"Customer ID\",size,size,same,price\r", 200, [](int i) {
    return fmt::format("{},{},{},{},5,{}\r", i * 7919 % 997, 100000 + i * 7919 % 1009, i % 13, i % 7,
                       3 * (i % 13) + i % 7 + i % 3);
  });
  check_ran(place.fit_fixed(place.write("t.csv", text), {"--target", "price"}), 0,
            {"column 'c1' is not used: an index", "column 'Customer ID' is not used: an id",
             "column 'same' is not used: the same in every row", "this one is called 'size (2)'"},
            "  numbers         size, size (2)\n");
  check_ran(place.predict(place.write("new.csv", "size,size\r\n3,4\r\n")), 0);

  std::string wide;
  for (const char c : std::string("a,y\n1,2\n3,4\n")) wide += c, wide += '\0';
  for (const std::string& bytes : {"\xFF\xFE" + wide, wide})
    check_refused(place.fit(place.write("wide.csv", bytes)), 2,
                  "wide.csv: looks like UTF-16; convert it: iconv ");
  for (const std::string begin : {"PK\x03\x04", "\xD0\xCF\x11\xE0", "\x1F\x8B\x08", "PAR1\x15"})
    check_refused(place.fit(place.write("old.xls", begin + "a,y\n1,2\n")), 2,
                  "old.xls: is no text; expected csv, csv.gz or xlsx");
  const std::string two =
      table_of("x,y", 200, [](int i) { return fmt::format("{},{}", i % 17, i % 17 > 8 ? 1 : 0); });
  check_has(place.fit_fixed(place.write("two.csv", two)).messages, "target 'y' has two values");
}

TEST_CASE("numbers that begin with 0 are names, unless they are said to be numbers") {
  const auto table = [](int codes) {
    return table_of("plz,size,rent", 400, [&](int i) {
      return fmt::format("{:05},{},{}", 1067 + i * 7919 % codes * 211, i % 13, i % 7 + i % 13);
    });
  };
  const auto draft_of = [&](int codes, lacp::DraftOptions options) {
    options.target = "rent";
    return drafted(table(codes), options);
  };
  check_has(draft_of(40, {}),
            {"  categories:\n    - \"plz\"  # guess: 40 different values in 400 cells, names",
             "since '01067' begins with 0", "--numbers plz"});
  check_has(draft_of(120, {.means = true}), "  means:\n    - \"plz\"  # guess: 120 different values");
  // An experiment has no category of that many values; they are no numbers to it either.
  check_has(draft_of(120, {}), "  drop:\n    - \"plz\"  # guess: 120 different values");
  // Read as numbers: where that is said, and where hardly one occurs again, by `add` and by `fit`.
  for (const std::string& text :
       {draft_of(40, {.numbers = {"plz"}}), draft_of(300, {}), draft_of(300, {.means = true})})
    CHECK_FALSE(has(text, "plz"));
  CHECK_FALSE(has(drafted("a,b\n01,1.5\n02,0.5\n03,0.25\n"), "target: \"a\""));
  const Place place;
  check_ran(place.fit_fixed(place.write("t.csv", table(40)), {"--target", "rent"}), 0, {},
            "- \"plz\"  # guess: 40 different values");
  std::string text = table(40);
  text.replace(text.find("01067"), 5, "north");
  check_refused(place.fit_fixed(place.write("t.csv", text), {"--target", "rent", "--numbers", "plz"}), 2,
                "column 1 'plz': ");
}

TEST_CASE("years over columns of other numbers are names; over years they are none") {
  const auto has_header = [](const std::string& first, const char* row) {
    return lacp::guess_format(first + "\n" + row + "\n" + row + "\n" + row + "\n", "t.csv").header;
  };
  CHECK(has_header("country,code,2001,2002,2003", "France,FR,3.1,3.2,3.3"));
  CHECK(has_header("2000,2005,2010", "1,2,3"));
  CHECK_FALSE(has_header("Berlin,2001,2002", "Paris,1999,2003"));
  CHECK_FALSE(has_header("Berlin,2001,7", "Paris,3,4"));
  CHECK_FALSE(has_header("Berlin,2001,2002,2004", "Paris,3,4,5"));
}

TEST_CASE("lines that end with a carriage return alone are refused by one line, by fit and by predict") {
  const Place place;
  const std::string told = "old.csv: its lines end with a carriage return alone",
                    old = place.write("old.csv", "x,y\r1,2\r3,4\r");
  check_refused(place.fit(old), 2, told);
  check_ran(place.fit_fixed(place.write("t.csv", with_cells(as_is))), 0);
  check_refused(place.predict(old), 2, told);
}
