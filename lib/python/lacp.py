"""Prediction intervals for regression as an estimator of scikit-learn: the program `lacp` as a library in this process.

    from lacp import LacpRegressor
    model = LacpRegressor(coverage=(0.9, 0.95)).fit(X, y)
    model.predict(X_new)           # (rows,)
    model.predict_interval(X_new)  # (rows, 2, levels): lower and upper ends, in the order of coverage
    model.predict(X_new, return_interval=True)  # both at once; also of a Pipeline that ends in a LacpRegressor
    model.predict_interval(X_new, coverage=0.8)  # at any level, whatever fit was asked for
    model.predict_quantile(X_new, [0.1, 0.9])    # (rows, 2), calibrated
    model.update(X_later, y_later)               # calibrated by rows whose y has become known, without a new fit
    model.drift_test(X_later, y_later)["p"]      # whether such rows differ from those of the fit
    LacpRegressor(estimator=RandomForestRegressor()).fit(X, y)  # any estimator can make the prediction
    LacpRegressor(estimator=fitted, prefit=True).fit(X_calibration, y_calibration)

Intervals hold the truth as often as asked for, as long as new rows come from the same source as those of the fit. X is an array
of numbers (NaN: missing) or a DataFrame (of pandas; of polars where pandas is, too) of numbers, texts, categories, dates, durations
and gaps. `score`, and with it GridSearchCV, judges the intervals; interval_score and coverage_score are scorers of their own. Ctrl-C
ends a call, and leaves what was fitted before. NumPy is needed. The library is part of a wheel, or lies beside the program that the
variable LACP names, or that is on the PATH.
"""
import ctypes
import json
import os
import shutil
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from threading import RLock

import numpy as np

__version__ = "1.1.0"

try:
    from sklearn.base import BaseEstimator, RegressorMixin
    from sklearn.exceptions import DataConversionWarning, NotFittedError
except ImportError:
    BaseEstimator, RegressorMixin = type("BaseEstimator", (), {}), type("RegressorMixin", (), {})
    NotFittedError, DataConversionWarning = ValueError, UserWarning

FEWEST_ROWS, MOST_LEVELS = 20, 64  # of a fit; of a category: a column of more is read by the mean target of each level
KINDS = {**dict.fromkeys(("integer", "floating", "mixed-integer-float", "decimal", "boolean", "empty", "timedelta64", "timedelta"),
                         "number"), **dict.fromkeys(("datetime64", "datetime", "date"), "date"),
         **dict.fromkeys(("string", "categorical"), "category")}  # of what pandas infers
WORDS = {"all_repeated": "each row occurs {0} times and is used once; copies='keep' uses all {1}",
         "repeated": "{0} of {1} equal an earlier one; copies='drop' leaves them out",
         "unnamed_groups": "{0!r} names {1}: if new rows are of new ones, pass groups=X[{0!r}] to fit",
         "small_classes": "by={0!r}: {1}",
         "unseen_category": "{message}; unseen=\"zeros\" takes such a cell for none of them",
         "few_validation_rows": "{message}; use more rows, or raise the setting training.selection.validation_share",
         "diverged": "{message}; try a smaller setting training.learning_rate, or method='fixed'"}  # of codes of lacp.h


def _structure(**fields):
    return type("Structure", (ctypes.Structure,), {"_fields_": list(fields.items())})


TEXTS = _structure(bytes=ctypes.c_char_p, ends=ctypes.c_void_p, count=ctypes.c_int64)  # those of lacp.h
COLUMN = _structure(name=ctypes.c_char_p, kind=ctypes.c_char_p, numbers=ctypes.c_void_p, stride=ctypes.c_int64, texts=TEXTS, levels=TEXTS)
TABLE = _structure(columns=ctypes.POINTER(COLUMN), count=ctypes.c_int64, rows=ctypes.c_int64)
WATCH = ctypes.CFUNCTYPE(ctypes.c_int)
GUARD = RLock()


