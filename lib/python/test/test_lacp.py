#!/usr/bin/env python3
"""Tests of lacp.py: lib/python/test/test_lacp.py LACP. Exit code 77: there is no scikit-learn or no pandas."""
import contextlib
import csv
import json
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
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import GridSearchCV, KFold, cross_validate
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.utils import estimator_checks
except ImportError as error:
    print(f"SKIPPED: {error}; `make setup-all` installs it")
    sys.exit(77)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import lacp
from lacp import LacpRegressor, coverage_score, interval_score

FAST = {"method": "fixed", "settings": {"predictor.rounds": 50}}  # where intervals do not matter


def check_equal(found, expected, what):
    same = np.array_equal(found, expected, equal_nan=True) if isinstance(found, np.ndarray) else found == expected
    assert same, f"{what}\nfound:    {found!r}\nexpected: {expected!r}"


@contextlib.contextmanager
def refused(kind, *words, lines=1):
    try:
        yield
    except kind as error:
        assert all(word in str(error) for word in words), f"found {str(error)!r}; expected {words}"
        assert len(str(error).splitlines()) <= lines, f"found {str(error)!r}; expected {lines} line"
        return
    raise AssertionError(f"nothing was refused; expected {kind} with {words}")


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


def test_distribution():
    X, y = made_rows(1000)
    X_new, y_new = made_rows(2000, seed=9)
    model = LacpRegressor(coverage=0.9, settings={"predictor.rounds": 50}).fit(X, y)
    usual = model.predict_interval(X_new)
    check_equal(model.predict_interval(X_new, coverage=0.9), usual, "the level of fit, asked for later")
    wider = model.predict_interval(X_new, coverage=(0.8, 0.95))
    assert wider.shape == (2000, 2, 2)
    assert (wider[:, 0, 1] <= usual[:, 0, 0]).all() and (usual[:, 1, 0] <= wider[:, 1, 1]).all()
    one, several = model.predict_quantile(X_new, 0.9), model.predict_quantile(X_new, [0.9, 0.1, 0.5])
    assert one.shape == (2000,) and several.shape == (2000, 3)
    check_equal(several[:, 0], one, "quantiles in the order asked for")
    assert (several[:, 1] <= several[:, 2]).all() and (several[:, 2] <= several[:, 0]).all()
    assert abs((y_new <= one).mean() - 0.9) < 0.06  # 200 rows calibrate
    before = model.model_
    later = made_rows(400, seed=11)
    assert model.update(*later) is model and model.model_ != before
    assert model.info_["calibration_rows"] == 1400
    model.update(*made_rows(300, seed=12), window=200)
    assert model.info_["calibration_rows"] == 200 and model.info_["sides"] == "each"
    assert model.update(*made_rows(100, seed=14), window=200, sides="both").info_["sides"] == "both"
    inside = model.predict_interval(X_new)[:, :, 0]
    assert abs(((inside[:, 0] <= y_new) & (y_new <= inside[:, 1])).mean() - 0.9) < 0.09  # four standard errors: 200 rows calibrate


def test_rows_that_differ_are_found():
    model = LacpRegressor(coverage=0.9, settings={"predictor.rounds": 50}).fit(*made_rows(1000, seed=100))
    X, y = made_rows(600, seed=21)
    same = model.drift_test(X, y)
    assert same["p"] > 0.001 and same["rows"] == 600
    far = y + 3 * y.std()
    moved = model.drift_test(X, far)
    assert moved["p"] < 1e-9 and moved["above"] > 0.5
    assert model.update(X, far, instead=True).drift_test(*made_rows(600, seed=22))["p"] < 1e-9
    with refused(ValueError, "inconsistent"):
        model.drift_test(X, y[:-1])
    few = LacpRegressor(settings={"predictor.rounds": 20}).fit(*made_rows(100))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check_equal(few.drift_test(X, y)["p"], None, "few rows")
    assert "predict each other" in str(caught[0].message), caught


