"""Prediction intervals for regression as an estimator of scikit-learn, made by the program `lacp`.

    from lacp import LacpRegressor
    model = LacpRegressor(coverage=(0.9, 0.95)).fit(X, y)
    model.predict(X_new)           # (rows,)
    model.predict_interval(X_new)  # (rows, 2, levels): lower and upper ends, in the order of coverage

X is an array of numbers (NaN: missing) or a pandas DataFrame of numbers, texts, categories, dates and gaps. The program is the
one that the variable LACP names, or `lacp` on the PATH. NumPy is needed; get_params, set_params and score are scikit-learn's.
"""
import contextlib
import csv
import io
import json
import os
import shutil
import subprocess
import tempfile
import threading
import warnings
from pathlib import Path

import numpy as np

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    BaseEstimator, RegressorMixin = type("BaseEstimator", (), {}), type("RegressorMixin", (), {})
    NotFittedError, DataConversionWarning = ValueError, UserWarning

FEWEST_ROWS, MOST_LEVELS = 20, 64  # of a fit; of a category: a column of more is read by the mean target of each level
KINDS = {**dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty"), "number"),
         **dict.fromkeys(("datetime64", "datetime", "date"), "date"),
         **dict.fromkeys(("string", "categorical"), "category")}  # of what pandas infers
_quoted = lambda text: '"' + str(text).replace('"', '""') + '"'


def _write(file, columns):
    """A csv of {name: cells}. 17 digits say every double; a thousand rows at once, since formatting is what takes time."""
    with contextlib.suppress(BrokenPipeError), file:  # if the program ends early, it says why
        file.write((",".join(map(_quoted, columns)) + "\n").encode())
        row = ",".join("%.17g" if cells.dtype.kind == "f" else "%s" for cells in columns.values()) + "\n"
        for i in range(0, max(map(len, columns.values()), default=0), 1000):
            part = [cells[i:i + 1000].tolist() for cells in columns.values()]
            file.write((row * len(part[0]) % tuple(cell for cells in zip(*part) for cell in cells)).encode())


def _run(folder, *arguments, columns=None):
    """What the program prints, given these columns as its input. Its error is a ValueError with its one line."""
    program = shutil.which(os.environ.get("LACP") or "lacp")
    if program is None:
        raise FileNotFoundError("the program lacp was not found; name it by the variable LACP, or put it on the PATH")
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([program, *arguments], **pipes) as running:
        writer = threading.Thread(target=_write, args=(running.stdin, columns or {}))
        writer.start()  # the first rows are predicted while the next are written
        printed, said = running.stdout.read(), running.stderr.read().decode(errors="replace").strip()
        writer.join()
    if running.returncode != 0:
        said = said or f"{program}: ended with {running.returncode} and said nothing"
        raise ValueError(said.splitlines()[-1].replace(f"{folder}{os.sep}", ""))
    return printed


def _kind(column):
    """What a column of a DataFrame holds, in the words of the program."""
    from pandas.api.types import infer_dtype
    kind = KINDS.get(inferred := infer_dtype(column, skipna=True))
    if kind is None:
        raise ValueError(f"column {column.name!r} holds {inferred}; expected numbers, texts, categories or dates")
    if kind == "category":
        return "ordered" if getattr(column.dtype, "ordered", False) else kind if column.nunique() <= MOST_LEVELS else "mean"
    return kind


def _cells(column, kind):
    """Numbers as such, the rest as quoted text. A missing cell is quoted, too: a line of nothing would be no row."""
    if kind == "number":
        return column.to_numpy(dtype=float, na_value=np.nan) if hasattr(column, "to_numpy") else column
    if kind == "date":
        from pandas import Series, to_datetime
        times = to_datetime(Series(column)).dt.tz_localize(None)  # the clock on the wall, as the program reads dates
        column = times.dt.strftime("%Y-%m-%dT%H:%M:%S")
    missing = column.isna() if hasattr(column, "isna") else [value is None or value != value for value in column]
    return np.array([_quoted("" if gone else value) for value, gone in zip(column, missing)], dtype=object)


def _described(model, source="model_"):
    """The kind of each column of a saved model, by name, and its levels."""
    stream = io.BytesIO(model)
    count = lambda: int.from_bytes(stream.read(8), "little")
    if stream.readline() != b"lacp table model\n" or count() == 0:
        raise ValueError(f"{source}: is no model that `lacp fit` wrote")
    records = [record for record in csv.reader(io.StringIO(stream.read(count()).decode())) if record[0] == "attribute"]
    plain = all(rest in ([], [".", ""]) if kind == "number" else kind != "date" or not rest[0].endswith("_first")
                for _, kind, _, _, *rest in records)
    if stream.read(2) != b",\1" or count() != 0 or not plain:
        raise ValueError(f"{source}: reads numbers or dates in another notation, or no header; use `lacp predict`")
    stream.read(8 * count())  # means of columns
    return {record[3]: record[1] for record in records}, [stream.read(count()).decode() for _ in range(count())]


