"""`lacp predict` at any level: bounds, quantiles and draws; and their scores by `lacp evaluate`."""
import math

import numpy
import pytest
from program import SANITIZER, check_has, drawn, frame, houses, peak_memory, refused


def columns(rows):
    """The columns of a table, as arrays."""
    return {name: numpy.array([float(row[name]) for row in rows]) for name in rows[0]}


def shares(place, table):
    """Of the PIT, each of a tenth."""
    return [float(share) for share in place.scores(table)[0]["pit"].split()]


def test_predict_has_any_level_whatever_the_fit_was_asked_for(fitted):
    table = fitted.write("new.csv", houses(200, 3))
    usual = fitted.intervals(table)
    more = fitted.intervals(table, "--coverage", "0.97,0.95,90,0.68,0.6")
    assert len(more[0]) == 2 + 2 * 5
    assert len(more) == 200
    for name in ["prediction", "lower_95", "upper_95", "lower_90", "upper_68"]:
        assert [row[name] for row in more] == [row[name] for row in usual]
    wide = columns(more)
    assert all(wide["lower_97"] <= wide["lower_95"])
    assert all(wide["upper_60"] <= wide["upper_68"])
    fitted.predict(table, "--coverage", "0.999", says="needs at least 999 calibration rows")
    fitted.predict(table, "--names", "coverage", "--coverage", "0.99999999,0.99999998")
    check_has(fitted.read("out.csv"), ",lower_99.999999,upper_99.999999,lower_99.999998,upper_99.999998\n")
    for option, value in [("--quantiles", "2"), ("--upper", "0.9,0.9"), ("--coverage", "0.1")]:
        refused(option, fitted.predict, table, option, value)


def test_predict_has_bounds_of_one_side_quantiles_and_draws(fitted):
    table = fitted.write("new.csv", houses(200, 3))
    one = columns(fitted.intervals(table, "--upper", "0.95", "--lower", "95", "--quantiles", "0.9,0.1"))
    names = ["lower_bound_95", "quantile_10", "quantile_90", "upper_bound_95"]
    check_has(fitted.read("out.csv"), "line,prediction,lower_bound_95,upper_bound_95,quantile_10,quantile_90\n")
    for lower, upper in zip(names, names[1:]):
        assert all(one[lower] <= one[upper])
    fitted.predict(table, "--names", "level", "--coverage", "0.9", "--upper", "0.95", "--quantiles", "0.1")
    check_has(fitted.read("out.csv"), "line,prediction,lower_0.1,upper_0.1,upper_bound_0.95,quantile_0.1\n")

    def draws(seed):
        rows = fitted.intervals(table, "--samples", "20", "--seed", seed)
        return numpy.array([[float(cell) for cell in row.values()][2:] for row in rows])
    first = draws(7)
    assert first.shape == (200, 20)
    assert (draws(8) != first).any()
    assert (draws(7) == first).all()
    inside = (one["quantile_10"][:, None] <= first) & (first <= one["quantile_90"][:, None])
    assert 3100 < inside.sum() < 3300  # 3,200 on average, of 4,000


def test_evaluate_has_the_crps_and_the_pit_of_the_quantiles_of_predict_or_says_that_there_are_none(fitted):
    table = fitted.write("new.csv", houses(300, 3))
    tau = numpy.arange(1, 100) / 100
    rows = fitted.intervals(table, "--quantiles", ",".join(f"{level:.2f}" for level in tau), "--keep", "price")
    y = numpy.array([[float(row["price"])] for row in rows])
    q = numpy.array([[float(cell) for cell in row.values()][3:] for row in rows])
    assert q.shape == (300, 99)
    crps = 2 * numpy.maximum(tau * (y - q), (tau - 1) * (y - q)).mean()
    below = (0.01 * (q < y) + 0.005 * (q == y)).sum(axis=1)
    pit = numpy.bincount((10 * (below + 0.005)).astype(int), minlength=10) / 300
    scores = fitted.scores(table)[0]
    assert math.isclose(float(scores["crps"]), crps, rel_tol=1e-9)
    assert scores["pit"] == " ".join(f"{share:.4f}" for share in pit)
    fitted.evaluate(table, prints=["distribution: CRPS", "0.9–1.0"])
    fitted.fit(fitted.write("few.csv", houses(100, 1)), "--method", "cqr", "--calibration-folds", "0")
    fitted.evaluate(table, says="no CRPS: method cqr")


