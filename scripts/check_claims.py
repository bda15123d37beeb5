#!/usr/bin/env python3
"""check_claims.py: for a referee. Computes a tenth of the cells behind each claim of results/README.md again, drawn at random,
judges the claims anew from the committed cells, and prints claim, verdict, cells drawn and cells that agree byte for byte.

A tenth of the runs of each data set, at least one, is drawn with all methods (`lacp verify --share`), since claims compare
methods run by run. If the seconds that the cells took promise more than the minutes on these cores, the share is smaller,
which is said. Exit code 1: a cell or a verdict came out otherwise; 2: something could not be compared, and the last line says which
data sets were missing."""
import argparse
import csv
import math
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# The claims: how their titles begin, their name in claims.csv, and the methods that others are compared with there.
CLAIMS = [("The intervals are marginally valid", "validity", []),
          ("Trained intervals are smaller", "efficiency", ["fixed"]),
          ("The choice of the class", "class", ["exp"]),
          ("ERC fitted to the residuals", "error_fit", ["fixed"]),
          ("`mixture` is smaller", "mixture", ["exp", "erc"]),
          ("The intervals adapt", "adaptivity", ["fixed"]),
          ("Training for all levels", "single_level", [])]


def rows_of(file):
    if not file.exists():
        return []
    with file.open(newline="") as text:
        return list(csv.DictReader(line for line in text if not line.startswith("#")))


def report_again(lacp, results):
    """The first page and the claims.csv that `lacp report` writes from the committed cells. No figure is drawn."""
    with tempfile.TemporaryDirectory() as scratch:
        copy, tools = Path(scratch, "results"), Path(scratch, "tools")
        shutil.copytree(results, copy, ignore=shutil.ignore_patterns("figures", "*.pdf"))
        reference = results.parent / "experiments/reference"
        if reference.exists():
            shutil.copytree(reference, Path(scratch, "experiments/reference"))
        tools.mkdir()
        (tools / "env").symlink_to(shutil.which("env"))
        subprocess.run([lacp, "report", copy, "--quiet"], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "PATH": str(tools)})
        numbers = {name: rows_of(copy / name) for name in ["claims.csv", *(
            str(file.relative_to(copy)) for file in sorted(copy.glob("*/claims.csv")))]}
        return (copy / "README.md").read_text(), numbers


def headlines(page):
    """(title, folders) of the sentences on top that say whether a protocol reproduces the published table."""
    for line in re.findall(r"\n- (\*\*.*)", page):
        folders = re.findall(r"\]\(([a-z0-9_/]+)/README.md\)", line)
        protocol = re.search(r"\(`([a-z_]+)`\)", line)
        if folders and protocol:
            yield line.split("**")[1], folders


def judged(page, numbers, folders_there):
    """(claim, verdict, {folder: its methods, or None for all}) of all claims of a page."""
    for title, folders in headlines(page):
        claim, _, verdict = title.partition(") ")
        yield claim + ")", verdict.rstrip("."), dict.fromkeys(folders)
    for cells in re.findall(r"\n\| (.*) \|(?=\n)", page):
        row = [cell.strip() for cell in cells.split(" | ")]
        known = [claim for claim in CLAIMS if row[0].startswith(claim[0])]
        if len(row) < 3 or not known:
            continue
        [(_, name, others)] = known
        behind = {}
        for rows in numbers.values():
            for number in (number for number in rows if number["claim"] == name):
                folder = number["experiment"]
                if len(folders_there) > 1 and name != "single_level" and f"[{folder}]({folder}/" not in row[-1]:
                    continue  # other protocols have claims, too; this page shows those of one
                behind.setdefault(folder, set(others)).add(number["method"])
                base = re.search(r"size in ([a-z_]+)", number["quantity"])
                if base:
                    behind.setdefault(base[1], set()).add(number["method"])
        yield row[0], row[1].strip("*"), behind