def test_any_estimator():
    X, y = made_rows(800)
    X_new, y_new = made_rows(2000, seed=9)
    model = LacpRegressor(estimator=LinearRegression(), coverage=0.9).fit(X, y)
    f, intervals = model.predict(X_new, return_interval=True)
    check_equal(np.allclose(f, model.estimator_.predict(X_new), atol=1e-9), True, "one of all rows")
    inside = (intervals[:, 0, 0] <= y_new) & (y_new <= intervals[:, 1, 0])
    assert abs(inside.mean() - 0.9) < 0.05
    again = pickle.loads(pickle.dumps(model))
    check_equal(again.predict_interval(X_new), intervals, "a pickled model")
    fitted = LinearRegression().fit(X[:400], y[:400])
    prefit = LacpRegressor(estimator=fitted, prefit=True, coverage=0.9, calibration="split").fit(X[400:], y[400:])
    check_equal(np.allclose(prefit.predict(X_new), fitted.predict(X_new), atol=1e-9), True, "the estimator as it is")
    with refused(ValueError, "drift_test is for a prefit estimator"):
        model.drift_test(X_new, y_new)
    assert 0 < prefit.drift_test(X_new, y_new)["p"] <= 1
    frame, price = made_frame()
    LacpRegressor(estimator=DummyRegressor(), **FAST).fit(frame, price).predict(frame.head())
    with refused(ValueError, "expected one of them"):
        LacpRegressor(estimator=fitted, prediction="x0").fit(X, y)


def test_check_estimator():
    estimator_checks.check_estimator(LacpRegressor())
    for check in ("check_n_features_in_after_fitting", "check_dataframe_column_names_consistency"):
        getattr(estimator_checks, check)("LacpRegressor", LacpRegressor(**FAST))


def test_with_scikit_learn():
    X, y = made_rows(400)
    pipe = make_pipeline(StandardScaler(), LacpRegressor(**FAST)).fit(X, y)
    assert pipe[-1].predict_interval(pipe[0].transform(X)).shape == (400, 2, 2)
    assert pipe.score(X, y) > 0.3
    prediction, ends = pipe.predict(X[:5], return_interval=True)
    check_equal((prediction.shape, ends.shape), ((5,), (5, 2, 2)), "of a pipeline")
    scores = cross_validate(pipe, X, y, cv=KFold(3), error_score="raise",
                            scoring={"interval": interval_score, "coverage": coverage_score})
    assert all(-9 < score < -1 for score in scores["test_interval"]), scores
    assert all(0.8 < score < 1 for score in scores["test_coverage"]), scores
    search = GridSearchCV(LacpRegressor(**FAST), {"settings": [{"predictor.rounds": 1}, {"predictor.rounds": 60}]}, cv=3,
                          error_score="raise").fit(X, y)
    check_equal(search.best_params_["settings"]["predictor.rounds"], 60, "one tree explains less")


def winkler(lower, upper, y, alpha):
    return (upper - lower + 2 / alpha * (np.maximum(lower - y, 0) + np.maximum(y - upper, 0))).mean()


