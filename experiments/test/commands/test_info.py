"""What other programs ask of a model: `lacp info`, and rows as bytes (`--doubles` of `lacp fit` and `lacp predict`)."""
import json
import math
import struct

from program import drawn, frame, lacp, refused, table_of


def info(at):
    return json.loads(lacp("info", at.model, "--json").output)


def test_info_says_what_a_model_was_fitted_for_to_people_and_to_programs(fitted):
    lacp("info", fitted.model, prints=[
        f"{fitted.model}: predicts price\n", "0.05 (coverage 0.95), 0.1 (coverage 0.9)", "forest",
        "number            area\n", "category          kind\n", "date              built\n", "  ends              "])
    model = info(fitted)
    assert [column["kind"] for column in model["columns"]] == ["number", "category", "date"]
    assert model["levels"][0] == {"level": 0.05, "coverage": 0.95}
    assert (model["plain"], model["target"], model["least"]) == (True, "price", None)
    assert "leaves of" in model["ends"]


def test_fit_as_json_has_what_info_prints(place):
    table = place.write("t.csv", table_of("a,y", 100, lambda i: f"{i * 37 % 101}.5,{i % 17}.25"))
    said = lacp("fit", table, "--target", "y", "--method", "fixed", "--set", "predictor.kind=knn", "--model", place.model,
                "--json", "--quiet").output
    assert json.loads(said)["info"] == info(place)


def test_rows_that_a_program_writes_are_not_what_a_model_of_decimal_commas_reads(place):
    table = place.write("comma.csv", table_of("a;y", 100, lambda i: f"{i},5;{i % 17}"))
    place.fit_fixed(table, "--clip", "0,20")
    model = info(place)
    assert (model["plain"], model["least"], model["most"]) == (False, 0, 20)
    refused("comma.csv", "info", table)


def test_what_turns_the_direction_of_a_text_reaches_no_terminal_and_is_json_all_the_same(place):
    table = table_of("a\u202eb,y", 100, lambda i: f"{i * 37 % 101}.5,{i % 17}.25")
    place.fit_fixed(place.write("turned.csv", table), prints="a\\xe2\\x80\\xaeb", lacks="\u202e")
    lacp("info", place.model, lacks="\u202e")
    assert info(place)["columns"][0]["column"] == "a\u202eb"


def test_with_by_each_value_is_calibrated_by_its_own_rows_and_fit_and_info_say_which(place):
    def row(i, draws):
        region = "west" if i % 40 == 0 else "south" if i % 3 == 0 else "north"
        noise = 20 if region == "south" else 1
        return f"{draws.random()},{region},2020-01-{1 + i % 28:02},{noise * draws.gauss(0, 1)}"
    table = drawn("area,region,built,price", 1000, row)
    csv = place.write("t.csv", table)
    by = ["--target", "price", "--by", "region"]
    place.fit_fixed(csv, *by, prints=[
        "calibrated by   'region', each by its own rows: 'north'",
        "together, since each has fewer than 30: 'west'", "coverage 0.95 needs 19 rows, but these have"])
    lacp("info", place.model, prints=["by region         each by its own rows: 'north' (",
                                      "together, since each has fewer than 30: 'west' ("])
    # At a level that takes more rows than a class has, it is calibrated with the others, and predict says so.
    needs = "coverage 0.99 needs 99 rows of a class"
    together = "calibrated together with smaller ones, since they have fewer: 'south'"
    place.predict(csv, "--coverage", "0.99", says=f"{needs}; {together}")
    place.predict(csv, "--upper", "0.99", says=needs)
    place.predict(csv, lacks="needs")
    lacp("info", place.model, "--json", prints=['"value":"west"', '"by_itself":false'])
    width = {row["region"]: float(row["upper_90"]) - float(row["lower_90"])
             for row in place.intervals(csv, "--keep", "region")}
    assert width["south"] > 10 * width["north"]
    assert math.isinf(width["west"])
    # Few rows: some are set aside, though all could calibrate in folds.
    few = "".join(table.splitlines(True)[:200])
    place.fit(place.write("few.csv", few), *by, "--json", prints=['"calibration_folds":0', '"by":"region"'])
    for more, part in [(["--by", "built"], "is a date"),
                       (["--by", "region", "--calibration-folds", "5"], "--by")]:
        place.fit(csv, *more, status=2, says=part)


