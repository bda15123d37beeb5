"""Whether new rows differ from those of the fit: what `evaluate` and `update` say of it, coverage in the order of rows, and
what an update would do."""
import json
import re

import pytest

from program import check_has, check_lacks, drawn, lacp, refused, shell

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


def few_values(count, seed, move=0):
    """Three attributes of eight values, and whole targets: most rows equal another one."""
    def row(_, draws):
        a, b, c = (draws.randrange(8) for _ in range(3))
        return f"{a},{b},{c},{max(0, round((a + b) / 2 + 3 + draws.gauss(0, 1.2))) + move}"
    return drawn("a,b,c,y", count, row, seed)


FEW_VALUES = ["--method", "fixed", "--coverage", "0.9", "--set", "predictor.kind=boosted", "predictor.rounds=20", "--copies",
              "keep", "--quiet"]


def test_rows_that_equal_known_ones_by_chance_are_compared_so_that_the_test_rejects_as_often_as_it_says(place):
    ps = []
    for seed in range(12):
        lacp("fit", place.write("fit.csv", few_values(3000, seed)), "--model", place.model, *FEW_VALUES, "--seed", seed + 1)
        for again in range(4):
            found = numbers(place, place.write("new.csv", few_values(200, 1000 + 10 * seed + again)))
            assert found["drift_rows"] == 200
            ps.append(found["drift_p"])
    # 48 times 0.05, and three standard deviations.
    assert sum(p < 0.05 for p in ps) <= 2.4 + 3 * 1.5 and sum(p < 0.3 for p in ps) > 4, sorted(ps)
    moved = numbers(place, place.write("moved.csv", few_values(200, 99, move=1)))
    assert moved["drift_p"] < 1e-9 and moved["drift_rows"] == 200
    place.evaluate(place / "new.csv", lacks="equal one of the fit")


def test_known_rows_are_kept_if_they_are_said_to_be_new_and_what_is_left_without_them_is_not_tested(place):
    lacp("fit", place.write("fit.csv", few_values(3000, 1)), "--model", place.model, *FEW_VALUES)
    new = place.write("new.csv", few_values(300, 2, move=1))
    update = ["update", place.model, new, "--output", place / "newer.lacp"]
    said = lacp(*update, "--known", "keep").output
    check_has(said, "these 300 rows differ from those of the fit: p = ", "--known keep --output FILE --instead`")
    said = lacp(*update, "--known", "drop").output
    check_has(said, "no test of whether these rows differ", "are no fair part of the new ones")
    check_lacks(said, "advice")
    # The advice of evaluate takes them, too.
    command = re.search("advice:[^`]*`lacp ([^`]*)`", place.evaluate(new).output)[1]
    shell(f"\"$0\" {command.replace('FILE', str(place / 'newer.lacp'))}", prints="calibrated by 300 rows")
    # After an update by all of them no row is told from a new one.
    check_has(lacp("evaluate", place / "newer.lacp", place.write("alike.csv", few_values(300, 3, move=1))).output,
              "no sign that these rows differ")
    # More than chance explains: some are rows of the fit.
    header, *rows = few_values(3000, 1).splitlines(True)
    mixed = place.write("mixed.csv", "".join([header, *rows[:600], *few_values(200, 4).splitlines(True)[1:]]))
    said = " ".join(place.evaluate(mixed).output.split())
    check_has(said, "no test of whether these rows differ", "that chance explains, so that some are no new rows")


def grouped(patients, visits, seed, name):
    """Visits of patients, who differ by more than their visits do."""
    def row(i, draws):
        row.own = draws.gauss(0, 1) if i % visits == 0 else row.own
        x = draws.uniform(-3, 3)
        return f"{name}{i // visits},{i // visits},{x},{10 + 2 * x + row.own + 0.3 * draws.gauss(0, 1)}"
    return drawn("patient,nr,x,y", patients * visits, row, seed)


def test_rows_of_groups_are_not_taken_for_independent_ones(place):
    fit = ["--model", place.model, "--method", "fixed", "--coverage", "0.9", "--quiet", "--set", "predictor.kind=boosted",
           "predictor.rounds=20"]
    lacp("fit", place.write("one.csv", grouped(300, 1, 1, "p")), *fit, "--drop", "patient,nr")
    ps = []
    for seed in range(2, 14):
        new = place.write("new.csv", grouped(40, 10, seed, "q"))
        said = lacp("update", place.model, new, "--group", "patient", "--output", place / "newer.lacp").output
        ps.append(float(re.search(r"p = ([0-9.e-]+[0-9])", said)[1]))
    assert sum(p < 0.05 for p in ps) <= 3, ps  # with all 400 rows it would be most of them
    lacp("fit", place.write("many.csv", grouped(200, 3, 1, "p")), *fit, "--group", "patient", "--drop", "nr")
    new = place.write("new.csv", grouped(40, 25, 3, "q"))
    said = place.evaluate(new, "--over", "nr", "--figure", place / "o.svg").output
    check_has(said, "worst 300 rows in a row: coverage ")
    check_lacks(said, "! ", "random order", "chance explains")
    check_lacks((place / "o.svg").read_text(), "by chance")