def test_scores():
    """Against the definitions."""
    X, y = made_rows(1000)
    model = LacpRegressor(coverage=(0.8, 0.9), **FAST).fit(X[:400], y[:400])
    (lower, upper), y_new = model.predict_interval(X[400:]).transpose(1, 2, 0), y[400:]
    ours = np.array([winkler(l, u, y_new, alpha) for l, u, alpha in zip(lower, upper, (0.2, 0.1))])
    assert np.isclose(interval_score(model, X[400:], y_new), -ours.mean()), ours
    assert np.isclose(coverage_score(model, X[400:], y_new), np.mean((lower <= y_new) & (y_new <= upper)))
    ends = np.quantile(y_new, [[0.1, 0.05], [0.9, 0.95]])
    one = [winkler(low, high, y_new, alpha) for low, high, alpha in zip(*ends, (0.2, 0.1))]
    assert np.isclose(model.score(X[400:], y_new), np.mean(1 - (ours / one) ** 2))
    percent = LacpRegressor(coverage=(80, 90), **FAST).fit(X[:400], y[:400])
    check_equal(percent.model_, model.model_, "per cent")
    for score in (interval_score, coverage_score, LacpRegressor.score):
        check_equal(score(percent, X[400:], y_new), score(model, X[400:], y_new), "scores of per cent")
    check_equal(percent.predict_interval(X[:9], coverage=80), model.predict_interval(X[:9], coverage=0.8), "asked for later")
    check_equal(interval_score(model.set_params(coverage=0.5), X[400:], y_new), interval_score(percent, X[400:], y_new),
                "the levels of the fit, whatever parameters are now")
    check_equal(LacpRegressor(**FAST).fit(X[:9], y[:9]).score(X[:9], y[:9]), -np.inf, "intervals of few rows are infinite")


def test_warnings():
    X, y = made_rows(300)

    def warned(**of):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            LacpRegressor(**{**FAST, **of.pop("model", {})}).fit(of.pop("X", X), of.pop("y", y))
        return [(str(one.message), pathlib.Path(one.filename).name) for one in caught]

    check_equal(warned(), [], "nothing to warn of")
    [(said, where)] = warned(model={"coverage": 0.999})
    assert "coverage 0.999" in said and "infinite" in said and where == "test_lacp.py", (said, where)
    assert any("classification" in said for said, _ in warned(y=(y > 0).astype(float)))
    names = pd.DataFrame({"patient": [f"p{i // 5}" for i in range(300)], "x": X[:, 0]})
    assert any("pass groups=X['patient'] to fit" in said for said, _ in warned(X=names)), warned(X=names)
    doubled = warned(X=np.vstack([X] * 3), y=np.concatenate([y] * 3))  # the program says it on standard error
    assert any("3 times" in said and "copies='keep' uses all" in said for said, _ in doubled), doubled
    [(said, _)] = warned(X=X[:12], y=y[:12], model={"coverage": (0.5, 0.9, 0.95, 0.97)})
    assert said.endswith("alone; at coverage 0.9, 0.95, 0.97 they are infinite"), said


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


