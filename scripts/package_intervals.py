#!/usr/bin/env python3
"""Intervals of packages that a user would pick instead, on the rows that our methods get, with time on one core.

    make bench-intervals [PACKAGES=checkout/crepes/src:checkout/MAPIE]

  crepes          a random forest, calibrated apart, widths in proportion to the errors of the nearest rows
  MAPIE           conformalised quantile regression around HistGradientBoostingRegressor, calibrated apart
  ranger          quantiles of a forest of all rows, as they come: nothing promises that they cover
  ranger CQR     the same of the rows that do not calibrate, conformalised by those that do
  quantile-forest quantiles of a forest of all rows, as they come
  ngboost         a normal distribution, of all rows, as it comes
  lacp            `lacp fit` of all rows
All with default settings. Those that are installed are measured, or found in checkouts that the variable PYTHONPATH names
(PACKAGES of make); of the others it is said how to get them. Rows as of peer_intervals.py. Writes
peers_packages.csv after each run, and packages.md beside it.
"""
import argparse
import importlib
import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import peer_intervals as peers
from machine import commit, processor

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

DATASETS = "energy,concrete,homes,CASP,facebook_1"
RANGER = """
suppressMessages(library(ranger))
given <- commandArgs(TRUE)
read <- function(name) as.matrix(read.csv(file.path(given[1], name), header = FALSE))
used <- function() sum(proc.time()[1:2])
known <- read("known"); shares <- as.numeric(strsplit(given[3], ",")[[1]])
parts <- lapply(strsplit(given[4], ",")[[1]], read)
set.seed(as.integer(given[2]) + 1)  # for the rows that stand for a leaf
before <- used()
last <- ncol(known)
forest <- ranger(x = known[, -last], y = known[, last], quantreg = TRUE, num.threads = 1, seed = as.integer(given[2]) + 1,
                 verbose = FALSE)  # or it prints its progress among the numbers, if it takes long
found <- lapply(parts, function(part) predict(forest, part[, -last], type = "quantiles", quantiles = shares, num.threads = 1,
                                                        verbose = FALSE)$predictions)
cat(used() - before, "\\n")
write.table(do.call(rbind, found), sep = ",", row.names = FALSE, col.names = FALSE)
"""
SHARES = sorted(share for level in peers.LEVELS for share in (float(level) / 2, 1 - float(level) / 2))


def together(*parts):
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts])


def ends_at(quantiles, alpha):
    """Of quantiles at SHARES: the two that an interval of this level ends at."""
    return quantiles[:, SHARES.index(alpha / 2)], quantiles[:, SHARES.index(1 - alpha / 2)]


def by_ranger(known, parts, run):
    """Quantiles at SHARES of each part, and seconds."""
    with tempfile.TemporaryDirectory() as folder:
        for name, (X, y) in {"known": known, **{f"part{k}": part for k, part in enumerate(parts)}}.items():
            np.savetxt(Path(folder) / name, np.column_stack([X, y]), delimiter=",", fmt="%.9g")
        names = ",".join(f"part{k}" for k in range(len(parts)))
        printed = subprocess.run(["Rscript", "-e", RANGER, folder, str(run), ",".join(map(str, SHARES)), names], check=True,
                                 stdout=subprocess.PIPE, text=True).stdout.splitlines()
    found = np.array([[float(cell) for cell in line.split(",")] for line in printed[1:]])
    return np.split(found, np.cumsum([len(y) for _, y in parts])[:-1]), float(printed[0])


def ranger(first, calibration, test, run):
    (found,), seconds = by_ranger(together(first, calibration), [test], run)
    return {level: (*ends_at(found, float(level)), seconds) for level in peers.LEVELS}


def ranger_cqr(first, calibration, test, run):
    (held, found), seconds = by_ranger(first, [calibration, test], run)
    intervals = {}
    for level in peers.LEVELS:
        (lc, uc), (lower, upper), y = ends_at(held, float(level)), ends_at(found, float(level)), calibration[1]
        q = peers.quantile(np.maximum(lc - y, y - uc), float(level))
        intervals[level] = lower - q, upper + q, seconds
    return intervals


def crepes(first, calibration, test, run):
    from crepes import WrapRegressor
    from crepes.extras import DifficultyEstimator
    with peers.Timer() as timer:
        forest = WrapRegressor(RandomForestRegressor(random_state=run, oob_score=True, n_jobs=1))
        forest.fit(*first)
        difficulty = DifficultyEstimator()
        difficulty.fit(X=first[0], residuals=first[1] - forest.learner.oob_prediction_, scaler=True)
        forest.calibrate(*calibration, de=difficulty)
        found = {level: forest.predict_int(test[0], confidence=1 - float(level)) for level in peers.LEVELS}
    return {level: (*ends.T, timer.seconds) for level, ends in found.items()}


