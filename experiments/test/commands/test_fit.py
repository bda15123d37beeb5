"""`lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line."""
import math
import re

import pytest
from program import SHORT_TRAINING, check_lacks, frame, houses, lacp, refused, table_of


def with_area(n, row, area):
    """Houses, one of them with this area."""
    lines = houses(n, 1).splitlines(True)
    lines[row + 1] = area + lines[row + 1][lines[row + 1].index(","):]
    return "".join(lines)


def refuses(place, part, table, *more, **how):
    refused(part, "fit", table, "--model", place.model, "--quiet", *more, **how)


def test_intervals_cover_as_promised_whatever_the_order_of_the_columns(fitted):
    def other_order(i, house):
        return f'"n, {i}",{house["built"]},{house["area"]},{house["price"]},{house["kind"]}'
    new = frame(houses(2000, 2))
    held_out = fitted.write("new.csv", table_of("note,built,area,price,kind", 2000, lambda i: other_order(i, new[i])))
    fitted.predict(held_out, says="held nothing and were filled as in the fit")
    out = frame((fitted / "out.csv").read_text())
    assert ",".join(out[0]) == "line,prediction,lower_95,upper_95,lower_90,upper_90,lower_68,upper_68"
    assert [int(row["line"]) for row in out] == list(range(2, 2002))
    for level, scores in zip([0.05, 0.1, 0.32], fitted.scores(held_out), strict=True):
        name = f"{100 - 100 * level:.0f}"
        rows = [(float(house["price"]), float(row[f"lower_{name}"]), float(row[f"upper_{name}"]))
                for house, row in zip(new, out, strict=True)]
        misses = [max(lower - y, y - upper, 0) for y, lower, upper in rows]
        sizes = [0.5 * (upper - lower) for _, lower, upper in rows]
        covered = misses.count(0) / 2000
        # 120 rows calibrate: three standard deviations of a Beta around which 2000 rows are binomial.
        assert abs(covered - (1 - level)) < 3 * math.sqrt(level * (1 - level) * (1 / 120 + 1 / 2000))
        expected = {"level": level, "coverage": covered, "half_width": sum(sizes) / 2000,
                    "winkler": (2 * sum(sizes) + 2 / level * sum(misses)) / 2000}
        assert {score: float(scores[score]) for score in expected} == pytest.approx(expected, rel=1e-9)
    fitted.evaluate(held_out, prints=["new.csv: 2000 rows\n", "by tenths of the rows"])


def test_fit_says_what_it_learnt_and_what_it_guessed(place):
    table = place.write("houses.csv", houses(300, 1))

    def fit(method, *settings, **expected):
        return lacp("fit", table, "--method", method, "--model", place.model, "--calibration-folds", "0",
                    *SHORT_TRAINING, *settings, **expected)
    fit("forest", says="houses.csv: 300 rows, 6 attributes; fitting forest", prints=[
        "m.lacp: predicts price at levels 0.05, 0.1, 0.32", "guessed, since there is no description",
        "- \"kind\"  # guess: 2 different values in 300 cells", "marks: [\"NA\"]  # guess: ", "do: fill  # guess: ",
        "  numbers         area", "  category        kind: flat, house",
        "  date            built: weekday, month, year", "  filled          area (",
        "  rows            240 for the prediction and, out of 5 folds, for the sizes, 60 to calibrate",
        "  prediction      ", " boosted trees", " network (", " epochs)", "  method          ", " network.hidden=[8] ",
        "tenth of the rows  level 0.05  level 0.1  level 0.32\n"])
    fit("adapt", prints=["  epochs          ", "the best of ", "  adaptation      "], says="at most 3 epochs")
    # The paper's way.
    paper = fit("exp", "predictor.kind=knn", "predictor.cross_fit=0", prints=[
        "  rows            120 for the prediction, 120 for the sizes, 60 to calibrate", "  K               ",
        " neighbours\n"])
    check_lacks(paper.output, "adaptation")


def test_options_of_fit_make_the_model(place):
    table = place.write("houses.csv", houses(100, 1))

    def model(*more):
        place.fit(table, "--calibration-folds", "0", *more)
        return place.model.read_bytes()
    fixed = ["--method", "fixed"]
    usual = model(*fixed)
    for more in [["--target", "price", "--seed", "001", "--coverage", "95,0.9,68.0"],
                 ["--seed", "1", "--jobs", "1", "--coverage", "0.95,0.9,.68"]]:
        assert model(*fixed, *more) == usual
    for more in [["--seed", "2"], ["--coverage", "0.8"], ["--set", "predictor.rounds=3"],
                 ["--set", "predictor.kind=knn"]]:
        assert model(*fixed, *more) != usual
    automatic = model()
    assert model("--method", "erc") != automatic