def test_the_numbers_of_the_program(folder):
    """Five tables with all kinds of columns: the model's bytes, and what is predicted, are those of the program, bit for bit."""
    frame, price = made_frame(400)
    X, y = made_rows(400, seed=4)
    gaps = pd.DataFrame(np.where(np.random.default_rng(5).uniform(size=X.shape) < 0.2, np.nan, X), columns=["a", "b", "c"])
    codes = pd.DataFrame({"a": X[:, 0], "code": [f"c{i % 80}" for i in range(400)],
                          "note": pd.Categorical(["NA", "x,\"y\"", "été"] * 133 + ["x,\"y\""])})
    whole = pd.DataFrame({"a": X[:, 0], "site": pd.Categorical(np.where(X[:, 1] > 0, "north", "south"))})
    times = pd.DataFrame({"at": pd.Timestamp("1969-12-30 11:00") + pd.to_timedelta(np.arange(400) * 7, unit="h"), "a": X[:, 0]})
    patients = [f"patient {i // 4}" for i in range(400)]
    described = {"kind, of \"house\"": "category", "state": "ordered", "postcode": "mean", "sold": "date", "code": "mean", "note": "category",
                 "site": "category", "at": "date"}
    for name, table, target, groups, more, options in (
            ("kinds", frame, price, None, {"coverage": (0.8, 0.9)}, ["--coverage", "0.8,0.9"]),
            ("gaps", gaps, y, patients, {}, ["--group", "who"]),
            ("codes", codes, y, None, {"sides": "each", "method": "adapt", "clip": (-99, None)},
             ["--sides", "each", "--method", "adapt", "--clip=-99,"]),
            ("by", whole, np.round(5 * y), None, {"by": "site", "copies": "keep"}, ["--by", "site", "--copies", "keep"]),
            ("times", times, y, None, {"settings": {"predictor.rounds": 20}, "random_state": 2**64 - 1},
             ["--set", "predictor.rounds=20", "--seed", str(2**64 - 1)])):
        new, options = table.iloc[::-3], options if "--coverage" in options else [*options, "--coverage", "0.9,0.95"]
        kinds = {column: kind for column, kind in described.items() if column in table}
        of = lambda kind: [column for column in kinds if kinds[column] == kind]
        about = {"title": name, "source": {"file": f"{name}.csv"}, "target": "y", "missing": {"marks": [], "do": "fill"}, "columns": {
            "categories": of("category"), "means": of("mean"), "ordered": {column: list(table[column].cat.categories) for column in of("ordered")},
            "dates": {column: ["hour", "weekday", "month", "year"] for column in of("date")}}}
        (folder / f"{name}.yaml").write_text(json.dumps(about, ensure_ascii=False))
        as_csv = lambda rows, **others: rows.astype(dict.fromkeys(rows.select_dtypes(bool), int)).assign(**others).to_csv(
            date_format="%Y-%m-%dT%H:%M:%S", index=False)
        (folder / f"{name}.csv").write_text(as_csv(table, y=np.asarray(target), **({"who": groups} if groups else {})))
        (folder / "new.csv").write_text(as_csv(new))
        model = folder / f"{name}.lacp"
        run = lambda *words: subprocess.run([os.environ["LACP"], *map(str, words), "--quiet"], check=True, stdout=subprocess.PIPE, text=True).stdout
        run("fit", folder / f"{name}.yaml", "--datasets-folder", folder, "--model", model, *options)
        mine = LacpRegressor(**more).fit(table, target, **({"groups": groups} if groups else {}))
        theirs = LacpRegressor.load(model)
        if groups is None:  # whose column has another name
            check_equal(mine.model_ == model.read_bytes(), True, f"bytes of {name}")
        for asked, calls in (([], lambda m: m.predict(new, return_interval=True)),
                             (["--coverage", "0.6"], lambda m: (m.predict(new), m.predict_interval(new, coverage=0.6)))):
            printed = run("predict", model, folder / "new.csv", "--all-rows", *asked)
            expected = np.array([[float(cell or "nan") for cell in row[1:]] for row in list(csv.reader(printed.splitlines()))[1:]])
            for each in (mine, theirs):
                f, ends = calls(each)
                check_equal(np.column_stack([f, ends.swapaxes(1, 2).reshape(len(f), -1)]), expected, f"{name} {asked}")
        if groups is None and name != "codes":
            (folder / "later.csv").write_text(as_csv(table.iloc[:150], y=np.asarray(target)[:150]))
            run("update", model, folder / "later.csv", "--all-rows", "--output", folder / "newer.lacp")
            newer = (folder / "newer.lacp").read_bytes()
            check_equal(mine.update(table.iloc[:150], np.asarray(target)[:150]).model_ == newer, True, f"update of {name}")
            printed = json.loads(run("evaluate", folder / "newer.lacp", folder / "later.csv", "--all-rows", "--json"))
            check_equal(mine.evaluate(table.iloc[:150], np.asarray(target)[:150]), printed, f"evaluate of {name}")
        if mine.info_["sides"] == "both" and name != "by":
            bounds = list(csv.DictReader(run("predict", model, folder / "new.csv", "--all-rows", "--upper", "0.9", "--lower", "0.8").splitlines()))
            for which, share in (("upper", 0.9), ("lower", 0.8)):
                expected = np.array([float(row[f"{which}_bound_{share * 100:.0f}"]) for row in bounds])
                check_equal(theirs.predict_bound(new, **{which: share}), expected, which)


