"""What speaks against a promise, and whether `lacp fit` and `lacp evaluate` say so."""
import json
import random

from program import check_has, check_lacks, drawn, houses, lacp

# One model in place of those of ten folds.
QUICK = ("--calibration-folds", "0", "--set", "predictor.kind=boosted")


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


def test_evaluate_says_when_coverage_lies_below_what_calibration_and_the_number_of_rows_explain(place):
    drifting = readings(1000, 20)
    fit(place, in_time(drifting[:700]))
    later = place.write("later.csv", in_time(drifting[700:]))
    coverage = float(place.scores(later)[0]["coverage"])
    said = place.evaluate(later, says=[  # what it ends with does not change
        f"coverage {coverage:.3f} where 0.", "to be expected (level 0.05)", "later in time"])
    # One range for one thing: that of --json, at the levels that are spoken of.
    scores = json.loads(place.evaluate(later, "--json").output)
    for score in scores[:2]:
        low, high = score["expected_low"], score["expected_high"]
        check_has(said.messages, f"{score['coverage']:.3f} where {low:.3f} to {high:.3f} was to be expected")
    check_lacks(said.messages, "lopsided")  # the misses lie on one side, but sides are not the reason

    # Rows of the same source: nothing is said, whatever the draw. Chance of one: 1.5 % at most.
    for seed in range(2, 8):
        same = place.write("same.csv", in_time(readings(1000, 20, seed)[:700]))
        check_lacks(place.evaluate(same).messages, "to be expected")


def test_no_advice_about_sides_is_given_to_a_model_that_has_them(place):
    lopsided = place.write("l.csv", doubled(2000, 2, -1))  # misses lie above the interval alone
    fit(place, doubled(800, 1), "--coverage", "0.9")
    place.evaluate(lopsided, says=["lopsided at level 0.1", "--sides each"])
    fit(place, doubled(800, 1), "--coverage", "0.9", "--sides", "each")
    assert place.evaluate(lopsided).messages == ""


def test_fit_says_what_its_promise_rests_on_and_what_a_prediction_that_explains_nothing_is(place):
    noise = place.write("noise.csv", drawn("x,y", 600, lambda _, draws: f"{draws.random()},{draws.gauss(0, 1)}"))
    place.fit_fixed(noise, prints=["  promise ", "same source", "  BEWARE          R² is "])
    check_lacks(fit(place, doubled(600, 1)), "BEWARE")


def test_quiet_hides_no_doubt_about_the_promise(place):
    table = place.write("t.csv", visits(120, "patient", "P{:03}"))
    doubts = ["BEWARE 'patient' names 120 groups", "--group patient"]
    assert place.fit_fixed(table, "--quiet", says=doubts).output == ""
    check_lacks(place.fit_fixed(table, "--quiet", "--group", "patient").messages, "--group")


def test_a_few_extreme_targets_are_counted_and_not_taken_for_columns_that_say_nothing(place):
    def fit_with_extremes(every):
        def row(i, draws):
            x = draws.uniform(1, 10)
            y = 3 * x + draws.gauss(0, 1) + 5
            return f"{x},{1000 * y if (i + 1) % every == 0 else y}"
        return fit(place, drawn("x,y", 1000, row))
    said = fit_with_extremes(100)
    check_has(said, "BEWARE 10 of 1000 targets are more than ", "times as large as all others: check their unit")
    check_lacks(said, "next to nothing", "no attribute tells more")
    check_lacks(fit_with_extremes(100000), "BEWARE")


def test_an_id_that_follows_the_target_is_said_to_leak_it_and_any_other_is_not(place):
    def table(leaks):
        def row(i, draws):
            place_of_row = i * 37 % 300  # the rows come in no order
            number = 17 + 3 * place_of_row if leaks else 1000 + i * 101 % 300
            return f"P{number:04},{draws.random()},{0.01 * place_of_row + draws.gauss(0, 0.1)}"
        return drawn("id,x,y", 300, row)
    leak = "it follows the target (rank correlation 0.9"
    check_has(fit(place, table(True)), "id: an id, different in every row", leak)
    check_has(fit(place, table(True), "--json"), leak)
    check_lacks(fit(place, table(False)), "follows the target")


def test_where_intervals_leave_what_all_targets_keep_to_clip_is_named(place):
    def table(low, high):
        def row(_, draws):
            x = draws.random()
            return f"{x},{min(max(x + draws.gauss(0, 0.2), low), high)}"
        return drawn("x,y", 300, row)
    check_has(fit(place, table(0, 1)), "range all targets are within 0 and 1, but intervals of ", "--clip 0,1 ")
    check_has(fit(place, table(0, 9)), "range no target is below 0, but intervals of ", "--clip 0, ")
    check_lacks(fit(place, table(0, 1), "--clip", "0,1"), "--clip")
    check_lacks(fit(place, table(-9, 9)), "--clip")
    check_lacks(fit(place, table(0.5, 0.6)), "--clip")  # no interval comes near


