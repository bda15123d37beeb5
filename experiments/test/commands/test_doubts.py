"""What speaks against a promise, and whether `lacp fit` and `lacp evaluate` say so."""
import random

import pytest
from program import check_has, check_lacks, drawn, houses, lacp

# One model in place of those of ten folds.
QUICK = ("--calibration", "split", "--set", "predictor.kind=boosted")


def readings(n, drift, seed=1):
    """Readings of a sensor, one an hour, whose level moves by `drift` in all."""
    draws = random.Random(seed)
    rows = []
    for i in range(n):
        load = draws.uniform(0, 10)
        time = f"2024-{1 + i // 672:02}-{1 + i // 24 % 28:02} {i % 24:02}:00"
        rows.append(f"{time},{load},{2 * load + drift * i / n + draws.gauss(0, 1)}\n")
    return rows


def in_time(rows):
    return "time,load,y\n" + "".join(rows)


def visits(patients, name, label):
    """Five visits of each patient. Patients differ from each other by far more than the visits of one do."""
    own = {}

    def row(i, draws):
        patient = i // 5
        own.setdefault(patient, draws.gauss(0, 20))
        dose = draws.uniform(0, 10)
        return f"{label.format(patient)},{dose},{own[patient] + dose + draws.gauss(0, 1)}"
    return drawn(f"{name},dose,y", 5 * patients, row)


def doubled(n, seed, least=-100):
    """y of about 2x, with noise of at least this."""
    def row(_, draws):
        x = draws.uniform(0, 10)
        return f"{x},{2 * x + max(draws.gauss(0, 1), least)}"
    return drawn("x,y", n, row, seed)


def fit(place, text, *more):
    """What a fit of this table says, on one line."""
    return " ".join(place.fit_fixed(place.write("t.csv", text), "--target", "y", *more).output.split())


def test_evaluate_marks_coverage_outside_of_what_calibration_and_the_number_of_rows_explain(place):
    drifting = readings(1000, 20)
    fit(place, in_time(drifting[:700]))
    later = place.write("later.csv", in_time(drifting[700:]))
    score = place.scores(later)[0]
    assert score["outside"] == "below" and float(score["coverage"]) < float(score["expected_low"])
    place.evaluate(later, prints=f"{float(score['coverage']):.4f}*", lacks="lopsided")
    # Rows of the same source: one of forty lies below by chance, of 9 three and more hardly ever.
    marks = [row["outside"] for seed in (2, 3, 4) for row in place.scores(place.write("same.csv", in_time(readings(1000, 20, seed)[:700])))]
    assert marks.count("below") <= 2


def test_no_advice_about_sides_is_given_to_a_model_that_has_them(place):
    lopsided = place.write("l.csv", doubled(2000, 2, -1))  # misses lie above the interval alone
    known = doubled(800, 1, -1)
    fit(place, known, "--coverage", "0.9")
    place.evaluate(lopsided, prints=["advice: misses at coverage 0.9 are lopsided: lacp fit --sides each"])
    fit(place, known, "--coverage", "0.9", "--sides", "each")
    place.evaluate(lopsided, lacks="advice:")


def test_a_prediction_that_explains_nothing_is_named_and_a_good_one_is_not(place):
    noise = place.write("noise.csv", drawn("x,y", 600, lambda _, draws: f"{draws.random()},{draws.gauss(0, 1)}"))
    place.fit_fixed(noise, prints="  BEWARE R² is ")
    check_lacks(fit(place, doubled(600, 1)), "BEWARE")


def test_a_few_extreme_targets_are_counted_and_not_taken_for_columns_that_say_nothing(place):
    def fit_with_extremes(every):
        def row(i, draws):
            x = draws.uniform(1, 10)
            y = 3 * x + draws.gauss(0, 1) + 5
            return f"{x},{1000 * y if (i + 1) % every == 0 else y}"
        return fit(place, drawn("x,y", 1000, row))
    said = fit_with_extremes(100)
    check_has(said, "BEWARE 10 of 1000 targets more than ", "times as large as all others: check their unit")
    check_lacks(said, "these columns")
    check_lacks(fit_with_extremes(100000), "BEWARE")