def test_frames():
    frame, price = made_frame()
    model = LacpRegressor(coverage=0.9, **FAST).fit(frame, price)
    check_equal({column["column"]: column["kind"] for column in model.report_["columns"]},
                {"area": "number", "rooms": "number", "kind, of \"house\"": "category", "state": "ordered",
                 "postcode": "mean of target", "sold": "date", "garden": "number"}, "kinds of columns")
    assert model.score(frame, price) > 0.9 and model.predict_interval(frame).shape == (300, 2, 1)
    check_equal(model.predict(frame.iloc[5:6]), model.predict(frame)[5:6], "one row alone")
    summed = frame.iloc[:30].reset_index(drop=True)
    summed.loc[29, "rooms"] = summed["rooms"][:29].sum()
    check_equal(model.predict(summed).shape, (30,), "a last row that would be a total at the end of a file")
    state = frame[["state"]]
    check_equal(LacpRegressor(**FAST).fit(state, price).predict(state).shape, (300,), "one column, of which some cells are missing")
    castle = frame.iloc[:1].assign(**{"kind, of \"house\"": "castle"})
    with refused(ValueError, "row 0", "'kind, of \"house\"'", "castle", 'unseen="zeros"'):
        model.predict(castle)
    lines = pd.DataFrame({"note": pd.Categorical(["one\ntwo\nthree", "four"] * 150)})
    with refused(ValueError, "row 2: ", "five"):  # on line 8
        LacpRegressor(**FAST).fit(lines, price).predict(pd.DataFrame({"note": [*lines["note"].astype(str)[:2], "five"]}))
    assert np.isfinite(model.set_params(unseen="zeros").predict(castle)).all()
    # Texts that hardly repeat are left out, as `lacp fit` leaves them out, unless they are said to be categories.
    notes = [f"note {i} of {i % 7}" for i in range(len(frame))]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        texts = LacpRegressor(coverage=0.9, **FAST).fit(frame.assign(notes=notes), price)
    [told] = [str(warning.message) for warning in said if "'notes'" in str(warning.message)]
    assert "'notes' holds text, 300 different" in told and "an id" in told and "category" not in told, told
    check_equal(texts.predict_interval(frame.assign(notes="another")), model.predict_interval(frame), "without the notes")
    named = LacpRegressor(**FAST).fit(frame.assign(notes=pd.Categorical(notes)), price)
    assert {"column": "notes", "kind": "mean of target"}.items() <= named.report_["columns"][-1].items(), named.report_["columns"]


def test_durations():
    """Are seconds, among attributes and as y."""
    X, y = made_rows(300)
    seconds = pd.DataFrame(X.round(3), columns=["a", "b", "c"])
    seconds.iloc[::7, 1] = np.nan
    took = seconds.assign(b=pd.to_timedelta(seconds["b"], unit="s"))
    model, expected = (LacpRegressor(**FAST).fit(data, y) for data in (took, seconds))
    check_equal(model.predict_interval(took), expected.predict_interval(seconds), "intervals")
    target = pd.Series(pd.to_timedelta(y.round(3), unit="s"))
    check_equal(LacpRegressor(**FAST).fit(X, target).model_, LacpRegressor(**FAST).fit(X, y.round(3)).model_, "y")


