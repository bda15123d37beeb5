// What spreadsheets put around and into a table: units, totals, titles, sheets, other letters.
#include <cmath>

#include "datasets/unpack.hpp"
#include "datasets/xlsx.hpp"
#include "described_table.hpp"
#include "fitted_houses.hpp"
#include "lacp/table/date.hpp"
#include "zip_of.hpp"

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

/// The csv of the only sheet of a spreadsheet.
std::string csv_of(const SheetParts& parts) {
  const lacp::Workbook book(xlsx_of(parts), "t.xlsx");
  return book.csv(book.sheets()[0]);
}

/// Shops with a name, and at the end, if asked for, what reports have there.
std::string shops(int n, std::uint64_t seed, const std::string& total = "", const std::string& note = "") {
  double staff = 0, sales = 0;
  const auto row = [&](int i, lacp::Stream& stream) {
    const int people = 2 + static_cast<int>(stream.uniform(0, 20));
    const double area = std::round(stream.uniform(50, 500)),
                 sold = std::round(900 * people + 20 * area + 1500 * stream.normal());
    staff += people;
    sales += sold;
    return fmt::format("shop {},R{},{},{},{}", i, i % 4, people, area, sold);
  };
  const std::string rows = drawn("name,region,staff,area,sales", n, row, seed);
  return rows + (total.empty() ? "" : fmt::format("{},,{},,{}\n", total, staff, sales)) + note;
}

}  // namespace

TEST_CASE("what a cell of a spreadsheet holds, however it is stored") {
  const std::string styles =
      R"(<numFmts><numFmt numFmtId="164" formatCode="[$-407]d. mmm;@"/><numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="0.0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="166"/></cellXfs>)";
  const std::string strings =
      R"(<si><t>plain</t></si><si><r><t>rich</t></r><r><rPr><b/></rPr><t xml:space="preserve"> text</t></r><rPh><t>no</t></rPh></si><si><t>a_x000D_
b &amp; "c"</t></si>)";
  const auto row = [&](const std::string& cells, const std::string& book = "") {
    return csv_of({.rows = "<row>" + cells + "</row>", .strings = strings, .styles = styles, .book = book});
  };
  for (
      const auto& [cells, expected] : std::vector<std::pair<std::string, std::string>>{
          {R"(<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c>)",
           "plain,rich text,\"a\nb & \"\"c\"\"\"\n"},
          {R"(<c t="inlineStr"><is><r><t>in</t></r><t>line</t></is></c><c t="str"><f>A1</f><v>x</v></c>)",
           "inline,x\n"},
          {R"(<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c>)", "TRUE,FALSE,\"#N/A\"\n"},
          {R"(<c><v>0.10000000000000001</v></c><c><v>1E+5</v></c><c><v>3.0</v></c><c><f>1/3</f><v>0.33333333333333331</v></c>)",
           "0.1,100000,3,0.3333333333333333\n"},
          {R"(<c s="1"><v>44592</v></c><c s="2"><v>44592.958333333336</v></c><c s="1"><v>59</v></c><c s="1"><v>61</v></c>)",
           "2022-01-31 00:00:00,2022-01-31 23:00:00,1900-02-28 00:00:00,1900-03-01 00:00:00\n"},
          {R"(<c s="3"><v>1.5</v></c><c s="3"><v>0.14875</v></c><c s="4"><v>0.26041666666666669</v></c><c s="4"><v>0.000965277777777778</v></c>)",
           "36:00:00,03:34:12,06:15:00,00:01:23.400\n"},
          {R"(<c s="5"><v>2.5</v></c><c s="1"><v>-3</v></c><c s="99"><v>7</v></c><c t="d"><v>2022-01-31</v></c>)",
           "2.5,-3,7,2022-01-31\n"}})
    CHECK(row(cells) == expected);
  CHECK(row(R"(<c s="1"><v>43130</v></c><c s="4"><v>0.5</v></c>)", R"(<workbookPr date1904="1"/>)") ==
        "2022-01-31 00:00:00,12:00:00\n");
  // A formula that nobody has computed holds nothing, which is not what its author means.
  CHECK_REFUSED(row("<c><f>A1+1</f></c>"), "t.xlsx: sheet 's', row 1, column 1: the result of this formula");
  CHECK_REFUSED(row(R"(<c t="s"><v>3</v></c>)"), "t.xlsx: sheet 's' cannot be read: it is damaged");

  using lacp::NumberFormat;
  for (const char* code :
       {"General", "0.00E+00", "#,##0 \"days\"", "[Red]0;[Blue]-0", "0\\d", "@", "0.0%", "_-* #,##0_-"})
    CHECK_MESSAGE(lacp::format_of(170, code) == NumberFormat::number, code);
  for (const char* code : {"dd/mm/yyyy", "mmm yy", "m", "[$-409]mmmm d, yyyy;@", "yyyy\\-mm\\-dd\\ hh:mm"})
    CHECK_MESSAGE(lacp::format_of(170, code) == NumberFormat::date, code);
  for (const char* code : {"h:mm AM/PM", "mm:ss.0", "hh:mm:ss"})
    CHECK_MESSAGE(lacp::format_of(170, code) == NumberFormat::time, code);
  for (const char* code : {"[h]:mm:ss", "[mm]:ss", "[ss]"})
    CHECK_MESSAGE(lacp::format_of(170, code) == NumberFormat::duration, code);
  // What comes out is what the readers of dates here read.
  CHECK(lacp::parse_date(lacp::stored_text(44592.5, NumberFormat::date, false))->seconds == 1643630400.0);
}