class LacpRegressor(RegressorMixin, BaseEstimator):
    """Locally adaptive conformal prediction intervals. After fit: n_features_in_, feature_names_in_ (of a DataFrame), model_
    (the bytes that `save` writes and `lacp predict` reads) and report_ (what `lacp fit --json` prints).

    method        one of `lacp methods`
    coverage      shares of new rows that intervals are to contain, one or several
    sides, clip   as of `lacp fit`: "both" or "each"; the least and the largest value that y can have, as (0, None)
    prediction    name of a column with predictions of y by a model of your own, around which intervals are laid
    unseen        categories that the fit has not seen: "error", or "zeros" for none of those seen
    settings      {key: value}, as --set takes them
    random_state  the seed: one seed gives the same bytes on every machine
    n_jobs        threads of the fit; None or -1: all processors
    """

    def __init__(self, method="auto", coverage=(0.9, 0.95), sides="both", clip=None, prediction=None, unseen="error",
                 settings=None, random_state=1, n_jobs=None):
        self.method, self.coverage, self.sides, self.clip, self.prediction = method, coverage, sides, clip, prediction
        self.unseen, self.settings, self.random_state, self.n_jobs = unseen, settings, random_state, n_jobs

    def fit(self, X, y, groups=None):
        """Learns from X and y. Rows of one group stay together; the promise is then for rows of new groups."""
        columns, y = self._checked(X, reset=True), self._checked_target(y)
        kinds = {name: _kind(column) if hasattr(X, "iloc") else "number" for name, column in columns.items()}
        table = {name: _cells(column, kinds[name]) for name, column in columns.items()}
        unused = lambda name: name if name not in columns else unused(name + "_")
        table[unused("y")] = y
        if groups is not None:
            table[unused("group")] = _cells(groups, "category")
        if len({len(cells) for cells in table.values()}) > 1 or len(columns) < self.n_features_in_ or "" in columns:
            raise ValueError("X, y and groups have inconsistent numbers of samples, or columns of X have the same name or none")
        if len(y) < FEWEST_ROWS and groups is None:
            warnings.warn(f"{len(y)} rows, and a model needs {FEWEST_ROWS}: intervals come from y alone", stacklevel=2)
            self.report_, self.model_ = {}, np.sort(y)
            return self
        options = {"method": self.method, "coverage": ",".join(f"{share:.9g}" for share in np.ravel(self.coverage)),
                   "sides": self.sides, "seed": self.random_state, "prediction": self.prediction,
                   "jobs": self.n_jobs if (self.n_jobs or 0) > 0 else None, "group": None if groups is None else unused("group"),
                   "clip": self.clip and ",".join("" if end is None else f"{end:.17g}" for end in self.clip)}
        options = [f"--{name}={value}" for name, value in options.items() if value is not None] + [
            f"--set={key}={json.dumps(value)}" for key, value in (self.settings or {}).items()]
        named = lambda kind: [name for name in columns if kinds[name] == kind]
        description = {  # instead of what the program would guess
            "title": "table", "source": {"file": "table.csv"}, "target": unused("y"), "missing": {"marks": [], "do": "fill"},
            "columns": {"categories": named("category"), "means": named("mean"),
                        "ordered": {name: [str(level) for level in columns[name].cat.categories] for name in named("ordered")},
                        "dates": {name: ["hour"] * any(not cell.endswith(('""', 'T00:00:00"')) for cell in table[name])
                                  + ["weekday", "month", "year"] for name in named("date")}}}
        with tempfile.TemporaryDirectory() as folder:
            yaml, model = Path(folder, "table.yaml"), Path(folder, "model.lacp")
            yaml.write_text(json.dumps(description, ensure_ascii=False), encoding="utf-8")  # which is yaml, too
            _write(open(yaml.with_suffix(".csv"), "wb"), table)
            report = _run(folder, "fit", yaml, "--datasets-folder", folder, "--model", model, "--json", "--quiet", *options)
            self.report_, self.model_ = json.loads(report), model.read_bytes()
        return self

    def predict(self, X, return_interval=False):
        """Predictions of y; with return_interval the pair of these and the intervals, from one run of the program."""
        if not hasattr(self, "model_"):
            raise NotFittedError("this LacpRegressor is not fitted yet; call fit first")
        columns = self._checked(X)
        count = len(next(iter(columns.values())))
        if not isinstance(self.model_, bytes):  # n + 1 - 2k of n + 1 rows lie between the k-th least and k-th largest of n
            y = np.concatenate([[-np.inf], self.model_, [np.inf]])
            k = ((len(y) - 1) * (1 - np.ravel(self.coverage)) / 2 + 1e-9).astype(int)
            f, intervals = np.full(count, np.median(self.model_)), np.tile([y[k], y[-1 - k]], (count, 1, 1))
            return (f, intervals) if return_interval else f
        kinds, levels = _described(self.model_)
        table = {name: _cells(column, kinds[name]) for name, column in columns.items() if name in kinds}
        with tempfile.TemporaryDirectory() as folder:
            self.save(model := Path(folder, "model.lacp"))
            printed = _run(folder, "predict", model, "-", "--quiet", "--unseen", self.unseen, columns=table).decode()
        cells = printed[printed.index("\n") + 1:].replace("\n", ",").replace(",,", ",nan,").replace(",,", ",nan,")
        rows = np.fromstring(cells, sep=",").reshape(count, 2 + 2 * len(levels))
        intervals = rows[:, 2:].reshape(count, len(levels), 2).swapaxes(1, 2)
        return (rows[:, 1], intervals) if return_interval else rows[:, 1]

    def predict_interval(self, X):
        """Intervals as an array (rows, 2, levels): lower and upper ends, in the order of coverage. They are infinite where too
        few rows calibrate, and NaN where an interval is empty."""
        return self.predict(X, return_interval=True)[1]

    def save(self, file):
        """Writes the model as `load` and `lacp predict` read it. Parameters are no part of it; pickle keeps them, too."""
        if not isinstance(self.model_, bytes):
            raise ValueError(f"{file}: not written; a model needs {FEWEST_ROWS} rows")
        Path(file).write_bytes(self.model_)

    @classmethod
    def load(cls, file):
        """A fitted estimator of a model that `save` or `lacp fit` wrote."""
        self, model = cls(), Path(file).read_bytes()
        kinds, levels = _described(model, file)
        self.model_, self.n_features_in_, self.coverage = model, len(kinds), tuple(round(1 - float(a), 9) for a in levels)
        if list(kinds) != [f"x{i}" for i in range(len(kinds))]:
            self.feature_names_in_ = np.array(list(kinds), dtype=object)
        return self

    def _more_tags(self):
        return {"allow_nan": True}

    def __sklearn_tags__(self):  # the same, for scikit-learn from 1.6 on
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _checked(self, X, reset=False):
        """The columns of a DataFrame or an array, by name. What is wrong with it is said as scikit-learn says it."""
        if hasattr(X, "nnz"):
            raise TypeError("sparse data are not read; pass X.toarray()")
        if not hasattr(X, "iloc"):
            X = np.asarray(X)
            if X.dtype.kind == "c":
                raise ValueError("Complex data not supported")
            X = X.astype(float)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(-1, 1)")
        rows, count = X.shape
        if rows * count == 0:
            raise ValueError(f"0 {'sample' if count else 'feature'}(s) (shape={X.shape}) while a minimum of 1 is required.")
        names = list(X.columns) if hasattr(X, "iloc") and all(isinstance(name, str) for name in X.columns) else []
        if reset:
            vars(self).pop("feature_names_in_", None)
            vars(self).update({"feature_names_in_": np.array(names, dtype=object)} if names else {}, n_features_in_=count)
        fitted = list(getattr(self, "feature_names_in_", []))
        if bool(names) != bool(fitted):
            warnings.warn("X has feature names, but LacpRegressor was fitted without feature names" if names else
                          "X does not have valid feature names, but LacpRegressor was fitted with feature names", stacklevel=3)
        elif names != fitted:
            lists = {"unseen at fit time": {*names} - {*fitted}, "seen at fit time, yet now missing": {*fitted} - {*names}}
            said = "".join(f"Feature names {what}:\n- " + "\n- ".join(sorted(of)) + "\n" for what, of in lists.items() if of)
            raise ValueError("The feature names should match those that were passed during fit.\n" + (
                said or "Feature names must be in the same order as they were in fit.\n"))
        if count != self.n_features_in_:
            raise ValueError(f"X has {count} features, but LacpRegressor is expecting {self.n_features_in_} features as input")
        labels = [name.strip() for name in fitted] or [f"x{i}" for i in range(count)]
        return dict(zip(labels, (column for _, column in X.items()) if hasattr(X, "iloc") else X.T))

    @staticmethod
    def _checked_target(y):
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            warnings.warn("A column-vector y was passed when a 1d array was expected", DataConversionWarning, stacklevel=3)
        elif y.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {y.shape} instead.")
        if not np.isfinite(y := y.ravel().astype(float)).all():
            raise ValueError("y contains NaN or infinity; leave such rows out")
        return y
