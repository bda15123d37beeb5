"""`lacp datasets add`: a draft from a look at the file."""
import gzip
import os

import pytest
from program import check_has, lacp, shell, table_of


class Root:
    """A folder with an empty one for data sets in it."""

    def __init__(self, place):
        self.place = place
        self.datasets = place / "datasets"
        self.datasets.mkdir()

    def add(self, file, *more, **expected):
        return lacp("datasets", "--datasets-folder", self.datasets, "add", file, *more, **expected)

    def draft(self, table, *more, status=0, **expected):
        """The description of this table, and what is said besides, by line. `status` 2: an experiment refuses it."""
        file = self.place.write("t.csv", table)
        ran = self.add(file, *more, status=status, **expected)
        described = self.datasets / "t.yaml"
        text = described.read_text()
        described.unlink()
        (self.datasets / "t.csv").unlink()
        notes = ran.messages.split("this is what they give:\n")[1].splitlines()
        return text, notes

    def refused(self, part, table, *more):
        self.add(self.place.write("t.csv", table), *more, status=2, says=part)
        assert not list(self.datasets.iterdir())


@pytest.fixture
def root(place):
    return Root(place)


def readings(delimiter=","):
    """120 rows with a category, a date, a row number, remarks and gaps."""
    def row(n):
        i = n + 1
        x = "NA" if i % 40 == 0 else 0.5 * i
        return f'{i},2024-{1 + i % 12:02}-01 08:00,{"ab"[i % 2]},"remark {i}",{x},{i * i % 31}'
    return table_of("row,day,kind,remark,x,y", 120, row).replace(",", delimiter)


def test_delimiter_and_header_are_guessed(root):
    for table, status, delimiter, header in [
            (readings(","), 0, ",", "true"), (readings(";"), 0, ";", "true"), (readings("\t"), 0, "tab", "true"),
            (readings("|"), 0, "|", "true"), ("1  2 3\n4 5   6\n", 2, "blanks", "false"),
            ('"a", "b c"\n1, 2\n2, 3\n', 2, ",", "true"), (" a ; b ; c\n 1 ; 2 ; 3\n 2 ; 3 ; 4\n", 2, ";", "true"),
            ("M,0.5\nF,1\n", 2, ",", "false")]:
        text, _ = root.draft(table, status=status)
        check_has(text, f'\n  delimiter: "{delimiter}"  # guess', f"\n  header: {header}  # guess")
    root.refused("t.csv:1: 'sep='", "\ufeffsep=;\na;b\n1;2\n")


def test_a_draft_describes_the_columns_each_guess_with_its_reason(root):
    text, _ = root.draft(readings())
    check_has(text, 'target: "y"  # guess: the last column of numbers\n',
              '    - "row"  # guess: counts the rows, as \'1\'\n',
              '    - "remark"  # guess: text: 120 different values in 120 cells, as \'remark 1\'\n',
              '    - "kind"  # guess: 2 different values in 120 cells\n',
              '    "day": [hour, weekday, month, year]  # guess: every cell is a date with a time\n',
              '  marks: ["NA"]  # guess: ', "  do: fill  # guess: ")
    check_has(root.draft(readings(), "--target", "x")[0], 'target: "x"\n')
    root.refused(["--target 'z': ", "t.csv"], readings(), "--target", "z")
    root.refused("t.csv:3: the row has 1 of 2 cells", "a,b\n1,2\n3\n")


def measured(i):
    lead = "<0.5" if i % 3 == 0 else f"0.{5 + i % 5}"
    zinc = ">90" if i % 40 == 0 else f"{i % 80}.1"
    load = "-999.0" if i % 10 == 0 else f"{i * 13 % 50}.5"
    return f"{lead},{zinc},{5 + i % 7}:{i * 7 % 60:02},{load},{i * i % 31}"


def test_limits_and_times_are_described_and_what_cells_may_mean_besides_is_said_a_line_each(root):
    table = table_of("lead,zinc,start,load,y", 120, measured)
    text, notes = root.draft(table)
    check_has(text, "\"lead\": {decimal: point, limits: whole}  # guess: 40 cells as '<0.5'",
              "\"zinc\": {decimal: point, limits: whole}  # guess: 3 cells as '>90'",
              '"start": {decimal: point, time: hours}  # guess: times are numbers of seconds')
    assert notes == [
        "column 'lead' has 40 cells as '<0.5', read as that limit",
        "column 'zinc' has 3 cells as '>90', read as that limit",
        "column 'load' is -999 in 12 cells, far from all others; if that is missing, say --missing -999"]
    text, notes = root.draft(table, "--missing", "-999", "--missing", "foo", says="--missing foo: no cell is 'foo'")
    check_has(text, 'marks: ["-999", "foo"]  # guess: ')
    assert not [note for note in notes if "-999" in note]
    root.draft(table, "--target", "start", says="column 'start' holds times: predictions and intervals are in seconds")


