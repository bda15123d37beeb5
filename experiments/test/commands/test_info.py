"""`lacp info`, and coverage by classes (--by)."""
import json
import math

from program import drawn, lacp, refused, table_of


def info(at):
    return json.loads(lacp("info", at.model, "--json").output)


def test_info_says_what_a_model_was_fitted_for_to_people_and_to_programs(fitted):
    lacp("info", fitted.model, prints=[
        f"{fitted.model}: predicts price\n", "coverage          0.95, 0.9, 0.68\n", "forest",
        "number            area\n", "category          kind\n", "date              built\n", "  ends              "])
    model = info(fitted)
    assert [column["kind"] for column in model["columns"]] == ["number", "category", "date"]
    assert model["coverage"] == [0.95, 0.9, 0.68]
    assert (model["plain"], model["target"], model["least"]) == (True, "price", None)


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
        "  by          'region': 2 of 3 values calibrated by own rows", "coverage 0.95 needs 19 rows that calibrate, and "])
    lacp("info", place.model, prints=["  by 'region'; coverage to expect (95 %)\n", "'north' ", "those with few rows"])
    for option, ends in ("--coverage", "intervals"), ("--upper", "bounds"):
        place.predict(csv, option, "0.99", says=["coverage 0.99 needs 99 rows", f" of small classes do: infinite {ends}"])
    place.predict(csv, lacks="needs")
    lacp("info", place.model, "--json", prints=['"value":"west"', '"by_itself":false'])
    width = {row["region"]: float(row["upper_90"]) - float(row["lower_90"])
             for row in place.intervals(csv, "--keep", "region")}
    assert width["south"] > 10 * width["north"]
    assert math.isinf(width["west"])
    place.fit(csv, "--by", "built", status=2, says="by 'built': expected a category")


PLAIN = ["--target", "y", "--coverage", "0.9", "--quiet"]


def classes(place):
    """The calibration rows of each value of --by."""
    return {own["value"]: own["calibration_rows"] for own in json.loads(lacp("info", place.model, "--json").output)["classes"]}


def districts(n, seed, noise=1.0):
    """Noise in districts of equal size, in one of which it may be larger."""
    def row(i, draws):
        name = f"d{i % 8:02}"
        return f"{draws.random():.4f},{name},{(noise if name == 'd07' else 1) * draws.gauss(0, 1):.5f}"
    return drawn("x,district,y", n, row, seed)


def test_info_states_the_coverage_to_expect_of_each_class_and_evaluate_marks_those_outside(place):
    fitted = place.fit_fixed(place.write("known.csv", districts(2000, 1)), *PLAIN[:-1], "--by", "district", "--json")
    own = json.loads(fitted.output)["info"]["classes"][0]
    low, high = own["coverages"][0]["expected_low"], own["coverages"][0]["expected_high"]
    assert 0.7 < low < 0.85 and 0.94 < high < 1
    lacp("info", place.model, prints=["  by 'district'; coverage to expect", f"{low:.3f} to {high:.3f}"])
    new = place.write("new.csv", districts(8000, 2, noise=4))
    ran = place.evaluate(new, "--by", "district", prints=" expected ",
                         says="of 8 coverages of groups outside the expected range (*), 1 of 20 by chance\n")
    line = next(line for line in ran.output.splitlines() if line.split()[:1] == ["d07"])
    assert "*" in line, line
    marked = {row["group"]: row["outside"] for row in place.scores(new, "--by", "district")}
    assert marked["d07"] == "below"
    # Without --by at the fit the class is named, too, and what to do about it.
    place.fit_fixed(place / "known.csv", *PLAIN)
    place.evaluate(new, "--by", "district", says="; fit --by district calibrates each")
    # Rows that belong together say less than their number: no range.
    place.fit_fixed(place / "known.csv", *PLAIN, "--group", "district", "--calibration", "split")
    assert {row["expected_low"] for row in place.scores(new, "--by", "district")} == {""}


def test_where_no_class_has_the_rows_that_it_needs_fit_says_so_even_if_quiet(place):
    table = place.write("t.csv", drawn("region,x,y", 600, lambda i, draws: (
        f"{'abcde'[i % 5]},{i % 7},{i % 7 + draws.random()}")))
    alone = ["BEWARE --by region: all calibrate together, no class has 29 rows (the largest has "]
    place.fit_fixed(table, *PLAIN, "--by", "region", says=alone)
    place.fit_fixed(table, *PLAIN, "--by", "region", "--set", "split.test=0.4", lacks="BEWARE")
    assert min(classes(place).values()) >= 30
