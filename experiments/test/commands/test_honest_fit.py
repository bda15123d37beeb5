"""What `lacp fit`, `predict` and `evaluate` say, keep and take: for people and for programs."""
import json
import math
import os

import numpy
import pytest
from program import check_has, drawn, frame, houses, lacp, refused, shell, table_of
from xlsx import xlsx_of


def predicted_houses(n, seed):
    """Houses with the prediction of a model of one's own, which is 100 too high, and a district."""
    def row(i, draws):
        area = draws.uniform(20, 200)
        price = 3 * area + (10 + 0.3 * area) * draws.gauss(0, 1)
        return f"{area},{'north' if i % 3 == 0 else 'south'},{3 * area + 100},{price}"
    return drawn("area,district,guess,price", n, row, seed)


def numbers(rows, column):
    return numpy.array([float(row[column]) for row in rows])


def predicted(place, table):
    """The bytes that predict writes."""
    place.predict(table)
    return (place / "out.csv").read_bytes()


def test_fit_says_with_headings_what_it_did_how_good_it_is_and_what_coverage_to_expect(place):
    table = place.write("t.csv", predicted_houses(120, 1))
    options = ["--drop", "guess", "--coverage", "0.9"]
    # 24 rows calibrate, so coverage is Beta(23, 2): its quantiles at 0.05 and 0.95.
    said = place.fit_fixed(table, *options, prints=[
        "  not used        guess: --drop\n", "  method          fixed, seed 1\n", "predictor.rounds=400",
        "  prediction      RMSE ", ", on 24 calibration rows, ", " have 0.817 to 0.985\n"]).output
    headings = ["columns", "rows", "settings", "what to expect", "what next"]
    assert [line for line in said.splitlines() if line in headings] == headings
    lacp("help", "fit", prints="predictor.rounds=400")
    output = place.fit_fixed(table, *options, "--json", "--quiet").output
    model = json.loads(output)
    assert (model["target"], model["calibration_rows"]) == ("price", 24)
    assert model["r2"] > 0.5
    check_has(output, '{"column":"guess",\n"reason":"--drop"}', '"expected_low":0.8171')


def test_rmse_and_r2_are_out_of_folds_where_there_are_folds_near_those_of_new_rows_and_of_more_rows(place):
    table = place.write("t.csv", predicted_houses(300, 1))

    def fit(*options):
        return json.loads(lacp("fit", table, "--model", place.model, "--json", "--quiet", "--method", "knn_error",
                               "--coverage", "0.9", "--calibration-folds", "0", *options).output)
    folds = fit("--drop", "guess")
    assert folds["rmse_rows"] == "out of folds, on 240 training rows"
    of_new_rows = float(place.scores(place.write("new.csv", predicted_houses(4000, 2)))[0]["rmse"])
    # The noise, whose deviation grows from 16 to 70, has a kurtosis of 5.7: four standard deviations of the mean of
    # 240 squares.
    assert abs((folds["rmse"] / of_new_rows) ** 2 - 1) < 4 * math.sqrt(4.7 / 240)
    apart = fit("--drop", "guess", "--set", "predictor.cross_fit=0")
    assert apart["rmse_rows"] == "on 60 calibration rows, which it has not seen"
    # Around a prediction of one's own, which is 100 too high, nothing is learnt about f.
    own = fit("--prediction", "guess")
    assert own["rmse_rows"] == "on 60 calibration rows; whether it was made without them, the table does not say"


def test_evaluate_has_rmse_r2_groups_json_and_csv_and_knows_the_rows_of_the_fit(place):
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
    place.evaluate(more, "--json", prints='[{"group":"","rows":900,"rmse":')
    place.evaluate(more, "--by", "district", prints=[
        f"  prediction: RMSE {rmse:.5g}, R² {r2:.4f}\n", "\nby 'district'\n"])
    for by, part in [("area", "--by 'area': has more than 30"), ("distrct", "(did you mean 'district'?)")]:
        refused(part, "evaluate", place.model, more, "--by", by)
    place.evaluate(table, says="1000 of 1000 rows compared equal one of the fit")


