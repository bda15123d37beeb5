#!/usr/bin/env python3
"""Intervals as people make them with scikit-learn, on the rows that our methods get, written beside ours.

Three ways around HistGradientBoostingRegressor with its default settings, on one core:
  split       f on 80 % of the rows, one width for all x
  normalised  f on the first 40 %, a second one for |y - f| on the next 40 %; widths in proportion to that
  CQR         quantiles alpha/2 and 1 - alpha/2 on 80 % (quantile loss), shifted by what calibration asks for
`lacp export` writes the rows: the same splits, scaling, calibration and test points as in the experiment. With
predictor.cross_fit the first 80 % are one part; its first and second half are then the two for normalised. An interval
whose ends cross is empty, as with our methods: it covers nothing, is left out of the mean size, and counts as the point
f in the Winkler score (for CQR, the f of split). `make bench-peers` runs this; `lacp report` shows the result.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is loaded
import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

LEVELS = ("0.05", "0.1", "0.32")
DATASETS = ("energy,concrete,homes,CASP,facebook_1,cos,squared,inverse,linear,bike,star,community,blog_data,abalone,"
            "kin8nm,california")
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


class Timer:
    def __enter__(self):
        self.start = time.process_time()
        return self

    def __exit__(self, *_):
        self.seconds = time.process_time() - self.start


def rows_of(parts, run):
    """(method, level, size, Winkler score, validity, seconds of one core) for every method and level."""
    def model(**options):
        return HistGradientBoostingRegressor(random_state=run, **options)

    (X1, y1), (X2, y2) = first_parts(parts)
    (Xc, yc), (X, y) = parts["calibration"], parts["test"]
    both, y_both = np.vstack([X1, X2]), np.concatenate([y1, y2])

    with Timer() as timer:
        f = model().fit(both, y_both)
        fc, ft = f.predict(Xc), f.predict(X)
    f_split = ft
    for level in LEVELS:
        q = quantile(np.abs(yc - fc), float(level))
        yield ("split", level, *measured(ft - q, ft + q, ft, y, float(level)), timer.seconds)

    with Timer() as timer:
        f = model().fit(X1, y1)
        scale = model().fit(X2, np.abs(y2 - f.predict(X2)))
        floor = 1e-6 * np.mean(np.abs(y1))  # a predicted error may be negative
        fc, ft = f.predict(Xc), f.predict(X)
        sc, st = np.maximum(scale.predict(Xc), floor), np.maximum(scale.predict(X), floor)
    for level in LEVELS:
        q = quantile(np.abs(yc - fc) / sc, float(level))
        yield ("normalised", level, *measured(ft - q * st, ft + q * st, ft, y, float(level)), timer.seconds)

    for level in LEVELS:
        alpha = float(level)
        with Timer() as timer:
            ends = [model(loss="quantile", quantile=share).fit(both, y_both) for share in (alpha / 2, 1 - alpha / 2)]
            (lc, uc), (lt, ut) = ([end.predict(points) for end in ends] for points in (Xc, X))
        q = quantile(np.maximum(lc - yc, yc - uc), alpha)
        yield ("CQR", level, *measured(lt - q, ut + q, f_split, y, alpha), timer.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacp", help="the program lacp")
    parser.add_argument("--experiment", default="experiments/frontier.yaml", help="whose splits (default: %(default)s)")
    parser.add_argument("--datasets", default=DATASETS, help="separated by commas (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="the first this many (default: %(default)s)")
    parser.add_argument("--output", default="results/frontier/peers.csv", help="default: %(default)s")
    options = parser.parse_args()

    lines = []
    for dataset in options.datasets.split(","):
        for run in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                try:
                    parts = exported(options.lacp, options.experiment, dataset, run, folder)
                except subprocess.CalledProcessError as error:
                    sys.exit(error.returncode)  # lacp has said why
            if "calibration" not in parts:
                sys.exit(f"{options.experiment}: has no calibration part; expected evaluation.mode: halves")
            for method, level, *numbers in rows_of(parts, run):
                lines.append((dataset, run, method, level, *(f"{number:.6g}" for number in numbers)))
                print(*lines[-1], sep=",", file=sys.stderr, flush=True)
    output = Path(options.output)
    output.parent.mkdir(parents=True, exist_ok=True)
    with open(output, "w", newline="") as file:
        file.write(f"# In units of mean |y| over the rows that scale the target in {options.experiment}, run by run.\n")
        csv.writer(file, lineterminator="\n").writerows([HEADER, *lines])


if __name__ == "__main__":
    main()
