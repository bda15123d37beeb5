#!/usr/bin/env python3
"""What `lacp update` does for a model when the world moves: bike, ELEC2 and homes in order of time. A model of the first rows predicts
the others; their targets become known in blocks of 100 or of 500, each after it was predicted. The 90 % intervals are left alone, or
calibrated by all known rows, the newest 200 or the newest 500, with one threshold for both sides or one for each. Rows from 501 on count.
    scripts/drift.py [--datasets bike,elec2,homes] [--blocks 100,500] [--output results/drift] [--jobs 1] [--only-draw]
Writes drift.csv, over_time.csv, README.md and figures/drift.svg there. The program is build/lacp, or what LACP names; the files are those of
`lacp datasets fetch bike elec2 homes`. Python's standard library is enough; gnuplot draws the figure. Ten minutes of one core.
"""
import argparse
import csv
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from statistics import fmean as mean

SOURCE = Path(__file__).resolve().parents[1]
LACP = os.environ.get("LACP", str(SOURCE / "build/lacp"))
UNSCORED, STRETCH, SEED = 500, 300, 1
MECHANISMS = {"all rows": [], "window 200": ["--window", "200"], "window 500": ["--window", "500"]}
WAYS = [("nothing", ""), *((name, sides) for name in MECHANISMS for sides in ("both", "each"))]
NEXCP = """
Published (Barber and others, Annals of Statistics 2023; their code, run again), coverage / mean width of 3,344 rows: full conformal prediction by least
squares 0.852 / 0.565; NexCP 0.890 / 0.606, with weighted least squares 0.894 / 0.527. It is fitted again for each row, with all targets before it.
"""


def rows_of(file):
    with open(SOURCE / "datasets/cache" / file, newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def elec2():
    """The rows of Barber and others (2023): from 17,760 on, 9:00 to 12:00."""
    rows = rows_of("elec2.csv")[17760:]
    first, last = (float(rows[i]["period"]) for i in (17, 24))
    names = ["nswprice", "nswdemand", "vicprice", "vicdemand", "transfer"]
    return [{name: row[name] for name in names} for row in rows if first < float(row["period"]) < last], "transfer", 1033


def bike():
    """Hour, weekday and month of the date, but not the date; the file is in order of time."""
    rows = rows_of("bike_train.csv")
    for row in rows:
        date = datetime.fromisoformat(row.pop("datetime"))
        row.update(hour=date.hour, weekday=date.weekday(), month=date.month)
        del row["casual"], row["registered"]
    return rows, "count", len(rows) // 2


def homes():
    """By date of sale, of which nothing is kept."""
    rows = sorted(rows_of("kc-house-data.csv"), key=lambda row: row["date"])
    for row in rows:
        del row["id"], row["date"]
    return rows, "price", int(0.3 * len(rows))


DATASETS = {"bike": bike, "elec2": elec2, "homes": homes}


def call(*words):
    ran = subprocess.run([LACP, *map(str, words)], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, words))}\n{ran.stderr}")
    return ran.stdout


def write_rows(path, rows, above=""):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write(above)
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path


def ends_of(new, model, size, way, sides):
    """The two ends for each row, predicted block by block, with an update after each."""
    ends = []
    size = size if sides else len(new)
    with tempfile.TemporaryDirectory() as folder:
        used, updated = shutil.copy(model, f"{folder}/used.lacp"), f"{folder}/updated.lacp"
        for begin in range(0, len(new), size):
            block = write_rows(f"{folder}/block.csv", new[begin:begin + size])
            out = call("predict", used, block, "--all-rows", "--jobs", 1)
            ends += [(float(row["lower_90"]), float(row["upper_90"])) for row in csv.DictReader(out.splitlines())]
            if begin + size < len(new):
                call("update", used, block, "--all-rows", "--known", "keep", *MECHANISMS[way], "--sides", sides, "--output", updated, "--jobs", 1)
                os.replace(updated, used)
    return ends


def scores(ends, y):
    """What drift.csv has of these rows, and the coverage of the stretches that end at rows 300, 400, ..."""
    inside = [lower <= value <= upper for (lower, upper), value in zip(ends, y)]
    stretches = {end: sum(inside[end - STRETCH:end]) / STRETCH for end in range(STRETCH, len(y) + 1)}
    scored = list(zip(ends, y))[UNSCORED:]
    width = mean(upper - lower for (lower, upper), _ in scored)
    below = [max(lower - value, 0) for (lower, _), value in scored]
    above = [max(value - upper, 0) for (_, upper), value in scored]
    worst = min(share for end, share in stretches.items() if end >= UNSCORED + STRETCH)
    numbers = dict(rows=len(scored), coverage=mean(inside[UNSCORED:]), worst_300=worst, winkler=width + 20 * (mean(below) + mean(above)),
                   width=width, below=mean(d > 0 for d in below), above=mean(d > 0 for d in above))
    return numbers, {end: share for end, share in stretches.items() if end % 100 == 0}


