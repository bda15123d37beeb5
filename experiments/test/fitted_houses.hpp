// A csv of houses and a model of it, for the tests of `lacp fit`, `predict` and `evaluate`.
#pragma once

#include "described_table.hpp"
#include "lacp/base/random.hpp"
#include "lacp_program.hpp"

/// A header, and below it rows that are drawn, each from its number and a stream of random numbers.
template <class Row>
std::string drawn(const std::string& header, int rows, const Row& row, std::uint64_t seed = 1) {
  lacp::Stream stream(seed);
  return table_of(header, rows, [&](int i) { return row(i, stream); });
}

/// Houses with a category, a date and a tenth of their areas missing.
inline std::string houses(std::size_t n, std::uint64_t seed, bool other_order = false) {
  lacp::Stream stream(seed);
  std::string text = other_order ? "note,built,area,price,kind\n" : "area,kind,built,price\n";
  for (std::size_t i = 0; i < n; ++i) {
    const double area = stream.uniform(20, 200);
    const bool flat = stream.uniform() < 0.5;
    const double price = 3.0 * area + (flat ? 50.0 : 0.0) + 0.3 * area * stream.normal();
    const std::string cell = stream.uniform() < 0.1 ? "NA" : fmt::format("{}", area);
    const std::string kind = flat ? "flat" : "house", built = fmt::format("{}-06-01", 1990 + i % 30);
    text += other_order ? fmt::format("\"n, {}\",{},{},{},{}\n", i, built, cell, price, kind)
                        : fmt::format("{},{},{},{}\n", cell, kind, built, price);
  }
  return text;
}

inline const Words short_training = {"--set", "training.epochs=3", "network.hidden=[8]"};

struct Place {
  TemporaryFolder folder;
  std::string at(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    lacp::write_file(folder / name, text);
    return at(name);
  }
  std::string read(const std::string& name) const { return lacp::read_file(folder / name); }

  Ran fit(const std::string& data, const Words& more = {}) const {
    return lacp_program(joined({"fit", data, "--model", at("m.lacp"), "--quiet"}, more), short_training);
  }
  Ran fit_fixed(const std::string& data, const Words& more = {}) const {
    return lacp_program({"fit", data, "--model", at("m.lacp"), "--method", "fixed"}, more);
  }
  Ran evaluate(const std::string& table, const Words& more = {}) const {
    return lacp_program({"evaluate", at("m.lacp"), table}, more);
  }
  Ran predict(const std::string& table, const Words& more = {}) const {
    return lacp_program({"predict", at("m.lacp"), table, "--output", at("out.csv")}, more);
  }
  lacp::Frame scores(const std::string& table, const Words& more = {}) const {
    return lacp::parse_frame(check_ran(evaluate(table, joined({"--csv"}, more)), 0).output, "csv");
  }
  lacp::Frame intervals(const std::string& table, const Words& more = {}) const {
    check_ran(predict(table, more), 0);
    return lacp::read_frame(folder / "out.csv");
  }
};

/// A place with a model of 1000 houses, which is fitted once per program.
struct Fitted : Place {
  Fitted() {
    static const Place made;
    static const Ran ran =
        check_ran(made.fit(made.write("houses.csv", houses(1000, 1)), {"--target", "price"}), 0);
    fs::copy(made.folder.path(), folder.path());
  }
};

/// Words of a command, and a part of the one line that refuses them.
using Refusals = std::vector<std::pair<Words, std::string>>;

