"""What tests of the commands share: the program under test, how it is called, and tables to give to it."""
import csv
import datetime
import html
import io
import os
import random
import subprocess
import types
import zipfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SMOKE = SOURCE / "experiments/smoke.yaml"
# LACP_PROGRAM, or the one that was built with these tests.
PROGRAM = os.environ.get("LACP_PROGRAM") or os.environ.get("LACP_BUILT_PROGRAM", str(SOURCE / "build/lacp"))
# "address" or "thread" if that program was built so: slow, with memory of its own.
SANITIZER = os.environ.get("LACP_SANITIZED", "")
os.environ.setdefault("LACP_DATASETS", str(SOURCE / "datasets"))

SHORT_TRAINING = ["--set", "training.epochs=3", "network.hidden=[8]"]


def check_has(text, *parts):
    for part in parts:
        assert part in text


def check_lacks(text, *parts):
    for part in parts:
        assert part not in text


def some(parts):
    return [parts] if isinstance(parts, str) else parts


def run(*command, status=0, says=(), prints=(), lacks=(), given=None, binary=False, **how):
    """Runs a program. Checks its exit code, and what stands in its messages (`says`), in its output (`prints`)
    and in neither (`lacks`). `given`: its standard input."""
    words = [str(word) for word in command]
    given = given.encode() if isinstance(given, str) else given
    ended = subprocess.run(words, input=given, capture_output=True, check=False, **how)
    output = ended.stdout if binary else ended.stdout.decode()
    messages = ended.stderr.decode()
    assert ended.returncode == status, f"{words}\n{output}\n{messages}"
    check_has(messages, *some(says))
    check_has(output, *some(prints))
    check_lacks(f"{output}{messages}", *some(lacks))
    return types.SimpleNamespace(status=ended.returncode, output=output, messages=messages)


def lacp(*arguments, **expected):
    return run(PROGRAM, *arguments, **expected)


def refused(part, *arguments, status=2, **how):
    """The program refuses these arguments, in one line that has this part."""
    ran = lacp(*arguments, status=status, says=part, **how)
    assert ran.messages.count("\n") == 1, ran.messages
    return ran


def shell(script, *arguments, **expected):
    """A shell script with these arguments from $1; $0 is the program."""
    return run("bash", "-c", script, PROGRAM, *arguments, **expected)


