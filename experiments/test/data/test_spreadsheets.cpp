// What spreadsheets put around and into a table: units, totals, titles, sheets, other letters.
#include <cmath>

#include "described_table.hpp"
#include "fitted_houses.hpp"

namespace {

/// Homes: area, region, weight and price. `units`: the numbers as a sheet shows them.
std::string homes(int n, std::uint64_t seed, bool units = false) {
  const auto row = [&](int i, lacp::Stream& stream) {
    const int area = 1000 + static_cast<int>(stream.uniform(0, 2000));
    const double load = std::round(10 * stream.uniform(1, 30)) / 10,
                 price = std::round(100 * area + 500 * load + 3000 * stream.normal());
    return units
               ? fmt::format("\"{},{:03} sq ft\",R{},{} kg,{}", area / 1000, area % 1000, i % 3, load, price)
               : fmt::format("{},R{},{},{}", area, i % 3, load, price);
  };
  return drawn("area,region,load,price", n, row, seed);
}

/// The intervals that a fit of this table gives for other homes.
std::string intervals_of(const Place& place, const std::string& table, const std::string& of = "") {
  check_ran(place.fit_fixed(table, {"--target", "price"}), 0);
  check_ran(place.predict(place.write("of.csv", of.empty() ? homes(20, 9) : of)), 0);
  return place.read("out.csv");
}

}  // namespace

TEST_CASE("a unit in every cell is read as a number, is said, and may be there in new rows or not") {
  const Place place;
  const std::string plain = place.write("plain.csv", homes(200, 1)),
                    units = place.write("units.csv", homes(200, 1, true));
  const std::string expected = intervals_of(place, plain);
  CHECK(intervals_of(place, units) == expected);
  CHECK(intervals_of(place, units, homes(20, 9, true)) == expected);
  check_ran(
      place.fit_fixed(units), 0, {},
      {"numbers         area (sq ft), load (kg)", "\"load\": {decimal: point, unit: \"kg\"}  # guess: as '"});
  check_refused(place.predict(place.write("new.csv", "area,region,load\n1000,R1,5 lb\n")), 2,
                "new.csv:2: column 3 'load': found '5 lb'");
  std::string mixed = homes(200, 1, true);
  const std::size_t at = mixed.find(" kg", mixed.find('\n', mixed.find('\n') + 1));
  mixed.replace(at, 3, " lb");
  check_refused(
      place.fit_fixed(place.write("mixed.csv", mixed)), 2,
      "mixed.csv:3: column 3 'load': numbers of this column have different units, 'kg' (199 cells), 'lb'");
  // What '$421,541' means is said as a number.
  const std::string table =
      table_of("x,y", 60, [](int i) { return fmt::format("{},\"${},{:03}\"", i % 7, 400 + i, i); });
  check_ran(place.fit_fixed(place.write("t.csv", table)), 0, {}, "'$400,000' is read as 400000");
}

TEST_CASE("rows at the end that sum up the others are left out and named, in csv and xlsx") {
  const Place place;
  const std::string table = homes(120, 1), expected = intervals_of(place, place.write("t.csv", table));
  const lacp::Frame rows = lacp::read_frame(place.at("t.csv"));
  double area = 0, load = 0, price = 0;
  for (std::size_t i = 0; i < rows.size(); ++i)
    area += rows.number(i, "area"), load += rows.number(i, "load"), price += rows.number(i, "price");
  const auto check_left_out = [&](const std::string& last, const std::string& why, int left = 1) {
    CAPTURE(last);
    const std::string file = place.write("t.csv", table + last);
    CHECK(intervals_of(place, file) == expected);
    check_ran(place.fit_fixed(file), 0, "left out: " + why,
              fmt::format("skip_last: {}  # guess: {}", left, why));
  };
  check_left_out(fmt::format("{},Total,{},{}\n", area, load, price),
                 "line 122 says 'Total' in column 'region'");
  check_left_out(fmt::format("Grand total:,,,{}\n", price), "line 122 says 'Grand total:' in column 'area'");
  check_left_out(fmt::format(",,,{}\n", price),
                 fmt::format("'{}' of column 'price' in line 122 is the sum of the numbers above it", price));
  check_left_out(fmt::format(",Sum,,{}\n\n,average,,{}\n", price, price / 120),
                 "line 122 says 'Sum' in column 'region'; line 124 says 'average' in column 'region'", 2);

  write_xlsx(place.write("x.csv", table + fmt::format(",Total,,{}\n", price)), place.at("x.xlsx"));
  CHECK(intervals_of(place, place.at("x.xlsx")) == expected);
  // `datasets add` says so in the description, and an experiment reads the same rows.
  fs::create_directory(place.folder / "datasets");
  check_ran(lacp_program({"datasets", "--datasets-folder", place.at("datasets"), "add", place.at("x.csv")}),
            0, "line 122 says 'Total'", "  rows            120\n");
  check_has(place.read("datasets/x.yaml"), "  skip_last: 1  # guess: line 122");
  // A name that occurs again is a name, and a number by chance no sum.
  std::string brands = table;
  brands.replace(brands.find("R1"), 2, "Total");
  check_ran(place.fit_fixed(place.write("t.csv", brands + "1500,Total,5,150000\n")), 0, {},
            "region: R0, R1, R2, Total");
  const Ran counts =
      place.fit_fixed(place.write("c.csv", table_of("x,n", 60, [](int i) {
                                    return fmt::format("{}.5,{}", i % 7, i == 59 ? 9 : i % 20 == 0 ? 3 : 0);
                                  })));
  check_lacks(counts.messages, "left out");
}