TEST_CASE("rows and columns of a spreadsheet: gaps, merged cells, prefixes, hidden sheets") {
  // Lines are rows. Columns and rows that hold nothing, but styles, are left out at the edges.
  const std::string rows =
      R"(<row r="2"><c r="B2" t="inlineStr"><is><t>a</t></is></c><c r="D2" t="inlineStr"><is><t>b</t></is></c></row><row r="4" spans="1:9"><c r="D4"><v>1</v></c><c r="F4" s="3"/></row><row r="9"><c r="B9"/></row>)";
  CHECK(csv_of({.rows = rows}) == "\na,b\n\n,1\n");
  const std::string prefixed = R"(<x:row><x:c><x:v>1</x:v></x:c><x:c t="s"><x:v>0</x:v></x:c></x:row>)";
  CHECK(csv_of({.rows = prefixed, .strings = "<x:si><x:t>t</x:t></x:si>", .prefix = "x:"}) == "1,t\n");
  // A title that spans columns stays one cell; a group that spans rows stands in each that holds something.
  const auto text = [](const std::string& at, const std::string& cell) {
    return fmt::format(R"(<c r="{}" t="inlineStr"><is><t>{}</t></is></c>)", at, cell);
  };
  const std::string merged = "<row r=\"1\">" + text("A1", "Title") + "</row><row r=\"2\">" + text("A2", "g") +
                             "<c r=\"B2\"><v>1</v></c></row><row r=\"3\"><c r=\"B3\"><v>2</v></c></row>" +
                             "<row r=\"5\"><c r=\"B5\"><v>3</v></c></row>";
  CHECK(csv_of({.rows = merged,
                .below = R"(<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="A2:A4"/></mergeCells>)"}) ==
        "Title,\ng,1\ng,2\n\n,3\n");

  const Place place;
  Members members = xlsx_members({.rows = "<row>" + text("A1", "a list") + "</row>"});
  members[1].second.insert(members[1].second.find("</R"),
                           R"(<Relationship Id="r9" Type="x/worksheet" Target="worksheets/two.xml"/>)");
  members[2].second =
      R"(<workbook><sheets><sheet name="lists" state="hidden" r:id="r1"/><sheet name="data" r:id="r9"/></sheets></workbook>)";
  members.emplace_back("xl/worksheets/two.xml", "<worksheet>" + rows + "</worksheet>");
  const lacp::TableBytes table = lacp::table_in(place.write("t.xlsx", zip_of(members)), "");
  CHECK(table.text == "\na,b\n\n,1\n");
  CHECK(table.sheet == 2);
  CHECK(table.note == "");
  CHECK(lacp::table_in(place.at("t.xlsx"), "lists").text == "a list\n");
}

