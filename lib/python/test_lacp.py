#!/usr/bin/env python3
"""Tests of lacp.py: lib/python/test_lacp.py LACP. Exit code 77: there is no scikit-learn or no pandas."""
import contextlib
import csv
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import pandas as pd
    from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import estimator_checks
except ImportError as error:
    print(f"SKIPPED: {error}; `make setup-all` installs it")
    sys.exit(77)
from lacp import LacpRegressor

FAST = {"method": "fixed", "settings": {"predictor.rounds": 50}}  # where intervals do not matter


def check_equal(found, expected, what):
    same = np.array_equal(found, expected, equal_nan=True) if isinstance(found, np.ndarray) else found == expected
    assert same, f"{what}\nfound:    {found!r}\nexpected: {expected!r}"


@contextlib.contextmanager
def refused(kind, *words):
    try:
        yield
    except kind as error:
        said = str(error)
        assert all(word in said for word in words) and "\n" not in said, f"found {said!r}; expected {words} in one line"
        return
    raise AssertionError(f"nothing was refused; expected {kind.__name__} with {words}")


def made_rows(rows, seed=1):
    """y = sin x0 + noise whose size follows x1."""
    random = np.random.default_rng(seed)
    X = random.uniform(-2, 2, size=(rows, 3))
    return X, np.sin(2 * X[:, 0]) + (0.2 + np.abs(X[:, 1])) * random.normal(size=rows) / 2


def made_frame(rows=300):
    random = np.random.default_rng(2)
    frame = pd.DataFrame({
        "area": random.uniform(20, 200, rows), "rooms": pd.array(random.integers(1, 6, rows), dtype="Int64"),
        "kind, of \"house\"": pd.Categorical(random.choice(["flat", "villa", "NA"], rows)),
        "state": pd.Categorical(random.choice(["poor", "fair", "good"], rows), ["poor", "fair", "good"], ordered=True),
        "postcode": [f"{n:05}" for n in random.integers(0, 100, rows)],
        "sold": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 9000, rows), unit="h"),
        "garden": random.choice([True, False], rows)})
    price = (frame["area"] * (1 + frame["state"].cat.codes) + 10.0 * (frame["kind, of \"house\""] == "villa")
             + frame["sold"].dt.month + random.normal(size=rows)).astype(float)
    for i, name in enumerate(("area", "rooms", "kind, of \"house\"", "state", "postcode", "sold")):
        frame.loc[frame.index[i::29], name] = None
    return frame, price


def test_check_estimator():
    estimator_checks.check_estimator(LacpRegressor())
    for check in ("check_n_features_in_after_fitting", "check_dataframe_column_names_consistency"):
        getattr(estimator_checks, check)("LacpRegressor", LacpRegressor(**FAST))


def test_with_scikit_learn():
    X, y = made_rows(400)
    pipe = make_pipeline(StandardScaler(), LacpRegressor(**FAST)).fit(X, y)
    assert pipe[-1].predict_interval(pipe[0].transform(X)).shape == (400, 2, 2)
    assert pipe.score(X, y) > 0.3
    scores = cross_val_score(LacpRegressor(**FAST), X, y, cv=KFold(3), error_score="raise")
    assert len(scores) == 3 and all(0.2 < score < 1 for score in scores), scores
    search = GridSearchCV(LacpRegressor(**FAST), {"settings": [{"predictor.rounds": 1}, {"predictor.rounds": 60}]}, cv=3,
                          error_score="raise").fit(X, y)
    check_equal(search.best_params_["settings"]["predictor.rounds"], 60, "one tree explains less")


def by_hand(folder, frame, target, new, *options):
    """Predictions and ends of intervals, by the program alone."""
    table, rows, model = folder / "known.csv", folder / "new.csv", folder / "by_hand.lacp"
    frame.assign(**{target.name: target}).to_csv(table, index=False)
    new.to_csv(rows, index=False)
    subprocess.run([os.environ["LACP"], "fit", table, "--target", target.name, "--model", model, "--quiet", *options], check=True)
    done = subprocess.run([os.environ["LACP"], "predict", model, rows], check=True, capture_output=True, text=True)
    return model, np.array([[float(cell or "nan") for cell in row[1:]] for row in list(csv.reader(done.stdout.splitlines()))[1:]])


