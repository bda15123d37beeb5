// A spreadsheet: the archive itself, and each of its parts. It becomes a csv, or is refused by one line.
#include "table/sheets/xlsx.hpp"

#include "target.hpp"
#include "zip_of.hpp"

namespace lacp {
namespace {

void read_all_sheets(std::string archive) {
  fuzz::read_or_refuse("t.xlsx", [&] {
    const Workbook book(std::move(archive), "t.xlsx");
    for (const Workbook::Sheet& sheet : book.sheets()) {
      const std::string csv = book.csv(sheet);
      fuzz::require(csv.empty() || csv.back() == '\n', "whole lines");
    }
  });
}

const SheetParts usual{
    .rows = R"(<row r="1"><c r="A1" t="s"><v>0</v></c></row><row r="2"><c r="A2" s="1"><v>2</v></c></row>)",
    .strings = "<si><t>name</t></si>",
    .styles = R"(<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>)"};

}  // namespace

void fuzz::try_input(std::string_view bytes) {
  const std::string text(bytes);
  read_all_sheets(text);
  for (std::string SheetParts::*part :
       {&SheetParts::rows, &SheetParts::strings, &SheetParts::styles, &SheetParts::book}) {
    SheetParts parts = usual;
    parts.*part = text;
    read_all_sheets(xlsx_of(parts));
  }
  // Bytes that were changed: the first says where, the others are put there.
  std::string archive = xlsx_of(usual);
  if (text.size() < 2) return;
  const std::size_t at = static_cast<unsigned char>(text[0]) * archive.size() / 256;
  archive.replace(at, std::min(text.size() - 1, archive.size() - at), text, 1);
  read_all_sheets(archive);
}

std::vector<std::string> fuzz::costly_inputs() {
  std::vector<std::string> inputs;
  for (const char* unit :
       {"<row/>", "<row><c/></row>", "<row><c><v>1</v></c></row>", "<si/>", "<si><t>a</t></si>", "<xf/>", "<",
        "<row ", "<row r=\"9\"><c r=\"XFD1\"><v>1</v></c></row>", "<mergeCell ref=\"A1:A1048576\"/>",
        "<cellXfs>", "PK\5\6"})
    inputs.push_back(repeat(unit));
  inputs.push_back(repeat("<c><v>1</v></c>", "<row>", "</row>"));
  // Small when packed: as many cells or texts as a part may have, one text again and again, rows to merge.
  constexpr std::size_t most = (std::size_t{64} << 20) - 1000;
  const auto filled = [](const SheetParts& parts, std::size_t part, std::string_view unit,
                         std::size_t bytes) {
    Members members = xlsx_members(parts);
    std::string& text = members[part].second;
    const std::string end = text.substr(text.rfind("</s"));  // of sst, or of sheetData
    text.erase(text.size() - end.size());
    text.reserve(bytes + unit.size() + end.size());
    while (text.size() < bytes) text += unit;
    text += end;
    return zip_of(members);
  };
  constexpr std::size_t strings = 4, rows = 5;
  const std::string_view number = "<row><c><v>1</v></c></row>", shared = "<row><c t=\"s\"><v>0</v></c></row>";
  const std::string longest = "<si><t>" + std::string(32'000, 'x') + "</t></si>";
  inputs.push_back(filled({}, rows, number, most));
  inputs.push_back(filled({.rows = std::string(shared)}, strings, "<si/>", most));
  inputs.push_back(filled({.strings = longest}, rows, shared, most));
  inputs.push_back(filled({}, rows, "x", most + 2000));
  inputs.push_back(filled({.rows = repeat(number)}, rows, "<mergeCell ref=\"A1:A1048576\"/>", most));
  for (const std::string& input : inputs) require(input.size() <= most_input, "small inputs");
  return inputs;
}

}  // namespace lacp