def test_groups():
    X, y = made_rows(400)
    groups = np.repeat([f"patient {i}" for i in range(100)], 4)
    model = LacpRegressor(**FAST).fit(X, y, groups=groups)
    check_equal(model.report_["calibration_rows"], 21, "one row of each group calibrates, as many as 0.95 needs")
    assert LacpRegressor(**FAST).fit(X, y).model_ != model.model_
    check_equal(LacpRegressor(**FAST).fit(pd.DataFrame(X, columns=["y", "group", "y_"]), y, groups=pd.Series(groups)).predict(X),
                model.predict(X), "names that are taken")
    check_equal(LacpRegressor(**FAST).fit(X, y, groups=[None] * 400).predict(X), LacpRegressor(**FAST).fit(X, y).predict(X),
                "no group")
    with refused(ValueError, "inconsistent"):
        LacpRegressor().fit(X, y, groups=groups[1:])
    X_later, y_later = made_rows(40, 5)
    with refused(ValueError, "fitted with groups"):
        model.update(X_later, y_later)
    model.update(X_later, y_later, groups=np.repeat([f"new {i}" for i in range(10)], 4))
    check_equal(model.info_["calibration_rows"], 31, "and one row of each new group")


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
    # A column that the fit left out is as if it were not there, before and after; any other is missed or refused.
    codes = frame.assign(code=[f"c{i}" for i in range(len(frame))])[["code", *frame.columns]]
    model = LacpRegressor(**FAST).fit(codes, price)
    model.save(folder / "model.lacp")
    loaded = LacpRegressor.load(folder / "model.lacp")
    for one in (model, loaded):
        check_equal(list(one.feature_names_in_), list(frame.columns), "names of the columns that are read")
        check_equal(one.n_features_in_, len(frame.columns), "their number")
        for data in (codes, frame, codes.assign(code=1)):
            check_equal(one.predict(data), model.predict(codes), "with and without it")
        with refused(ValueError, "now missing:\n- area", lines=9):
            one.predict(codes.drop(columns="area"))
    with refused(ValueError, "unseen at fit time:\n- other", lines=9):
        model.predict(codes.assign(other=1))
    loaded.save(folder / "again.lacp")
    (folder / "crafted.lacp").write_bytes(loaded.model_.replace(b"area", b"aria"))
    with refused(ValueError, "crafted.lacp: is not a usable model"):
        LacpRegressor.load(folder / "crafted.lacp")
    with refused(FileNotFoundError, "nowhere.lacp"):
        LacpRegressor.load(folder / "nowhere.lacp")
    frame.assign(price=price, sold=frame["sold"].dt.strftime("%d/%m/%Y")).to_csv(folder / "slashes.csv", index=False)
    subprocess.run([os.environ["LACP"], "fit", folder / "slashes.csv", "--target", "price", "--date", "day_first", "--method", "fixed",
                    "--model", folder / "slashes.lacp", "--quiet"], check=True)
    with refused(ValueError, "slashes.lacp", "another notation"):
        LacpRegressor.load(folder / "slashes.lacp")


def test_pickle_of_an_older_module():
    X, y = made_rows(60)
    model = LacpRegressor(**FAST).fit(X, y)
    state = {name: value for name, value in vars(model).items() if name not in ("by", "copies")}
    older = LacpRegressor.__new__(LacpRegressor)
    older.__setstate__(state)
    assert "LacpRegressor(" in repr(older)
    check_equal(older.fit(X, y).predict(X), model.predict(X), "a new fit")


def test_explain():
    draws = np.random.default_rng(3)
    X = draws.uniform(size=(1200, 3))
    y = X[:, 0] + (0.2 + 2 * X[:, 1]) * draws.normal(size=1200)
    new = np.column_stack([X[:50, 0], np.full(50, 0.95), X[:50, 2]])
    found = LacpRegressor(coverage=0.9).fit(X, y).explain(new)
    assert len(found) == 50 and sum(row[0][0] == "x1" and row[0][1] > 1.1 for row in found if row) >= 45