def test_rows_as_doubles_have_the_predictions_of_the_same_rows_as_a_csv(place, fitted):
    def row(i, draws):
        a, b = draws.gauss(0, 1), draws.random()
        return f"{'' if i % 9 == 0 else a},{b},{a + b * draws.gauss(0, 1)}"

    def doubles(numbers, *more, **expected):
        given = struct.pack(f"{len(numbers)}d", *numbers)
        return lacp("predict", place.model, "-", "--doubles", *more, given=given, binary=True, **expected).output
    table = place.write("t.csv", drawn("a,b,y", 400, row))
    place.fit_fixed(table, "--target", "y", "--coverage", "0.9,0.995", "--quiet")
    new = drawn("a,b,y", 10000, row, seed=2)
    expected = place.intervals(place.write("new.csv", new))
    rows = [float(row[name] or "nan") for row in frame(new) for name in "ab"]
    found = doubles(rows, "--jobs", "1")
    names = ["prediction", "lower_90", "upper_90", "lower_99.5", "upper_99.5"]
    assert found == struct.pack(f"{5 * 10000}d", *(float(row[name]) for row in expected for name in names))
    assert doubles(rows, "--jobs", "3") == found
    assert doubles([]) == b""
    rows[4099 * 2 + 1] = math.inf
    doubles(rows, status=2, says="row 4099 from 0, column 'b': found inf")
    doubles([1.0], status=2, says="ends within a row of 2 doubles")
    refused("expected -, ", "predict", place.model, place / "new.csv", "--doubles")
    refused("--doubles: column 'kind'", "predict", fitted.model, "-", "--doubles", given="")


def test_a_fit_of_doubles_is_that_of_the_same_rows_as_a_csv(place):
    """Cells that are missing, whose row is left out, or that are written as -999, too."""
    rows = [(float(row["a"]), float(row["b"]), float(row["y"])) for row in frame(drawn(
        "a,b,y", 300, lambda i, draws: f"{-999 if i % 9 == 0 else draws.gauss(0, 1)},{draws.random()},{draws.gauss(0, 1)}"))]
    cells = [[str(cell) for cell in row] for row in rows]
    for i in range(0, 300, 7):
        rows[i], cells[i] = (rows[i][0], math.nan, rows[i][2]), [cells[i][0], "", cells[i][2]]
    rows[5], cells[5] = (*rows[5][:2], math.nan), [*cells[5][:2], "NA"]
    about = {"title": "t", "source": {"file": "t.csv"}, "target": "y",
             "missing": {"marks": ["-999", "NA"], "do": "fill", "drop_rows": ["y"]}}
    yaml = place.write("t.yaml", json.dumps(about))

    def fit(*more, **expected):
        place.fit(yaml, "--datasets-folder", place.folder, "--json", *more, **expected)
        return place.model.read_bytes()

    def doubles(numbers, *more, **expected):
        return fit("--doubles", *more, given=struct.pack(f"{len(numbers)}d", *numbers), **expected)
    place.write("t.csv", "\n".join(",".join(row) for row in [["a", "b", "y"], *cells]) + "\n")
    expected = fit()
    numbers = [number for row in rows for number in row]
    doubles(numbers, status=2, says="t.csv:2: has rows, and others come as doubles")
    place.write("t.csv", "a,b,y\n")
    assert doubles(numbers) == expected
    numbers[3 * 9 + 1] = math.inf
    doubles(numbers, status=2, says="t.csv:11: column 2 'b': found inf")
    doubles(numbers[:7], status=2, says="t.csv: the last row has 1 of 3 doubles")
    doubles([], status=2, says="has 0 bytes")
    doubles(numbers, "--group", "a", status=2, says="--group")
    refused("expected a description", place.fit, place / "t.csv", "--doubles", given="")
    place.write("t.yaml", json.dumps({**about, "columns": {"categories": ["b"]}}))
    doubles(numbers, status=2, says="column 'b' is not one of plain numbers")


def test_info_says_which_rank_calibrates_and_what_it_promises(place):
    """Of n scores none is an upper bound for 9 in 10 at n = 8; at n = 9 the largest is one."""
    def of(rows, sides="both"):
        place.fit_fixed(place.write("t.csv", table_of("a,y", 100, lambda i: f"{i * 29 % 103}.5,{i * 37 % 101}.5")), "--target", "y",
                        "--coverage", "0.9", "--calibration-folds", "0")
        new = place.write("new.csv", table_of("a,y", rows, lambda i: f"{1000 - i * 3 % 211}.5,{i * 53 % 211}.5"))
        lacp("update", place.model, new, "--instead", "--sides", sides, "--all-rows", "--output", place / "new.lacp")
        return lacp("info", place / "new.lacp").output
    assert "  coverage 0.9      rank 181 of 200, which promises 0.9005\n" in of(200)
    assert "  coverage 0.9      rank 9 of 9, which promises 0.9000\n" in of(9)
    assert "  coverage 0.9      none of 8 rows promises 0.9, for which 9 are needed\n" in of(8)
    assert "  coverage 0.9      rank 191 of 200 on each side, which promises 0.9005\n" in of(200, "each")


def test_info_promises_nothing_for_folds(place):
    place.fit_fixed(place.write("t.csv", table_of("a,y", 100, lambda i: f"{i * 29 % 103}.5,{i * 37 % 101}.5")), "--target", "y",
                    "--calibration-folds", "5")
    lacp("info", place.model, prints=["of each of 5 folds, where coverage is measured, not a theorem;", "--calibration-folds 0` makes it one"], lacks="which promises")