def _program():
    """The program of this module's own wheel, or the one that LACP names, or that of the PATH."""
    own = Path(__file__).with_name("lacp_program") / "bin/lacp"
    program = str(own) if own.is_file() else shutil.which(os.environ.get("LACP") or "lacp")
    if program is None:
        raise FileNotFoundError("the program lacp was not found; name it by the variable LACP, or put it on the PATH")
    return program


def main():
    """The command `lacp` of a wheel."""
    program = _program()
    os.execv(program, [program, *sys.argv[1:]])


def _library(loaded=[]):
    """The functions of lacp.h, which are loaded once."""
    with nullcontext() if loaded else GUARD:
        if not loaded:
            program = Path(_program()).resolve()
            places = program.with_name("liblacp_python.so"), program.parents[1] / "lib/liblacp_python.so"
            if not (found := [place for place in places if place.is_file()]):
                raise FileNotFoundError(f"{program}: liblacp_python.so is not beside it; build the target lacp_python")
            library = ctypes.CDLL(str(found[0]))
            for name in ("fit", "predict", "ask", "update", "evaluate", "info", "save", "load"):
                getattr(library, f"lacp_{name}").restype = ctypes.c_int64
            library.lacp_said.restype = ctypes.c_char_p
            loaded.append(library)
    return loaded[0]


def _worded(said):
    """What the library says by a code and values, in the words of this module."""
    code, values, message = said["code"], said["values"], said["message"]
    if code == "option":
        name, value, wrong = values
        return f"settings: {value}: {wrong}" if name == "set" else f"{dict(jobs='n_jobs').get(name, name)}={value!r}: {wrong}"
    return WORDS.get(code, "{message}").format(*values, message=message)


def _call(name, *arguments):
    """What a function of the library gives, its answer and its warnings. Its error is a ValueError."""
    result = getattr(_library(), f"lacp_{name}")(*arguments)
    said = json.loads(_library().lacp_said())
    if (error := said["error"]) is None:
        return result, said["answer"], [_worded(warning) for warning in said["warnings"]]
    raise (MemoryError if error["code"] == "memory" else ValueError)(_worded(error))


def _watched(name, *arguments):
    """The same of one that takes time, on another thread: an exception that ends the waiting, as of Ctrl-C, ends the call."""
    ended = []
    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(_call, name, *arguments, WATCH(lambda: len(ended))).result()
        finally:
            ended.append(True)


class _Model(bytes):
    """The bytes of a model, as `save` writes them; from its first use on also a number in the library."""
    number = 0

    @classmethod
    def of(cls, number):
        data, size = ctypes.c_void_p(), ctypes.c_int64()
        _call("save", ctypes.c_int64(number), ctypes.byref(data), ctypes.byref(size))
        model = cls(ctypes.string_at(data, size.value))
        model.number = number
        return model

    def handle(self, name="the model"):
        with GUARD:
            self.number = self.number or _call("load", ctypes.c_char_p(self), ctypes.c_int64(len(self)), str(name).encode())[0]
        return ctypes.c_int64(self.number)

    def __reduce__(self):
        return type(self), (bytes(self),)

    def __del__(self):
        if self.number:
            _library().lacp_free(ctypes.c_int64(self.number))


def _texts(cells):
    """As the library takes texts, and what has to live as long."""
    text = "".join(cells)
    sizes = map(len, cells) if text.isascii() else (len(cell.encode()) for cell in cells)
    ends = np.cumsum([0, *sizes], dtype=np.int64)
    return TEXTS(text.encode(), ends.ctypes.data, len(cells)), ends


def _given(table, kinds={}, levels={}):
    """{name: cells} as the library takes a table, and what has to live as long."""
    columns, kept = (COLUMN * len(table))(), [table]
    if len({len(cells) for cells in table.values()}) > 1:
        raise ValueError("X, y and groups have inconsistent numbers of samples")
    for column, (name, cells) in zip(columns, table.items()):
        column.name, column.kind = name.encode(), kinds.get(name, "").encode()
        if isinstance(cells, np.ndarray):
            column.numbers, column.stride = cells.ctypes.data, cells.strides[0]
        else:
            column.texts, ends = _texts(cells)
            column.levels, others = _texts(levels.get(name, []))
            kept += [ends, others]
    return ctypes.byref(TABLE(columns, len(table), len(next(iter(table.values()))))), kept


