"""What `lacp predict`, `evaluate` and `demo` draw with --figure."""
import os
import signal
import time

import pytest
from program import Place, check_has, check_lacks, houses, lacp, refused, start, table_of

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
    pictured.draw("--jobs", "3", "--coverage", "0.5", "--upper", "0.9")
    check_has(pictured.read("p.svg"), "50 % interval")
    check_lacks(pictured.read("p.svg"), "95 % interval")
    pictured.draw(name="p.pdf")
    assert (pictured / "p.pdf").read_bytes().startswith(b"%PDF")


def test_over_a_column_whose_cells_without_a_number_are_left_out_and_from_standard_input(pictured):
    pictured.draw("--figure-over", "area", says="without a number or date in 'area'")
    svg = pictured.read("p.svg")
    check_has(svg, "<text>area (", "<text>price</text>")
    assert 1 < bars(svg, DARK) < 61
    check_lacks(pictured.read("out.csv"), "area")
    lacp("predict", pictured.model, "-", "--figure", pictured / "q.svg", "--figure-over", "area", "--keep", "area,kind",
         given=houses(60, 3), prints="line,area,kind,prediction,")
    assert pictured.read("q.svg") == svg
    (pictured / "p.svg").unlink()
    kind = houses(60, 3).splitlines()[1].split(",")[1]
    for column, part in [("kind", f"found '{kind}' on line 2"), ("none", "column 'none': ")]:
        refused(part, pictured.draw, "--figure-over", column)
    assert not (pictured / "p.svg").exists()


def test_dates_are_drawn_over_with_marks_where_months_or_years_begin_and_the_truth_where_it_is_known(pictured):
    pictured.draw("--figure-over", "built", says="p.svg: shows 60 rows")
    svg = pictured.read("p.svg")
    check_has(svg, "<text>built (60 rows)</text>", "<text>1990</text>", "<text>2015</text>", "<text>truth</text>")
    assert svg.count(TRUTHS) == 61  # and one in the key
    unknown = pictured.write("unknown.csv", table_of("when,area,kind,built", 30, lambda i: (
        f"2024-{1 + i % 6:02}-11 09:30,{20 + i},flat,2000-06-01")))
    pictured.draw("--figure-over", "when", table=unknown)
    check_has(pictured.read("p.svg"), "<text>2024-02</text>", "<text>2024-06</text>")
    check_lacks(pictured.read("p.svg"), TRUTHS, "truth")
    mixed = pictured.write("mixed.csv", "when,area,kind,built\n2024-01-01,50,flat,2000-06-01\n7,50,flat,2000-06-01\n")
    refused("found '7' on line 3; expected a column of numbers, or one of dates", pictured.draw,
            "--figure-over", "when", "--quiet", table=mixed)


def test_a_long_table_is_thinned_and_its_ends_are_cut_at_the_edge(pictured):
    pictured.draw("--coverage", "0.999,0.9", table=pictured.write("long.csv", houses(1000, 5)),
                  says=["p.svg: shows 200 of 1000 rows", "intervals of 200 reach beyond its edge"])
    svg = pictured.read("p.svg")
    check_has(svg, "(200 of 1000 rows, drawn at random)", "99.9 % interval")
    check_lacks(svg, "inf", "nan")
    assert bars(svg, LIGHT) == 201


def test_the_names_of_columns_are_no_commands(pictured):
    name = "it's `touch x` & <b> \\"
    named = pictured.write("named.csv", table_of(f"x,{name}", 60, lambda i: f"{i * 37 % 61},{i % 7}"))
    pictured.fit_fixed(named, "--target", name)
    pictured.draw("--figure-over", name, table=named)
    check_has(pictured.read("p.svg"), "<text>it's `touch x` &amp; &lt;b> \\</text>")


def test_what_cannot_be_a_picture_is_refused_before_the_work_and_no_input_is_written_over(pictured):
    svg = pictured / "p.svg"
    refused(".svg or .pdf", pictured.draw, name="p.png")
    refused("--figure: draws intervals", pictured.draw, "--quantiles", "0.5")
    refused("which is the output, too", "predict", pictured.model, pictured.table, "--figure", svg, "--output", svg)
    refused("--figure", pictured.predict, pictured.table, "--figure-over", "area")
    table = pictured.write("table.svg", houses(20, 3))
    for command in ["predict", "evaluate"]:
        refused("is the same file as", command, pictured.model, table, "--figure", table)
    assert table.read_text() == houses(20, 3)
    refused("new.csv: the folder cannot be made", pictured.draw, name="new.csv/p.svg", status=1)
    assert not (pictured / "out.csv").exists()
    none = pictured.write("none.csv", "area,kind,built\nNA,flat,2000-01-01\n")
    refused("p.svg: is not drawn", pictured.draw, "--figure-over", "area", "--quiet", table=none)
    assert (pictured / "out.csv").exists()
    assert not svg.exists()


def test_evaluate_draws_the_pit_with_what_chance_explains_and_prints_what_it_prints_without_a_picture(pictured):
    def draw(name, **expected):
        return pictured.evaluate(pictured.table, "--figure", pictured / name, **expected)
    assert draw("p.svg", says="p.svg: drawn").output == pictured.evaluate(pictured.table).output
    svg = pictured.read("p.svg")
    check_has(svg, "</svg>", "(PIT)", "share of 60 rows", "95 % of the bars by chance")
    assert bars(svg, DARK) >= 5
    refused(".svg or .pdf", draw, "p")
    (pictured / "p.svg").unlink()
    pictured.fit(pictured.write("few.csv", houses(100, 1)), "--method", "cqr", "--calibration-folds", "0")
    refused("there is none: method cqr", draw, "p.svg")
    assert not (pictured / "p.svg").exists()


def test_without_gnuplot_one_line_says_so_and_all_but_the_picture_is_there(pictured):
    for name in ["predict", "evaluate"]:
        command = [name, pictured.model, pictured.table]
        ran = refused("p.svg: is not drawn: gnuplot is not installed", pictured.without_gnuplot, *command, "--quiet",
                      "--figure", pictured / "p.svg", status=1)
        assert ran.output == lacp(*command).output
    assert not (pictured / "p.svg").exists()


def test_demo_does_and_draws_what_it_says_in_any_folder_and_leaves_nothing_behind_also_if_it_is_ended(pictured):
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
    for number in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        child = start("demo", **elsewhere)
        while child.poll() is None and not os.listdir(folder):
            time.sleep(0.001)
        time.sleep(0.2)  # a command is at work in its folder
        child.send_signal(number)
        assert child.wait() == -number
        assert os.listdir(folder) == []
