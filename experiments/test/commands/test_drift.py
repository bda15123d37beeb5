"""Whether new rows differ from those of the fit: what `evaluate` and `update` say of it, coverage in the order of rows, and
what an update would do."""
import json
import re

import pytest

from program import check_has, check_lacks, drawn, lacp, refused

HEADER = "x,day,y"


def rows_of(count, seed, shift=0.0, spread=1.0, slope=2.0, move=0.0):
    """y = 10 + slope x + noise, moved and stretched; `move`: how far from the first row to the last."""
    def row(i, draws):
        x = draws.uniform(-3, 3)
        noise = shift + move * i / count + spread * draws.gauss(0, 1)
        return f"{x},{2000 + i // 12}-{1 + i % 12:02}-05,{10 + slope * x + noise}"
    return drawn(HEADER, count, row, seed)


@pytest.fixture(name="sensor")
def sensor_of(place):
    """A model of 1,200 rows; the order of days says nothing."""
    lacp("fit", place.write("fit.csv", rows_of(1200, 1)), "--model", place.model, "--method", "fixed", "--drop", "day",
         "--coverage", "0.9,0.95", "--calibration-folds", "0")
    return place


def numbers(place, table, *more):
    return json.loads(place.evaluate(table, "--json", *more).output)[0]


def test_evaluate_says_whether_rows_differ_from_those_of_the_fit_and_on_which_side(sensor):
    same = sensor.write("same.csv", rows_of(500, 2))
    sensor.evaluate(same, prints="no sign that these rows differ from those of the fit: p = ", lacks="advice")
    assert numbers(sensor, same)["drift_p"] > 0.01
    higher = sensor.write("higher.csv", rows_of(500, 3, shift=1.0))
    said = sensor.evaluate(higher).output
    check_has(" ".join(said.split()), "these 500 rows differ from those of the fit: p = ", "lie above the upper end where ")
    found = numbers(sensor, higher)
    assert found["drift_p"] < 1e-9 and found["drift_rows"] == 500 and 0.7 < found["r2_fit"] < 1
    share = re.search(r"([0-9.]+) % lie above", " ".join(said.split()))[1]
    assert float(share) == pytest.approx(100 * found["above"], abs=0.6)
    # Errors that grow, and that shrink, without a shift.
    for spread in [1.6, 0.6]:
        assert numbers(sensor, sensor.write("s.csv", rows_of(500, 4, spread=spread)))["drift_p"] < 1e-3
    # csv has the same numbers, and its columns from before in their places.
    rows = sensor.scores(higher)
    assert list(rows[0])[:4] == ["group", "rows", "rmse", "r2"]
    assert float(rows[0]["drift_p"]) == pytest.approx(found["drift_p"])


def test_after_an_update_rows_are_compared_with_those_that_calibrate_and_each_side_has_its_half(sensor):
    newer = sensor / "newer.lacp"
    lacp("update", sensor.model, sensor.write("new.csv", rows_of(500, 7, shift=1.0)), "--instead", "--output", newer)
    alike = lacp("evaluate", newer, sensor.write("alike.csv", rows_of(500, 8, shift=1.0))).output
    check_has(" ".join(alike.split()), "no sign that these rows differ from those that calibrate the model: p = ")
    back = lacp("evaluate", newer, sensor.write("back.csv", rows_of(500, 9))).output
    check_has(" ".join(back.split()), "differ from those that calibrate the model: p = ", "above the upper end where 5.0 % were to be expected",
              "below the lower end where 5.0 % were")


def test_rows_of_the_fit_are_not_taken_for_new_ones_and_few_are_not_tested(sensor):
    header, *rows = rows_of(1200, 1).splitlines(True)
    sensor.evaluate(sensor / "fit.csv", prints="no test of whether these rows differ", lacks="p =")
    new = rows_of(300, 5).splitlines(True)[1:]
    both = sensor.write("both.csv", "".join([header, *rows[:600], *new]))
    assert numbers(sensor, both)["drift_rows"] == 300
    few = sensor.write("few.csv", rows_of(9, 6))
    sensor.evaluate(few, prints="it needs ten rows")
    assert numbers(sensor, few)["drift_p"] is None


