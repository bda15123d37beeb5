#!/usr/bin/env python3
"""Intervals as people make them with scikit-learn and XGBoost, on the rows that our methods get, written beside ours.

Three ways around HistGradientBoostingRegressor and one around XGBRegressor, with default settings, on one core:
  split       f on 80 % of the rows, one width for all x
  normalised  f on the first 40 %, a second one for |y - f| on the next 40 %; widths in proportion to that
  CQR         quantiles alpha/2 and 1 - alpha/2 on 80 % (quantile loss), shifted by what calibration asks for
  XGBoost     the same by its objective reg:quantileerror (from version 2 on: Debian 13 has it; on Debian 12 it is left out)
`lacp export` writes the rows: the same splits, scaling, calibration and test points as in the experiment. With
predictor.cross_fit the first 80 % are one part; its first and second half are then the two for normalised. An interval
whose ends cross is empty, as with our methods: it covers nothing, is left out of the mean size, and counts as the point
f in the Winkler score (for quantiles, the f of split). `make bench-peers` runs this; `lacp report` shows the result.
The numbers of others depend on their version and on the processor, so the first lines of the file say which they were.
Data sets whose file is missing are left out, which is said before anything is measured.
`--methods lacp` measures `lacp fit`, by lib/python/lacp.py: it gets all rows but those of the test, and divides them itself.
"""
import argparse
import csv
import io
import os
import platform
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is loaded
import numpy as np
import sklearn
from machine import commit, processor
from sklearn.ensemble import HistGradientBoostingRegressor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib/python"))
from lacp import LacpRegressor  # noqa: E402

try:
    import xgboost
except ImportError:
    xgboost = None
LEVELS = ("0.05", "0.1", "0.32")
DATASETS = ("energy,concrete,homes,CASP,facebook_1,cos,squared,inverse,linear,bike,star,community,blog_data,abalone,"
            "kin8nm,california")
METHODS = ["split", "normalised", "CQR"]
if xgboost is not None and int(xgboost.__version__.split(".")[0]) >= 2:
    METHODS.append("XGBoost")
HEADER = ("dataset", "run", "method", "alpha", "size", "winkler", "validity", "seconds")


def exported(lacp, experiment, dataset, run, folder):
    """The parts of a run: {name: (X, y)}."""
    subprocess.run([lacp, "export", experiment, "--datasets", dataset, "--run", str(run), "--output", folder, "--quiet"],
                   check=True)
    with open(Path(folder) / f"{dataset}.csv", newline="") as file:
        reader = csv.reader(file)
        next(reader)
        rows = {}
        for part, *numbers in reader:
            rows.setdefault(part, []).append([float(number) for number in numbers])
    arrays = {part: np.array(numbers) for part, numbers in rows.items()}
    return {part: (numbers[:, :-1], numbers[:, -1]) for part, numbers in arrays.items()}


def quantile(scores, alpha):
    """The ceil((n + 1)(1 - alpha))-th smallest, or infinity, as in evaluation.quantile: ceiling."""
    rank = int(np.ceil((len(scores) + 1) * (1 - alpha) - 1e-9))
    return np.sort(scores)[rank - 1] if rank <= len(scores) else np.inf


def measured(lower, upper, f, y, alpha):
    """Size (half the width), Winkler score and validity."""
    validity = ((lower <= y) & (y <= upper)).mean()
    empty = lower > upper
    size = (upper - lower)[~empty].mean() / 2 if not empty.all() else np.nan
    lower, upper = np.where(empty, f, lower), np.where(empty, f, upper)
    outside = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    return size, (upper - lower + 2 / alpha * outside).mean(), validity


def first_parts(parts):
    """The two parts to learn from. Rows out of folds come as one, which is halved: its order is random."""
    if "train" in parts:
        return parts["proper"], parts["train"]
    X, y = parts["proper"]
    half = len(y) // 2
    return (X[:half], y[:half]), (X[half:], y[half:])


