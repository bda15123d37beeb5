#!/usr/bin/env python3
"""Does the coverage of `lacp fit` survive a shift of the inputs? The protocol of JAWS on communities (Prinster and others, NeurIPS 2022;
github.com/drewprinster/jaws, run_JAW_expts.py): 200 known rows; of the 1,794 others half as many are drawn again with weights
exp(0.825 (second - first principal component of the known rows)). The same random numbers, so the same rows. Prints coverage and median
width on the rows with and without this tilt, beside the published ones; each trial goes to
results/drift/shift.csv, and is not done again by the same program.
    scripts/shift.py [TRIALS, default 100] [--jobs N]
The program is build/lacp, or what LACP names. Needs NumPy (python3-numpy) and the file of the data set community (lacp datasets fetch community).
"""
import argparse
import csv
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
LACP = os.environ.get("LACP", str(SOURCE / "build/lacp"))
KNOWN, BIAS = 200, 0.825
COLUMNS = ["trial", "commit", "coverage", "width", "coverage_tilted", "width_tilted"]
# Means over 1,000 trials of results/JAW_coverage_width/2022-07-19_communities_RF_0.825Bias_1000Trials.csv, commit 65c666f; tilted rows.
PUBLISHED = [("split, random forest", 0.8306, 0.525), ("jackknife+, random forest", 0.8572, 0.5185),
             ("CV+, random forest", 0.8598, 0.52225), ("JAW with the true weights, random forest", 0.9271, 0.67275),
             ("JAW with estimated weights, random forest", 0.9329, 0.67225)]
try:
    import numpy as np
except ImportError:
    sys.exit("shift.py needs NumPy, whose random numbers JAWS used: install python3-numpy, and use /usr/bin/python3")


def communities(file):
    """Attributes and target as JAWS has them: no names, and no column with a missing cell."""
    with open(file, newline="") as lines:
        cells = np.array([row[5:] for row in csv.reader(lines)])
    numbers = cells[:, ~(cells == "?").any(axis=0)].astype(float)
    return numbers[:, :-1], numbers[:, -1]


def components(known, rows):
    """The first two principal components of rows; signs as in scikit-learn of 2022."""
    mean = known.mean(axis=0)
    u, _, axes = np.linalg.svd(known - mean, full_matrices=False)
    signs = np.sign(u[np.abs(u).argmax(axis=0), range(u.shape[1])])
    return (rows - mean) @ (axes * signs[:, None])[:2].T


def drawn_again(weights, draws):
    """Half as many indices: each row is proposed with probability weight / largest weight, until there are enough."""
    wanted = len(weights) // 2
    indices = []
    while len(indices) < wanted:
        proposed = np.where(draws.uniform(size=len(weights)) <= weights / weights.max())[0]
        indices += proposed.tolist()[:wanted - len(indices)]
    return indices


def split(x, trial):
    """Known rows, all others, and places of the tilted ones among the others."""
    draws = np.random.RandomState(trial)
    known = draws.choice(len(x), KNOWN, replace=False)
    others = np.setdiff1d(np.arange(len(x)), known)
    weights = np.exp(components(x[known], x[others]) @ [-BIAS, BIAS])
    return known, others, drawn_again(weights, draws)


def intervals(x, y, known, others, trial, jobs):
    """Lower and upper ends of the other rows at 90 %."""
    def call(*words):
        subprocess.run([LACP, *map(str, words), "--quiet", "--jobs", jobs], check=True, stderr=subprocess.DEVNULL)

    with tempfile.TemporaryDirectory() as folder:
        for name, rows in [("known.csv", known), ("new.csv", others)]:
            with open(f"{folder}/{name}", "w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow([f"x{i}" for i in range(x.shape[1])] + ["y"])
                writer.writerows([*map(repr, x[row].tolist()), repr(float(y[row]))] for row in rows)
        model = f"{folder}/model.lacp"
        call("fit", f"{folder}/known.csv", "--target", "y", "--coverage", "0.9", "--seed", trial, "--model", model)
        call("predict", model, f"{folder}/new.csv", "--output", f"{folder}/out.csv")
        ends = np.genfromtxt(f"{folder}/out.csv", delimiter=",", names=True)
    return ends["lower_90"], ends["upper_90"]


def score(trial, x, y, jobs, commit):
    known, others, tilted = split(x, trial)
    lower, upper = intervals(x, y, known, others, trial, jobs)
    covered = (lower <= y[others]) & (y[others] <= upper)
    width = upper - lower
    return dict(zip(COLUMNS, [trial, commit, covered.mean(), np.median(width), covered[tilted].mean(),
                              np.median(width[tilted])]))


def table(trials):
    """Coverage is a mean over trials, with its standard error, width a median of medians, as published."""
    lines = ["| 90 %, communities, 200 known rows | rows | coverage | median width |", "|---|---|---|---|"]
    for rows, end in [("as they are", ""), ("tilted", "_tilted")]:
        coverage = [float(t["coverage" + end]) for t in trials]
        error = statistics.stdev(coverage) / math.sqrt(len(coverage))
        width = statistics.median(float(t["width" + end]) for t in trials)
        lines.append(f"| `lacp fit` ({len(trials)} trials) | {rows} | {statistics.mean(coverage):.3f} (s.e. {error:.4f}) | {width:.3f} |")
    lost = [float(t["coverage"]) - float(t["coverage_tilted"]) for t in trials]
    error = statistics.stdev(lost) / math.sqrt(len(lost))
    lines += [f"| JAWS: {name} | tilted | {coverage:.3f} | {width:.3f} |" for name, coverage, width in PUBLISHED]
    return "\n".join([*lines, "", f"The tilt costs {statistics.mean(lost):.4f} of coverage (s.e. {error:.4f}, paired by trial)."])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("trials", type=int, nargs="?", default=100)
    options.add_argument("--jobs", default="1")
    options.add_argument("--data", default=SOURCE / "datasets/cache/communities.data")
    options.add_argument("--output", type=Path, default=SOURCE / "results/drift/shift.csv")
    given = options.parse_args()
    said = subprocess.run([LACP, "--version"], check=True, capture_output=True, text=True).stdout.split()
    commit = "commit " + said[said.index("commit") + 1]
    x, y = communities(given.data)
    done = list(csv.DictReader(given.output.open())) if given.output.exists() else []
    trials = {int(t["trial"]): t for t in done if t["commit"] == commit}
    for trial in range(given.trials):
        if trial not in trials:
            trials[trial] = score(trial, x, y, given.jobs, commit)
            with given.output.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS)
                writer.writeheader()
                writer.writerows(trials.values())
            print(f"{trial + 1} of {given.trials}", file=sys.stderr)
    print(table([trials[trial] for trial in range(given.trials)]))


if __name__ == "__main__":
    main()