def seconds_of(results, folder):
    """What its cells took, as they say; those that are kept in part, as long as their namesakes did."""
    full = results / folder
    files = list((full / "cells").glob("*.csv"))
    if files:
        return sum(float(row["seconds"]) for file in files for row in rows_of(file) if row["seconds"])
    namesake = results / full.name
    if namesake == full or not namesake.exists():
        return 0.0
    runs = [int(re.search(r"\n  runs: (\d+)", (place / "manifest.yaml").read_text())[1]) for place in (full, namesake)]
    return seconds_of(results, full.name) * runs[0] / runs[1]


def verified(words):
    """(drawn, agreed) by method, the data sets that were left out, and the exit code."""
    ended = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    left_out = re.search(r"left out, since their data sets are missing: ([^;\n]*)", ended.stdout)
    missing = left_out[1].split(", ") if left_out else []
    counts = re.search(r": by method: (.*)\n", ended.stdout)
    for line in ended.stdout.splitlines():
        if ": by method: " not in line:
            print(line, flush=True)
    if not counts:
        return {}, missing, ended.returncode or 2
    found = re.findall(r"(\w+) (\d+) of (\d+)", counts[1])
    return {method: (int(drawn), int(agreed)) for method, agreed, drawn in found}, missing, ended.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("lacp", type=Path)
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--share", type=float, default=0.1, help="of the runs of each data set (default: a tenth)")
    parser.add_argument("--seed", type=int, default=None, help="of the drawing (default: another one each time)")
    parser.add_argument("--minutes", type=float, default=10.0, help="at most, on these cores, by the seconds of the cells")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    lacp, results = options.lacp.resolve(), options.results
    begin = time.monotonic()

    print(f"seed {seed} (to draw the same again: make check-claims SEED={seed})", flush=True)
    page, numbers = report_again(lacp, results)
    there = [file.parent for file in results.glob("*/manifest.yaml")]
    claims = list(judged(page, numbers, there))
    if not claims:
        sys.exit(f"check_claims.py: {results}/README.md has no claims")
    before = list(judged((results / "README.md").read_text(), numbers, there))
    folders = list(dict.fromkeys(folder for _, _, behind in claims for folder in behind))
    cost = sum(seconds_of(results, folder) for folder in folders)
    share = min(options.share, options.minutes * 60 * options.jobs / cost) if cost else options.share
    print(f"{share:.3g} of the runs of {len(folders)} folders: about {math.ceil(share * cost / options.jobs)} s with "
          f"{options.jobs} threads, by what the cells took where they were made", flush=True)

    counts, missing, worst = {}, [], 0
    for folder in folders:
        counts[folder], left_out, code = verified([lacp, "verify", results / folder, "--share", str(share), "--seed", str(seed),
                                                   "--jobs", str(options.jobs), "--allow-missing"])
        missing += [name for name in left_out if name not in missing]
        worst = code if worst in (0, 2) and code else worst
    print("\n| claim | verdict | cells drawn | agreed |\n|---|---|---:|---:|")
    for claim, verdict, behind in claims:
        pairs = [pair for folder, methods in behind.items() for method, pair in counts[folder].items()
                 if methods is None or method in methods]
        drawn, agreed = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
        print(f"| {claim} | {verdict} | {drawn} | {agreed} |")
    changed = [claim for claim, other in zip(claims, before) if claim[:2] != other[:2]]
    for claim, verdict, _ in changed:
        print(f"README.md says otherwise of: {claim}; the cells say: {verdict}")
    if changed or len(claims) != len(before):
        worst = 1
    worst = worst or (2 if missing else 0)
    # Cells stand behind more than one claim: each was computed once.
    total = [sum(pair[i] for pairs in counts.values() for pair in pairs.values()) for i in (0, 1)]
    print(f"\n{len(claims)} claims; {total[1]} of {total[0]} cells agree, seed {seed}; {time.monotonic() - begin:.0f} s"
          + (f"; INCOMPLETE: nothing was computed of {', '.join(missing)}, whose files are missing (`lacp datasets fetch`)"
             if missing else ""))
    return worst


if __name__ == "__main__":
    sys.exit(main())
