// What is read of a spreadsheet: its cells, rows and sheets, and bytes that were changed.
#include "datasets/load.hpp"
#include "described_table.hpp"
#include "table/sheets/xlsx.hpp"
#include "zip_of.hpp"

namespace {

/// The csv of the only sheet of a spreadsheet.
std::string csv_of(const SheetParts& parts) {
  const lacp::Workbook book(xlsx_of(parts), "t.xlsx");
  return book.csv(book.sheets()[0]);
}

}  // namespace

TEST_CASE("what a cell of a spreadsheet holds, however it is stored") {
  const std::string styles =
      R"(<numFmts><numFmt numFmtId="164" formatCode="[$-407]d. mmm;@"/><numFmt numFmtId="165" formatCode="[h]:mm:ss"/><numFmt numFmtId="166" formatCode="0.0 &quot;days&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/><xf numFmtId="166"/></cellXfs>)";
  const std::string strings =
      R"(<si><t>plain</t></si><si><r><t>rich</t></r><r><rPr><b/></rPr><t xml:space="preserve"> text</t></r><rPh><t>no</t></rPh></si><si><t>a
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
  // A formula that nobody has computed is refused by whoever reads its column.
  CHECK(row("<c><f>A1+1</f></c>") == fmt::format("\"{}\"\n", lacp::no_result));
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
}

TEST_CASE("rows and columns of a spreadsheet: gaps, prefixes, hidden sheets") {
  // Lines are rows. Columns and rows that hold nothing, but styles, are left out at the edges.
  const std::string rows =
      R"(<row r="2"><c r="B2" t="inlineStr"><is><t>a</t></is></c><c r="D2" t="inlineStr"><is><t>b</t></is></c></row><row r="4" spans="1:9"><c r="D4"><v>1</v></c><c r="F4" s="3"/></row><row r="9"><c r="B9"/></row>)";
  CHECK(csv_of({.rows = rows}) == "\na,b\n\n,1\n");
  const std::string prefixed = R"(<x:row><x:c><x:v>1</x:v></x:c><x:c t="s"><x:v>0</x:v></x:c></x:row>)";
  // What a comment holds is no row, and what CDATA holds is no comment.
  CHECK(
      csv_of(
          {.rows =
               "<row><c><v>1</v></c></row><!-- <row><c><v>2</v></c></row> --><row><c t=\"inlineStr\"><is><t><![CDATA[<!-- t -->]]></t></is></c></row><!-- never ends"}) ==
      "1\n<!-- t -->\n");
  CHECK(csv_of({.rows = prefixed, .strings = "<x:si><x:t>t</x:t></x:si>", .prefix = "x:"}) == "1,t\n");
  const auto text = [](const std::string& at, const std::string& cell) {
    return fmt::format(R"(<c r="{}" t="inlineStr"><is><t>{}</t></is></c>)", at, cell);
  };
  const TemporaryFolder folder;
  const fs::path file = folder / "t.xlsx";
  Members members = xlsx_members({.rows = "<row>" + text("A1", "a list") + "</row>"});
  members[1].second.insert(members[1].second.find("</R"),
                           R"(<Relationship Id="r9" Type="x/worksheet" Target="worksheets/two.xml"/>)");
  members[2].second =
      R"(<workbook><sheets><sheet name="lists" state="hidden" r:id="r1"/><sheet name="data" r:id="r9"/></sheets></workbook>)";
  members.emplace_back("xl/worksheets/two.xml", "<worksheet>" + rows + "</worksheet>");
  lacp::write_file(file, zip_of(members));
  const lacp::TableBytes table = lacp::table_in(file, "");
  CHECK(table.text == "\na,b\n\n,1\n");
  CHECK(table.sheet == 2);
  CHECK(table.note == "");
  CHECK(lacp::table_in(file, "lists").text == "a list\n");
}

// Spreadsheets whose bytes were changed: fuzz/xlsx.cpp.
TEST_CASE("a member of an archive, one byte of which was changed, is refused or what it was") {
  const std::string rows = "x,y\n1,2\n", archive = zip_of({{"t.csv", rows}}, false);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < archive.size(); ++at) {
    CAPTURE(at);
    std::string changed = archive;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    try {
      const std::string found = lacp::ZipArchive(changed, "t.zip").member("t.csv", 100);
      CHECK(found == rows);
    } catch (const lacp::UserError&) {
      ++refused;
    }
  }
  CHECK(refused > rows.size());
}
