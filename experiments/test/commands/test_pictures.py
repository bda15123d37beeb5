"""What `lacp predict`, `evaluate` and `demo` draw with --figure."""
import os
import re

import pytest
from program import Place, check_has, check_lacks, frame, houses, lacp, refused, table_of

# Three shades of the method's colour, the lightest for the widest intervals.
LIGHT, MIDDLE, DARK = "247, 223, 204", "238, 191, 153", "230, 158, 102"
TRUTHS = "<use xlink:href='#gpPt5' transform="


class Pictured(Place):
    """A place with a model, and a table of 60 rows."""

    def __init__(self, folder):
        super().__init__(folder)
        self.table = self.write("new.csv", houses(60, 3))

    def draw(self, *more, table=None, name="p.svg", **expected):
        return self.predict(table or self.table, "--figure", self / name, *more, **expected)

    def without_gnuplot(self, *words, **expected):
        (self / "bin").mkdir(exist_ok=True)
        if not (self / "bin/env").exists():
            (self / "bin/env").symlink_to("/usr/bin/env")
        return lacp(*words, env=os.environ | {"PATH": str(self / "bin")}, **expected)


@pytest.fixture
def pictured(fitted):
    return Pictured(fitted.folder)


def bars(svg, shade):
    """Bars of a shade, of which the key has one more."""
    return svg.count(f"<polygon fill = 'rgb({shade})'")


def test_predict_draws_its_intervals_as_nested_bands_and_writes_what_it_writes_without_a_picture(pictured):
    pictured.predict(pictured.table)
    output = pictured.read("out.csv")
    pictured.draw(says="p.svg: shows 60 rows")
    assert pictured.read("out.csv") == output
    svg = pictured.read("p.svg")
    check_has(svg, "</svg>", "(60 rows)", "<text>price</text>", "prediction f", "95 % interval", "90 % interval",
              "68 % interval")
    assert [bars(svg, shade) for shade in (LIGHT, MIDDLE, DARK)] == [61, 61, 61]
    lacp("predict", pictured.model, "-", "--figure", pictured / "q.svg", "--keep", "kind,price", given=houses(60, 3),
         prints="line,kind,price,prediction,")
    assert pictured.read("q.svg") == svg
    # The truth is drawn where it is known, in red where it lies outside the widest interval; and in the key.
    missed = sum(not float(row["lower_95"]) <= float(house["price"]) <= float(row["upper_95"])
                 for row, house in zip(frame(output), frame(houses(60, 3)), strict=True))
    assert (svg.count(TRUTHS), svg.count("rgb(200,  16,  46)")) == (61, missed + 1)
    check_has(svg, f"<text>outside: {missed} of 60</text>")
    pictured.draw(table=pictured.write("unknown.csv", "area,kind,built\n50,flat,2000-06-01\n"))
    check_lacks(pictured.read("p.svg"), TRUTHS, "truth")
    pictured.draw(name="p.pdf")
    assert (pictured / "p.pdf").read_bytes().startswith(b"%PDF")


def test_a_long_table_is_thinned_and_its_ends_are_cut_at_the_edge(pictured):
    pictured.draw("--coverage", "0.9999,0.9", table=pictured.write("long.csv", houses(1000, 5)),
                  says=["p.svg: shows 200 of 1000 rows", "intervals of 200 reach beyond its edge"])
    svg = pictured.read("p.svg")
    check_has(svg, "(200 of 1000 rows, drawn at random)", "99.99 % interval")
    check_lacks(svg, "inf", "nan")
    assert bars(svg, LIGHT) == 201


def test_the_names_of_columns_are_no_commands(pictured):
    name = "it's `touch x` & <b> \\"
    named = pictured.write("named.csv", table_of(f"x,{name}", 60, lambda i: f"{i * 37 % 61},{i % 7}"))
    pictured.fit_fixed(named, "--target", name)
    pictured.draw(table=named)
    check_has(pictured.read("p.svg"), "<text>it's `touch x` &amp; &lt;b> \\</text>")


def test_what_cannot_be_a_picture_is_refused_before_the_work_and_no_input_is_written_over(pictured):
    svg = pictured / "p.svg"
    refused(".svg or .pdf", pictured.draw, name="p.png")
    refused("--figure: needs --coverage", pictured.draw, "--quantiles", "0.5")
    refused("which is the output, too", "predict", pictured.model, pictured.table, "--figure", svg, "--output", svg)
    table = pictured.write("table.svg", houses(20, 3))
    for command, *more in ["predict"], ["evaluate", "--over", "built"]:
        refused("is the same file as", command, pictured.model, table, *more, "--figure", table)
    assert table.read_text() == houses(20, 3)
    refused("new.csv: the folder cannot be made", pictured.draw, name="new.csv/p.svg", status=1)
    assert not (pictured / "out.csv").exists()
    assert not svg.exists()


def test_evaluate_draws_coverage_over_a_column_and_prints_what_it_prints_without_a_picture(pictured):
    over = ["--over", "built"]
    drawn = pictured.evaluate(pictured.table, *over, "--figure", pictured / "p.svg", says="p.svg: drawn")
    assert drawn.output == pictured.evaluate(pictured.table, *over).output
    tenths = re.findall(r"^  (\d{4}-\d\d-\d\d) to .*#", drawn.output, re.MULTILINE)
    assert len(tenths) == 10  # the last one, too, is there as a whole
    check_has(pictured.read("p.svg"), "</svg>", "built, where each tenth begins", *(f"<text>{date}</text>" for date in tenths))
    refused(".svg or .pdf", pictured.evaluate, pictured.table, *over, "--figure", pictured / "p")
    refused("--figure: needs --over", pictured.evaluate, pictured.table, "--figure", pictured / "p.svg")


def test_without_gnuplot_one_line_says_so_and_all_but_the_picture_is_there(pictured):
    for name, *more in ["predict"], ["evaluate", "--over", "built"]:
        command = [name, pictured.model, pictured.table, *more]
        ran = refused("p.svg: is not drawn: gnuplot is not installed", pictured.without_gnuplot, *command, "--quiet",
                      "--figure", pictured / "p.svg", status=1)
        assert ran.output == lacp(*command).output
    assert not (pictured / "p.svg").exists()


def test_demo_does_and_draws_what_it_says_in_any_folder_and_leaves_nothing_behind(pictured):
    folder = pictured / "tmp"
    folder.mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "LACP_DATASETS"}
    elsewhere = {"cwd": folder, "env": environment | {"TMPDIR": str(folder)}}
    lacp("demo", "--figure", pictured / "p.svg", **elsewhere, prints=[
        "$ lacp fit known.csv", "$ lacp predict", "lower_bound_95", "--figure intervals.svg", "p.svg\n",
        "$ lacp evaluate", "held_out.csv: 103 rows", "$ lacp update", "newer.lacp: calibrated by"])
    assert os.listdir(folder) == []
    check_has(pictured.read("p.svg"), "compressive_strength", "90 % interval", "50 % interval")
    pictured.without_gnuplot("demo", prints="gnuplot is not installed")
    refused("q.svg: is not drawn", pictured.without_gnuplot, "demo", "--figure", pictured / "q.svg", status=1)
