"""`lacp update`: what it takes, what it refuses, and what it says."""
import math
import random
import shutil

from program import drawn, houses, lacp, refused


def updating(place):
    """A function that updates m.lacp to m2.lacp by a table."""
    return lambda table, *more, **expected: lacp("update", place.model, table, "--output", place / "m2.lacp", *more,
                                                 **expected)


def take_over(place):
    shutil.copy(place / "m2.lacp", place.model)


def ratings(n, seed, part=0):
    """Whole numbers from 0 to 9 that follow x; `part` is added to some of them."""
    def row(i, draws):
        x = draws.random()
        return f"{x},{min(max(round(9 * x + draws.gauss(0, 1)), 0), 9) + i % 2 * part}"
    return drawn("x,y", n, row, seed)


def visits(patients, seed, name):
    """Visits of patients, five each, who differ by more than their visits do."""
    draws = random.Random(seed)
    effect = [3 * draws.gauss(0, 1) for _ in range(patients)]
    return drawn("patient,x,y", 5 * patients, lambda i, own: (
        f"{name}{i // 5},{own.gauss(0, 1)},{effect[i // 5] + own.gauss(0, 1)}"), seed + 1000)


def test_update_calibrates_by_new_rows_and_says_what_they_showed(fitted):
    update = updating(fitted)
    later = fitted.write("later.csv", houses(300, 9))
    update(later, prints=["calibrated by 1300 rows, a quantile for each side", "  coverage 0.95  0.", " of 300 new rows before, 0."])
    lacp("info", fitted / "m2.lacp", prints="sides             a quantile for each")
    update(later, "--sides", "both", prints="calibrated by 1300 rows, one quantile for both sides\n")
    lacp("info", fitted / "m2.lacp", prints="sides             one quantile for both")
    update(later, "--window", "38", prints="since for coverage 0.95 one for each needs 39 rows\n")
    refused("needs 39 calibration rows at coverage 0.95; found 38", update, later, "--window", "38", "--sides", "each")
    update(later, "--instead")
    update(later, "--window", "100")
    lacp("info", fitted / "m2.lacp", prints="calibrated on 100 rows")
    refused("'price'", update, fitted.write("no.csv", "area,kind,built\n1,flat,2000-01-01\n"))


def test_update_refuses_targets_that_the_fit_would_refuse_with_file_and_line_or_leaves_them_out(place):
    update = updating(place)
    place.fit_fixed(place.write("t.csv", ratings(300, 1)), "--clip", "0,9", "--calibration", "split")
    halves = place.write("halves.csv", ratings(100, 2, 0.5))
    refused(["halves.csv:3: the target is", "expected a whole number"], update, halves)
    update(halves, "--skip-bad", says="50 of 100 rows left out, the first in line 3", prints="calibrated by 110 rows")
    place.fit_fixed(place.write("t.csv", ratings(300, 1)), "--calibration", "split")
    update(place.write("huge.csv", ratings(100, 2) + "0.5,1000000\n"), "--quiet", says="BEWARE 1 of 101 targets more than ")
    place.fit_fixed(place.write("t.csv", ratings(300, 1)), "--clip", "0,9", "--calibration", "split")
    large = place.write("large.csv", ratings(100, 2) + "0.5,121\n")
    refused("large.csv:102: the target is 121; expected 0 to 9", update, large)
    update(large, "--skip-bad", says="1 of 101 rows left out", prints="calibrated by 160 rows")
    # Rows too far out.
    place.fit(place.write("h.csv", houses(300, 1)), "--target", "price", "--calibration", "split", "--method", "exp")
    far = place.write("far.csv", houses(50, 2) + "1e300,flat,2000-06-01,281.5\n")
    refused("far.csv:52: the row lies too far", update, far)
    update(far, "--skip-bad", says="1 of 51 rows left out, the first in line 52")


def test_update_of_a_model_with_groups_takes_one_row_of_each_new_group_and_covers_new_groups_as_promised(place):
    update = updating(place)
    place.fit_fixed(place.write("t.csv", visits(200, 1, "p")), "--target", "y", "--group", "patient",
                    "--calibration", "split")
    lacp("info", place.model, prints="patient; one row of each group calibrates")
    later = place.write("later.csv", visits(100, 3, "q"))
    refused("'patient'", update, place.write("none.csv", "x,y\n1,2\n"))
    update(later, "--instead", prints=["calibrated by 100 rows", "one row of each new one calibrates"])
    # Each patient counts once: with all rows of them the interval would be as sure, and too narrow.
    take_over(place)
    scores = place.scores(place.write("new.csv", visits(2000, 4, "n")))
    assert float(scores[1]["coverage"]) > 0.9 - 3 * math.sqrt(0.09 / 100)


def test_where_a_date_falls_from_row_to_row_the_first_rows_are_the_newest(place):
    draws = random.Random(1)
    rows = [f"202{i // 336}-{1 + i // 28 % 12:02}-{1 + i % 28:02},{draws.random()},{draws.gauss(i // 300, 1)}"
            for i in range(900)]

    def table(name, part):
        return place.write(name, "\n".join(["day,x,y", *part]) + "\n")
    place.fit_fixed(table("known.csv", rows[:400]), "--target", "y")
    rising, falling = table("rising.csv", rows[400:]), table("falling.csv", rows[:399:-1])
    said = "column 'day' falls from row to row: the first rows are the newest"
    update = updating(place)
    for more in ["--window", "100"], ["--window", "100", "--instead"]:
        update(rising, *more, lacks=said)
        expected = (place / "m2.lacp").read_bytes()
        update(falling, *more, says=said)
        assert (place / "m2.lacp").read_bytes() == expected
    mixed = table("mixed.csv", [*rows[600:], *rows[400:600]])
    update(mixed, "--window", "100", lacks="falls from row")


def test_after_an_update_a_coverage_that_was_finite_stays_finite(fitted):
    """200 rows calibrate, and 220 then: enough for 0.99, but not for a threshold on each side, which takes 399."""
    fitted.fit(fitted / "houses.csv", "--calibration", "split")
    table = fitted.write("new.csv", houses(100, 3))
    def ends():
        rows = fitted.intervals(table, "--coverage", "0.995,0.95")
        return [[float(row[name]) for name in ("lower_99.5", "lower_95", "upper_95", "upper_99.5")] for row in rows]
    assert all(math.isfinite(row[0]) for row in ends())
    updating(fitted)(fitted.write("later.csv", houses(20, 9)))
    take_over(fitted)
    for low, inner_low, inner_high, high in ends():
        assert math.isfinite(low) and math.isfinite(high) and low <= inner_low and inner_high <= high
    fitted.predict(table, "--coverage", "0.995", says="coverage 0.995 has one threshold for both sides; one for each needs 399 rows, 220 calibrate\n")
    fitted.predict(table, "--coverage", "0.998", says="coverage 0.998 needs 499 rows that calibrate, and 220 do: infinite intervals")
    fitted.predict(table, "--coverage", "0.95", lacks="threshold")
