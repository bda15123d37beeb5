"""Which rows calibrate, how many are enough, and where intervals end."""
from program import SHORT_TRAINING, check_lacks, drawn, frame, houses, lacp, refused, table_of


def refuses(place, part, table, *more):
    refused(part, "fit", table, "--model", place.model, "--method", "fixed", *more)


def test_fit_says_at_which_levels_all_intervals_are_infinite(place):
    table = place.write("houses.csv", houses(100, 1))  # 20 calibrate
    both = ["--coverage", "0.95,0.68"]
    each = [*both, "--set", "evaluation.sides=each", "split.test=0.2"]
    infinite = "At level 0.05 all intervals are infinite: 20 rows calibrate"
    check_lacks(place.fit_fixed(table, *both).output, infinite)
    two = place.fit_fixed(table, *each, prints=infinite)
    check_lacks(two.messages, infinite)
    check_lacks(two.output, "At level 0.32")
    place.fit_fixed(table, *each, "--quiet", says=infinite)
    # A level that is infinite anyway takes no rows from the others.
    more = place.write("more.csv", houses(600, 1))
    place.fit_fixed(more, "--coverage", "0.999,0.95", prints=[
        "for the sizes, 120 to calibrate", "At level 0.001 all intervals are infinite: 120 rows calibrate"])
    place.fit_fixed(more, "--coverage", "0.995,0.95", prints="for the sizes, 201 to calibrate")


def test_high_coverage_is_fitted_with_a_few_hundred_rows(place):
    for rows, folds in [(130, 2), (520, 0)]:
        lacp("fit", place.write("t.csv", houses(rows, 1)), "--model", place.model, "--coverage", "0.99",
             "--calibration-folds", folds, *SHORT_TRAINING, lacks="all intervals are infinite")


def test_rows_that_belong_together_stay_in_one_part_and_their_column_is_no_attribute(place):
    def visits(n, each):
        def row(i, draws):
            area = draws.uniform(20, 200)
            return f"p{i // each},{area},{3 * area + draws.gauss(0, 10)}"
        return place.write("visits.csv", drawn("patient,area,price", n, row))
    by_patient = ["--group", "patient"]
    place.fit_fixed(visits(600, 5), *by_patient, prints=[
        "  numbers         area\n", "  groups          of 'patient'",
        "  rows            480 for the prediction and, out of 5 folds, for the sizes, 24 to calibrate\n"])
    place.predict(place.write("new.csv", "area\n50\n"))
    # Told to, a fit takes the column as an attribute, too. Of 40 groups half calibrate, as the levels need them.
    visits(600, 15)
    yaml = place.write("visits.yaml", "title: V\nsource: {file: visits.csv}\ntarget: price\n"
                                      "columns: {use: [area, patient], categories: [patient]}\n")
    place.fit_fixed(yaml, *by_patient, prints=["  category        patient: ", ", 20 to calibrate"])
    # Of few groups all calibrate: groups count, not rows.
    for rows, each, part in [(1000, 50, "20 groups, in 10 folds"), (60, 5, "12 groups, in 6 folds")]:
        lacp("fit", visits(rows, each), *by_patient, "--model", place.model, "--method", "knn_error", "--set",
             "predictor.kind=boosted", "predictor.rounds=5", prints=f"{part}: a row of each calibrates")
    for more, part in [("--group patients", "--group 'patients': "),
                       ("--group price", "is the target"),
                       ("--group patient --calibration-folds 7", "2 to 6")]:
        refuses(place, part, visits(60, 5), *more.split())
    two = place.write("two.csv", houses(40, 1))
    refuses(place, "--group 'kind': has 2 groups; expected at least 3", two, "--group", "kind")


