#!/usr/bin/env python3
"""Is `lacp fit` of one program better than that of another? Both get the same rows, run by run of frontier: all but those of the test.
    scripts/compare_fits.py OLD [NEW, default build/lacp] [--datasets abalone,bike] [--runs 10] [--jobs 2]
Prints the Winkler score of NEW over that of OLD for each data set and level, means over runs, and writes the rows to
results/frontier/fits.csv: what is there of these two commits is not done again. Seconds are those of the fit, on one thread, beside whatever
else runs.
"""
import argparse
import csv
import io
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean as mean
from statistics import median

from machine import commit

SOURCE = Path(__file__).resolve().parents[1]
DATASETS = ("abalone,bike,blog_data,california,CASP,community,concrete,cos,energy,facebook_1,homes,inverse,kin8nm,linear,squared,"
            "star")
HEADER = ("dataset", "run", "commit", "level", "winkler", "coverage", "half_width", "seconds")
LEVELS = ("0.05", "0.1", "0.32")


def divided(lacp, dataset, run, folder):
    """The rows of a run as two csv files, `known` and `test`."""
    subprocess.run([lacp, "export", "experiments/frontier.yaml", "--datasets", dataset, "--run", str(run), "--output", folder,
                    "--quiet"], check=True)
    with open(Path(folder, f"{dataset}.csv"), newline="") as file:
        header, *rows = csv.reader(file)
    for name in ("known", "test"):
        with open(Path(folder, name), "w", newline="") as file:
            csv.writer(file).writerows([header[1:], *(row[1:] for row in rows if (row[0] == "test") == (name == "test"))])


def scores(lacp, run, folder):
    """Of each level: Winkler score, coverage and half-width on the test rows; and the seconds of the fit."""
    start = time.time()
    subprocess.run([lacp, "fit", Path(folder, "known"), "--target", "y", "--model", Path(folder, "model"), "--coverage",
                    "0.95,0.9,0.68", "--seed", str(run + 1), "--copies", "keep", "--jobs", "1", "--quiet"],
                   check=True, stderr=subprocess.DEVNULL)
    seconds = time.time() - start
    done = subprocess.run([lacp, "evaluate", Path(folder, "model"), Path(folder, "test"), "--csv", "--quiet", "--jobs", "1"],
                          check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for row in csv.DictReader(io.StringIO(done.stdout)):
        yield row["level"], row["winkler"], row["coverage"], row["half_width"], f"{seconds:.3g}"


def compared(programs, dataset, run, done):
    """The rows of both programs, of those that are not done."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, lacp in programs.items():
            if (dataset, str(run), name) in done:
                continue
            if not Path(folder, "known").exists():
                divided(programs[list(programs)[-1]], dataset, run, folder)
            rows += [(dataset, str(run), name, *numbers) for numbers in scores(lacp, run, folder)]
    return rows


def summary(rows, old, new):
    """The lines of the table: of each data set, and of all."""
    of = {(dataset, run, name, level): (float(winkler), float(seconds))
          for dataset, run, name, level, winkler, _, _, seconds in rows if name in (old, new)}
    yield f"{'Winkler, new / old':18}" + "".join(f"{'at ' + level:>9}" for level in LEVELS) + "  seconds, new / old"
    ratios = {level: [] for level in LEVELS}
    for dataset in dict.fromkeys(key[0] for key in of):
        line = f"{dataset:18}"
        for level in LEVELS:
            runs = [run for d, run, name, other in of if (d, name, other) == (dataset, new, level) and (d, run, old, level) in of]
            both = [[of[dataset, run, name, level] for run in runs] for name in (new, old)]
            ratios[level].append(mean(w for w, _ in both[0]) / mean(w for w, _ in both[1]))
            line += f"{ratios[level][-1]:9.4f}"
        yield f"{line}  {sum(s for _, s in both[0]) / sum(s for _, s in both[1]):.2f}"
    for name, of_all in (("median", median), ("largest", max)):
        yield f"{name:18}" + "".join(f"{of_all(ratios[level]):9.4f}" for level in LEVELS)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", help="a program lacp")
    parser.add_argument("new", nargs="?", default=str(SOURCE / "build/lacp"), help="another (default: build/lacp)")
    parser.add_argument("--datasets", default=DATASETS, help="separated by commas (default: %(default)s)")
    parser.add_argument("--runs", type=int, default=10, help="the first this many (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=1, help="fits at once (default: %(default)s)")
    parser.add_argument("--output", type=Path, default=SOURCE / "results/frontier/fits.csv", help="default: %(default)s")
    options = parser.parse_args()
    old, new = (commit(program) for program in (options.old, options.new))
    if old == new:
        parser.error(f"both programs are of {old}")
    programs = {old: options.old, new: options.new}
    rows = []
    if options.output.exists():
        with open(options.output, newline="") as file:
            rows = [tuple(row) for row in csv.reader(file) if row[2] in programs]
    done = {row[:3] for row in rows}
    tasks = [(dataset, run) for run in range(options.runs) for dataset in options.datasets.split(",")]
    with ThreadPoolExecutor(options.jobs) as pool:
        for more in pool.map(lambda task: compared(programs, *task, done), tasks):
            rows += more
            rows.sort(key=lambda row: (row[0].lower(), int(row[1]), row[2] != old, LEVELS.index(row[3])))
            with open(options.output, "w", newline="") as file:
                csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])
    print("\n".join(summary(rows, old, new)))


if __name__ == "__main__":
    main()
