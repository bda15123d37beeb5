#!/usr/bin/env python3
"""The work of lacp_bench done with PyTorch and scikit-learn, on the same core in the same run, and the ratios.

`make bench-peers` installs what this needs, runs it and writes results/bench.md. Times are processor time, the
shortest of many repetitions, as in lacp_bench itself.
"""
import argparse
import csv
import functools
import itertools
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # before numpy and torch are loaded
import numpy as np
import sklearn
import torch
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.neighbors import NearestNeighbors
from machine import commit, processor
from torch_steps import CleanStep, HandWrittenStep, check_hand_written, make_network, random_batches

ROOT = Path(__file__).resolve().parent.parent


def shortest(function, budget, fewest=3, sample=5e-3):
    """The shortest time of one call, in seconds of processor time."""
    start = time.process_time()
    function()
    calls = max(1, round(sample / max(time.process_time() - start, 1e-7)))
    best, end, rounds = float("inf"), time.process_time() + budget, 0
    while rounds < fewest or time.process_time() < end:
        start = time.process_time()
        for _ in range(calls):
            function()
        best = min(best, (time.process_time() - start) / calls)
        rounds += 1
    return best


DATASETS = {"CASP": ("CASP.csv", "RMSD", []), "homes": ("kc-house-data.csv", "price", ["id", "date"])}


@functools.cache
def load(name):
    """Standardised attributes and targets over their mean size, in random order; nothing if the file is not there."""
    file, target, dropped = DATASETS[name]
    path = Path(os.environ.get("LACP_DATASETS") or ROOT / "datasets") / "cache" / file
    if not path.exists():
        print(f"{name} is missing and left out; `lacp datasets fetch {name}` gets it.", file=sys.stderr)
        return None
    with open(path, newline="") as lines:
        rows = list(csv.DictReader(lines))
    columns = [c for c in rows[0] if c != target and c not in dropped]
    order = np.random.default_rng(11).permutation(len(rows))
    X = np.array([[float(row[c]) for c in columns] for row in rows])[order]
    y = np.array([float(row[target]) for row in rows])[order]
    return (X - X.mean(0)) / X.std(0), y / np.abs(y).mean()


def measured(ours, work):
    """(name, X, y, our time) of the data sets that are here, if this work was measured."""
    for name in DATASETS:
        if load(name) is not None and f"{work}/{name}" in ours:
            yield name, *load(name), ours[f"{work}/{name}"]


def predict_rows(ours, budget):
    """Neighbours by scikit-learn and the network by PyTorch, from numbers in memory; ours begins with the csv."""
    for name, X, y, own in measured(ours, "predict"):
        k, points = int(ours[f"neighbours/{name}"]), len(y) * 2 // 5
        times, network = {}, make_network(X.shape[1])
        for algorithm in ("kd_tree", "ball_tree", "brute"):
            search = NearestNeighbors(n_neighbors=k, algorithm=algorithm, n_jobs=1).fit(X[:points])

            @torch.no_grad()
            def predict():
                f = y[:points][search.kneighbors(X, return_distance=False)].mean(1)
                return f, network(torch.from_numpy(X).float()).numpy()

            times[algorithm] = shortest(predict, budget) / len(y)
        best = min(times, key=times.get)
        yield (f"predicting a row, {name}", f"{1e6 * own:.1f} µs", f"scikit-learn ({best}) and PyTorch",
               f"{1e6 * times[best]:.1f} µs", f"{times[best] / own:.2f}")


def run_ours(build):
    """The numbers of lacp_bench, by name."""
    printed = subprocess.run([build / "lacp_bench"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {row["name"]: float(row["value"]) for row in csv.DictReader(printed.splitlines())}


def blas():
    """What PyTorch and numpy multiply with: the reference BLAS takes many times as long as any other."""
    names = {Path(line.split()[-1]).name for line in Path("/proc/self/maps").read_text().splitlines()}
    fast = sorted(name for name in names if name.startswith(("libopenblas", "libmkl", "libblis", "libatlas")))
    return fast[0].partition(".so")[0] if fast else "the reference BLAS"


def step_rows(ours, budget):
    for inputs in (8, 18, 53):
        for batch in (16, 256):
            check_hand_written(inputs, batch)
            batches = random_batches(inputs, batch)
            own = ours[f"step/{inputs}/{batch}"]
            for name, step in (("PyTorch, backward and flat Adam by hand", HandWrittenStep(inputs, batch)),
                               ("PyTorch, clean", CleanStep(inputs))):
                turns = itertools.cycle(batches)
                theirs = shortest(lambda: step(*next(turns)), budget)
                yield (f"training step, d = {inputs}, batch {batch}", f"{1e6 * own:.0f} µs", name,
                       f"{1e6 * theirs:.0f} µs", f"{theirs / own:.2f}")


def boosted_rows(ours, budget):
    for name, X, y, own in measured(ours, "boosted"):
        rows = len(y) * 4 // 5
        theirs = shortest(lambda: HistGradientBoostingRegressor(early_stopping=False).fit(X[:rows], y[:rows]), budget)
        yield (f"boosted trees, 100 rounds, {name}", f"{own:.3f} s", "scikit-learn, HistGradientBoostingRegressor",
               f"{theirs:.3f} s", f"{theirs / own:.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the folder with lacp and lacp_bench")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    parser.add_argument("--seconds", type=float, default=2.0, help="for each measurement of a peer")
    options = parser.parse_args()

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # children stay there too
    torch.set_num_threads(1)
    ours = run_ours(options.build)

    text = [
        "# Speed, and that of others", "",
        f"Measured on one core of {processor()} ({platform.machine()}, {os.cpu_count()} cores), "
        f"{platform.system()}, load average {os.getloadavg()[0]:.1f}, lacp of {commit(options.build / 'lacp')}, "
        f"with PyTorch {torch.__version__}, "
        f"scikit-learn {sklearn.__version__} and numpy {np.__version__}, {blas()}, every library on one thread.",
        "Processor time, the shortest of many repetitions. `make bench-peers` writes this file.", "",
        "| work | lacp | peer | peer's time | peer / lacp |", "|:--|--:|:--|--:|--:|"]
    for rows in (f(ours, options.seconds) for f in (step_rows, boosted_rows, predict_rows)):
        for row in rows:
            text.append(f"| {' | '.join(row)} |")
            print(text[-1], file=sys.stderr, flush=True)
    options.output.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