def study(names, blocks, jobs):
    """The rows of drift.csv and of over_time.csv."""
    table, over_time = [], []
    for name in names:
        rows, target, known = DATASETS[name]()
        new, y = rows[known:], [float(row[target]) for row in rows[known:]]
        tasks = [(size, *way) for size in blocks for way in WAYS]
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as workers:
            model = f"{folder}/model.lacp"
            call("fit", write_rows(f"{folder}/known.csv", rows[:known]), "--target", target, "--coverage", "0.9", "--copies", "keep",
                 "--seed", SEED, "--model", model, "--jobs", jobs)
            predicted = workers.map(lambda task: ends_of(new, model, *task), tasks)
            for (size, way, sides), ends in zip(tasks, predicted):
                numbers, stretches = scores(ends, y)
                key = dict(dataset=name, block=size, mechanism=way, sides=sides)
                table.append(key | {k: f"{v:.6g}" for k, v in numbers.items()})
                over_time += [key | dict(row=end, coverage=f"{share:.4f}") for end, share in stretches.items()]
                print(*table[-1].values(), sep="\t", flush=True)
    return table, over_time


def page(table, by):
    def cell(row):
        coverage, worst, winkler, width = (float(row[k]) for k in ("coverage", "worst_300", "winkler", "width"))
        digits = ",.0f" if winkler >= 1000 else ".4g"
        return f" {coverage:.3f} / {worst:.2f} / {winkler:{digits}} / {width:{digits}} |"

    sizes = list(dict.fromkeys(str(row["block"]) for row in table))
    text = f"""# When rows drift

Rows in order of time: a model of the first ones (`lacp fit --coverage 0.9`) predicts the others, and `lacp update --known keep` calibrates it by those
whose targets are known by then, in blocks of {' or of '.join(sizes)}, each after it was predicted. Numbers: coverage / coverage of the worst {STRETCH} rows in a
row / Winkler score (lower is better) / mean width, of the rows from {UNSCORED + 1} on. Made by `scripts/studies.sh drift --blocks {','.join(sizes)}`. {by}
[drift.csv](drift.csv) has the shares below and above, too; [over_time.csv](over_time.csv) the coverage of the last {STRETCH} rows, every 100 rows.

![Coverage over time](figures/drift.svg)
"""
    for name in dict.fromkeys(row["dataset"] for row in table):
        own = [row for row in table if row["dataset"] == name]
        blocks = dict.fromkeys(row["block"] for row in own)
        text += f"\n## {name}, {int(own[0]['rows']):,} rows\n\n| calibrated by | threshold |" + "".join(f" blocks of {b} |" for b in blocks)
        text += "\n|---|---|" + "---|" * len(blocks) + "\n"
        for way, sides in WAYS:
            cells = [cell(row) for row in own if (row["mechanism"], row["sides"]) == (way, sides)]
            text += f"| {way if sides else 'the fit alone'} | {dict(both='one', each='per side').get(sides, '–')} |{''.join(cells)}\n"
        text += NEXCP if name == "elec2" else ""
        text += "" if len(blocks) == len(sizes) else f"\nMade with `--datasets {name} --blocks {','.join(map(str, blocks))}`: other blocks were not run.\n"
    return text


def draw(folder):
    """The figure, with the checksum of what it shows, as `lacp figures` notes it."""
    subprocess.run(["gnuplot", "-e", f"folder='{folder}'", "drift.gp"], check=True, cwd=SOURCE / "experiments/figures")
    with open(folder / "figures/drift.svg", "a", encoding="utf-8") as file:
        file.write(f"\n<!-- drawn by drift.py from {sha256((folder / 'over_time.csv').read_bytes()).hexdigest()} -->\n")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in [("datasets", ",".join(DATASETS)), ("blocks", "100,500"), ("output", SOURCE / "results/drift"), ("jobs", "1")]:
        options.add_argument(f"--{name}", default=default)
    options.add_argument("--only-draw", action="store_true", help="the figure again, from the rows in --output")
    given = options.parse_args()
    if given.only_draw:
        return draw(Path(given.output).resolve())
    said = call("--version").split()
    by = f"By lacp {said[1]} of commit {said[said.index('commit') + 1]}, seed {SEED}."
    table, over_time = study(given.datasets.split(","), [int(b) for b in given.blocks.split(",")], int(given.jobs))
    folder = Path(given.output).resolve()
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    write_rows(folder / "drift.csv", table, f"# {by}\n")
    write_rows(folder / "over_time.csv", over_time, f"# {by}\n")
    (folder / "README.md").write_text(page(table, by), encoding="utf-8")
    draw(folder)


if __name__ == "__main__":
    main()