def test_same_bytes_as_by_hand(folder):
    X, y = made_rows(500)
    X[::7, 2] = np.nan
    frame, target = pd.DataFrame(X, columns=["a", "b", "c"]), pd.Series(y, name="y")
    new = pd.DataFrame(made_rows(100, seed=3)[0], columns=["a", "b", "c"])
    model, expected = by_hand(folder, frame, target, new, "--coverage", "0.8,0.9", "--seed", "5")
    mine = LacpRegressor(coverage=(0.8, 0.9), random_state=5).fit(frame, y)
    found, ends = mine.predict(new, return_interval=True)
    check_equal(found, expected[:, 0], "predictions")
    check_equal(ends.swapaxes(1, 2).reshape(100, 4), expected[:, 1:], "lower and upper, level by level")
    check_equal(mine.predict(new), found, "predict alone")
    check_equal(mine.predict_interval(new), ends, "intervals alone")
    check_equal(LacpRegressor(coverage=(0.8, 0.9), random_state=5).fit(X, y).predict_interval(new.to_numpy()), ends, "arrays")
    theirs = LacpRegressor.load(model)
    check_equal(theirs.coverage, (0.8, 0.9), "coverage of a model that the program wrote")
    check_equal(theirs.predict_interval(new), ends, "a model that the program wrote")


def test_frames():
    frame, price = made_frame()
    model = LacpRegressor(coverage=0.9, **FAST).fit(frame, price)
    check_equal({column["column"]: column["kind"] for column in model.report_["columns"]},
                {"area": "number", "rooms": "number", "kind, of \"house\"": "category", "state": "ordered",
                 "postcode": "mean of target", "sold": "date", "garden": "number"}, "kinds of columns")
    assert model.score(frame, price) > 0.9 and model.predict_interval(frame).shape == (300, 2, 1)
    check_equal(model.predict(frame.iloc[5:6]), model.predict(frame)[5:6], "one row alone")
    check_equal(LacpRegressor(**FAST).fit(frame[["state"]], price).predict(frame[["state"]].iloc[:100]).shape, (100,),
                "one column, of which some cells are missing")
    with refused(ValueError, "standard input:2", "'kind, of \"house\"'", "castle"):
        model.predict(frame.iloc[:1].assign(**{"kind, of \"house\"": "castle"}))
    assert np.isfinite(model.set_params(unseen="zeros").predict(frame.iloc[:1].assign(**{"kind, of \"house\"": "castle"}))).all()
    with refused(ValueError, "'took'", "timedelta"):
        LacpRegressor().fit(frame.assign(took=pd.Timedelta("1h")), price)


def test_groups():
    X, y = made_rows(400)
    groups = np.repeat([f"patient {i}" for i in range(100)], 4)
    model = LacpRegressor(**FAST).fit(X, y, groups=groups)
    check_equal(model.report_["calibration_rows"], round(100 * 0.2), "one row of each group calibrates")
    assert LacpRegressor(**FAST).fit(X, y).model_ != model.model_
    check_equal(LacpRegressor(**FAST).fit(pd.DataFrame(X, columns=["y", "group", "y_"]), y, groups=pd.Series(groups)).predict(X),
                model.predict(X), "names that are taken")
    check_equal(LacpRegressor(**FAST).fit(X, y, groups=[None] * 400).model_, LacpRegressor(**FAST).fit(X, y).model_,
                "no group")
    with refused(ValueError, "inconsistent"):
        LacpRegressor().fit(X, y, groups=groups[1:])


def test_saved(folder):
    X, y = made_rows(300)
    frame, price = made_frame()
    for data, target in ((X, y), (frame, price)):
        model = LacpRegressor(**FAST).fit(data, target)
        model.save(folder / "model.lacp")
        loaded, unpickled = LacpRegressor.load(folder / "model.lacp"), pickle.loads(pickle.dumps(model))
        for other in (loaded, unpickled):
            check_equal(other.predict_interval(data), model.predict_interval(data), "the same intervals")
            check_equal(other.coverage, model.coverage, "coverage")
        check_equal(unpickled.get_params(), model.get_params(), "parameters")
        check_equal(loaded.model_, (folder / "model.lacp").read_bytes(), "bytes")
    (folder / "no_model.lacp").write_text("x,y\n")
    with refused(ValueError, "no_model.lacp: is no model"):
        LacpRegressor.load(folder / "no_model.lacp")
    frame.assign(price=price, sold=frame["sold"].dt.strftime("%d/%m/%Y")).to_csv(folder / "slashes.csv", index=False)
    subprocess.run([os.environ["LACP"], "fit", folder / "slashes.csv", "--target", "price", "--date", "day_first", "--method", "fixed",
                    "--model", folder / "slashes.lacp", "--quiet"], check=True)
    with refused(ValueError, "slashes.lacp", "another notation"):
        LacpRegressor.load(folder / "slashes.lacp")