TEST_CASE("a spreadsheet: stored dates, other sheets, titles, two lines of names") {
  const Place place;
  lacp::Stream stream(4);
  const std::string table = table_of("when,size,sales", 200, [&](int i) {
    return fmt::format("2022-{:02}-{:02} {:02}:00:00,{},{}", 1 + i % 12, 1 + i % 28, i % 24, i % 7,
                       std::round(100 + 10 * (i % 24) + stream.normal()));
  });
  place.write("t.csv", table);
  write_xlsx(place.at("t.csv"), place.at("t.xlsx"), "dates");
  const auto predicted = [&](const std::string& file, const std::vector<std::string>& more = {}) {
    const Ran ran =
        check_ran(place.fit_fixed(place.at(file), more), 0, {}, "when: hour, weekday, month, year");
    if (file.ends_with("xlsx")) check_lacks(ran.output, "delimiter");
    check_ran(place.predict(place.at(file), more), 0);
    return place.read("out.csv");
  };
  const std::string expected = predicted("t.csv");
  CHECK(predicted("t.xlsx") == expected);
  // The table is on the second sheet.
  place.write("cover.csv", "about\n");
  write_xlsx(place.at("cover.csv"), place.at("two.xlsx"), "plain", place.at("t.csv"));
  check_refused(place.fit_fixed(place.at("two.xlsx")), 2, "two.xlsx, sheet 1: holds a header and no rows");
  check_refused(place.fit_fixed(place.at("two.xlsx"), {"--sheet", "more and more"}), 2,
                "(did you mean 'more & more'?); its sheets: 's', 'more & more'");
  check_refused(place.fit_fixed(place.at("t.csv"), {"--sheet", "s"}), 2, "t.csv is no xlsx file");
  for (const char* sheet : {"more & more", "2"}) CHECK(predicted("two.xlsx", {"--sheet", sheet}) == expected);
  check_ran(place.evaluate(place.at("two.xlsx"), {"--sheet", "2"}), 0);
  fs::create_directory(place.folder / "datasets");
  check_ran(lacp_program({"datasets", "--datasets-folder", place.at("datasets"), "add", place.at("two.xlsx"),
                          "--sheet", "more & more"}),
            0, {}, "  rows            200\n");
  CHECK(has(place.read("datasets/two.yaml"), "\n  sheet: 2\n"));
  write_xlsx(place.at("t.csv"), place.at("two.xlsx"), "plain", place.at("cover.csv"));
  check_ran(place.fit_fixed(place.at("two.xlsx")), 0, "others hold data, too ('more & more')");
  // Titles above the names, by fit and by predict; of dates, the model is the same.
  for (const std::string titles :
       {"\"Sales, 2022\"\n\n", "Sales report 2022,,\nfor us,,\n", "Sales report 2022/23\n"}) {
    CAPTURE(titles);
    const std::string titled = place.write("titled.csv", titles + table);
    check_ran(place.fit_fixed(titled), 0, "above the names of the columns", "# guess: titles stand above");
    predicted("t.csv");
    check_ran(place.predict(titled, {"--keep", "size"}), 0, "the names of the columns stand below ");
    const lacp::Frame out = lacp::read_frame(place.at("out.csv"));
    CHECK(out.size() == 200);
    CHECK(out.number(0, "line") == 2.0 + static_cast<double>(std::ranges::count(titles, '\n')));
  }
  const std::string units = "when,size,sales\n,[m],[kg]\n" + table.substr(table.find('\n') + 1);
  check_refused(place.fit_fixed(place.write("units.csv", units)), 2,
                "units.csv:2: seems to be a second line");
}

TEST_CASE("dates that read the same either way are no guess, nor does one odd date make them one") {
  const Place place;
  const auto fit = [&](auto day) {
    return place.fit_fixed(place.write("t.csv", table_of("day,x,y", 60, [&](int i) {
                                         return fmt::format("{},{},{}", day(i), i % 7, i % 11);
                                       })));
  };
  for (const Ran& ran :
       {fit([](int i) { return fmt::format("{:02}. November 2022", 1 + i % 28); }),
        fit([](int i) { return i == 30 ? "31-JAN-20" : fmt::format("2020-01-{:02}", 1 + i % 28); })}) {
    check_ran(ran, 0, {}, "# guess: every date reads the same either way");
    check_lacks(ran.output, "could be either");
  }
}