def test_options_of_fit_that_are_wrong_are_refused(place):
    table = place.write("houses.csv", houses(100, 1))
    for more, part in [
            ("--method expp", "'expp' (did you mean 'exp'?)"),
            ("--coverage 1.5", "--coverage 1.5: "),
            ("--coverage 195", "--coverage 195: "),
            ("--coverage 0.9,0.90", "--coverage: 0.9 is given twice"),
            ("--seed -1", "--seed: found '-1'"),
            ("--seed 18446744073709551616", "--seed: found '18446744073709551616'"),
            ("--seed 1e3", "--seed: found '1e3'"),
            ("--method mixture --set evaluation.sides=each", "sides: each"),
            ("--set training.epoch=3", "training.epoch"),
            ("--set runs=3", "--set runs=3: is no setting of a fit"),
            ("--set predictor.kind=mlp predictor.rounds=3", "--set predictor.rounds=3: "),
            ("--target prize", "(did you mean 'price'?)")]:
        refuses(place, part, table, *more.split(), *SHORT_TRAINING)
    for data, part in [(place / "none.csv", "none.csv: is not there"), ("concret", "there is no data set 'concret'"),
                       ("cos", "cos: is synthetic")]:
        refuses(place, part, data, *SHORT_TRAINING)


def test_fit_takes_a_data_sets_name_or_its_yaml_with_a_target_of_log_of_1_plus_y(place):
    place.write("houses.csv", houses(120, 1))
    yaml = place.write("houses.yaml",
                       "title: H\nsource: {file: houses.csv}\ntarget: {sum: [price], log: true}\n"
                       "columns: {categories: [kind], drop: [built]}\nmissing: {marks: [NA], do: fill}\n")
    place.fit_fixed(yaml)
    by_yaml = place.model.read_bytes()
    place.fit_fixed("houses", "--datasets-folder", place.folder)
    assert place.model.read_bytes() == by_yaml
    refuses(place, "'log(1 + price)'", yaml, "--method", "fixed", "--target", "price")
    place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n"), says="log(1 + y)")
    second = frame((place / "out.csv").read_text())[1]
    assert float(second["prediction"]) > 100  # 300 or so; its logarithm is below 6
    assert float(second["lower_90"]) < float(second["prediction"])


def test_a_fit_that_fails_writes_no_model_and_advice_about_training_is_for_what_is_trained(place):
    def fails(part, table, *more, **expected):
        data = place.write("houses.csv", table)
        refuses(place, ["no model was written", part], data, *more, *SHORT_TRAINING, status=1, **expected)
        assert not place.model.exists()
    fails("--set training.learning_rate=1e+29", houses(300, 1),
          "--method", "adapt", "--set", "training.learning_rate=1e30", "training.loss=plain")
    fails("far out: attribute 1 is ", with_area(300, 0, "1e45"),  # a row of the training
          "--method", "fixed", "--set", "predictor.kind=mlp", "predictor.cross_fit=0", lacks="learning_rate")


def test_a_calibration_row_that_lies_too_far_out_is_left_out_of_the_tenths_and_counted(place):
    table = place.write("houses.csv", with_area(300, 8, "1e45"))  # one of those that calibrate
    said = place.fit_fixed(table, "--coverage", "0.9", prints="  1 calibration row lies too far ").output
    first, last = re.findall("^ *(?:1|10)  +(.*)$", said, re.MULTILINE)
    assert first == last  # `fixed` gives all tenths the same size


def test_fit_drops_copies_where_every_row_has_as_many_else_keeps_all_and_copies_decides(place):
    header, *rows = houses(200, 1).splitlines(True)
    twice = place.write("twice.csv", "".join([header, *rows, *rows]))
    place.fit_fixed(place.write("houses.csv", "".join([header, *rows])), lacks=["repeated rows", "--copies"])
    model = place.model.read_bytes()
    place.fit_fixed(twice, says=["each different row occurs 2 times", "--copies keep"],
                    prints="  repeated rows   200 of 400 rows")
    assert place.model.read_bytes() == model
    # Whoever has decided is told in the report alone.
    kept = place.fit_fixed(twice, "--copies", "keep", prints=": all are used\n")
    check_lacks(kept.messages, "--copies")
    assert place.model.read_bytes() != model
    # One row less, and the table does not tell copies from rows that repeat.
    some = place.write("some.csv", "".join([header, *rows, *rows[1:]]))
    place.fit_fixed(some, "--quiet", "--json", says=["199 of 399 rows", "all are used"],
                    prints='"repeated_rows":199,\n"copies_dropped":0,')
    place.fit_fixed(some, "--copies", "drop", "--json", prints='"repeated_rows":199,\n"copies_dropped":199,')
    refuses(place, "--copies: some not in {keep,drop}", some, "--copies", "some")


def test_a_table_of_nearly_all_zeros_is_fitted_whatever_the_seed(place):
    table = place.write("zeros.csv", table_of("a,y", 80, lambda i: f"{i * 37 % 80},{1.5 if i == 41 else 0}"))
    for seed in (1, 2, 3):
        for folds in (0, 4):
            place.fit(table, "--target", "y", "--seed", seed, "--calibration-folds", folds)
