#!/usr/bin/env python3
"""Intervals of others on the rows that our methods get, in one csv with versions, commit and seconds.

    scripts/peers.py build/lacp [--datasets energy,concrete] [--runs 10] [--methods split,CQR,lacp] [--output FILE]

Around HistGradientBoostingRegressor of scikit-learn, with default settings, calibrated on rows of their own:
  split               one width for all x
  normalised (crepes) widths as a second model of |y - f| predicts them, plus 0.01 (beta of crepes' DifficultyEstimator)
  normalised (MAPIE)  widths exp(h), h a second model of log |y - f| (MAPIE's ResidualNormalisedScore)
  CQR                 quantiles alpha/2 and 1 - alpha/2, shifted by what calibration asks for
Packages, with default settings, as far as they are installed (PYTHONPATH may name checkouts):
  crepes              a random forest, widths by the errors of the nearest rows
  MAPIE               conformalised quantile regression around HistGradientBoostingRegressor
  ranger, quantile-forest, ngboost  learn from all rows, and promise no coverage
  lacp                `lacp fit` of all rows
`lacp export` writes the rows: splits, scaling, calibration and test points of the experiment. Its rows out of folds come as one part;
the first half of them is then for f, the second for the model of the errors. An interval whose ends cross is empty: it covers nothing, is
left out of the mean size, and counts as its middle in the Winkler score. Each row of the csv has the versions that it depends on, and the commit of
the program that drew its rows. What is there with the same versions and commit is not measured again; seconds are of one core.
"""
import argparse
import csv
import importlib
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy is loaded
import numpy as np
import sklearn
from machine import commit, processor
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib/python"))
from lacp import LacpRegressor  # noqa: E402

LEVELS = ("0.05", "0.1", "0.32")
SHARES = sorted(share for level in LEVELS for share in (float(level) / 2, 1 - float(level) / 2))
DATASETS = ("energy,concrete,homes,CASP,facebook_1,cos,squared,inverse,linear,bike,star,community,blog_data,abalone,"
            "kin8nm,california")
HEADER = ("dataset", "run", "method", "alpha", "size", "winkler", "validity", "seconds", "versions", "commit")
BETA = 0.01
RANGER = """
suppressMessages(library(ranger))
given <- commandArgs(TRUE)
read <- function(name) as.matrix(read.csv(file.path(given[1], name), header = FALSE))
known <- read("known")
last <- ncol(known)
set.seed(as.integer(given[2]) + 1)  # for the rows that stand for a leaf
forest <- ranger(x = known[, -last], y = known[, last], quantreg = TRUE, num.threads = 1, seed = as.integer(given[2]) + 1, verbose = FALSE)
found <- predict(forest, read("new"), type = "quantiles", quantiles = as.numeric(strsplit(given[3], ",")[[1]]), num.threads = 1,
                 verbose = FALSE)$predictions
write.table(found, sep = ",", row.names = FALSE, col.names = FALSE)
"""


def quantile(scores, alpha):
    """The ceil((n + 1)(1 - alpha))-th smallest, or infinity, as in evaluation.quantile: ceiling."""
    rank = int(np.ceil((len(scores) + 1) * (1 - alpha) - 1e-9))
    return np.sort(scores)[rank - 1] if rank <= len(scores) else np.inf


def measured(lower, upper, y, alpha):
    """Size (half the width), Winkler score and validity."""
    validity = ((lower <= y) & (y <= upper)).mean()
    empty = ~(lower <= upper)
    size = (upper - lower)[~empty].mean() / 2 if not empty.all() else np.nan
    middle = (lower + upper) / 2
    lower, upper = np.where(empty, middle, lower), np.where(empty, middle, upper)
    outside = np.maximum(lower - y, 0) + np.maximum(y - upper, 0)
    return size, (upper - lower + 2 / alpha * outside).mean(), validity


class Rows:
    """Those of a run: what f learns from, what a model of its errors learns from, what calibrates, what is predicted."""

    def __init__(self, parts, run):
        self.run = run
        if "train" in parts:
            self.first, self.second = parts["proper"], parts["train"]
        else:  # one part, whose order is random
            X, y = parts["proper"]
            half = len(y) // 2
            self.first, self.second = (X[:half], y[:half]), (X[half:], y[half:])
        self.proper = together(self.first, self.second)
        self.calibration, self.test = parts["calibration"], parts["test"]
        self.known = together(self.proper, self.calibration)

    def model(self, **options):
        return HistGradientBoostingRegressor(random_state=self.run, **options)


def together(*parts):
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def scaled(f, scale, rows):
    """Ends at each level around f, of widths in proportion to a scale."""
    (X, y), new = rows.calibration, rows.test[0]
    scores, center, width = np.abs(y - f(X)) / scale(X), f(new), scale(new)
    for level in LEVELS:
        q = quantile(scores, float(level))
        yield level, center - q * width, center + q * width


def split(rows):
    return scaled(rows.model().fit(*rows.proper).predict, lambda X: np.ones(len(X)), rows)