TEST_CASE("bytes that were changed end in a csv or in one line, whatever they were") {
  const std::string good = xlsx_of({.rows = R"(<row><c t="s"><v>0</v></c></row><row><c><v>1</v></c></row>)",
                                    .strings = "<si><t>a</t></si>"}),
                    stored = zip_of({{"t.csv", "x,y\n1,2\n"}}, false);
  lacp::Stream stream(1);
  std::size_t refused = 0, read = 0;
  const auto attempt = [&](const std::function<void()>& reader) {
    try {
      reader();
      ++read;
    } catch (const lacp::UserError& error) {
      ++refused;
      CHECK_MESSAGE(std::string(error.what()).starts_with("t.xlsx: "), error.what());
    }
  };
  for (int i = 0; i < 4000; ++i) {
    std::string bytes = i % 2 ? good : stored;
    for (int change = 0; change <= i % 3; ++change)
      bytes[static_cast<std::size_t>(stream.uniform() * static_cast<double>(bytes.size()))] =
          static_cast<char>(i % 5 ? stream.uniform() * 256 : 255);
    if (i % 7 == 0)
      bytes.resize(static_cast<std::size_t>(stream.uniform() * static_cast<double>(bytes.size())));
    if (i % 2)
      attempt([&] {
        const lacp::Workbook book(bytes, "t.xlsx");
        book.csv(book.sheets()[0]);
      });
    else
      attempt([&] {
        const std::string text = lacp::ZipArchive(bytes, "t.xlsx").member("t.csv", 100);
        CHECK(text == "x,y\n1,2\n");  // its checksum says so
      });
  }
  CHECK(refused > 1000);
  CHECK(read > 100);
}

TEST_CASE("csv.gz and xlsx need no other program") {
  const Place place;
  const std::string table = place.write("t.csv", homes(200, 1)), expected = intervals_of(place, table);
  write_xlsx(table, place.at("t.xlsx"));
  check_ran(program({"gzip", "-k", place.at("t.csv"), place.at("of.csv")}), 0);
  for (const char* name : {"t.xlsx", "t.csv.gz"}) {
    CAPTURE(name);
    check_ran(program({"env", "-i", "PATH=/nonexistent", lacp_executable, "fit", place.at(name), "--target",
                       "price", "--model", place.at("m.lacp"), "--method", "fixed"}),
              0);
    check_ran(program({"env", "-i", "PATH=/nonexistent", lacp_executable, "predict", place.at("m.lacp"),
                       place.at("of.csv.gz"), "--output", place.at("out.csv")}),
              0);
    CHECK(place.read("out.csv") == expected);
  }
}

TEST_CASE("titles above the table of an xlsx, as reports have them") {
  const Place place;
  const std::string table = homes(120, 1), of = place.write("of.csv", homes(20, 9));
  const std::string expected = intervals_of(place, place.write("t.csv", table));
  for (const std::string titles : {"A report\n", "A report,,,\n", "A report\n\n", "A report\nby us\n",
                                   ",,,A report\n", "\n\nA report\n\n"}) {
    CAPTURE(titles);
    write_xlsx(place.write("x.csv", titles + table), place.at("x.xlsx"));
    CHECK(intervals_of(place, place.at("x.xlsx")) == expected);
    write_xlsx(place.write("x.csv", titles + homes(20, 9)), place.at("of.xlsx"));
    check_ran(place.predict(place.at("of.xlsx")), 0, "the names of the columns stand below ");
    CHECK(lacp::read_frame(place.at("out.csv")).size() == 20);
  }
  write_xlsx(place.write("x.csv", "one\n1\n2\n"), place.at("one.xlsx"));
  const Ran other = place.predict(place.at("one.xlsx"));
  check_refused(other, 2, "one.xlsx: has no column 'area', 'region', 'load'");
  check_lacks(other.messages, "separated");
}

