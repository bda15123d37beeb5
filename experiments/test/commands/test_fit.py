"""`lacp fit`, `lacp predict`, `lacp evaluate`: from a csv to intervals by the command line."""
import json
import math
import re

import numpy
import pytest
from program import SHORT_TRAINING, SOURCE, check_has, check_lacks, drawn, frame, houses, lacp, refused, table_of


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
    fitted.predict(held_out, says=" missing, filled as in the fit")
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
        expected = {"promised": 1 - level, "coverage": covered, "half_width": sum(sizes) / 2000,
                    "winkler": (2 * sum(sizes) + 2 / level * sum(misses)) / 2000}
        assert {score: float(scores[score]) for score in expected} == pytest.approx(expected, rel=1e-9)
    fitted.evaluate(held_out, prints=["new.csv: 2000 rows\n", "by tenths of the rows"])


def test_the_screen_of_fit_has_at_most_20_lines_and_says_nothing_twice(place):
    rows = frame(houses(400, 1))
    header = "id,note,area,kind,built,region,weekday,price"
    wide = place.write("t.csv", table_of(header, 400, lambda i: (
        f"{9000 + i},same,{rows[i]['area']},{rows[i]['kind']},{rows[i]['built']},r{i % 3},{i % 7},{rows[i]['price'] if i % 40 else ''}")))
    known = place.write("known.csv", "".join((SOURCE / "datasets/concrete.csv").read_text().splitlines(True)[:301]))
    huge = place.write("huge.csv", table_of("a,y", 100, lambda i: f"{i * 37 % 101}.5,{'-' * (i % 2)}1e308"))
    rising = place.write("rising.csv", drawn("nr,when,store,region,a,b,junk,y", 400, lambda i, draws: (  # all that there is to say
        f"{9000 + i},{2019 + i // 336}-{1 + i // 28 % 12:02}-{1 + i % 28:02},s{i % 40},r{i % 9},{draws.random() if i % 9 else ''},{i % 5},same,"
        f"{max(0, round(5 + i / 50 + draws.gauss(0, 3))) * (100000 if i == 77 else 1) if i % 50 else ''}")))
    for words in [*([rising, "--by", by, "--method", method, *more, "--set", "predictor.rounds=20"] for by, method, more in [
                      ("region", "forest", []), ("store", "adapt", ["--clip", "0,1e9"])]),
                  [known, "--set", "predictor.rounds=20"], [huge, "--method", "fixed"],
                  [wide, "--target", "price"], [wide, "--target", "price", "--clip", "0,", "--by", "region", "--drop", "note"],
                  [wide, "--target", "price", "--group", "id"], [known, "--target", "compressive_strength", "--copies", "drop"]]:
        ran = lacp("fit", *words, "--model", place.model, *SHORT_TRAINING)
        lines = [line.strip() for line in ran.output.splitlines()]
        assert len(lines) <= 20, ran.output
        assert all(len(line) <= 90 for line in lines[1:]), ran.output  # the first has the path of the model
        said = lines + ran.messages.splitlines()
        assert len(set(said)) == len(said) and "level" not in ran.output
        assert max((ran.output + ran.messages).count(option) for option in ("--calibration", "--copies", "not used")) <= 1
        check_lacks(ran.output, "1 errors", "1 values", "nan", "RMSE inf")


def test_options_of_fit_make_the_model(place):
    table = place.write("houses.csv", houses(100, 1))

    def model(*more):
        place.fit(table, "--calibration", "split", *more)
        return place.model.read_bytes()
    fixed = ["--method", "fixed"]
    usual = model(*fixed)
    assert model(*fixed, "--target", "price", "--seed", "001", "--jobs", "1", "--coverage", "95,0.9,.68") == usual
    for more in [["--seed", "2"], ["--coverage", "0.8"], ["--set", "predictor.rounds=3"]]:
        assert model(*fixed, *more) != usual
    assert model("--method", "erc") != model()


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
            ("--target prize", "(did you mean 'price'?)")]:
        refuses(place, part, table, *more.split(), *SHORT_TRAINING)
    refuses(place, "cos: is synthetic", "cos", *SHORT_TRAINING)


def test_fit_takes_a_data_sets_name_or_its_yaml_with_a_target_of_log_of_1_plus_y(place):
    place.write("houses.csv", houses(120, 1))
    yaml = place.write("houses.yaml",
                       "title: H\nsource: {file: houses.csv}\ntarget: {sum: [price], log: true}\n"
                       "columns: {categories: [kind], drop: [built]}\nmissing: {marks: [NA], do: fill}\n")
    place.fit_fixed(yaml)
    by_yaml = place.model.read_bytes()
    place.fit_fixed("houses", "--datasets-folder", place.folder)
    assert place.model.read_bytes() == by_yaml
    refuses(place, "options such as --drop and --missing belong there", yaml, "--drop", "area")
    refuses(place, "'log(1 + price)'", yaml, "--method", "fixed", "--target", "price")
    place.predict(place.write("new.csv", "kind,area\nflat,50\nhouse,100\n"))
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