def _options(**options):
    if empty := [name for name, value in options.items() if isinstance(value, str) and not value]:
        raise ValueError(f"{empty[0]} is empty; expected a value, or None for the default")
    return json.dumps({name: value for name, value in options.items() if value is not None}, ensure_ascii=False).encode()


def _kind(column):
    """What a column of a DataFrame holds, in the words of the program."""
    from pandas.api.types import infer_dtype
    kind = KINDS.get(inferred := infer_dtype(column, skipna=True))
    if kind is None:
        raise ValueError(f"column {column.name!r} holds {inferred}; expected numbers, texts, categories, dates or durations")
    if kind == "category":
        if getattr(column.dtype, "ordered", False):
            return "ordered"
        if (different := column.nunique()) > MOST_LEVELS:  # texts that hardly repeat have no mean target, as `lacp fit` knows
            return "text" if inferred == "string" and 2 * different > column.count() else "mean"
    return kind


def _numbers(values):
    """As floats; durations in seconds."""
    if hasattr(values, "to_numpy"):
        if values.dtype == object and any(isinstance(value, timedelta) for value in values):
            values = values.astype("timedelta64[ns]")
        if values.dtype == np.float64:
            return values.to_numpy()
        if values.dtype.kind != "m":
            return values.to_numpy(dtype=float, na_value=np.nan)
    values = np.asarray(values)
    return values / np.timedelta64(1, "s") if values.dtype.kind == "m" else values.astype(float)


def _frame(X):
    """A DataFrame of polars as one of pandas."""
    if not type(X).__module__.startswith("polars."):
        return X
    from pandas import DataFrame
    return DataFrame({name: X[name].to_numpy() for name in X.columns})


def _cells(column, kind):
    """Numbers as floats, dates as seconds since 1970 by the clock on the wall, the rest as texts, "" for a missing one."""
    if kind == "number":
        return _numbers(column)
    if kind == "date":
        if column.dtype.kind != "M":
            from pandas import to_datetime
            column = to_datetime(column)
        times = (column.dt.tz_localize(None) if hasattr(column.dtype, "tz") else column).to_numpy()
        return np.where(np.isnat(times), np.nan, times.astype("datetime64[s]").astype(np.int64))
    cells = column.astype(object).tolist() if hasattr(column, "isna") else column
    missing = column.isna().tolist() if hasattr(column, "isna") else [value is None or value != value for value in column]
    return ["" if gone else str(value) for value, gone in zip(cells, missing)]


def _unused(name, columns):
    """The name, with as many underscores as it takes to be no column."""
    return name if name not in columns else _unused(name + "_", columns)


def _shares(name, values):
    """As an array; 90 and 99.5 are per cent, as for the program."""
    shares = np.ravel(values).astype(float)
    shares = np.where((shares >= 10) & (shares < 100), shares / 100, shares)
    if not len(shares):
        raise ValueError(f"{name} is empty; expected at least one share, such as 0.9")
    if not ((shares > 0) & (shares < 1)).all():
        raise ValueError(f"{name} is {values!r}; expected shares between 0 and 1, such as 0.9")
    return shares


def _listed(shares):
    return [f"{share:.9g}" for share in shares]


def _limits(clip):
    """As the program takes them: the least and the largest value, or a text of both."""
    try:
        return clip if clip is None or isinstance(clip, str) else ",".join("" if end is None else f"{end:.17g}" for end in clip)
    except (TypeError, ValueError):
        raise ValueError(f"clip is {clip!r}; expected the least and the largest value of y, as (0, None)") from None


def _seed(random_state):
    """A whole number, of which a RandomState or a Generator draws one."""
    draw = getattr(random_state, "integers", getattr(random_state, "randint", None))
    seed = 1 if random_state is None else random_state if draw is None else draw(2**31)
    if not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**64:
        raise ValueError(f"random_state is {random_state!r}; expected a whole number from 0 on, a RandomState or a Generator")
    return int(seed)