def test_where_rows_are_few_all_of_them_calibrate_in_folds_and_that_is_said(place):
    # All of 22 rows calibrate; of these alone, eleven: enough for 0.1, but not for 0.05.
    few = place.write("few.csv", houses(22, 1))

    def fit(*more, **expected):
        return lacp("fit", few, "--model", place.model, *more, **expected)
    folds = fit(prints=["22 rows, in 10 folds: each calibrates", "out of folds, on 22 rows",
                        "with 22 rows to calibrate nineteen models of twenty have 0.8"])
    check_lacks(folds.output, "all intervals are infinite")
    assert folds.output.count("measured, not a theorem") == folds.output.count("four tenths") == 1
    apart = fit("--calibration-folds", "0", prints="At level 0.05 all intervals are infinite: 11 rows calibrate")
    check_lacks(apart.output, "At level 0.1 all intervals", "theorem")
    fit("--coverage", "0.99", prints="At level 0.01 all intervals are infinite: 22 rows calibrate")
    fit("--sides", "each", prints="method          knn_error, seed 1, a quantile for each side")
    for table, more, part in [
            (few, "--calibration-folds 12", "expected 0, or 2 to 11"),
            (few, "--calibration-folds 5 --sides each", "--sides both"),
            (place.write("19.csv", houses(19, 1)), "", "has 19 rows; a fit needs at least 20")]:
        refused(part, "fit", table, "--model", place.model, "--quiet", *more.split(), *SHORT_TRAINING)


def test_a_column_that_is_read_by_means_of_the_target_may_be_calibrated_in_folds(place):
    table = place.write("shops.csv", table_of(
        "shop,x,y", 210, lambda i: f"shop {i % 70},{i * 7 % 11},{i % 70 + i * 7 % 13}"))
    place.fit_fixed(table, "--calibration-folds", "5", prints=[
        "read by the mean of the target", "210 rows, in 5 folds: each calibrates"])
    assert len(place.intervals(table)) == 210


def test_intervals_end_where_the_target_does_and_cover_as_much_as_before(place):
    def row(_, draws):
        x = draws.uniform(-1, 1)
        return f"{x},{max(0, x + draws.gauss(0, 0.5))}"
    table = place.write("rows.csv", drawn("x,y", 500, row))
    rest = place.write("more.csv", drawn("x,y", 400, row, 2))

    def ends(*options):
        place.fit_fixed(table, *options)
        return [[float(row[name]) for name in ("lower_90", "upper_90", "prediction")] for row in place.intervals(rest)]

    def covered(intervals):
        truth = [float(row["y"]) for row in frame(rest.read_text())]
        return sum(low <= y <= high for y, (low, high, _) in zip(truth, intervals, strict=True))
    free, cut = ends(), ends("--clip", "0,")
    assert [ends[:2] for ends in cut] == [[max(0, low), max(0, high)] for low, high, _ in free]
    assert min(prediction for *_, prediction in cut) >= 0
    assert sum(low < 0 for low, *_ in free) > 100
    assert covered(free) <= covered(cut)  # an interval below 0 is cut to 0
    # A description says it, too.
    by_option = (place / "out.csv").read_text()
    place.fit_fixed(place.write("rows.yaml", "title: R\nsource: {file: rows.csv}\ntarget: {column: y, min: 0}\n"))
    place.predict(rest)
    assert (place / "out.csv").read_text() == by_option
    for clip, part in [("0.1,", "'y' is 0 in a row"), ("5", "--clip '5': "), ("3,2", "--clip '3,2': ")]:
        refuses(place, part, table, "--clip", clip)


def test_where_all_targets_are_whole_numbers_so_are_the_ends_of_intervals_unless_told_otherwise(place):
    def row(_, draws):
        a = draws.uniform(0, 5)
        return f"{a},{int(a * draws.uniform(0, 2))}"
    table = place.write("counts.csv", drawn("a,y", 100, row))

    def share_of_whole():
        ends = [float(row[name]) for row in place.intervals(table)
                for name in ("lower_95", "upper_95", "lower_68", "upper_68")]
        return sum(end >= 0 and end == round(end) for end in ends) / len(ends)
    for folds in (0, 5):
        more = ["--target", "y", "--clip", "0,", "--calibration-folds", folds]
        place.fit_fixed(table, *more, prints="ends            whole numbers")
        assert share_of_whole() == 1
        place.fit_fixed(table, *more, "--no-whole-ends")
        assert share_of_whole() < 0.7  # some are cut to 0
