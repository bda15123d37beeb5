"""Whether new rows differ from those of the fit: what `evaluate` says of it, and coverage in the order of a column."""
import json
import re

import pytest

from program import check_has, drawn, lacp, refused

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
         "--coverage", "0.9,0.95", "--calibration", "split")
    return place


def numbers(place, table, *more):
    return json.loads(place.evaluate(table, "--json", *more).output)[0]


def test_evaluate_says_whether_rows_differ_from_those_of_the_fit_and_on_which_side(sensor):
    same = sensor.write("same.csv", rows_of(500, 2))
    sensor.evaluate(same, prints="no sign that these rows differ from those of the fit: p = ", lacks="advice")
    assert numbers(sensor, same)["drift_p"] > 0.01
    higher = sensor.write("higher.csv", rows_of(500, 3, shift=1.0))
    said = sensor.evaluate(higher).output
    check_has(" ".join(said.split()), "these rows differ from those of the fit: p = ", "lie above (expected ")
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
    check_has(" ".join(back.split()), "differ from those that calibrate the model: p = ", "lie above (expected 5.0 %)",
              "below (expected 5.0 %)")


def test_one_row_of_each_new_group_is_compared(place):
    def visits(patients, seed, name):
        def row(i, draws):
            row.shared = draws.gauss(0, 1) if i % 10 == 0 else row.shared
            return f"{draws.uniform(0, 1)},{i},{name}{i // 10},{row.shared + 0.1 * draws.gauss(0, 1)}"
        return drawn("x,nr,patient,y", 10 * patients, row, seed)
    lacp("fit", place.write("v.csv", visits(200, 1, "a")), "--model", place.model, "--method", "fixed", "--group", "patient",
         "--drop", "nr", "--calibration", "split")
    same = [numbers(place, place.write("n.csv", visits(60, seed, "b"))) for seed in range(2, 12)]
    assert all(found["drift_rows"] == 60 for found in same)
    assert sum(found["drift_p"] < 0.05 for found in same) <= 3  # with all 600 rows it would be most of them
    # Nor are the rows of a tenth independent, which might lie outside by chance.
    place.evaluate(place / "n.csv", "--over", "nr", lacks=["! ", "by chance"])
    place.write("none.csv", visits(60, 2, "b").replace("patient", "person"))
    check_has(" ".join(place.evaluate(place / "none.csv").output.split()), "they have no column of groups")


def test_coverage_over_a_column(sensor):
    header = rows_of(1, 7).splitlines(True)[0]
    rows_in_time = rows_of(1000, 10, move=4.0).splitlines(True)[1:]
    mixed = sensor.write("mixed.csv", "".join([header, *(rows_in_time[i * 387 % 1000] for i in range(1000))]))
    said = sensor.evaluate(mixed, "--over", "day", prints=["coverage 0.9 in the order of 'day'", "2000-01-05 to 2008-"]).output
    assert len(re.findall(r"^  20\d\d-\d\d-05 to .*#$", said, re.M)) >= 8
    tenths = [float(share) for share in numbers(sensor, mixed, "--over", "day")["over"].split()]
    assert len(tenths) == 10 and tenths[0] > 0.8 and tenths[9] < 0.3
    sensor.evaluate(mixed, "--over", "x", prints="in the order of 'x'")


def test_the_order_of_few_rows_has_fewer_parts_and_what_is_no_order_is_refused(sensor):
    def over(count, at, **expected):
        header, *rows = rows_of(count, 7).splitlines()
        table = "\n".join([f"{header},at", *(f"{row},{at(i)}" for i, row in enumerate(rows))]) + "\n"
        return sensor.evaluate(sensor.write("o.csv", table), "--over", "at", **expected)
    over(15, lambda i: i, prints=["in the order of 'at'\n", "   0 to ", " to 14 "])
    assert len(numbers(sensor, sensor / "o.csv", "--over", "at")["over"].split()) == 7
    over(30, lambda i: f"{1 + i % 28}.5.2020", prints="2020-05-01 to ")
    for count, at, part in [(3, lambda i: i, "3 rows have something there; expected at least 4"),
                            (30, lambda i: 1, "has one value in all rows"), (30, lambda i: "", "0 rows have"),
                            (30, lambda i: "soon" if i else "2000-01-01", "found 'soon' on line 3"),
                            (30, lambda i: i if i else "2000-01-01", "found '1' on line 3"),
                            (30, lambda i: f"1/{1 + i}/2020", "found '1/2/2020' on line 3; expected numbers, or dates as 2020")]:
        refused(part, over, count, at)


def advised(place, table):
    """The only advice, as people and as programs read it."""
    said = " ".join(place.evaluate(table).output.split())
    found = numbers(place, table)["advice"]
    assert said.count("advice:") == (found != "") and found in said
    return found


def test_evaluate_gives_one_advice_for_one_situation(sensor):
    for seed, change, expected in [
            (2, {}, ""),
            (4, {"spread": 3.0}, "calibrate by these rows alone: lacp update --instead"),
            (5, {"slope": -3.0}, "the prediction itself no longer holds: fit again with these rows"),
            # Neither a new fit nor a window helps against a trend: a tree does not go on with it.
            (6, {"move": 6.0}, "errors move from row to row: predict the change since the row before"),
            (7, {"shift": 4.0, "move": -6.0}, "errors move from row to row")]:
        found = advised(sensor, sensor.write("new.csv", rows_of(600, seed, **change)))
        assert found.startswith(expected) and (found == "") == (expected == ""), (change, found)
