"""Tables as spreadsheets have them, and spreadsheets made of csv texts."""
import csv
import datetime
import io
import re
import zipfile
from xml.sax.saxutils import escape

from program import drawn, frame

SCHEMAS = "http://schemas.openxmlformats.org"
OFFICE = f"{SCHEMAS}/officeDocument/2006/relationships"
SHEET = f'xmlns="{SCHEMAS}/spreadsheetml/2006/main"'


def homes(n, seed, units=False):
    """Homes: area, region, weight and price. `units`: the numbers as a sheet shows them."""
    def home(i, draws):
        area, load = draws.randrange(1000, 3000), draws.randrange(10, 300) / 10
        price = round(100 * area + 500 * load + 3000 * draws.gauss(0, 1))
        return f'"{area:,} sq ft",R{i % 3},{load} kg,{price}' if units else f"{area},R{i % 3},{load},{price}"
    return drawn("area,region,load,price", n, home, seed)


def shops(n, seed, total="", note=""):
    """Shops with a name, and at the end, if asked for, what reports have there."""
    def shop(i, draws):
        staff, area = draws.randrange(2, 22), draws.randint(50, 500)
        return f"shop {i},R{i % 4},{staff},{area},{round(900 * staff + 20 * area + 1500 * draws.gauss(0, 1))}"
    text = drawn("name,region,staff,area,sales", n, shop, seed)
    if total:
        staff, sales = (sum(int(row[name]) for row in frame(text)) for name in ["staff", "sales"])
        text += f"{total},,{staff},,{sales}\n"
    return text + note


def intervals_of(place, table, of=None):
    """The intervals that a fit of this table gives for other homes."""
    place.fit_fixed(table, "--target", "price")
    place.predict(place.write("of.csv", of or homes(20, 9)))
    return place.read("out.csv")


def cell(row, column, text, dates):
    at = f'r="{"ABCDEF"[column]}{row + 1}"'
    if dates and re.match(r"\d{4}-\d\d-\d\d ", text):
        days = (datetime.datetime.fromisoformat(text) - datetime.datetime(1899, 12, 30)) / datetime.timedelta(1)
        return f'<c {at} s="1"><v>{days:.10f}</v></c>'
    try:
        return f"<c {at}><v>{float(text)}</v></c>"
    except ValueError:
        return f'<c {at} t="inlineStr"><is><t>{escape(text)}</t></is></c>'


def worksheet(table, dates, formula=None):
    """`formula`: the column, from 0, whose numbers are formulas without results."""
    def one(i, j, text):
        return f'<c r="{"ABCDEF"[j]}{i + 1}"><f>A1+{i}</f></c>' if i > 0 and j == formula else cell(i, j, text, dates)
    rows = [f'<row r="{i + 1}">{"".join(one(i, j, text) for j, text in enumerate(row))}</row>'
            for i, row in enumerate(csv.reader(io.StringIO(table)))]
    return f"<worksheet {SHEET}><sheetData>{''.join(rows)}</sheetData></worksheet>"


def relationships(targets):
    each = [f'<Relationship Id="r{i + 1}" Type="{OFFICE}/{kind}" Target="{to}"/>'
            for i, (kind, to) in enumerate(targets)]
    return f'<Relationships xmlns="{SCHEMAS}/package/2006/relationships">{"".join(each)}</Relationships>'


def content_types(parts):
    ours = "application/vnd.openxmlformats"
    each = [f'<Override PartName="/xl/{name}" ContentType="{ours}-officedocument.spreadsheetml.{kind}+xml"/>'
            for name, kind in parts]
    return (f'<Types xmlns="{SCHEMAS}/package/2006/content-types"><Default Extension="rels" '
            f'ContentType="{ours}-package.relationships+xml"/>{"".join(each)}</Types>')


def xlsx_of(table, second="", dates=False, strings=("<si><t>a</t></si>",), dtd="", formula=None, names="",
            encoding="utf-8"):
    """The bytes of an xlsx with the cells of a csv as its sheet "s", and those of another as its second, "more & more".
    `dates`: those with a time are stored as numbers, and shown as day and month. `strings`: those that sheets share,
    below the definitions `dtd`. `formula`: as for worksheet; `names`: elements of more sheets; `encoding`: of the sheets."""
    sheets = [("s", table), ("more &amp; more", second)][:2 if second else 1]
    parts = [("worksheet", f"worksheets/sheet{i + 1}.xml") for i in range(len(sheets))]
    parts += [("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]
    listed = [f'<sheet name="{name}" sheetId="{i + 1}" r:id="r{i + 1}"/>' for i, (name, _) in enumerate(sheets)]
    styles = ('<numFmts count="1"><numFmt numFmtId="164" formatCode="d-mmm"/></numFmts>'
              '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs>')
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as members:
        members.writestr("[Content_Types].xml", content_types(
            [("workbook.xml", "sheet.main"), *((name, kind) for kind, name in parts)]))
        members.writestr("_rels/.rels", relationships([("officeDocument", "xl/workbook.xml")]))
        members.writestr("xl/_rels/workbook.xml.rels", relationships(parts))
        members.writestr("xl/workbook.xml", (
            f'<workbook {SHEET} xmlns:r="{OFFICE}"><sheets>{"".join(listed)}{names}</sheets></workbook>'))
        for (_, name), (_, text) in zip(parts, sheets):
            members.writestr(f"xl/{name}", worksheet(text, dates, formula).encode(encoding))
        members.writestr("xl/styles.xml", f"<styleSheet {SHEET}>{styles}</styleSheet>")
        with members.open("xl/sharedStrings.xml", "w") as shared:
            shared.write(f'<?xml version="1.0"?>{dtd}<sst {SHEET}>'.encode())
            for text in strings:
                shared.write(text.encode())
            shared.write(b"</sst>")
    return archive.getvalue()