def test_where_a_date_rises_fit_tries_itself_on_the_last_tenth(place):
    drifting = readings(600, 20, 3)
    # The coverage that it reports is the one of such a fit.
    fit(place, in_time(drifting[:540]))
    coverage = float(place.scores(place.write("last.csv", in_time(drifting[540:])))[0]["coverage"])
    beware = "BEWARE rows stand in order of 'time'"
    check_has(fit(place, in_time(drifting)), beware, f"coverage {coverage:.3f} where ")
    assert coverage < 0.5
    # Whatever stands around the table, in whatever letters, in whichever order.
    table = in_time(drifting)
    check_has(fit(place, f"A report,,\nby us,,\n{table}\n* provisional figures\n"), beware)
    check_has(fit(place, table.replace("load", "länge").encode("latin-1")), beware)
    drifting.reverse()
    check_has(fit(place, in_time(drifting)), beware)
    warnings = json.loads(place.fit_fixed(place.write("t.csv", table), "--json", "--quiet").output)["warnings"]
    assert len(warnings) == 1
    assert warnings[0].startswith("rows stand in order of 'time'")
    # Nothing moves, or rows come in any order.
    check_lacks(fit(place, in_time(readings(600, 0))), "BEWARE")
    drifting[3], drifting[500] = drifting[500], drifting[3]
    check_lacks(fit(place, in_time(drifting)), "BEWARE")


def test_columns_that_the_target_is_made_of_are_named_and_a_prediction_that_is_nearly_exact_is_doubted(place):
    def table(made):
        def row(_, draws):
            a, b = draws.randrange(1000), draws.randrange(1000)
            return f"{a},{'' if draws.random() < 0.1 else b},{draws.random()},{made(a, b, draws)}"
        return drawn("casual,registered,z,y", 300, row)
    for made, said in [(lambda a, b, _: a + b, "'y' is 'casual' + 'registered' in every row"),
                       (lambda a, b, _: b - a, "'y' is 'registered' - 'casual' in every row"),
                       (lambda a, b, _: round(1.19 * a, 2), "'y' is 1.19 times 'casual' in every row")]:
        said_of = fit(place, table(made), *QUICK)
        check_has(said_of, f"BEWARE {said}", "say --drop ")
        drop = said_of.split("--drop ")[1].split(",")[0].split()[0]
        check_lacks(fit(place, table(made), "--drop", drop, *QUICK), "in every row")
    check_lacks(fit(place, table(lambda a, b, draws: a + b + draws.gauss(0, 100)), *QUICK), "in every row", "too good")
    nearly = drawn("x,y", 300, lambda _, draws: (lambda x: f"{x},{x * x}")(draws.uniform(1, 2)))
    said = lacp("fit", place.write("t.csv", nearly), "--model", place.model, "--quiet").messages
    check_has(said, "BEWARE R² is above 0.999 on rows", "too good to be true", "(--drop)")


def test_predict_counts_cells_that_lie_far_from_those_of_the_fit(place):
    place.fit_fixed(place.write("t.csv", doubled(300, 1)))
    place.predict(place.write("new.csv", "x\n5\n12\n-3\n"), lacks="deviations")
    far = place.write("far.csv", "x\n5\n500\n-1000\n")
    place.predict(far, says="2 rows have 'x' more than 20 standard deviations from its mean at the fit (")
    place.predict(far, "--quiet", lacks="deviations")


def test_a_column_whose_values_name_groups_is_seen_and_group_is_named(place):
    for name, label in [("patient", "P{:03}"), ("patient_id", "{}"), ("who", "w{}")]:
        table = visits(120, name, label)
        check_has(fit(place, table), f"BEWARE '{name}' names 120 groups of 5.0 rows", "say --group ")
        check_lacks(fit(place, table, "--group", name), "--group")
    for name in ("Kunde-Nr", "cliente", "école"):
        check_has(fit(place, visits(120, name, "{}"), *QUICK), f"BEWARE '{name}' names 120 groups of 5.0 rows")
    # Numbers that measure something, and few names.
    check_lacks(fit(place, visits(120, "size", "{}")), "--group")
    place.fit_fixed(place.write("t.csv", houses(300, 1)), lacks="--group")


def test_predictions_of_ones_own_that_know_their_rows_are_named_and_others_are_not(place):
    def table(known):
        """Of the noise of each row they know this share."""
        def row(_, draws):
            x, noise = draws.uniform(0, 10), draws.gauss(0, 1)
            return f"{x},{draws.random()},{3 * x + known * noise},{3 * x + noise}"
        return drawn("x,z,guess,y", 600, row, 5)
    seen = fit(place, table(0.6), "--prediction", "guess")
    check_has(seen, "BEWARE 'guess' has an RMSE of 0.", "made without their row?")
    unseen = fit(place, table(0), "--prediction", "guess")
    check_lacks(unseen, "BEWARE")  # the truth, which boosted trees come near
    check_lacks(seen + unseen, "which it has not seen")