def test_predict_copies_columns_names_levels_by_coverage_and_reads_standard_input_and_xlsx(place):
    fitted = place.write("t.csv", predicted_houses(300, 1))
    place.fit_fixed(fitted, "--coverage", "0.995,0.9")
    table = place.write("new.csv", 'note,area,guess,district\n"a, ""b""",50,160,north\n7,60,170,south\n')
    rows = place.intervals(table, "--keep", "note,district", "--names", "coverage")
    assert ",".join(rows[0]) == "line,note,district,prediction,lower_99.5,upper_99.5,lower_90,upper_90"
    assert (rows[0]["note"], rows[1]["district"]) == ('a, "b"', "south")
    for keep, part in [("notes", "(did you mean 'note'?)"), ("prediction", "--keep prediction: ")]:
        refused(part, "predict", place.model, table, "--output", place / "out.csv", "--keep", keep)
    expected = predicted(place, table)
    for name in ["-", "/dev/stdin"]:
        read = shell("\"$0\" predict \"$1\" \"$2\" --quiet < \"$3\"", place.model, name, table, binary=True)
        assert read.output == expected
    model = place.model.read_bytes()
    place.fit_fixed("-", "--coverage", "0.995,0.9", "--quiet", given=fitted.read_text())
    assert place.model.read_bytes() == model
    # The same table as a sheet.
    sheet = place.write("NEW.XLSX", xlsx_of(table.read_text()))
    assert predicted(place, sheet) == expected
    refused("NEW.XLSX, sheet 1 ", "fit", sheet, "--model", place.model, "--target", "rent")
    # Levels that five digits do not tell apart.
    place.fit_fixed(fitted, "--coverage", "0.99999999,0.99999998")
    named = ",".join(place.intervals(table, "--names", "coverage")[0])
    assert named == "line,prediction,lower_99.999999,upper_99.999999,lower_99.999998,upper_99.999998"


def test_predict_and_evaluate_read_limits_and_times_as_the_fit_did(place):
    def write(plain):
        def row(_, draws):
            lead, seconds = draws.random(), int(draws.uniform(0, 20000))
            y = 10 * lead + 0.001 * seconds + draws.gauss(0, 1)
            if plain:
                return f"{0.15 if lead < 0.3 else lead},{seconds},{y}"
            time = f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            return f"{'<0.3' if lead < 0.3 else lead},{time},{y}"
        return place.write("t.csv", drawn("lead,finish,y", 200, row))

    def predictions(data, table, *more, **expected):
        place.fit_fixed(data, *more, **expected)
        place.evaluate(table)
        return predicted(place, table)
    csv = write(plain=True)
    plain = predictions(csv, csv)
    write(plain=False)
    assert predictions(csv, csv, "--below-limit", "half") == plain
    described = place.write("t.yaml", "title: T\nsource: {file: t.csv}\ntarget: y\n"
                                      "columns: {numbers: {lead: {limits: half}, finish: {time: hours}}}\n")
    refused("leave --missing, ", "fit", described, "--model", place.model, "--below-limit", "half")
    assert predictions(described, csv, prints="finish (seconds)") == plain


def test_missing_categories_are_filled_with_shares_and_numbers_with_means_and_fit_says_which(place):
    def row(i, draws):
        kind = "" if i % 9 == 0 else "ab"[i % 2]
        return f"{kind},{'NA' if i % 7 == 0 else draws.random()},{draws.gauss(0, 1)}"
    place.fit_fixed(place.write("t.csv", drawn("kind,x,y", 200, row)), prints=[
        "filled          x (29 missing cells), with the mean over training rows\n",
        "filled          kind (23 missing cells), with the share of each category among training rows\n"])


def test_by_a_column_of_hundreds_of_values_is_refused_since_none_of_them_can_calibrate(place):
    csv = place.write("t.csv", drawn(
        "lead,x,y", 600, lambda i, draws: f"{i * 37 % 211},{draws.random()},{draws.gauss(0, 1)}"))
    refused("--by 'lead': has 211 different values, and none of them the 30 calibration rows",
            "fit", csv, "--model", place.model, "--method", "fixed", "--by", "lead", "--quiet")


def test_on_a_terminal_a_fit_in_folds_says_which_of_how_many_it_is_at(place):
    try:
        for end in os.openpty():
            os.close(end)
    except OSError:
        pytest.skip("there are no terminals here")
    shell("script -qec \"'$0' fit '$1' --model '$2' --method fixed --calibration-folds 4 --jobs 1 "
          "--set predictor.rounds=2\" /dev/null", place.write("t.csv", houses(100, 1)), place.model,
          prints=["\rfitting fold 1 of 4", "\rfitting fold 2 of 4", "\rfitting fold 4 of 4"])


def test_a_column_may_be_the_prediction_and_intervals_lie_around_it_and_cover_as_promised(place):
    table = place.write("t.csv", predicted_houses(1000, 1))
    more = place.write("new.csv", predicted_houses(3000, 2))
    lacp("fit", table, "--target", "price", "--prediction", "guess", "--model", place.model, "--coverage", "0.9",
         "--method", "knn_error", prints="  prediction      from column 'guess'\n")
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