def test_a_calibration_row_that_lies_too_far_out_is_left_out_and_counted(place):
    table = place.write("houses.csv", with_area(300, 8, "1e45"))  # one of those that calibrate
    said = place.fit_fixed(table, "--coverage", "0.9", prints="1 calibration row too far out to predict").output
    mean, smallest, largest = re.search("^ +0.9  .*?([0-9.]+) +([0-9.]+) +([0-9.]+)$", said, re.MULTILINE).groups()
    assert mean == smallest == largest  # `fixed` gives all rows the same size


def test_fit_drops_copies_where_every_row_has_as_many_else_keeps_all_and_copies_decides(place):
    header, *rows = houses(200, 1).splitlines(True)
    twice = place.write("twice.csv", "".join([header, *rows, *rows]))
    place.fit_fixed(place.write("houses.csv", "".join([header, *rows])), lacks=["occurs", "--copies"])
    model = place.model.read_bytes()
    place.fit_fixed(twice, says=["each row occurs 2 times and is used once", "--copies keep"])
    assert place.model.read_bytes() == model
    place.fit_fixed(twice, "--copies", "keep", lacks="--copies")  # whoever has decided is not told
    assert place.model.read_bytes() != model
    # One row less, and the table does not tell copies from rows that repeat.
    some = place.write("some.csv", "".join([header, *rows, *rows[1:]]))
    place.fit_fixed(some, "--quiet", "--json", says="199 of 399 rows equal an earlier one; --copies drop",
                    prints='"repeated_rows":199,\n"copies_dropped":0,')
    place.fit_fixed(some, "--copies", "drop", "--json", prints='"repeated_rows":199,\n"copies_dropped":199,')
    refuses(place, "--copies: some not in {keep,drop}", some, "--copies", "some")


def test_a_table_of_nearly_all_zeros_is_fitted_whatever_the_seed(place):
    table = place.write("zeros.csv", table_of("a,y", 80, lambda i: f"{i * 37 % 80},{1.5 if i == 41 else 0}"))
    for seed in (1, 2, 3):
        for calibration in ("split", "every-row"):
            place.fit(table, "--target", "y", "--seed", seed, "--calibration", calibration)


def predicted_houses(n, seed):
    """Houses with the prediction of a model of one's own, which is 100 too high, and a district."""
    def row(i, draws):
        area = draws.uniform(20, 200)
        price = 3 * area + (10 + 0.3 * area) * draws.gauss(0, 1)
        return f"{area},{'north' if i % 3 == 0 else 'south'},{3 * area + 100},{price}"
    return drawn("area,district,guess,price", n, row, seed)


def numbers(rows, column):
    return numpy.array([float(row[column]) for row in rows])


def test_fit_says_how_good_it_is_and_what_coverage_to_expect(place):
    table = place.write("t.csv", predicted_houses(120, 1))
    options = ["--drop", "guess", "--coverage", "0.9"]
    # 24 rows calibrate, so coverage is Beta(23, 2): its quantiles at 0.05 and 0.95.
    place.fit_fixed(table, *options, prints=["  not used    guess: --drop\n", "RMSE ", " 0.817 to 0.985 "])
    trained = ["--model", place.model, "--calibration", "split", "--drop", "guess", *SHORT_TRAINING]
    lacp("fit", table, "--method", "adapt", *trained, prints=["  epochs      ", "the best of ", "; adaptation "])
    lacp("fit", table, "--method", "exp", *trained, "predictor.kind=knn", "predictor.cross_fit=0", prints=" neighbours\n", lacks="adaptation")
    lacp("help", "fit", prints="predictor.rounds=400")
    output = place.fit_fixed(table, *options, "--json", "--quiet").output
    model = json.loads(output)
    assert (model["target"], model["calibration_rows"], model["r2"] > 0.5) == ("price", 24, True)
    check_has(output, '{"column":"guess",\n"reason":"--drop"}', '"expected_low":0.8171')