/// Writes the cells of a csv as the sheet "s" of an xlsx, those of another as its second, "more & more".
/// "nested": with entities within entities, 2 kB that take minutes; "large": with 350 MB of text that no cell
/// uses; "dates": dates with a time are stored as numbers, and shown as day and month.
inline void write_xlsx(const std::string& csv, const std::string& xlsx, const std::string& kind = "plain",
                       const std::string& second = "") {
  check_ran(program({"python3", "-c", R"(
import csv, datetime, sys, zipfile
def cell(i, j, v):
    at = 'r="%s%d"' % ('ABCDEF'[j], i + 1)
    if sys.argv[3] == 'dates' and v[4:5] == '-' and v[10:11] == ' ':
        days = (datetime.datetime.fromisoformat(v) - datetime.datetime(1899, 12, 30)) / datetime.timedelta(1)
        return '<c %s s="1"><v>%.10f</v></c>' % (at, days)
    try: return '<c %s><v>%s</v></c>' % (at, float(v))
    except ValueError: return '<c %s t="inlineStr"><is><t>%s</t></is></c>' % (at, v.replace('"', '&quot;'))
def rows(file):
    return ''.join('<row r="%d">' % (i + 1) + ''.join(cell(i, j, v) for j, v in enumerate(r)) + '</row>'
                   for i, r in enumerate(csv.reader(open(file))))
dtd, strings = '', '<si><t>a</t></si>'
if sys.argv[3] == 'nested':
    dtd = '<!DOCTYPE w [<!ENTITY a "0123456789">' + ''.join('<!ENTITY %s "%s">' % (chr(98 + i), ('&%s;' % chr(97 + i)) * 10) for i in range(8)) + ']>'
    strings = '<si><t>&i;</t></si>'
if sys.argv[3] == 'large':
    strings = ('<si><t>' + 'x' * 1000 + '</t></si>') * 350000
ns = 'http://schemas.openxmlformats.org/'
office, sheet = ns + 'officeDocument/2006/relationships', ns + 'spreadsheetml/2006/main'
kinds = {'workbook': 'sheet.main', 'worksheets/sheet1': 'worksheet', 'sharedStrings': 'sharedStrings', 'styles': 'styles'}
sheets = [('s', rows(sys.argv[1]))] + ([('more &amp; more', rows(sys.argv[4]))] if sys.argv[4] else [])
if sys.argv[4]: kinds['worksheets/sheet2'] = 'worksheet'
types = ''.join('<Override PartName="/xl/%s.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.%s+xml"/>' % part for part in kinds.items())
def relationships(*targets):
    return '<Relationships xmlns="%spackage/2006/relationships">%s</Relationships>' % (ns, ''.join('<Relationship Id="r%d" Type="%s/%s" Target="%s"/>' % (i + 1, office, kind, to) for i, (kind, to) in enumerate(targets)))
with zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED) as z:
    z.writestr('[Content_Types].xml', '<Types xmlns="%spackage/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>%s</Types>' % (ns, types))
    z.writestr('_rels/.rels', relationships(('officeDocument', 'xl/workbook.xml')))
    z.writestr('xl/_rels/workbook.xml.rels', relationships(*[('worksheet', 'worksheets/sheet%d.xml' % (i + 1)) for i in range(len(sheets))], ('sharedStrings', 'sharedStrings.xml'), ('styles', 'styles.xml')))
    z.writestr('xl/workbook.xml', '<workbook xmlns="%s" xmlns:r="%s"><sheets>%s</sheets></workbook>' % (sheet, office, ''.join('<sheet name="%s" sheetId="%d" r:id="r%d"/>' % (name, i + 1, i + 1) for i, (name, _) in enumerate(sheets))))
    for i, (_, cells) in enumerate(sheets):
        z.writestr('xl/worksheets/sheet%d.xml' % (i + 1), '<worksheet xmlns="%s"><sheetData>%s</sheetData></worksheet>' % (sheet, cells))
    z.writestr('xl/styles.xml', '<styleSheet xmlns="%s"><numFmts count="1"><numFmt numFmtId="164" formatCode="d-mmm"/></numFmts><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>' % sheet)
    z.writestr('xl/sharedStrings.xml', '<?xml version="1.0"?>%s<sst xmlns="%s">%s</sst>' % (dtd, sheet, strings))
)",
                     csv, xlsx, kind, second}),
            0);
}