def test_options():
    X, y = made_rows(300)
    ends = LacpRegressor(clip=(0, None), coverage=(0.8,), **FAST).fit(X, np.abs(y)).predict_interval(X)
    assert ends.min() == 0 and ends.shape == (300, 2, 1), ends  # cut to what y can be
    centre = pd.DataFrame(X, columns=["a", "b", "f"]).assign(f=np.sin(2 * X[:, 0]))
    around = LacpRegressor(prediction="f", method="adapt", settings={"training.epochs": 2}).fit(centre, y)
    shift = around.predict(centre) - centre["f"]
    assert np.ptp(shift) < 1e-12, shift
    one, all_of_them = (LacpRegressor(n_jobs=jobs, **FAST).fit(X, y).model_ for jobs in (1, -1))
    check_equal(one, all_of_them, "the number of threads changes no byte")
    few = LacpRegressor(**FAST, coverage=0.999).fit(X, y).predict_interval(X)
    check_equal((few[:, 0].max(), few[:, 1].min()), (-np.inf, np.inf), "too few rows calibrate")


def test_few_rows(folder):
    X, y = np.zeros((9, 1)), np.array([3.0, 1, 2, 9, 8, 7, 4, 5, 6])
    model = LacpRegressor(coverage=(0.8, 0.6, 0.81)).fit(X, y)
    check_equal(model.predict(X[:2]), np.array([5.0, 5.0]), "the median")
    check_equal(model.predict_interval(X[:2]), np.array([[[1, 2, -np.inf], [9, 8, np.inf]]] * 2), "8 and 6 of 10 rows; 8.1 need all")
    check_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X), "pickled")
    with refused(ValueError, "20 rows"):
        model.save(folder / "few.lacp")


def test_errors(folder):
    X, y = made_rows(100)
    with refused(ValueError, "'crq'", "cqr"):
        LacpRegressor(method="crq").fit(X, y)
    with refused(ValueError, "--coverage", "0.1"):
        LacpRegressor(coverage=0.1).fit(X, y)
    with refused(ValueError, "training.epohs"):
        LacpRegressor(settings={"training.epohs": 1}).fit(X, y)
    infinite = X.copy()
    infinite[3, 1] = np.inf
    with refused(ValueError, "table.csv:5", "'x1'", "finite"):
        LacpRegressor().fit(infinite, y)
    with refused(ValueError, "standard input:5", "'x1'", "finite"):
        LacpRegressor(**FAST).fit(X, y).predict(infinite)
    with refused(ValueError, "table.csv: has 10 rows; a fit needs at least 20"):
        LacpRegressor().fit(X[:10], y[:10], groups=range(10))
    with refused(ValueError, "same name"):
        LacpRegressor().fit(pd.DataFrame(X, columns=["a", "b", "a"]), y)
    program = os.environ["LACP"]
    for path, words in ((str(folder / "nowhere"), ("not found", "LACP")), ("/bin/false", ("/bin/false", "ended with 1"))):
        os.environ["LACP"] = path
        with refused((FileNotFoundError, ValueError), *words):
            LacpRegressor().fit(X, y)
    os.environ["LACP"] = program


def test_readme():
    page = (pathlib.Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    names = dict(zip(("X", "y", "X_new"), (*made_rows(200), made_rows(7, seed=3)[0])))
    exec(page.split("```python\n")[1].split("```")[0], names)
    check_equal((names["prediction"].shape, names["intervals"].shape), ((7,), (7, 2, 2)), "shapes that the page names")


def test_without_scikit_learn(program):
    """The module in an interpreter that has NumPy alone."""
    code = ("import sys; sys.modules.update({'sklearn': None, 'sklearn.base': None, 'pandas': None}); import numpy as np; "
            "from lacp import LacpRegressor; X = np.random.default_rng(1).normal(size=(50, 2)); "
            "print(LacpRegressor(coverage=0.8, method='fixed').fit(X, X[:, 0]).predict_interval(X).shape)")
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parent)})
    check_equal(done.stdout.strip(), "(50, 2, 1)", done.stderr)


def main():
    os.environ["LACP"] = sys.argv[1]
    chosen = sys.argv[2:]
    for name, test in list(globals().items()):
        if not name.startswith("test_") or (chosen and name not in chosen):
            continue
        print(name, flush=True)
        needs = test.__code__.co_varnames[:test.__code__.co_argcount]
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            test(*({"folder": pathlib.Path(folder), "program": sys.argv[1]}[need] for need in needs))


if __name__ == "__main__":
    main()