TEST_CASE("fit, predict, evaluate and update leave out a total, notes and empty rows below it, and say so") {
  const Place place;
  const std::string plain = shops(450, 1), note = "\n* provisional figures\n";
  const Words target = {"--target", "sales", "--json", "--quiet"};
  const auto fitted = [&](const std::string& text) {
    return check_ran(place.fit_fixed(place.write("t.csv", text), target), 0).output;
  };
  const std::string expected = fitted(plain);
  for (const std::string& text :
       {shops(450, 1, "Total"), shops(450, 1, "Total", note), shops(450, 1, "Total", "\n\n"),
        shops(450, 1, "Total", ",,,,\n,,,,\nSource: our own,,,,\n"), plain + note,
        shops(450, 1, "Total", "* some, as it seems\n")})
    CHECK(fitted(text) == expected);
  check_ran(
      place.fit_fixed(place.write("t.csv", shops(450, 1, "Total", note)), {"--target", "sales"}), 0,
      "2 rows at the end are no rows of the table and are left out: line 452 says 'Total' in column 'name'; line 454 is a note: '* provisional figures'");

  // A table of one piece, and one of several of which the last is short.
  for (const int n : {50, 20000}) {
    CAPTURE(n);
    const std::string rows = place.write("new.csv", shops(n, 2)),
                      total = place.write("total.csv", shops(n, 2, "Total", note));
    check_ran(place.predict(rows), 0);
    const std::string predicted = place.read("out.csv"), said = fmt::format("line {} says 'Total'", n + 2);
    check_ran(place.predict(total), 0, {"total.csv: 2 rows at the end", said});
    CHECK(place.read("out.csv") == predicted);
    check_ran(shell("\"$0\" predict \"$1\" - --jobs 3 --output \"$2\" < \"$3\"",
                    {place.at("m.lacp"), place.at("out.csv"), total}),
              0, "standard input: 2 rows at the end");
    CHECK(place.read("out.csv") == predicted);
    check_ran(place.evaluate(total, {"--csv"}), 0, said);
    CHECK(place.evaluate(total, {"--csv"}).output == place.evaluate(rows, {"--csv"}).output);
    const auto updated = [&](const std::string& table) {
      return check_ran(lacp_program({"update", place.at("m.lacp"), table, "--output", place.at("m2.lacp")}),
                       0);
    };
    CHECK(updated(total).output == updated(rows).output);
    check_has(updated(total).messages, said);
  }
  // Three rows, whose sum nobody knows; one of the last rows is a row if that is said.
  const std::string few = place.write("few.csv", shops(3, 2, "Total"));
  CHECK(place.intervals(few).size() == 3);
  CHECK(place.intervals(few, {"--all-rows"}).size() == 4);
  write_xlsx(place.write("x.csv", shops(30, 2, "Total", note)), place.at("x.xlsx"));
  CHECK(place.intervals(place.at("x.xlsx")).size() == 30);

  check_refused(place.predict(place.write("open.csv", shops(3, 2) + "\"shop 4,R1,3,100,\n")), 2,
                "open.csv:5: the quoted cell that begins with 'shop 4");

  // A row that says nothing is predicted, and named.
  std::string gap = shops(30, 2);
  gap.insert(gap.find('\n') + 1, "shop x,,NA,,\n");
  check_ran(place.predict(place.write("gap.csv", gap)), 0, "gap.csv:2: no attribute of this row is known: ");
  CHECK(lacp::read_frame(place.at("out.csv")).size() == 31);

  // A category of that name is one.
  std::string brands = homes(120, 1);
  for (std::size_t at = 0; (at = brands.find("R1", at)) != std::string::npos;) brands.replace(at, 2, "Total");
  check_ran(place.fit_fixed(place.write("t.csv", brands), {"--target", "price"}), 0);
  CHECK(place.intervals(place.write("new.csv", "area,region,load\n1500,R0,5\n1400,R2,5\n1500,Total,5\n"))
            .size() == 3);
}

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
  check_left_out(fmt::format("{},,{:.0f},\n", area, load),
                 fmt::format("'{}' of column 'area' in line 122", area));
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

TEST_CASE("a message shows what was found, however many dates stand above it") {
  const Place place;
  const std::string table = table_of("day,x,y", 200, [](int i) {
    const std::string day = i == 199 ? "soon" : fmt::format("2020-{:02}-{:02}", 1 + i % 12, 1 + i % 28);
    return fmt::format("{},{},{}", day, i % 7, i % 11);
  });
  check_refused(place.fit_fixed(place.write("t.csv", table)), 2,
                "t.csv:201: column 1 'day': 1 of 200 cells in a column of dates is something else: 'soon'");
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
  std::string text;
  for (int j = 0; j < 6000; ++j) text += fmt::format("c{},", j);
  text += "y\n";
  for (int i = 0; i < 40; ++i) {
    for (int j = 0; j < 6000; ++j) text += fmt::format("{},", static_cast<char>('a' + (i * 7 + j) % 3));
    text += fmt::format("{}\n", i % 11);
  }
  const std::string table = place.write("wide.csv", text);
  check_ran(place.fit_fixed(table, {"--set", "predictor.rounds=1", "--calibration-folds", "0"}), 0, {},
            "categories:  # guess: 6000 columns, by their cells");
}
