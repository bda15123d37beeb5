"""Which rows calibrate, how many are enough, and where intervals end."""
from program import SHORT_TRAINING, check_has, check_lacks, drawn, frame, houses, lacp, refused


def refuses(place, part, table, *more):
    refused(part, "fit", table, "--model", place.model, "--method", "fixed", *more)


def test_fit_says_at_which_levels_all_intervals_are_infinite(place):
    table = place.write("houses.csv", houses(100, 1))  # 20 calibrate
    both = ["--coverage", "0.95,0.68"]
    each = [*both, "--set", "evaluation.sides=each", "split.test=0.2"]
    infinite = "BEWARE coverage 0.95 needs 39 rows that calibrate, and 20 do: infinite intervals"
    place.fit_fixed(table, *both, lacks="infinite")
    two = " ".join(place.fit_fixed(table, *each).output.split())
    check_has(two, infinite)
    check_lacks(two, "coverage 0.68 needs")
    place.fit_fixed(table, *each, "--quiet", says=infinite)
    # A level that is infinite anyway takes no rows from the others.
    more = place.write("more.csv", houses(600, 1))
    place.fit_fixed(more, "--coverage", "0.999,0.95", prints=[
        "  rows        600; 120 calibrate\n", "coverage 0.999 needs 999 rows that calibrate, and 120 do"])
    place.fit_fixed(more, "--coverage", "0.995,0.95", prints="  rows        600; 201 calibrate\n")


def test_rows_that_belong_together_stay_in_one_part_and_their_column_is_no_attribute(place):
    def visits(n, each):
        def row(i, draws):
            area = draws.uniform(20, 200)
            return f"p{i // each},{area},{3 * area + draws.gauss(0, 10)}"
        return place.write("visits.csv", drawn("patient,area,price", n, row))
    by_patient = ["--group", "patient"]
    place.fit_fixed(visits(600, 5), *by_patient, prints=[
        "  columns     area\n", "  groups      of 'patient'", "  rows        600; 24 groups calibrate\n"])
    place.predict(place.write("new.csv", "area\n50\n"))
    # Told to, a fit takes the column as an attribute, too. Of 40 groups half calibrate, as the levels need them.
    visits(600, 15)
    yaml = place.write("visits.yaml", "title: V\nsource: {file: visits.csv}\ntarget: price\n"
                                      "columns: {use: [area, patient], categories: [patient]}\n")
    place.fit_fixed(yaml, *by_patient, prints=["patient (category of ", "; 20 groups calibrate\n"])
    # Of few groups all calibrate: groups count, not rows.
    for rows, each, part in [(1000, 50, "1000; every row trains, 20 groups calibrate"), (60, 5, "60; every row trains, 12 groups calibrate")]:
        lacp("fit", visits(rows, each), *by_patient, "--model", place.model, "--set", "predictor.kind=boosted",
             "predictor.rounds=5", prints=part)
    for more, part in [("--group patients", "--group 'patients': "),
                       ("--group price", "is the target")]:
        refuses(place, part, visits(60, 5), *more.split())
    two = place.write("two.csv", houses(40, 1))
    refuses(place, "--group 'kind': has 2 groups; expected at least 3", two, "--group", "kind")


def test_up_to_5000_rows_all_of_them_train_and_calibrate_and_that_is_said(place):
    # All of 22 rows calibrate; of these alone, eleven: enough for 0.1, but not for 0.05.
    few = place.write("few.csv", houses(22, 1))

    def fit(*more, **expected):
        return lacp("fit", few, "--model", place.model, *more, **expected)
    every = fit(prints=["22; every row trains, 22 calibrate", " or more ", "on rows that were not seen"])
    check_lacks(every.output, "infinite")
    assert every.output.count("as measured; ") == 1
    apart = fit("--calibration", "split", prints="coverage 0.95 needs 19 rows that calibrate, and 11 do")
    check_lacks(apart.output, "coverage 0.9 needs", "theorem")
    fit("--coverage", "0.99", prints="coverage 0.99 needs 99 rows that calibrate, and 22 do")
    fit("--sides", "each", prints="  method      knn_error, seed 1, a quantile for each side")
    for table, more, part in [
            (few, "--calibration-folds 0", "--calibration split"),
            (few, "--calibration rows", "--calibration: rows not in"),
            (few, "--calibration every-row --method mondrian", "--calibration every-row: not for --method mondrian"),
            (few, "--calibration every-row --set split.test=0.3", "--calibration every-row: leave out --set split"),
            (place.write("19.csv", houses(19, 1)), "", "has 19 rows; a fit needs at least 20")]:
        refused(part, "fit", table, "--model", place.model, "--quiet", *more.split(), *SHORT_TRAINING)


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
    place.fit_fixed(place.write("rows.yaml", "title: R\nsource: {file: rows.csv}\ntarget: {column: y, min: 0}\n"))
    assert [[float(row[name]) for name in ("lower_90", "upper_90", "prediction")] for row in place.intervals(rest)] == cut
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
    for calibration in ("split", "every-row"):
        more = ["--target", "y", "--clip", "0,", "--calibration", calibration]
        place.fit_fixed(table, *more, prints="whole, as all targets are")
        assert share_of_whole() == 1
        place.fit_fixed(table, *more, "--no-whole-ends")
        assert share_of_whole() < 0.7  # some are cut to 0