def test_few_rows_stand_in_fewer_parts_and_labels_have_digits_enough(sensor):
    def ordered(count, place):
        header, *rows = rows_of(count, 7).splitlines()
        return sensor.write("o.csv", "\n".join([f"{header},at", *(f"{row},{place(i)}" for i, row in enumerate(rows))]) + "\n")
    few = ordered(15, lambda i: i)
    said = sensor.evaluate(few, "--over", "at").output
    check_has(said, "in the order of 'at', by 7 parts of the rows\n", "   0 to ", " to 14 ")
    assert len(numbers(sensor, few, "--over", "at")["over"].split()) == 7
    refused("--over 'at': 3 rows have something there; expected at least 4", sensor.evaluate, ordered(3, lambda i: i), "--over",
            "at")
    refused("--over 'at': 0 rows have", sensor.evaluate, ordered(30, lambda i: ""), "--over", "at")
    close = ordered(700, lambda i: f"{1 + i / 1e7:.7f}")
    said = sensor.evaluate(close, "--over", "at").output
    tenths = re.findall(r"^ +(\S+) to (\S+)  0\.\d{3}", said, re.M)
    assert len({label for ends in tenths for label in ends}) == 20
    found = numbers(sensor, close, "--over", "at")
    assert 1 <= found["stretch_first"] < found["stretch_last"] < 1.0001
    days = ordered(700, lambda i: f"{2000 + i // 12}-{1 + i % 12:02}-05")
    first = numbers(sensor, days, "--over", "at")["stretch_first"]
    assert re.fullmatch(r"20\d\d-\d\d-05", first)


def test_the_order_of_dates_is_that_of_all_cells(sensor):
    def dated(count, text):
        header, *rows = rows_of(count, 7).splitlines()
        return sensor.write("d.csv", "\n".join([f"{header},at", *(f"{row},{text(i)}" for i, row in enumerate(rows))]) + "\n")
    def american(i):
        return f"{1 + i // 28}/{1 + i % 28}/2020"
    # The first cells could be either; a later one has the month first.
    sensor.evaluate(dated(120, american), "--over", "at", prints=["2020-01-01 to ", "to 2020-05-08"])
    sensor.evaluate(dated(120, lambda i: f"{1 + i % 28}/{1 + i // 28}/2020"), "--over", "at", prints="to 2020-05-08")
    refused("'at': '1/2/2020' on line 3 may have the day first or the month", sensor.evaluate,
            dated(60, lambda i: f"{1 + i // 12}/{1 + i % 12}/2020"), "--over", "at")
    refused("'13/1/2020' on line 13 has the day first, '1/13/2020' on line 14 the month", sensor.evaluate,
            dated(60, lambda i: {11: "13/1/2020", 12: "1/13/2020"}.get(i, "1/1/2020")), "--over", "at")
    lacp("predict", sensor.model, dated(120, american), "--figure", sensor / "p.svg", "--figure-over", "at", "--output", sensor / "out.csv")
    check_has((sensor / "p.svg").read_text(), "2020-05")


def test_a_dry_run_says_why_a_score_is_infinite(sensor):
    few = sensor.write("few.csv", rows_of(25, 3))
    said = lacp("update", sensor.model, few, "--dry-run", "--instead").output
    check_has(said, "inf: the updated one has infinite intervals at coverage 0.95, which needs 19 rows that calibrate; 13 rows calibrate")
    check_lacks(said, "inf: the model")
    check_has(" ".join(lacp("update", "--help").output.split()), "(at least 100, or half of fewer)")


def test_a_stale_prediction_is_known_after_an_update_too(sensor):
    stale = sensor.write("stale.csv", rows_of(600, 6, slope=-2))
    before = numbers(sensor, stale)
    lacp("update", sensor.model, stale, "--output", sensor / "newer.lacp", "--window", "300")
    sensor.model = sensor / "newer.lacp"
    # Later rows that are worse still: what the model explained at its fit is as it was.
    after = numbers(sensor, sensor.write("later.csv", rows_of(600, 8, slope=-2, shift=4)))
    assert after["r2_fit"] == before["r2_fit"] > 0.7
    check_has(after["advice"], "the prediction itself is stale")
