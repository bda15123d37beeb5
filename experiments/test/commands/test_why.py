"""`lacp predict --why`: which columns make an interval wide, where it is known which do."""
import csv

import pytest

from program import drawn, lacp, refused

HEADER = '"a, b",noisy,kind,y'


def rows_of(count, seed, spread, noisy=(0.0, 1.0)):
    """y = 3 a + noise; its deviation follows from the column `noisy` and from `kind`."""
    def row(_, draws):
        a, c, kind = draws.random(), draws.uniform(*noisy), draws.choice(["p", "q"])
        return f"{a},{c},{kind},{3 * a + spread(c, kind) * draws.gauss(0, 1)}"
    return drawn(HEADER, count, row, seed)


def why(place, spread, noisy=(0.0, 1.0)):
    lacp("fit", place.write("fit.csv", rows_of(1500, 1, spread)), "--target", "y", "--coverage", "0.9", "--model", place.model)
    table = place.write("new.csv", rows_of(100, 2, spread, noisy))
    lacp("predict", place.model, table, "--why", "--output", place / "o.csv")
    with open(place / "o.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["line", "prediction", "lower_90", "upper_90", "why"]
    return [row["why"] for row in rows]


@pytest.mark.parametrize(("spread", "noisy"), [
    (lambda c, _: 0.2 + 2 * c, (0.8, 1.0)),
    (lambda c, _: 0.2 + 3 * abs(c - 0.5), (0.0, 0.15)),
    (lambda c, _: 1.2 - 2 * abs(c - 0.5), (0.4, 0.6)),  # wide where the column has its mean
])
def test_the_column_that_drives_the_noise_is_named_first(place, spread, noisy):
    found = why(place, spread, noisy)
    assert sum(text.startswith("noisy +") for text in found) >= 95


def test_a_category_is_one_column(place):
    found = why(place, lambda _, kind: 0.3 + 1.2 * (kind == "q"))
    with open(place / "new.csv", newline="", encoding="utf-8") as file:
        kinds = [row["kind"] for row in csv.DictReader(file)]
    assert sum(text.startswith("kind +") == (kind == "q") for text, kind in zip(found, kinds)) >= 95


def test_nothing_is_named_where_all_rows_have_the_same_noise(place):
    assert sum(text == "" for text in why(place, lambda *_: 1.0)) >= 80


def test_intervals_must_be_asked_for(place):
    lacp("fit", place.write("fit.csv", rows_of(300, 1, lambda *_: 1.0)), "--target", "y", "--method", "fixed", "--model", place.model)
    refused("--why: tells of intervals", "predict", place.model, place / "fit.csv", "--why", "--quantiles", "0.5")