def test_where_intervals_leave_what_all_targets_keep_to_clip_is_named(place):
    def table(low, high):
        def row(_, draws):
            x = draws.random()
            return f"{x},{min(max(x + draws.gauss(0, 0.2), low), high)}"
        return drawn("x,y", 300, row)
    check_has(fit(place, table(0, 1)), "all targets are within 0 and 1: --clip 0,1")
    check_has(fit(place, table(0, 9)), "no target is below 0: --clip 0,")
    check_lacks(fit(place, table(0, 1), "--clip", "0,1"), "--clip")
    check_lacks(fit(place, table(0.5, 0.6)), "--clip")  # no interval comes near


def trending(times, drift, seed=1):
    """Rows of these times, with a target that moves by `drift` deviations of the noise from the first to the last."""
    draws = random.Random(seed)
    rows = [(draws.uniform(0, 10), draws.gauss(0, 1)) for _ in times]
    return [f"{time},{load},{2 * load + drift * i / len(rows) + noise}\n" for i, (time, (load, noise)) in enumerate(zip(times, rows))]


WEEKS = [f"{2012 + i // 364}-W{1 + i // 7 % 52:02}" for i in range(700)]


@pytest.mark.parametrize("times", [
    [f"202{i // 336}-{1 + i // 28 % 12:02}-{1 + i % 28:02}" for i in range(700)],
    [1_500_000_000_000 + 86_400_000 * i for i in range(700)],  # milliseconds
    [1 + i // 7 for i in range(700)],  # numbers of weeks
    WEEKS,
    [i * 7919 % 701 for i in range(700)],  # nothing but the order of the rows
], ids=["dates", "milliseconds", "weeks", "ISO weeks", "order"])
def test_errors_that_move_from_row_to_row_are_seen_whatever_the_time_is_written_as(place, times):
    moves = "BEWARE errors move with "
    for rows in trending(times, 8)[::-1], trending(times, -8):
        check_has(fit(place, in_time(rows), *QUICK), moves)
    said = fit(place, in_time(trending(times, 0)), *QUICK)
    check_lacks(said, moves, "names")  # nor are weeks taken for groups


def test_a_trend_that_is_none_of_time_is_not_taken_for_one(place):
    """Other columns explain it, or rows come in any order."""
    rows = [f"2024-{1 + i // 56:02}-{1 + i % 28:02},{i / 60 + random.Random(i).gauss(0, 1)}" for i in range(600)]
    explained = [f"{row},{2 * float(row.split(',')[1]) + random.Random(1000 + i).gauss(0, 1)}\n" for i, row in enumerate(rows)]
    check_lacks(fit(place, in_time(explained), *QUICK), "errors move")
    shuffled = trending(range(600), 8)
    random.Random(5).shuffle(shuffled)
    check_lacks(fit(place, in_time(shuffled), *QUICK), "errors move")


def test_a_column_that_was_the_same_in_every_row_of_the_fit_and_is_not_any_more_is_said(place):
    def table(count, firmware, site):
        return drawn("firmware,site,x,y", count, lambda i, draws: f"{firmware(i)},{site(i)},{draws.random()},{draws.random()}")
    place.fit_fixed(place.write("t.csv", table(600, lambda _: "v2.1", lambda _: 7)), "--target", "y", prints="firmware: the same in every row")
    new = place.write("new.csv", table(800, lambda i: "v3.0" if i % 2 else "v2.1", lambda i: "7.0" if i % 4 else 8))
    said = ["400 of 800 rows have another 'firmware' than every row of the fit\n", "200 of 800 rows have another 'site' than"]
    place.predict(new, "--quiet", says=said)
    place.evaluate(new, says=said)
    lacp("update", place.model, new, "--output", place / "m2.lacp", says=said)
    for same in [table(50, lambda _: "v2.1", lambda i: "" if i % 2 else 7), "x,y\n0.5,0.5\n"]:
        place.predict(place.write("same.csv", same), lacks="another")


def test_a_column_whose_values_name_groups_is_seen_and_group_is_named(place):
    for name, label in [("patient", "P{:03}"), ("patient_id", "{}"), ("who", "w{}"), ("Kunde-Nr", "{}"), ("école", "{}")]:
        table = visits(120, name, label)
        check_has(fit(place, table, *QUICK), f"BEWARE '{name}' names 120 groups of 5.0 rows", "say --group ")
        check_lacks(fit(place, table, "--group", name, "--set", "predictor.kind=boosted"), "--group")
    # Numbers that measure something, and few names.
    check_lacks(fit(place, visits(120, "size", "{}"), *QUICK), "--group")
    place.fit_fixed(place.write("t.csv", houses(300, 1)), lacks="--group")