def normalised_as_crepes(rows):
    f = rows.model().fit(*rows.first).predict
    X, y = rows.second
    errors = rows.model().fit(X, np.abs(y - f(X))).predict
    return scaled(f, lambda points: np.maximum(errors(points), 0) + BETA, rows)


def normalised_as_mapie(rows):
    f = rows.model().fit(*rows.first).predict
    X, y = rows.second
    logs = rows.model().fit(X, np.log(np.maximum(np.abs(y - f(X)), np.finfo(float).eps))).predict
    return scaled(f, lambda points: np.exp(logs(points)), rows)


def cqr(rows):
    (X, y), new = rows.calibration, rows.test[0]
    for level in LEVELS:
        alpha = float(level)
        low, high = (rows.model(loss="quantile", quantile=share).fit(*rows.proper).predict for share in (alpha / 2, 1 - alpha / 2))
        q = quantile(np.maximum(low(X) - y, y - high(X)), alpha)
        yield level, low(new) - q, high(new) + q


def crepes(rows):
    from crepes import WrapRegressor
    from crepes.extras import DifficultyEstimator
    forest = WrapRegressor(RandomForestRegressor(random_state=rows.run, oob_score=True, n_jobs=1))
    forest.fit(*rows.proper)
    difficulty = DifficultyEstimator()
    difficulty.fit(X=rows.proper[0], residuals=rows.proper[1] - forest.learner.oob_prediction_, scaler=True)
    forest.calibrate(*rows.calibration, de=difficulty)
    for level in LEVELS:
        yield level, *forest.predict_int(rows.test[0], confidence=1 - float(level)).T


def mapie(rows):
    from mapie.regression import ConformalizedQuantileRegressor
    for level in LEVELS:
        model = ConformalizedQuantileRegressor(rows.model(loss="quantile", quantile=0.5), confidence_level=1 - float(level))
        ends = model.fit(*rows.proper).conformalize(*rows.calibration).predict_interval(rows.test[0])[1]
        yield level, ends[:, 0, 0], ends[:, 1, 0]


def between(quantiles):
    """Ends at each level from quantiles at SHARES."""
    for level in LEVELS:
        yield level, *(quantiles[:, SHARES.index(share)] for share in (float(level) / 2, 1 - float(level) / 2))