def test_columns_are_listed_with_commas_or_each_by_itself(root):
    table = table_of('"a,b",a,[c],y', 100, lambda i: f"{i * 7 % 13},{i * 5 % 11},{i * 3 % 17},{i * i % 31}")
    for given, dropped in [(["a,b"], ["a,b"]), (["a,[c]"], ["a", "[c]"]), (["a,b", "[c]"], ["a,b", "[c]"])]:
        _, notes = root.draft(table, *(word for column in given for word in ("--drop", column)))
        assert notes == [f"column '{column}' is not used: --drop" for column in dropped]
    root.refused("--drop 'd': ", table, "--drop", "a,d")


def test_many_gaps_are_filled_but_for_the_targets(root):
    def row(i):
        a, b = "?" if i % 4 == 0 else i % 7, "." if i % 20 == 0 else f"{i % 3}.5"
        return f"{a},{b},{'1' if i % 3 == 0 else 'n/a'},{'' if i % 30 == 0 else i}"
    text, _ = root.draft(table_of("a,b,c,y", 150, row), "--target", "y")
    check_has(text, '  marks: ["", ".", "?"]', "  do: fill", '  drop_rows: ["y"]',
              '  drop:\n    - "c"  # guess: more than half of its cells hold nothing, 100 of 150\n')
    assert "categories" not in text


def test_add_writes_a_draft_for_experiments_beside_a_copy_of_the_file_and_overwrites_nothing(root):
    file = root.place.write("my table.csv", readings())
    root.add(file, "--target", "y", prints="Experiments can read it.")
    copy, described = root.datasets / "my table.csv", root.datasets / "my_table.yaml"
    assert copy.read_text() == readings()
    yaml = described.read_text()
    root.add(file, "--target", "x", status=2, says="my_table.yaml: is there already")
    assert described.read_text() == yaml
    described.unlink()
    copy.write_text("else\n")
    root.add(file, status=2, says="is there already, and is not ")
    assert copy.read_text() == "else\n"
    assert not described.exists()


def test_a_file_that_add_cannot_use_leaves_nothing_behind_and_a_copy_is_whole_or_not_there(root):
    file = root.place.write("t.csv", readings())
    for words, part in [([file, "--target", "nothing"], "'nothing'"),
                        ([file, "--target", "kind"], f"{file}: column 'kind' holds no number"),
                        ([root.place.write("t.zip", "PK")], "t.zip"), ([root.place / "none.csv"], "none.csv")]:
        root.add(*words, status=2, says=part)
    # A file may have 2 kB: the table has more.
    shell('ulimit -f 2; "$0" datasets --datasets-folder "$1" add "$2"; [ $? != 0 ]', root.datasets, file)
    assert not list(root.datasets.iterdir())
    root.add(file)


def test_of_a_name_that_no_data_set_may_have_another_is_made_or_nothing_is_left_behind(root):
    for file, more, name in [("-x.csv", [], "x"), ("..csv", [], "_"), ("a\nb.csv", [], "a_b"), ("-x.csv", ["--name", "mine"], "mine")]:
        root.add(root.place.write(file, readings()), *more)
        assert (root.datasets / f"{name}.yaml").exists()
        assert (root.datasets / f"{name}.csv").read_text() == readings()
    before = sorted(root.datasets.rglob("*"))
    for name in "../mine", "a" * 200:
        root.add(root.place / "-x.csv", "--name", name, status=2)
    assert sorted(root.datasets.rglob("*")) == before


def test_outside_a_project_add_makes_datasets_and_only_for_a_table_that_it_takes(place):
    where = {"cwd": place.folder, "env": {name: value for name, value in os.environ.items() if name != "LACP_DATASETS"}}
    place.write("t.csv", readings())
    place.write("bad.csv", "a,b\nx,y\nz,w\n")
    lacp("datasets", "add", "bad.csv", status=2, says="no column of numbers", **where)
    assert not (place / "datasets").exists()
    lacp("datasets", "add", "t.csv", says="wrote datasets/t.yaml", **where)
    assert (place / "datasets/t.csv").exists()


def test_add_unpacks_a_compressed_table_and_uses_a_file_in_place(root):
    file = root.place.write("datasets/t.csv.gz", gzip.compress(readings(";").encode()))
    root.add(file, prints="  date            day: hour, weekday, month, year\n", lacks="a copy of")