def mapie(first, calibration, test, run):
    from mapie.regression import ConformalizedQuantileRegressor
    intervals = {}
    for level in peers.LEVELS:
        with peers.Timer() as timer:
            model = ConformalizedQuantileRegressor(HistGradientBoostingRegressor(loss="quantile", quantile=0.5, random_state=run),
                                                   confidence_level=1 - float(level))
            ends = model.fit(*first).conformalize(*calibration).predict_interval(test[0])[1]
        intervals[level] = ends[:, 0, 0], ends[:, 1, 0], timer.seconds
    return intervals


def quantile_forest(first, calibration, test, run):
    from quantile_forest import RandomForestQuantileRegressor
    with peers.Timer() as timer:
        model = RandomForestQuantileRegressor(random_state=run, n_jobs=1).fit(*together(first, calibration))
        found = model.predict(test[0], quantiles=SHARES)
    return {level: (*ends_at(found, float(level)), timer.seconds) for level in peers.LEVELS}


def ngboost(first, calibration, test, run):
    from ngboost import NGBRegressor
    with peers.Timer() as timer:
        found = NGBRegressor(random_state=run, verbose=False).fit(*together(first, calibration)).pred_dist(test[0])
    return {level: (*found.interval(1 - float(level)), timer.seconds) for level in peers.LEVELS}


def module_version(name):
    """Of a package of Python; or nothing."""
    try:
        module = importlib.import_module(name)
    except Exception as error:  # whatever keeps it from being used
        print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    version = getattr(module, "__version__", "")
    return version if version[:1].isdigit() and "unknown" not in version else f"of the checkout {Path(module.__file__).parents[1].name}"