def _winkler(y, f, intervals, coverage):
    """At each level the mean of the width plus, for a row outside, 2/(1 - coverage) times its distance; smaller is better. An
    empty interval counts as the prediction."""
    lower, upper = (np.where(np.isnan(ends), f[:, None], ends) for ends in (intervals[:, 0], intervals[:, 1]))
    outside = np.maximum(np.maximum(lower - y[:, None], y[:, None] - upper), 0)
    return (upper - lower + 2 / (1 - coverage) * outside).mean(axis=0)


def _pairs(found):
    """The ends behind predictions as an array (rows, 2, levels)."""
    return found[:, 1:].reshape(len(found), -1, 2).swapaxes(1, 2)


def interval_score(model, X, y):
    """A scorer: minus the mean Winkler score of the intervals, over rows and levels, in units of y. Larger is better."""
    f, intervals = model.predict(X, return_interval=True)
    coverage = (model if hasattr(model, "coverage") else model[-1])._covered()  # a Pipeline ends in the estimator
    return -_winkler(_numbers(np.asarray(y)), f, intervals, coverage).mean()


def coverage_score(model, X, y):
    """A scorer to look at, not to choose by: the share of rows inside their interval, mean over the levels."""
    intervals, y = model.predict(X, return_interval=True)[1], _numbers(np.asarray(y))[:, None]
    return ((intervals[:, 0] <= y) & (y <= intervals[:, 1])).mean()