def test_quantiles_and_draws_of_whole_numbers_are_values_that_can_be_and_have_their_mean(place):
    # 0 or 1 with mean 1/4; counts with mean 3/2, the number of ten tries that succeed.
    for tries, chance in [(1, 0.5), (10, 0.3)]:
        def row(_, draws):
            x = draws.random()
            return f"{x},{sum(draws.random() < chance * x for _ in range(tries))}"
        place.fit(place.write("t.csv", drawn("x,y", 1200, row)))
        fresh = place.write("new.csv", drawn("x,y", 600, row, seed=2))
        y = columns(frame(fresh.read_text()))["y"]
        quantiles = ["--quantiles", "0.1,0.25,0.5,0.9"]
        found = columns(place.intervals(fresh, *quantiles, "--samples", "20", "--names", "level"))
        for level in ["0.1", "0.25", "0.5", "0.9"]:
            assert (found[f"quantile_{level}"] >= 0).all()
        samples = numpy.array([found[f"sample_{k}"] for k in range(1, 21)])
        assert samples.shape == (20, 600)
        assert set(samples.flat) <= {0, 1} if tries == 1 else ((samples >= 0) & (samples == samples.round())).all()
        assert 0.85 < samples.mean() / y.mean() < 1.15
        chance_alone = 4 * math.sqrt(0.09 * (1 / 240 + 1 / 600))
        assert (y <= found["quantile_0.9"]).mean() > 0.9 - chance_alone
        # The PIT is spread where a number has many quantiles: each tenth has about a tenth.
        assert all(abs(share - 0.1) < chance_alone for share in shares(place, fresh))


@pytest.mark.skipif(bool(SANITIZER), reason="memory of its own")
def test_many_draws_of_many_rows_take_little_memory(fitted):
    table = fitted.write("new.csv", houses(1500, 2))
    one, many = (peak_memory("predict", fitted.model, table, "--samples", draws, "--output", fitted / "out.csv",
                             "--jobs", "1") for draws in [1, 3000])
    # A line of draws is some 50 kB, all of them 80 MB.
    assert many < one + 25e6


def test_the_pit_of_whole_numbers_that_are_far_apart_counts_every_row_once(place):
    def row(_, draws):
        x = draws.random()
        return f"{x},{1e5 * (x + draws.random()):.0f}"
    place.fit_fixed(place.write("t.csv", drawn("x,y", 300, row)))
    fresh = place.write("new.csv", drawn("x,y", 100, row, seed=2))
    place.evaluate(fresh)
    assert abs(sum(shares(place, fresh)) - 1) < 1e-3


def test_draws_reach_into_the_tails_are_those_of_the_row_wherever_it_stands_and_others_for_another_row(place):
    table = place.write("t.csv", drawn("id,x,y", 2000, lambda i, d: f"{i},{d.gauss(0, 1)},{d.gauss(0, 1)}"))
    place.fit_fixed(table, "--set", "predictor.kind=knn", "--drop", "id")

    def draws(*rows):
        """Of the last of these rows."""
        new = place.write("new.csv", "\n".join(["id,x", *rows]) + "\n")
        found = place.intervals(new, "--samples", "2000", "--quantiles", "0.02,0.98", "--names", "level")[-1]
        values = numpy.array([float(found[f"sample_{k}"]) for k in range(1, 2001)])
        # A share of 0.02 beyond each, give or take four standard errors, and hardly any twice.
        for beyond in [values < float(found["quantile_0.02"]), values > float(found["quantile_0.98"])]:
            assert abs(beyond.mean() - 0.02) < 4 * math.sqrt(0.02 / 2000)
        assert len(set(values)) > 1900
        return values
    first = draws("1,0.5")
    assert (draws("2,-0.3", "1,0.5") == first).all()
    for other in ["2,-0.3", "3,0.5"]:  # another row; another id
        assert abs(numpy.corrcoef(first, draws(other))[0, 1]) < 0.1