def test_options():
    X, y = made_rows(300)
    ends = LacpRegressor(clip=(0, None), coverage=(0.8,), **FAST).fit(X, np.abs(y)).predict_interval(X)
    assert ends.min() == 0 and ends.shape == (300, 2, 1), ends  # cut to what y can be
    check_equal(LacpRegressor(clip="0,", coverage=(0.8,), **FAST).fit(X, np.abs(y)).predict_interval(X), ends, "limits")
    centre = pd.DataFrame(X, columns=["a", "b", "f"]).assign(f=np.sin(2 * X[:, 0]))
    around = LacpRegressor(prediction="f", method="adapt", settings={"training.epochs": 2}).fit(centre, y)
    shift = around.predict(centre) - centre["f"]
    assert np.ptp(shift) < 1e-12, shift
    one, all_of_them = (LacpRegressor(n_jobs=jobs, **FAST).fit(X, y).model_ for jobs in (1, -1))
    check_equal(one, all_of_them, "the number of threads changes no byte")
    check_equal(LacpRegressor(calibration="split", **FAST).fit(X, y).report_["every_row"], False, "a split")
    seeded = LacpRegressor(random_state=np.int64(7), **FAST).fit(X, y).model_
    check_equal(LacpRegressor(random_state=7, **FAST).fit(X, y).model_, seeded, "a number of NumPy")
    for random in (np.random.RandomState(3), np.random.default_rng(3)):
        assert LacpRegressor(random_state=random, **FAST).fit(X, y).model_ != seeded
    numpy = {"predictor.rounds": np.int64(50), "split.test": np.float64(0.2), "network.hidden": np.array([5, 5])}
    check_equal(LacpRegressor(method="fixed", settings=numpy).fit(X, y).report_["rows"], 300, "settings of NumPy's types")
    few = LacpRegressor(**FAST, coverage=0.999).fit(X, y).predict_interval(X)
    check_equal((few[:, 0].max(), few[:, 1].min()), (-np.inf, np.inf), "too few rows calibrate")


def test_few_rows(folder):
    X, y = np.zeros((9, 1)), np.array([3.0, 1, 2, 9, 8, 7, 4, 5, 6])
    model = LacpRegressor(coverage=(0.8, 0.6, 0.81)).fit(X, y)
    check_equal(model.predict(X[:2]), np.array([5.0, 5.0]), "the median")
    check_equal(model.predict_interval(X[:2]), np.array([[[1, 2, -np.inf], [9, 8, np.inf]]] * 2), "8 and 6 of 10 rows; 8.1 need all")
    check_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X), "pickled")
    check_equal(model.predict_interval(X[:2], coverage=(80, 60)), model.predict_interval(X[:2])[:, :, :2], "per cent")
    with refused(ValueError, "window is 2.5", "from 1 on"):
        model.update(X[:3], y[:3], window=2.5)
    check_equal(model.predict_quantile(X[:1], [0.1, 0.5, 0.95])[0], np.array([1, 5, np.inf]), "ranks")
    check_equal(len(model.update(X[:3], y[:3] + 10).model_), 12, "rows join")
    check_equal(model.update(X[:2], y[:2] + 20, window=4).model_, np.array([11.0, 12, 23, 21]), "the newest rows")
    with refused(ValueError, "20 rows"):
        model.save(folder / "few.lacp")