def test_rmse_and_r2_are_out_of_folds_where_there_are_folds_near_those_of_new_rows_and_of_more_rows(place):
    table = place.write("t.csv", predicted_houses(300, 1))

    def fit(*options):
        return json.loads(lacp("fit", table, "--model", place.model, "--json", "--quiet", "--method", "knn_error",
                               "--coverage", "0.9", "--calibration", "split", *options).output)
    folds = fit("--drop", "guess")
    assert folds["rmse_rows"] == 240
    of_new_rows = float(place.scores(place.write("new.csv", predicted_houses(4000, 2)))[0]["rmse"])
    # The noise, whose deviation grows from 16 to 70, has a kurtosis of 5.7: four standard deviations of the mean of
    # 240 squares.
    assert abs((folds["rmse"] / of_new_rows) ** 2 - 1) < 4 * math.sqrt(4.7 / 240)
    apart = fit("--drop", "guess", "--set", "predictor.cross_fit=0")
    assert apart["rmse_rows"] == 60
    # Around a prediction of one's own, which is 100 too high, nothing is learnt about f.
    own = fit("--prediction", "guess")
    assert own["rmse_rows"] == 60


def test_evaluate_has_rmse_r2_groups_json_and_csv(place):
    table = place.write("t.csv", predicted_houses(1000, 1))
    more = place.write("new.csv", predicted_houses(900, 2))
    place.fit_fixed(table, "--drop", "guess", "--coverage", "0.9")
    scores = place.scores(more, "--by", "district")
    assert [(row["group"], row["rows"]) for row in scores] == [("", "900"), ("north", "300"), ("south", "600")]
    # All rows are those of both groups.
    for column in ["coverage", "half_width", "winkler"]:
        both, north, south = numbers(scores, column)
        assert abs((north + 2 * south) / 3 - both) < 1e-6 * both
    # The same from the output of predict.
    price = numbers(frame(more.read_text()), "price")
    squares = numpy.mean((price - numbers(place.intervals(more), "prediction")) ** 2)
    rmse, r2 = math.sqrt(squares), 1 - squares / numpy.var(price)
    assert abs(float(scores[0]["rmse"]) - rmse) < 1e-6 * rmse
    assert abs(float(scores[0]["r2"]) - r2) < 1e-6
    place.evaluate(more, "--by", "district", prints=[
        f"  prediction: RMSE {rmse:.5g}, R² {r2:.4f}\n", "\nby 'district'\n"])
    for by, part in [("area", "--by 'area': has more than 30"), ("distrct", "(did you mean 'district'?)")]:
        refused(part, "evaluate", place.model, more, "--by", by)


def test_a_column_may_be_the_prediction_and_intervals_lie_around_it_and_cover_as_promised(place):
    table = place.write("t.csv", predicted_houses(1000, 1))
    more = place.write("new.csv", predicted_houses(3000, 2))
    lacp("fit", table, "--target", "price", "--prediction", "guess", "--model", place.model, "--coverage", "0.9",
         "--method", "knn_error", prints="  prediction  the prediction of column 'guess'\n")
    out, truth = place.intervals(more), frame(more.read_text())
    lower, upper = numbers(out, "lower_90"), numbers(out, "upper_90")
    price, guess = numbers(truth, "price"), numbers(truth, "guess")
    assert (numbers(out, "prediction") == guess).all()
    covered = numpy.mean((lower <= price) & (price <= upper))
    assert abs(covered - 0.9) < 4 * math.sqrt(0.09 * (1 / 200 + 1 / 3000))
    assert abs(numpy.mean((lower + upper) / 2 - guess) + 100) < 10  # it is 100 too high
    large = numbers(truth, "area") > 160
    assert (upper - lower)[large].mean() > 1.3 * (upper - lower)[~large].mean()
    assert abs(float(place.scores(more)[0]["coverage"]) - covered) < 1e-9
    refused("--prediction 'district': ", "fit", table, "--model", place.model, "--prediction", "district")


def test_r2_keeps_its_digits_where_targets_lie_far_from_zero_and_there_is_none_of_equal_targets(place):
    table = place.write("t.csv", table_of("x,y", 120, lambda i: f"{i % 30},{1_600_000_000 + i % 30 + i % 7}"))
    place.fit_fixed(table)
    scores = place.scores(table)[0]
    spread = numpy.var([i % 30 + i % 7 for i in range(120)])
    assert abs(float(scores["r2"]) - (1 - float(scores["rmse"]) ** 2 / spread)) < 1e-6
    place.evaluate(place.write("one.csv", "x,y\n3,1600000005\n"), prints="no R²")


def test_a_wrong_option_is_answered_with_the_nearest():
    for words, part in [
            ("fit t.csv --targt price", "'--targt' (did you mean '--target'?); `lacp help fit`"),
            ("datasets add t.csv --mising=x", "'--missing'?); `lacp help datasets add`"),
            ("evaluate a b c", "more words than evaluate takes"),
            # Before anything else is missed, and of the program itself.
            ("predict --outptu x", "'--outptu' (did you mean '--output'?)"),
            ("--hlep", "'--hlep' (did you mean '--help'?)"),
            ("run x.yaml --runs 0", "--runs: ")]:
        refused(part, *words.split())