def ranger_version(_):
    if not shutil.which("Rscript"):
        return None
    done = subprocess.run(["Rscript", "-e", 'cat(as.character(packageVersion("ranger")))'], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


# Each: what measures it, whose version, by what, and how to get it.
PACKAGES = {"crepes": (crepes, "crepes", module_version, "pip install crepes"),
            "MAPIE": (mapie, "mapie", module_version, "pip install mapie"),
            "ranger": (ranger, "ranger", ranger_version, "apt install r-cran-ranger"),
            "ranger CQR": (ranger_cqr, "ranger", ranger_version, "apt install r-cran-ranger"),
            "quantile-forest": (quantile_forest, "quantile_forest", module_version, "pip install quantile-forest"),
            "ngboost": (ngboost, "ngboost", module_version, "pip install ngboost")}
ORDER = [*PACKAGES, "lacp"]


def found_here():
    """The version of each package that is here. Says how to get the others."""
    versions = {}
    for method, (_, name, version_of, how) in PACKAGES.items():
        version = version_of(name)
        if version is None:
            print(f"left out: {method}; to get it: {how}", file=sys.stderr, flush=True)
        else:
            versions[method] = version
    return versions


def rows_of(parts, run, methods):
    first = together(*peers.first_parts(parts)) if "train" in parts else parts["proper"]
    for method in methods:
        if method == "lacp":
            yield from peers.rows_of(parts, run, ["lacp"])
            continue
        for level, (lower, upper, seconds) in PACKAGES[method][0](first, parts["calibration"], parts["test"], run).items():
            middle = (lower + upper) / 2
            yield (method, level, *peers.measured(lower, upper, middle, parts["test"][1], float(level)), seconds)


def place(dataset):
    """Of a data set in tables: those of frontier in its order, then others."""
    known = peers.DATASETS.split(",")
    return (known.index(dataset) if dataset in known else len(known), dataset)


def page(rows, notes):
    """A table at each level: Winkler score, validity and seconds, means over the runs that all methods measured there have."""
    rows = [dict(zip(peers.HEADER, map(str, row))) for row in rows]
    methods = [method for method in ORDER if any(row["method"] == method for row in rows)]
    datasets = sorted({row["dataset"] for row in rows}, key=place)
    text = ("# Packages beside ours\n\nWinkler score / validity / seconds of one core for one fit, means over the runs in "
            "[peers_packages.csv](peers_packages.csv), on the rows of [frontier](README.md), in units of mean |y|. Written by "
            "`make bench-intervals` (scripts/package_intervals.py says how each package is used). crepes, MAPIE and \"ranger "
            "CQR\" learn from some rows and calibrate by others; ranger alone learns from all and promises nothing; lacp gets all "
            "rows and divides them itself. Bold: the smallest score. Times are processor times, and were taken beside other "
            "work.\n\n")
    missing = [f"{method} (`{PACKAGES[method][3]}`)" for method in PACKAGES if method not in methods]
    if missing:
        text += f"Not measured, because not installed there: {', '.join(missing)}.\n\n"
    if absent := [name for name in DATASETS.split(",") if name not in datasets]:
        text += f"Not measured yet: {', '.join(absent)}.\n\n"
    for level in peers.LEVELS:
        text += f"α = {level}:\n\n| data set | runs | {' | '.join(methods)} |\n| --- | ---: |{' ---: |' * len(methods)}\n"
        for dataset in datasets:
            at = {method: [row for row in rows if (row["dataset"], row["method"], row["alpha"]) == (dataset, method, level)]
                  for method in methods}
            at = {method: some for method, some in at.items() if some}
            runs = set.intersection(*({row["run"] for row in some} for some in at.values()))
            mean = lambda method, key: np.mean([float(row[key]) for row in at[method] if row["run"] in runs] or [np.nan])
            best = min(at, key=lambda method: mean(method, "winkler"))
            cells = []
            for method in methods:
                if method not in at:
                    cells.append("–")
                    continue
                score = f"{mean(method, 'winkler'):.3f}"
                score = f"**{score}**" if method == best else score
                cells.append(f"{score} / {mean(method, 'validity'):.3f} / {mean(method, 'seconds'):.2g}")
            text += f"| {dataset} | {len(runs)} | {' | '.join(cells)} |\n"
        text += "\n"
    return text + "".join(f"- {method}: {notes[method]}\n" for method in methods)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lacp", help="the program lacp")
    parser.add_argument("--experiment", default="experiments/frontier.yaml", help="whose splits (default: %(default)s)")
    parser.add_argument("--datasets", default=DATASETS, help="separated by commas (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="the first this many (default: %(default)s)")
    parser.add_argument("--packages", default=",".join(ORDER), help="separated by commas (default: %(default)s)")
    parser.add_argument("--output", default="results/frontier/peers_packages.csv", help="default: %(default)s")
    options = parser.parse_args()
    os.environ["LACP"] = options.lacp
    versions, output = found_here(), Path(options.output)
    where = f"Python {platform.python_version()}; {processor()}, {platform.machine()}"
    fresh = {method: f"{PACKAGES[method][1]} {version}, {where}" for method, version in versions.items()}
    fresh["lacp"] = f"lacp of {commit(options.lacp)}, {where}"
    wanted = options.packages.split(",")
    if not set(wanted) <= set(ORDER):
        sys.exit(f"--packages {options.packages}: expected some of {', '.join(ORDER)}")
    fresh = {method: note for method, note in fresh.items() if method in wanted}
    notes, lines = peers.of_others(output, [])
    measured = {(row[0], int(row[1]), row[2]) for row in lines}
    # Those of another version or machine are measured again, all of them: a note is about all rows of its package.
    stale = {key for key in measured if key[2] in fresh and notes[key[2]] != fresh[key[2]]}
    asked = {(dataset, run, method) for dataset in options.datasets.split(",") for run in range(options.runs) for method in fresh}
    to_do = (asked - measured) | stale
    output.parent.mkdir(parents=True, exist_ok=True)
    here = peers.at_hand(options.lacp, options.experiment, sorted({key[0] for key in to_do}, key=place)) if to_do else []
    for run, dataset in sorted({(key[1], key[0]) for key in to_do if key[0] in here}, key=lambda each: (each[0], place(each[1]))):
        methods = [method for method in fresh if (dataset, run, method) in to_do]
        with tempfile.TemporaryDirectory() as folder:
            parts = peers.exported(options.lacp, options.experiment, dataset, run, folder)
        lines = [row for row in lines if (row[0], int(row[1])) != (dataset, run) or row[2] not in methods]
        for method, level, *numbers in rows_of(parts, run, methods):
            lines.append((dataset, run, method, level, *(f"{number:.6g}" for number in numbers)))
            print(*lines[-1], sep=";", file=sys.stderr, flush=True)
            notes.setdefault(method, fresh[method])
        lines.sort(key=lambda row: (place(row[0]), int(row[1]), ORDER.index(row[2]), row[3]))
        output.write_text(peers.written(options.experiment, notes, lines))
    if all(key[0] in here for key in stale):
        notes.update({method: note for method, note in fresh.items() if method in notes})
    output.write_text(peers.written(options.experiment, notes, lines))
    (output.parent / "packages.md").write_text(page(lines, notes))


if __name__ == "__main__":
    main()