def test_one_row_of_each_new_group_is_compared(place):
    def visits(patients, seed, name):
        def row(i, draws):
            row.shared = draws.gauss(0, 1) if i % 10 == 0 else row.shared
            return f"{draws.uniform(0, 1)},{name}{i // 10},{row.shared + 0.1 * draws.gauss(0, 1)}"
        return drawn("x,patient,y", 10 * patients, row, seed)
    lacp("fit", place.write("v.csv", visits(200, 1, "a")), "--model", place.model, "--method", "fixed", "--group", "patient")
    same = [numbers(place, place.write("n.csv", visits(60, seed, "b"))) for seed in range(2, 12)]
    assert all(found["drift_rows"] == 60 for found in same)
    assert sum(found["drift_p"] < 0.05 for found in same) <= 3  # with all 600 rows it would be most of them
    place.write("none.csv", visits(60, 2, "b").replace("patient", "person"))
    check_has(" ".join(place.evaluate(place / "none.csv").output.split()), "they have no column of groups")


def test_the_worst_stretch_and_coverage_over_a_column(sensor):
    header, *rows = rows_of(700, 7).splitlines(True)
    worse = rows_of(300, 8, shift=3).splitlines(True)[1:]
    table = sensor.write("t.csv", "".join([header, *rows[:350], *worse, *rows[350:]]))
    found = numbers(sensor, table)
    assert found["stretch"] < 0.35
    assert abs(found["stretch_first"] - 352) < 12 and found["stretch_last"] - found["stretch_first"] == 299
    sensor.evaluate(table, prints="worst 300 rows in a row: coverage ")
    short = sensor.write("short.csv", rows_of(599, 9))
    sensor.evaluate(short, lacks="in a row")
    assert numbers(sensor, short)["stretch"] is None
    # In the order of a column the file's order does not matter.
    order = list(range(1000))
    rows_in_time = rows_of(1000, 10, move=4.0).splitlines(True)[1:]
    mixed = sensor.write("mixed.csv", "".join([header, *(rows_in_time[i * 387 % 1000] for i in order)]))
    said = sensor.evaluate(mixed, "--over", "day", "--figure", sensor / "o.svg",
                           prints=["coverage 0.9 in the order of 'day'", "2000-01-05 to 2008-"]).output
    assert len(re.findall(r"^  20\d\d-\d\d-05 to .*#$", said, re.M)) >= 8
    assert (sensor / "o.svg").read_text().startswith("<?xml")
    tenths = [float(share) for share in numbers(sensor, mixed, "--over", "day")["over"].split()]
    assert len(tenths) == 10 and tenths[0] > 0.8 and tenths[9] < 0.3
    assert numbers(sensor, mixed, "--over", "day")["stretch"] < numbers(sensor, mixed)["stretch"] - 0.1
    sensor.evaluate(mixed, "--over", "x", prints="in the order of 'x'")
    text = sensor.write("text.csv", "x,day,y\n" + "1,2000-01-01,3\n1,soon,3\n" * 20)
    refused("--over 'day': found 'soon' on line 3", sensor.evaluate, text, "--over", "day")


def test_update_says_the_same_and_a_dry_run_writes_nothing(sensor):
    higher = sensor.write("higher.csv", rows_of(600, 3, shift=3.0))
    newer = sensor / "newer.lacp"
    update = ["update", sensor.model, higher]
    refused("--output: is missing", *update)
    before = sensor.model.read_bytes()
    ran = lacp(*update, "--dry-run", "--instead", prints=["nothing is written: the newest 120 rows", "calibration by 480 rows"])
    lines = [line.split() for line in ran.output.splitlines()[2:4]]
    assert [line[0] for line in lines] == ["0.9", "0.95"]
    for line in lines:
        now, then, winkler_now, winkler_then = map(float, line[1:])
        assert now < 0.3 and then > float(line[0]) - 0.1 and winkler_then < 0.7 * winkler_now
    assert sensor.model.read_bytes() == before and not newer.exists()
    lacp(*update, "--dry-run", "--window", "200", prints="calibration by 200 rows")
    said = lacp(*update, "--output", newer)
    check_has(said.output, "these 600 rows differ from those of the fit: p", "--instead`")
    check_lacks(lacp(*update, "--output", newer, "--instead").output, "advice")
    # Of many rows some are predicted, and all compared.
    many = sensor.write("many.csv", rows_of(3000, 11, shift=1.0, move=2.0))
    lacp("update", sensor.model, many, "--output", newer, prints=["these 3000 rows differ", "--window 300`"])
    lacp("update", sensor.model, sensor.write("same.csv", rows_of(500, 2)), "--output", newer, prints="no sign that")
    few = sensor.write("few.csv", rows_of(19, 3))
    refused("--dry-run: 19 rows with a target", "update", sensor.model, few, "--dry-run")