def ranger(rows):
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(Path(folder, "known"), np.column_stack(rows.known), delimiter=",", fmt="%.9g")
        np.savetxt(Path(folder, "new"), rows.test[0], delimiter=",", fmt="%.9g")
        printed = subprocess.run(["Rscript", "-e", RANGER, folder, str(rows.run), ",".join(map(str, SHARES))], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout
    return between(np.array([[float(cell) for cell in line.split(",")] for line in printed.splitlines()]))


def quantile_forest(rows):
    from quantile_forest import RandomForestQuantileRegressor
    return between(RandomForestQuantileRegressor(random_state=rows.run, n_jobs=1).fit(*rows.known).predict(rows.test[0], quantiles=SHARES))


def ngboost(rows):
    from ngboost import NGBRegressor
    found = NGBRegressor(random_state=rows.run, verbose=False).fit(*rows.known).pred_dist(rows.test[0])
    for level in LEVELS:
        yield level, *found.interval(1 - float(level))


def lacp(rows):
    ours = LacpRegressor(coverage=[1 - float(level) for level in LEVELS], random_state=rows.run + 1, n_jobs=1).fit(*rows.known)
    f, ends = ours.predict(rows.test[0], return_interval=True)
    for k, level in enumerate(LEVELS):
        empty = np.isnan(ends[:, 0, k])
        yield level, np.where(empty, f + 1, ends[:, 0, k]), np.where(empty, f - 1, ends[:, 1, k])


# Of each method: what measures it, and the package that it needs besides scikit-learn.
METHODS = {"split": (split, None), "normalised (crepes)": (normalised_as_crepes, None), "normalised (MAPIE)": (normalised_as_mapie, None),
           "CQR": (cqr, None), "crepes": (crepes, "crepes"), "MAPIE": (mapie, "mapie"), "ranger": (ranger, "ranger"),
           "quantile-forest": (quantile_forest, "quantile_forest"), "ngboost": (ngboost, "ngboost"), "lacp": (lacp, None)}


def version_of(package):
    """Of a package of Python, or of ranger; None if it cannot be used."""
    if package == "ranger":
        command = ["Rscript", "-e", 'cat(as.character(packageVersion("ranger")))']
        done = subprocess.run(command, capture_output=True, text=True) if shutil.which("Rscript") else None
        return done.stdout if done and done.returncode == 0 else None
    try:
        module = importlib.import_module(package)
    except Exception as error:  # whatever keeps it from being used
        print(f"left out: {package}: {error}", file=sys.stderr, flush=True)
        return None
    return getattr(module, "__version__", "of an unknown version")


def versions_of(methods):
    """What the numbers of each method depend on; without those whose package is not there."""
    here = f"numpy {np.__version__}; Python {platform.python_version()}; {processor()}"
    found = {}
    for method in methods:
        package = METHODS[method][1]
        version = version_of(package) if package else ""
        if version is not None:
            found[method] = (f"{package} {version}; " if package else "") + f"scikit-learn {sklearn.__version__}; {here}"
    return found


def exported(lacp, experiment, dataset, run):
    """The parts of a run: {name: (X, y)}."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([lacp, "export", experiment, "--datasets", dataset, "--run", str(run), "--output", folder, "--quiet"])
        if done.returncode != 0:
            sys.exit(done.returncode)  # lacp has said why
        with open(Path(folder) / f"{dataset}.csv", newline="") as file:
            rows = {}
            for part, *numbers in list(csv.reader(file))[1:]:
                rows.setdefault(part, []).append([float(number) for number in numbers])
    if "calibration" not in rows:
        sys.exit(f"{experiment}: has no calibration part; expected evaluation.mode: halves")
    arrays = {part: np.array(numbers) for part, numbers in rows.items()}
    return {part: (numbers[:, :-1], numbers[:, -1]) for part, numbers in arrays.items()}


def at_hand(lacp, experiment, datasets):
    """Those of the data sets whose file is there. Names the others."""
    with tempfile.TemporaryDirectory() as empty:
        done = subprocess.run([lacp, "status", experiment, "--csv", "--datasets", ",".join(datasets), "--results", empty],
                              stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.returncode)
    missing = [row["dataset"] for row in csv.DictReader(done.stdout.splitlines()) if row["file"] == "missing"]
    if missing:
        print(f"left out, because their files are missing: {', '.join(missing)}; "
              f"to get them: lacp datasets fetch {' '.join(missing)}", file=sys.stderr, flush=True)
    return [dataset for dataset in datasets if dataset not in missing]


def seconds_used():
    """Of processor time, by this process and by programs that it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def rows_of(method, rows, versions, made_by, dataset):
    """The lines of the csv for a method. All levels get the seconds of all, since one fit may serve them."""
    start = seconds_used()
    intervals = list(METHODS[method][0](rows))
    seconds = seconds_used() - start
    for level, lower, upper in intervals:
        numbers = [f"{number:.6g}" for number in (*measured(lower, upper, rows.test[1], float(level)), seconds)]
        yield dict(zip(HEADER, (dataset, str(rows.run), method, level, *numbers, versions, made_by)))


def read(output):
    if not output.exists():
        return []
    with open(output, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def write(output, experiment, rows):
    datasets, methods = DATASETS.split(","), list(METHODS)
    rows.sort(key=lambda row: (datasets.index(row["dataset"]) if row["dataset"] in datasets else len(datasets), row["dataset"],
                               int(row["run"]), methods.index(row["method"]), row["alpha"]))
    output.parent.mkdir(parents=True, exist_ok=True)
    with open(output, "w", newline="") as file:
        file.write(f"# In units of mean |y| over the rows that scale the target in {experiment}, run by run.\n")
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacp", help="the program lacp")
    parser.add_argument("--experiment", default="experiments/frontier.yaml", help="whose splits (default: %(default)s)")
    parser.add_argument("--datasets", default=DATASETS, help="separated by commas (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="the first this many (default: %(default)s)")
    parser.add_argument("--methods", help=f"separated by commas (default: {','.join(METHODS)})")
    parser.add_argument("--output", type=Path, default="results/frontier/peers.csv", help="default: %(default)s")
    options = parser.parse_args()
    os.environ["LACP"] = options.lacp
    asked = options.methods.split(",") if options.methods else list(METHODS)
    if not set(asked) <= set(METHODS):
        sys.exit(f"--methods {options.methods}: expected some of {', '.join(METHODS)}")
    versions, made_by = versions_of(asked), commit(options.lacp).removeprefix("commit ")
    before = read(options.output)
    rows = [row for row in before if row["method"] in METHODS and row.get("versions")]
    if len(rows) < len(before):
        print(f"{options.output}: {len(before) - len(rows)} rows have no versions or an unknown method and are left out", file=sys.stderr)
    measured = Counter((row["dataset"], row["run"], row["method"]) for row in rows
                       if (row["versions"], row["commit"]) == (versions.get(row["method"]), made_by))
    datasets = at_hand(options.lacp, options.experiment, options.datasets.split(","))
    if not datasets:
        sys.exit("no data set is left to measure")
    for dataset in datasets:
        for run in range(options.runs):
            to_do = [method for method in versions if measured[dataset, str(run), method] < len(LEVELS)]
            if not to_do:
                continue
            of_run = Rows(exported(options.lacp, options.experiment, dataset, run), run)
            for method in to_do:
                rows = [row for row in rows if (row["dataset"], row["run"], row["method"]) != (dataset, str(run), method)]
                for row in rows_of(method, of_run, versions[method], made_by, dataset):
                    rows.append(row)
                    print(*list(row.values())[:8], sep=";", file=sys.stderr, flush=True)
            write(options.output, options.experiment, rows)


if __name__ == "__main__":
    main()