def processor_time():
    """Of this process, and of programs that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


class Timer:
    def __enter__(self):
        self.start = processor_time()
        return self

    def __exit__(self, *_):
        self.seconds = processor_time() - self.start


def rows_of(parts, run, methods):
    """(method, level, size, Winkler score, validity, seconds of one core) for every method and level."""
    def model(**options):
        return HistGradientBoostingRegressor(random_state=run, **options)

    (X1, y1), (X2, y2) = first_parts(parts)
    (Xc, yc), (X, y) = parts["calibration"], parts["test"]
    both, y_both = np.vstack([X1, X2]), np.concatenate([y1, y2])

    with Timer() as split_timer:
        f = model().fit(both, y_both)
        f_calibration, f_split = f.predict(Xc), f.predict(X)

    def split():
        for level in LEVELS:
            q = quantile(np.abs(yc - f_calibration), float(level))
            yield level, f_split - q, f_split + q, f_split, split_timer.seconds

    def normalised():
        with Timer() as timer:
            f = model().fit(X1, y1)
            scale = model().fit(X2, np.abs(y2 - f.predict(X2)))
            floor = 1e-6 * np.mean(np.abs(y1))  # a predicted error may be negative
            fc, ft = f.predict(Xc), f.predict(X)
            sc, st = np.maximum(scale.predict(Xc), floor), np.maximum(scale.predict(X), floor)
        for level in LEVELS:
            q = quantile(np.abs(yc - fc) / sc, float(level))
            yield level, ft - q * st, ft + q * st, ft, timer.seconds

    def quantiles(ends_of):
        for level in LEVELS:
            alpha = float(level)
            with Timer() as timer:
                (lc, uc), (lt, ut) = ends_of(alpha / 2, 1 - alpha / 2)
            q = quantile(np.maximum(lc - yc, yc - uc), alpha)
            yield level, lt - q, ut + q, f_split, timer.seconds

    def by_scikit_learn(*shares):
        ends = [model(loss="quantile", quantile=share).fit(both, y_both) for share in shares]
        return ([end.predict(points) for end in ends] for points in (Xc, X))

    def by_xgboost(*shares):
        ends = xgboost.XGBRegressor(objective="reg:quantileerror", quantile_alpha=np.array(shares), n_jobs=1, random_state=run)
        ends.fit(both, y_both)
        return (ends.predict(points).T.astype(float) for points in (Xc, X))

    def lacp():
        with Timer() as timer:
            ours = LacpRegressor(coverage=[1 - float(level) for level in LEVELS], random_state=run + 1, n_jobs=1)
            ours.fit(np.vstack([both, Xc]), np.concatenate([y_both, yc]))
            ft, ends = ours.predict(X, return_interval=True)
        for k, level in enumerate(LEVELS):
            lower, upper, empty = ends[:, 0, k], ends[:, 1, k], np.isnan(ends[:, 0, k])
            yield level, np.where(empty, np.inf, lower), np.where(empty, -np.inf, upper), ft, timer.seconds

    ways = {"split": split, "normalised": normalised, "CQR": lambda: quantiles(by_scikit_learn),
            "XGBoost": lambda: quantiles(by_xgboost), "lacp": lacp}
    for method in methods:
        for level, lower, upper, f, seconds in ways[method]():
            yield (method, level, *measured(lower, upper, f, y, float(level)), seconds)


def measured_with(method, lacp):
    """The versions that a method depends on, and the processor."""
    programs = [f"scikit-learn {sklearn.__version__}"]
    if method == "XGBoost":
        programs.append(f"XGBoost {xgboost.__version__}")
    if method == "lacp":
        programs = [f"lacp of {commit(lacp)}"]
    programs += [f"numpy {np.__version__}", f"Python {platform.python_version()}"]
    return f"{', '.join(programs)}; {processor()}, {platform.machine()}."


def of_others(output, methods):
    """What a file has of methods that are not these: what each was measured with, and their rows."""
    notes, rows = {}, []
    if not output.exists():
        return notes, rows
    lines = output.read_text().splitlines()
    for line in lines:
        names, colon, text = line.removeprefix("# ").partition(": ")
        if line.startswith("#") and colon:
            notes.update({name: text for name in names.split(", ") if name not in methods})
    for row in csv.DictReader(line for line in lines if not line.startswith("#")):
        if row["method"] not in methods:
            rows.append(tuple(row[key] for key in HEADER))
    return notes, rows


def written(experiment, notes, rows):
    """The text of the file: its unit, what each method was measured with, and the rows."""
    text = io.StringIO()
    text.write(f"# In units of mean |y| over the rows that scale the target in {experiment}, run by run.\n")
    for note in dict.fromkeys(notes.values()):
        text.write(f"# {', '.join(name for name in notes if notes[name] == note)}: {note}\n")
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    return text.getvalue()


def at_hand(lacp, experiment, datasets):
    """Those of the data sets whose file is there. Tells of the others."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([lacp, "status", experiment, "--csv", "--datasets", ",".join(datasets), "--results", empty],
                              stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)  # lacp has said why
    missing = [row["dataset"] for row in csv.DictReader(done.stdout.splitlines()) if row["file"] == "missing"]
    if missing:
        print(f"left out, because their files are missing: {', '.join(missing)}; "
              f"to get them: lacp datasets fetch {' '.join(missing)}", file=sys.stderr, flush=True)
    return [dataset for dataset in datasets if dataset not in missing]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacp", help="the program lacp")
    parser.add_argument("--experiment", default="experiments/frontier.yaml", help="whose splits (default: %(default)s)")
    parser.add_argument("--datasets", default=DATASETS, help="separated by commas (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="the first this many (default: %(default)s)")
    parser.add_argument("--output", default="results/frontier/peers.csv", help="default: %(default)s")
    parser.add_argument("--methods", default=",".join(METHODS), help="separated by commas; rows of others stay (default: %(default)s)")
    options = parser.parse_args()
    os.environ["LACP"], methods = options.lacp, options.methods.split(",")
    if not set(methods) <= {*METHODS, "lacp"}:
        sys.exit(f"--methods {options.methods}: expected some of {', '.join(METHODS)} and lacp")

    datasets = at_hand(options.lacp, options.experiment, options.datasets.split(","))
    if not datasets:
        sys.exit("no data set is left to measure")
    lines = []
    for dataset in datasets:
        for run in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    parts = exported(options.lacp, options.experiment, dataset, run, folder)
                except subprocess.CalledProcessError as error:
                    sys.exit(error.returncode)  # lacp has said why
            if "calibration" not in parts:
                sys.exit(f"{options.experiment}: has no calibration part; expected evaluation.mode: halves")
            for method, level, *numbers in rows_of(parts, run, methods):
                lines.append((dataset, run, method, level, *(f"{number:.6g}" for number in numbers)))
                print(*lines[-1], sep=",", file=sys.stderr, flush=True)
    output = Path(options.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    notes, others = of_others(output, methods)
    notes.update({method: measured_with(method, options.lacp) for method in methods})
    lines += others
    known = [*METHODS, "XGBoost", "lacp"]
    lines.sort(key=lambda row: ((DATASETS.split(",") + [row[0]]).index(row[0]), row[0], int(row[1]), known.index(row[2]),
                                LEVELS.index(row[3])))
    notes = {method: notes[method] for method in sorted(notes, key=known.index)}
    output.write_text(written(options.experiment, notes, lines))


if __name__ == "__main__":
    main()