TEST_CASE("Latin-1 is turned into UTF-8 and said, by fit, predict and evaluate") {
  const Place place;
  const auto table = [](const std::string& length, const std::string& city) {
    return table_of(length + ",city,y", 120, [&](int i) {
      return fmt::format("{},{},{}", i % 13, i % 2 ? city : "Bonn", 3 * (i % 13) + i % 2);
    });
  };
  const std::string latin = place.write("latin.csv", table("L\xe4nge", "K\xf6ln")),
                    utf = place.write("utf.csv", table("Länge", "Köln"));
  check_ran(place.fit_fixed(latin), 0, {"61 lines", "(Latin-1)"},
            {"numbers         Länge\n", "city: Bonn, Köln\n"});
  check_ran(place.predict(utf), 0);
  const std::string expected = place.read("out.csv");
  check_ran(place.predict(latin), 0, {"61 lines", "(Latin-1)"});
  CHECK(place.read("out.csv") == expected);
  check_ran(place.fit_fixed(latin, {"--json", "--quiet"}), 0, {}, "\"Länge\"");
  check_ran(place.evaluate(latin, {"--by", "city", "--csv"}), 0, {}, "\nKöln,");
}

TEST_CASE("json and csv are valid for every text, and no text is escaped for a terminal in them") {
  const Place place;
  const std::string odd =
                        "O\xc2\x92"
                        "Brien",
                    high = "a\x7f";
  const std::string table =
      place.write("t.csv", table_of(high + ",b,y", 120, [&](int i) {
                    return fmt::format("{},{},{}", i % 13, i % 2 ? odd : "x", 3 * (i % 13) + i % 2);
                  }));
  const auto loads = [&](const Ran& ran) {
    check_ran(ran, 0);
    place.write("o.json", ran.output);
    return check_ran(program({"python3", "-c", "import json, sys; print(ascii(json.load(open(sys.argv[1]))))",
                              place.at("o.json")}),
                     0)
        .output;
  };
  CHECK(has(loads(place.fit_fixed(table, {"--json", "--quiet"})), "a\\x7f"));
  CHECK(has(loads(place.evaluate(table, {"--by", "b", "--json"})), "O\\x92Brien"));
  check_ran(place.evaluate(table, {"--by", "b", "--csv"}), 0, {}, "\n" + odd + ",");
}

TEST_CASE("new rows: a gap where the fit had none, another delimiter, rows without a target") {
  const Place place;
  check_ran(place.fit_fixed(place.write("t.csv", homes(300, 1)), {"--target", "price"}), 0);
  check_ran(place.predict(place.write("gaps.csv", "area,region,load\n,R1,5\n2000,,\n2000,R1,5\n")), 0,
            "3 cells held nothing");
  const lacp::Frame filled = lacp::read_frame(place.at("out.csv"));
  REQUIRE(filled.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(std::abs(filled.number(i, "prediction") - 200'000) < 60'000);

  std::string semicolons = homes(20, 9);
  check_ran(place.predict(place.write("of.csv", semicolons)), 0);
  const std::string expected = place.read("out.csv");
  for (char& c : semicolons) c = c == ',' ? ';' : c;
  check_ran(place.predict(place.write("of.csv", semicolons)), 0, "cells are separated by ';' instead of ','");
  CHECK(place.read("out.csv") == expected);

  const std::string some = homes(40, 9) + "1500,R1,5,\n1500,R2,6,NA\n";
  const Ran ran = check_ran(place.evaluate(place.write("some.csv", some), {"--csv"}), 0, "2 of 42 rows");
  CHECK(lacp::parse_frame(ran.output, "csv").number(0, "rows") == 40);
  check_refused(place.evaluate(place.write("none.csv", "area,region,load,price\n1500,R1,5,\n")), 2,
                "none.csv: no row has a target");
}

TEST_CASE("six thousand columns of letters are fitted") {
  const Place place;
  std::string names;
  for (int j = 0; j < 6000; ++j) names += fmt::format("c{},", j);
  const std::string table = table_of(names + "y", 40, [](int i) {
    std::string cells;
    for (int j = 0; j < 6000; ++j) cells += {static_cast<char>('a' + (i * 7 + j) % 3), ','};
    return cells + std::to_string(i % 11);
  });
  check_ran(place.fit_fixed(place.write("wide.csv", table),
                            {"--set", "predictor.rounds=1", "--calibration-folds", "0"}),
            0, {}, "categories:  # guess: 6000 columns, by their cells");
}