def frame(text):
    """The rows of a csv, each by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text)))


def table_of(header, rows, row):
    """A csv: a header, and the row of each of 0, 1, ..."""
    return "\n".join([header, *(row(i) for i in range(rows))]) + "\n"


def drawn(header, rows, row, seed=1):
    """The same, with rows that are drawn from their number and random numbers."""
    draws = random.Random(seed)
    return table_of(header, rows, lambda i: row(i, draws))


def houses(n, seed):
    """Houses with a category, a date and a tenth of their areas missing."""
    def house(i, draws):
        area = draws.uniform(20, 200)
        flat = draws.random() < 0.5
        price = 3 * area + (50 if flat else 0) + 0.3 * area * draws.gauss(0, 1)
        return f"{'NA' if draws.random() < 0.1 else area},{'flat' if flat else 'house'},{1990 + i % 30}-06-01,{price}"
    return drawn("area,kind,built,price", n, house, seed)


class Place:
    """A folder with tables, and a model m.lacp of one of them."""

    def __init__(self, folder):
        self.folder = folder
        self.model = folder / "m.lacp"

    def __truediv__(self, name):
        return self.folder / name

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def fit(self, data, *more, **expected):
        return lacp("fit", data, "--model", self.model, "--quiet", *more, *SHORT_TRAINING, **expected)

    def fit_fixed(self, data, *more, **expected):
        return lacp("fit", data, "--model", self.model, "--method", "fixed", *more, **expected)

    def evaluate(self, table, *more, **expected):
        return lacp("evaluate", self.model, table, *more, **expected)

    def scores(self, table, *more):
        return frame(self.evaluate(table, "--csv", *more).output)

    def predict(self, table, *more, **expected):
        return lacp("predict", self.model, table, "--output", self.folder / "out.csv", *more, **expected)

    def intervals(self, table, *more):
        self.predict(table, *more)
        return frame((self.folder / "out.csv").read_text())


# Options of a training that fails at once; `fixed` does not train.
DIVERGING = ["--set", "training.learning_rate=1e30"]


def quick_run(results, *more):
    """`lacp run smoke.yaml` with everything cut down to a second of work."""
    return ["run", SMOKE, "--results", results, "--datasets-folder", SOURCE / "datasets",
            "--set", "network.hidden=[4]", "--set", "training.epochs=2", *more]


def sheet_xml(file, dates):
    """The rows of a csv as those of a sheet; with `dates`, dates with a time as numbers, shown as day and month."""
    def cell(i, j, text):
        at = f'r="{"ABCDEF"[j]}{i + 1}"'
        if dates and text[4:5] == "-" and text[10:11] == " ":
            since = datetime.datetime.fromisoformat(text) - datetime.datetime(1899, 12, 30)
            return f'<c {at} s="1"><v>{since / datetime.timedelta(1):.10f}</v></c>'
        try:
            return f"<c {at}><v>{float(text)}</v></c>"
        except ValueError:
            return f'<c {at} t="inlineStr"><is><t>{html.escape(text)}</t></is></c>'
    rows = [[cell(i, j, text) for j, text in enumerate(row)]
            for i, row in enumerate(csv.reader(io.StringIO(file.read_text())))]
    return "".join(f'<row r="{i}">{"".join(row)}</row>' for i, row in enumerate(rows, 1))


def write_xlsx(file, xlsx, kind="plain", second=None):
    """Writes the cells of a csv as the sheet "s" of an xlsx, those of another as its second, "more & more".
    "nested": with entities within entities, 2 kB that take minutes; "large": with 350 MB of text that no cell uses;
    "dates": dates with a time are stored as numbers, and shown as day and month."""
    sheets = {"s": sheet_xml(file, kind == "dates")}
    if second:
        sheets["more &amp; more"] = sheet_xml(second, kind == "dates")
    strings, entities = "<si><t>a</t></si>", ""
    if kind == "nested":
        nested = "".join(f'<!ENTITY {name} "{10 * f"&{inner};"}">' for inner, name in zip("abcdefgh", "bcdefghi"))
        strings, entities = "<si><t>&i;</t></si>", f'<!DOCTYPE w [<!ENTITY a "0123456789">{nested}]>'
    if kind == "large":
        strings = 350000 * f"<si><t>{1000 * 'x'}</t></si>"
    schemas = "http://schemas.openxmlformats.org"
    office, main = f"{schemas}/officeDocument/2006/relationships", f'xmlns="{schemas}/spreadsheetml/2006/main"'

    def related(*targets):
        each = "".join(f'<Relationship Id="r{i}" Type="{office}/{role}" Target="{to}"/>'
                       for i, (role, to) in enumerate(targets, 1))
        return f'<Relationships xmlns="{schemas}/package/2006/relationships">{each}</Relationships>'
    numbered = list(enumerate(sheets, 1))
    names = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in numbered)
    parts = {f"worksheets/sheet{i}": f"<worksheet {main}><sheetData>{sheets[name]}</sheetData></worksheet>"
             for i, name in numbered}
    kinds = {"workbook": "sheet.main", "sharedStrings": "sharedStrings", "styles": "styles"}
    kinds.update(dict.fromkeys(parts, "worksheet"))
    parts["workbook"] = f'<workbook {main} xmlns:r="{office}"><sheets>{names}</sheets></workbook>'
    parts["sharedStrings"] = f'<?xml version="1.0"?>{entities}<sst {main}>{strings}</sst>'
    parts["styles"] = (f'<styleSheet {main}><numFmts count="1"><numFmt numFmtId="164" formatCode="d-mmm"/></numFmts>'
                       '<cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>')
    types_of = "".join(f'<Override PartName="/xl/{name}.xml" ContentType="application/vnd.openxmlformats-'
                       f'officedocument.spreadsheetml.{role}+xml"/>' for name, role in kinds.items())
    defaults = "".join(f'<Default Extension="{end}" ContentType="application/{role}"/>' for end, role in [
        ("rels", "vnd.openxmlformats-package.relationships+xml"), ("xml", "xml")])
    with zipfile.ZipFile(xlsx, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{schemas}/package/2006/content-types">{defaults}'
                         f"{types_of}</Types>")
        archive.writestr("_rels/.rels", related(("officeDocument", "xl/workbook.xml")))
        archive.writestr("xl/_rels/workbook.xml.rels", related(
            *[("worksheet", f"worksheets/sheet{i}.xml") for i, _ in numbered],
            ("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")))
        for name, xml in parts.items():
            archive.writestr(f"xl/{name}.xml", xml)
    return xlsx