class LacpRegressor(RegressorMixin, BaseEstimator):
    """Locally adaptive conformal prediction intervals. After fit: n_features_in_, feature_names_in_ (of a DataFrame, those columns
    that the model reads), model_ (the bytes that `save` writes and `lacp predict` reads), report_ and info_ (what `lacp fit` and
    `lacp info` print as json). Up to 5,000 rows all of them train and calibrate, and coverage is measured;
    calibration="split" sets rows aside, which makes it a theorem.

    method        one of `lacp methods`
    coverage      shares of new rows that intervals are to contain, one or several; 90 is 90 %
    sides, clip   as of `lacp fit`: "both" or "each"; the least and the largest value that y can have, as (0, None) or "0,"
    by            name of a column whose values are calibrated each by its own rows, as --by of `lacp fit`
    prediction    name of a column with predictions of y by a model of your own, around which intervals are laid
    unseen        categories that the fit has not seen: "error", or "zeros" for none of those seen
    settings      {key: value}, as --set takes them
    random_state  the seed: one seed gives the same bytes on every machine. A RandomState or Generator draws one; None is 1
    n_jobs        threads; None or -1: all processors
    calibration   "every-row": every row trains and calibrates; "split": some are set aside; None: the first up to 5,000 rows
    copies        as of `lacp fit`: "keep" or "drop" rows that equal an earlier one; None: it decides, and warns
    estimator     predicts y in place of the program: copies of it are fitted without each of five folds, and what they predict
                  for their fold is what the intervals learn from; new rows are predicted by one of all rows (estimator_)
    prefit        the estimator is fitted already, and has not seen the rows of fit
    """

    def __init__(self, method="forest", coverage=(0.9, 0.95), sides="both", clip=None, prediction=None, unseen="error",
                 settings=None, random_state=1, n_jobs=None, calibration=None, copies=None, estimator=None, prefit=False,
                 by=None):
        self.method, self.coverage, self.sides, self.clip, self.prediction = method, coverage, sides, clip, prediction
        self.unseen, self.settings, self.random_state, self.n_jobs = unseen, settings, random_state, n_jobs
        self.calibration, self.copies = calibration, copies
        self.estimator, self.prefit, self.by = estimator, prefit, by

    def fit(self, X, y, groups=None):
        """Learns from X and y. Rows of one group stay together; the promise is then for rows of new groups. A fit that fails
        leaves what was fitted before."""
        before = dict(vars(self))
        try:
            X = _frame(X)
            return self._fit(X, self._checked(X, reset=True), self._checked_target(y), groups)
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _fit(self, X, columns, y, groups):
        coverage = _shares("coverage", self.coverage)
        if len(columns) < self.n_features_in_ or "" in columns:
            raise ValueError("columns of X have the same name or none")
        kinds = {name: _kind(column) if hasattr(X, "iloc") else "number" for name, column in columns.items()}
        self._leave_out([name for name, kind in kinds.items() if kind == "text"])
        for name in self.left_out_:
            cells, different = columns[name].count(), columns[name].nunique()
            hint = "unless it is a pandas category, which is read by the mean of y" if different < cells else "as an id is"
            warnings.warn(f"column {name!r} holds text, {different} different in {cells} cells: it is left out, {hint}", stacklevel=3)
            del kinds[name]
        table = {name: _cells(columns[name], kind) for name, kind in kinds.items()}
        prediction, self.centre_ = self.prediction, None
        if self.estimator is not None:
            if prediction is not None:
                raise ValueError("estimator and prediction are given; expected one of them")
            prediction = self.centre_ = _unused("prediction", columns)
            table[prediction], kinds[prediction] = self._out_of_folds(X, y, groups), "number"
        table[target := _unused("y", columns)], kinds[target] = y, "target"
        if groups is not None:
            table[group := _unused("group", columns)], kinds[group] = _cells(groups, "category"), "group"
        levels = {name: list(map(str, columns[name].cat.categories)) for name, kind in kinds.items() if kind == "ordered"}
        given, kept = _given(table, kinds, levels)
        if len(np.unique(y)) == 2:
            warnings.warn("y has two values: that is classification, for which intervals of numbers say little", stacklevel=3)
        if len(y) < FEWEST_ROWS and groups is None:
            infinite = [f"{share:.9g}" for share in coverage if (len(y) + 1) * (1 - share) < 2 - 1e-6]
            warnings.warn(f"{len(y)} rows, and a model needs {FEWEST_ROWS}: intervals come from y alone"
                          + f"; at coverage {', '.join(infinite)} they are infinite" * bool(infinite), stacklevel=3)
            self.report_, self.info_, self.model_ = {}, {}, np.array(y)
            return self
        settings = [f"{key}={json.dumps(value, default=lambda numpy: numpy.tolist())}" for key, value in (self.settings or {}).items()]
        number, self.report_, said = _watched("fit", given, _options(
            method=self.method, coverage=_listed(coverage), sides=self.sides, seed=str(_seed(self.random_state)), prediction=prediction,
            clip=_limits(self.clip), calibration=self.calibration, copies=self.copies, by=self.by, set=settings, jobs=self._jobs()))
        return self._now(_Model.of(number), said, 4)

    def _now(self, model, said=(), stacklevel=2, name="the model"):
        """Has this model from now on, and warns of what was said."""
        self.model_, self.info_ = model, _call("info", model.handle(name))[1]
        if not self.info_.pop("plain"):
            raise ValueError(f"{name}: reads numbers or dates in another notation, or no header; use `lacp predict`")
        for line in dict.fromkeys(said):
            warnings.warn(line, stacklevel=stacklevel)
        return self

    def _out_of_folds(self, X, y, groups):
        """Predictions of each row by an estimator that has not seen it."""
        from sklearn.base import clone
        from sklearn.model_selection import GroupKFold, KFold
        self.estimator_ = self.estimator if self.prefit else clone(self.estimator).fit(X, y)
        if self.prefit:
            return np.asarray(self.estimator.predict(X), dtype=float).ravel()
        folds = KFold(5, shuffle=True, random_state=_seed(self.random_state) % 2**32)
        if groups is None:  # a row and its copies are in one fold
            rows = [tuple(row) for row in np.column_stack([np.asarray(X, dtype=object), y])]
            numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
            if len(numbers) < len(rows):
                groups = [numbers[row] for row in rows]
        if groups is not None:
            folds = GroupKFold(5)
        some = lambda rows: X.iloc[rows] if hasattr(X, "iloc") else np.asarray(X)[rows]
        found = np.empty(len(y))
        for fitted, held in folds.split(y, groups=groups):
            one = clone(self.estimator).fit(some(fitted), y[fitted])
            found[held] = np.asarray(one.predict(some(held)), dtype=float).ravel()
        return found

    def _require_fit(self):
        if not hasattr(self, "model_"):
            raise NotFittedError("this LacpRegressor is not fitted yet; call fit first")

    def _table(self, X):
        """The columns of new rows that the model reads."""
        columns = self._checked(X := _frame(X))
        if self._few:
            return {name: _numbers(np.zeros(len(column))) for name, column in columns.items()}
        if getattr(self, "centre_", None) is not None:
            columns[self.centre_] = np.asarray(self.estimator_.predict(X), dtype=float).ravel()
        return {column["column"]: _cells(columns[column["column"]], column["kind"]) for column in self.info_["columns"]}

    def _ask(self, X, count, name="ask", **asked):
        """So many numbers of each row, in the words of lacp.h."""
        table = self._table(X)
        out = np.empty((len(next(iter(table.values()))), count))
        given, kept = _given(table)
        call = _watched if len(out) > 1000 or "why" in asked else lambda *arguments: _call(*arguments, WATCH())  # which is over at once
        options = _options(unseen=self.unseen, jobs=self._jobs(), **asked)
        for line in call(name, self.model_.handle(), given, options, ctypes.c_void_p(out.ctypes.data), ctypes.c_int64(out.size))[2]:
            warnings.warn(line, stacklevel=5)
        return out

    def _at(self, X, shares=None, which="coverage"):
        """Of each row the prediction, and ends in pairs, bounds or quantiles; without shares the ends at those of the fit."""
        if not self._few:
            count = 1 + (1 + (which == "coverage")) * len(self._covered() if shares is None else shares)
            return self._ask(X, count, "predict") if shares is None else self._ask(X, count, **{which: _listed(shares)})
        y, n = np.concatenate([[-np.inf], np.sort(self.model_), [np.inf]]), len(self.model_) + 1
        shares = self._covered() if shares is None else 1 - shares if which == "lower" else shares
        ranks = np.where(shares < 0.5, np.floor(shares * n + 1e-9), np.ceil(shares * n - 1e-9)).astype(int)
        if which == "coverage":  # n - 2k of n rows lie between the k-th least and k-th largest
            k = (n * (1 - shares) / 2 + 1e-9).astype(int)
            ranks = np.column_stack([k, n - k]).ravel()
        return np.tile([np.median(self.model_), *y[ranks]], (len(next(iter(self._table(X).values()))), 1))

    def _later(self, X, y, groups):
        """The table of rows whose y has become known, and the name of their groups."""
        self._require_fit()
        table, group = self._table(X), self.info_.get("group")
        table[self.info_.get("target", "y")] = self._checked_target(y)
        if group and groups is None:
            raise ValueError("the model was fitted with groups; expected those of the new rows, too")
        if groups is not None:
            table[group := group or _unused("group", table)] = _cells(groups, "category")
        return _given(table), table, group or None

    @property
    def _few(self):
        """Fitted to few rows: there is no model, but these."""
        return isinstance(getattr(self, "model_", None), np.ndarray)

    def predict(self, X, return_interval=False):
        """Predictions of y; with return_interval the pair of these and the intervals."""
        self._require_fit()
        found = self._at(X)
        return (found[:, 0].copy(), _pairs(found)) if return_interval else found[:, 0].copy()

    def predict_interval(self, X, coverage=None):
        """Intervals as an array (rows, 2, levels): lower and upper ends, in the order of coverage, that of fit or any other.
        They are infinite where too few rows calibrate, and NaN where an interval is empty."""
        self._require_fit()
        return _pairs(self._at(X, None if coverage is None else _shares("coverage", coverage)))

    def predict_quantile(self, X, q):
        """Calibrated quantiles of y: (rows,) for one share q, (rows, len(q)) for several. y lies above one from 0.5 on with
        probability 1 - q or less, and below one under 0.5 with probability q or less."""
        self._require_fit()
        shares = _shares("q", q)
        order = slice(None) if self._few else np.argsort(np.argsort(shares))  # the program gives them in increasing order
        found = self._at(X, shares, "quantiles")[:, 1:][:, order]
        return found[:, 0] if np.ndim(q) == 0 else found

    def predict_bound(self, X, upper=None, lower=None):
        """Bounds on one side, shaped as quantiles: y lies below an upper one, or above a lower one, with this probability."""
        self._require_fit()
        if (upper is None) == (lower is None):
            raise ValueError("predict_bound: expected upper or lower, such as upper=0.95")
        which, asked = ("upper", upper) if lower is None else ("lower", lower)
        found = self._at(X, _shares(which, asked), which)[:, 1:]
        return found[:, 0] if np.ndim(asked) == 0 else found

    def explain(self, X):
        """Why is this interval wide? For each row up to three pairs of a column and a factor, the largest first: by how much the
        interval, at the coverage nearest to 0.9, is wider than with that column as in other rows. Columns below 1.1 are left out."""
        self._require_fit()
        if self._few:
            return [[] for _ in self.predict(X)]
        names = [column["column"] for column in self.info_["columns"]]
        found = self._ask(X, len(names), why=True)
        ordered = (sorted(zip(row, names), key=lambda pair: -pair[0] if pair[0] >= 1.1 else 0) for row in found)
        return [[(name, 1 + round(100 * (factor - 1)) / 100) for factor, name in row[:3] if factor >= 1.1] for row in ordered]

    def update(self, X, y, instead=False, window=None, groups=None, sides=None):
        """Changes this model (keep a copy by `save` or copy.deepcopy): calibrates it by rows that fit has not seen, beside those
        that calibrate it now, or instead of them; of all these by the newest `window`. Nothing is fitted again. A model that was
        fitted with groups needs those of the new rows, which have to be new, too: one row of each calibrates. Each side of an
        interval has a quantile of its own, as sides="each" asks for, if the rows suffice for that, else one for both, as
        sides="both" asks for; info_["sides"] says which. The newest rows are the last, or the first where a date of X falls
        from row to row."""
        if sides not in (None, "both", "each"):
            raise ValueError(f"sides is {sides!r}; expected 'both', 'each' or None")
        if window is not None and (isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 1):
            raise ValueError(f"window is {window!r}; expected a whole number from 1 on")
        (given, kept), table, group = self._later(X, y, groups)
        if self._few:
            y = table["y"]
            self.model_ = (y if instead else np.append(self.model_, y))[-(window or 0):]
            return self
        number, _, said = _watched("update", self.model_.handle(), given, _options(
            instead=bool(instead), window=window and int(window), sides=sides, group=group, unseen=self.unseen, jobs=self._jobs()))
        return self._now(_Model.of(number), said, 3)

    def evaluate(self, X, y, groups=None):
        """How good the intervals of rows are whose y has become known: what `lacp evaluate --json` prints, a mapping for each
        coverage of the fit."""
        if self._few:
            raise ValueError(f"a model of fewer than {FEWEST_ROWS} rows has no test")
        (given, kept), _, _ = self._later(X, y, groups)
        return _watched("evaluate", self.model_.handle(), given, _options(unseen=self.unseen, jobs=self._jobs()))[1]

    def drift_test(self, X, y, groups=None):
        """Whether rows whose y has become known differ from those that calibrate the model, as `lacp evaluate` says it: p (small:
        they do; None: too few rows, or rows of the fit that predict each other), rows (new ones that were compared), coverage, below and
        above (shares, of that coverage which is nearest to 0.9), r2 and r2_fit. A model that was fitted with groups needs those of
        the new rows: one row of each counts."""
        if self.estimator is not None and not self.prefit:
            raise ValueError("drift_test is for a prefit estimator: one of all rows has smaller errors on new rows")
        found = min(self.evaluate(X, y, groups), key=lambda row: abs(row["promised"] - 0.9))
        if found["drift_rows"] == 0:
            warnings.warn("no test, since rows of the fit are few, or repeat, and predict each other", stacklevel=2)
        return {"p": found["drift_p"], "rows": found["drift_rows"],
                **{key: found[key] for key in ("coverage", "below", "above", "r2", "r2_fit")}}

    def score(self, X, y):
        """How much smaller the Winkler score of the intervals is than that of one interval for all rows, by the quantiles of
        y: 1 - (ratio)², the mean over levels. As R² it is 1 at best and about 0 if nothing is explained; where errors are
        alike everywhere it is R². See interval_score for the score itself."""
        f, intervals = self.predict(X, return_interval=True)
        y, coverage = _numbers(np.asarray(y)), self._covered()
        tails = (1 - coverage) / 2
        one_for_all = np.tile(np.quantile(y, [tails, 1 - tails]), (len(y), 1, 1))
        ours, theirs = (_winkler(y, f, ends, coverage) for ends in (intervals, one_for_all))
        return float(np.mean([1 - (a / b) ** 2 if b > 0 else float(a == 0) for a, b in zip(ours, theirs)]))

    def save(self, file):
        """Writes the model as `load` and `lacp predict` read it. Parameters are no part of it, nor is an estimator, whose
        predictions are then a column of X; pickle keeps both."""
        if self._few:
            raise ValueError(f"{file}: not written; a model needs {FEWEST_ROWS} rows")
        Path(file).write_bytes(self.model_)

    @classmethod
    def load(cls, file):
        """A fitted estimator of a model that `save` or `lacp fit` wrote. Columns of X that the model does not read are of no
        concern."""
        self = cls()
        self.left_out_ = None  # which is not known
        self._now(_Model(Path(file).read_bytes()), name=Path(file).name)
        names = [column["column"] for column in self.info_["columns"]]
        self.n_features_in_ = len(names)
        self.coverage = tuple(self.info_["coverage"])
        if names != [f"x{i}" for i in range(len(names))]:
            self.feature_names_in_ = np.array(names, dtype=object)
        return self

    def _covered(self):
        """The shares that the intervals of `predict` are for."""
        return _shares("coverage", self.coverage) if self._few else np.array(self.info_["coverage"])

    def _leave_out(self, labels):
        """From now on these columns of a DataFrame are not read, and need not be there."""
        self.left_out_ = labels
        if labels and hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = np.array([name for name in self.feature_names_in_ if name.strip() not in labels], dtype=object)
            self.n_features_in_ = len(self.feature_names_in_)

    def _ignored(self, names):
        """Columns of X that are of no concern: the fit left them out, or, if that is not known, the model does not read them."""
        left_out = getattr(self, "left_out_", [])
        return {*names} - {*self.feature_names_in_} if left_out is None else {name for name in names if name.strip() in left_out}

    def _jobs(self):
        return int(self.n_jobs) if (self.n_jobs or 0) > 0 else None

    def __setstate__(self, state):
        """Of an older module: parameters that it did not have are as by default."""
        vars(self).update({**vars(type(self)()), **state})
        if isinstance(getattr(self, "model_", None), bytes):
            self.model_ = _Model(self.model_)

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
            X = _numbers(X)
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data: X.reshape(-1, 1)")
        rows, count = X.shape
        if rows * count == 0:
            raise ValueError(f"0 {'sample' if count else 'feature'}(s) (shape={X.shape}) while a minimum of 1 is required.")
        names = list(X.columns) if hasattr(X, "iloc") and all(isinstance(name, str) for name in X.columns) else []
        if names and not reset and hasattr(self, "feature_names_in_") and (ignored := self._ignored(names)):
            X = X.loc[:, [name not in ignored for name in names]]
            names, count = list(X.columns), X.shape[1]
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
        if not np.isfinite(y := _numbers(y.ravel())).all():
            raise ValueError("y contains NaN or infinity; leave such rows out")
        return y