def test_errors(folder):
    X, y = made_rows(100)
    infinite = X.copy()
    infinite[3, 1] = np.inf
    fitted = LacpRegressor(**FAST).fit(X, y)
    for wrong, words in (({"method": "crq"}, ("'crq'", "cqr")), ({"coverage": 0.1}, ("coverage", "0.1")),
                         ({"coverage": []}, ("coverage", "empty")), ({"method": ""}, ("method", "empty")),
                         ({"coverage": 5}, ("coverage is 5", "0 and 1")), ({"coverage": (0.9, 100)}, ("coverage", "100")),
                         ({"clip": 5}, ("clip is 5", "(0, None)")), ({"clip": (0, 1, 2)}, ("clip='0,1,2'", "limits of the target")),
                         ({"clip": "0;5"}, ("clip='0;5'",)), ({"sides": "left"}, ("sides", "left", "both")),
                         ({"n_jobs": 10**6}, ("n_jobs='1000000'", "1024")), ({"by": "x9"}, ("by='x9'", "x0")),
                         ({"copies": "all"}, ("copies", "'all'", "keep")), ({"prediction": "x9"}, ("prediction='x9'",)),
                         ({"random_state": -1}, ("random_state", "-1")), ({"random_state": 1.5}, ("random_state", "1.5")),
                         ({"settings": {"training.epohs": 1}}, ("training.epohs",)),
                         ({"settings": {"a": 1}}, ("settings: a=1: is no setting of a fit",))):
        with refused(ValueError, *words):
            LacpRegressor(**wrong).fit(X, y)
    for call, words in (
            (lambda: LacpRegressor(unseen="some", **FAST).fit(X, y).predict(X), ("unseen", "some")),
            (lambda: LacpRegressor().fit(infinite, y), ("row 3", "'x1'", "finite")),
            (lambda: fitted.predict(infinite), ("row 3", "'x1'", "finite")),
            (lambda: LacpRegressor().fit(X[:10], y[:10], groups=range(10)), ("X: has 10 rows", "20")),
            (lambda: fitted.predict_quantile(X, [0.5, 100]), ("q is [0.5, 100]", "0 and 1")),
            (lambda: fitted.update(X, y, window=-5), ("window is -5", "from 1 on")),
            (lambda: fitted.update(X, y, sides="left"), ("sides is 'left'", "'both'", "'each'")),
            (lambda: fitted.update(X + 1, y, window=10, sides="each"), ("calibration rows", "found 10")),
            (lambda: LacpRegressor().fit(pd.DataFrame(X, columns=["a", "b", "a"]), y), ("same name",))):
        with refused(ValueError, *words):
            call()
    texts = LacpRegressor(**FAST).fit(pd.DataFrame({"a": ["u", "v"] * 50}), y)
    with refused(UnicodeEncodeError, "surrogates"):  # while rows are written
        texts.predict(pd.DataFrame({"a": ["\ud800"]}))
    for path, words in ((str(folder / "nowhere"), ("not found", "LACP")), ("/bin/false", ("/bin/false", "liblacp_python.so"))):
        done = subprocess.run([sys.executable, "-B", "-c", "import lacp; lacp.LacpRegressor().fit([[1.0]] * 30, range(30))"], text=True,
                              capture_output=True, env={**os.environ, "LACP": path, "PYTHONPATH": str(pathlib.Path(lacp.__file__).parent)})
        assert all(word in done.stderr.splitlines()[-1] for word in ("FileNotFoundError", *words)), done.stderr


def test_failed_refit():
    """Leaves the model that was there, or none."""
    X, y = made_rows(60)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    for data, other in ((X, frame), (frame, X[:, :2])):
        model = LacpRegressor(estimator=LinearRegression(), **FAST).fit(data, y)
        before, expected = dict(vars(model)), model.predict_interval(data)
        for wrong in ({"method": "crq"}, {"sides": "left"}, {"prediction": "a"}):
            with refused(ValueError):
                model.set_params(**wrong).fit(other, y)
            model.set_params(**{name: getattr(LacpRegressor(**FAST), name) for name in wrong})
            check_equal(vars(model), before, "as it was")
        check_equal(model.predict_interval(data), expected, "the old model")
    with refused(ValueError):
        (model := LacpRegressor(method="crq")).fit(X, y)
    check_equal(vars(model), vars(LacpRegressor(method="crq")), "nothing fitted")


def test_readme():
    page = (pathlib.Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    names = dict(zip(("X", "y", "X_new"), (*made_rows(200), made_rows(7, seed=3)[0])))
    exec(page.split("```python\n")[1].split("```")[0], names)
    check_equal((names["prediction"].shape, names["intervals"].shape), ((7,), (7, 2, 2)), "shapes that the page names")


def test_without_scikit_learn(program):
    """The module in an interpreter that has NumPy alone."""
    code = ("import sys; sys.modules.update({'sklearn': None, 'sklearn.base': None, 'pandas': None}); import numpy as np; "
            "from lacp import LacpRegressor; X = np.random.default_rng(1).normal(size=(50, 2)); "
            "print(LacpRegressor(coverage=0.8, method='fixed').fit(X, X[:, 0]).predict_interval(X).shape)")
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(pathlib.Path(lacp.__file__).parent)})
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
