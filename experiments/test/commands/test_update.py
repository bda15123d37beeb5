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


def test_update_calibrates_by_new_rows_refuses_those_that_the_model_knows_and_says_what_they_showed(fitted):
    update = updating(fitted)
    later = fitted.write("later.csv", houses(300, 9))
    update(later, prints=["calibrated by 500 rows, a quantile for each side", "coverage 0.95", "if they drift, none"])
    lacp("info", fitted / "m2.lacp", prints="sides             a quantile for each")
    update(later, "--sides", "both", prints="calibrated by 500 rows, one quantile for both sides\n")
    lacp("info", fitted / "m2.lacp", prints="sides             one quantile for both")
    update(later, "--window", "38", prints="since for coverage 0.95 one for each needs 39 rows\n")
    refused("needs 39 calibration rows at coverage 0.95; found 38", update, later, "--window", "38", "--sides", "each")
    update(later, "--instead")
    update(later, "--window", "100")
    lacp("info", fitted / "m2.lacp", prints="calibrated on 100 rows")
    refused("1000 of 1000 rows are known to the model", update, fitted / "houses.csv")
    update(later)
    take_over(fitted)
    refused("300 of 300 rows are known to the model", update, later)
    refused("no new row is left", update, later, "--known", "drop")
    update(later, "--known", "keep")
    some = fitted.write("some.csv", houses(300, 9) + "77,flat,2000-06-01,281.5\n")
    update(some, "--known", "drop", says="300 of the rows")
    lacp("info", fitted / "m2.lacp", prints="calibrated on 501 rows")
    refused("'price'", update, fitted.write("no.csv", "area,kind,built\n1,flat,2000-01-01\n"))


def test_update_refuses_targets_that_the_fit_would_refuse_with_file_and_line_or_leaves_them_out(place):
    update = updating(place)
    place.fit_fixed(place.write("t.csv", ratings(300, 1)), "--clip", "0,9", "--calibration-folds", "0")
    halves = place.write("halves.csv", ratings(100, 2, 0.5))
    refused(["halves.csv:3: the target is", "expected a whole number"], update, halves)
    update(halves, "--skip-bad", says="50 of 100 rows left out, the first in line 3", prints="calibrated by 110 rows")
    large = place.write("large.csv", ratings(100, 2) + "0.5,121\n")
    refused("large.csv:102: the target is 121; expected 0 to 9", update, large)
    update(large, "--skip-bad", says="1 of 101 rows left out", prints="calibrated by 160 rows")
    # Methods with both ends alone.
    place.fit(place.write("t2.csv", houses(300, 1)), "--target", "price", "--calibration-folds", "0", "--method", "mixture")
    update(place.write("more.csv", houses(60, 3)), prints="one quantile for both sides, the only way of mixture\n")
    # Rows too far out.
    place.fit(place.write("h.csv", houses(300, 1)), "--target", "price", "--calibration-folds", "0", "--method", "exp")
    far = place.write("far.csv", houses(50, 2) + "1e300,flat,2000-06-01,281.5\n")
    refused("far.csv:52: the row lies too far", update, far)
    update(far, "--skip-bad", says="1 of 51 rows left out, the first in line 52")


def test_update_knows_every_row_of_a_fit_again_of_a_few_thousand_rows_and_with_another_prediction(place):
    def row(_, draws):
        return f"{draws.gauss(0, 1)},{draws.gauss(0, 1)}"

    def guessed(more):
        def guess(_, draws):
            y = draws.gauss(0, 1)
            return f"{y + draws.gauss(0, 1) + more},{y}"
        return drawn("guess,y", 300, guess)
    update = updating(place)
    table = place.write("t.csv", drawn("x,y", 6000, row))
    knn = ["--set", "predictor.kind=knn"]
    place.fit_fixed(table, *knn)
    both = place.write("both.csv", table.read_text() + drawn("x,y", 50, row, seed=2).split("\n", 1)[1])
    update(both, "--known", "drop", says="6000 of the rows are known", prints="calibrated by 1250 rows")
    place.fit_fixed(table, *knn, "--no-row-hashes")
    update(both, says="keeps no hashes of its rows")
    place.fit_fixed(place.write("g.csv", guessed(0)), "--prediction", "guess")
    refused("300 of 300 rows are known", update, place.write("h.csv", guessed(0.1)))


def test_update_of_a_model_with_groups_takes_one_row_of_each_new_group_and_covers_new_groups_as_promised(place):
    update = updating(place)
    place.fit_fixed(place.write("t.csv", visits(200, 1, "p")), "--target", "y", "--group", "patient",
                    "--calibration-folds", "0")
    lacp("info", place.model, prints="patient; one row of each group calibrates")
    same = place.write("same.csv", visits(30, 2, "p"))
    later = place.write("later.csv", visits(100, 3, "q"))
    refused("150 of 150 rows are of groups that the model knows", update, same)
    refused("no new row is left", update, same, "--known", "drop")
    refused("'patient'", update, place.write("none.csv", "x,y\n1,2\n"))
    update(later, "--instead", prints=["calibrated by 100 rows", "one row of each new one calibrates"])
    # Each patient counts once: with all rows of them the interval would be as sure, and too narrow.
    take_over(place)
    scores = place.scores(place.write("new.csv", visits(2000, 4, "n")))
    assert float(scores[1]["coverage"]) > 0.9 - 3 * math.sqrt(0.09 / 100)
    refused("500 of 500 rows are known to the model", update, later)


def test_where_coverage_stays_too_small_update_promises_nothing_is_quiet_if_asked_and_samples_many_rows(fitted):
    update = updating(fitted)
    # Ten times the price: calibrated with the old rows, the new ones are still missed.
    other = fitted.write("other.csv", drawn("area,kind,built,price", 60, lambda _, draws: (
        f"{draws.uniform(20, 200)},flat,2000-06-01,{6000 + draws.gauss(0, 1)}")))
    ran = update(other, "--quiet", says="BEWARE after the update the new rows still have coverage")
    assert ran.output == ""
    assert "promise" not in update(other).output
    later = fitted.write("later.csv", houses(1200, 9))
    usual = update(later, "--quiet")
    assert (usual.output, usual.messages) == ("", "")
    update(later, prints="of 1000 of the new rows before")
    twice = fitted.write("twice.csv", houses(20, 9) + houses(20, 9).split("\n", 1)[1])
    update(twice, says="20 of 40 rows equal an earlier one")


def test_where_a_date_falls_from_row_to_row_the_first_rows_are_the_newest(place):
    draws = random.Random(1)
    rows = [f"202{i // 336}-{1 + i // 28 % 12:02}-{1 + i % 28:02},{draws.random()},{draws.gauss(i // 300, 1)}"
            for i in range(900)]

    def table(name, part):
        return place.write(name, "\n".join(["day,x,y", *part]) + "\n")
    place.fit_fixed(table("known.csv", rows[:400]), "--target", "y")
    rising, falling = table("rising.csv", rows[400:]), table("falling.csv", rows[:399:-1])
    said = "column 'day' falls from row to row, so the first rows are taken as the newest"
    update = updating(place)
    for more in ["--window", "100"], ["--window", "100", "--instead"]:
        update(rising, *more, lacks=said)
        expected = (place / "m2.lacp").read_bytes()
        update(falling, *more, says=said)
        assert (place / "m2.lacp").read_bytes() == expected
    dry = ["update", place.model, rising, "--dry-run"]
    assert lacp(*dry).output == lacp(*[falling if part == rising else part for part in dry]).output
    mixed = table("mixed.csv", [*rows[600:], *rows[400:600]])
    update(mixed, "--window", "100", lacks="falls from row")
