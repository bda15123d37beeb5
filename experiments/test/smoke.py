"""Experiments that take a second, on the smoke grid or on data of one's own; what they leave, looked at and altered."""
import csv
import hashlib

from program import SMOKE, SOURCE, frame, lacp

# Options of a training that fails at once; `fixed` does not train.
DIVERGING = ["--set", "training.learning_rate=1e30"]


def quick_words(results, *more, command="run"):
    """`run smoke.yaml`, or another command of it, with everything cut down to a second of work."""
    return [command, SMOKE, "--results", results, "--datasets-folder", SOURCE / "datasets",
            "--set", "network.hidden=[4]", "--set", "training.epochs=2", *more]


def quick_run(results, *more, command="run", **expected):
    return lacp(*quick_words(results, *more, command=command), **expected)


def write_dataset(folder, name, table, keys="target: y\n"):
    """A data set: NAME.csv and NAME.yaml, which has these keys behind its source; indented, they are more of it."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.csv").write_text(table)
    heading = "title: T\ncitation: C\nlicence: L\n"
    (folder / f"{name}.yaml").write_text(f"{heading}source:\n  file: {name}.csv\n{keys}")


def run_own(root, datasets, *more, command="run", **expected):
    """`lacp run smoke.yaml`, or another command of it, with data sets and results below `root`."""
    return lacp(command, SMOKE, "--results", root / "results", "--datasets-folder", root / "datasets",
                "--datasets", datasets, "--methods", "linear,fixed", "--set", "training.epochs=1", *more, **expected)


def many_tasks(folder):
    """The words that name an experiment of tasks as small as they get."""
    (folder / "sets").mkdir()
    (folder / "sets/tiny.yaml").write_text("{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: 200}}")
    (folder / "many_tasks.yaml").write_text("""{datasets: [tiny], methods: [fixed], levels: [0.05, 0.1, 0.32],
        split: {proper: 0.4, train: 0.4, test: 0.2}, predictor: {grid: [4], points: 20}, evaluation: {mode: halves}}""")
    return [folder / "many_tasks.yaml", "--datasets-folder", folder / "sets"]


def cells_in(folder):
    """The cells of a folder of results, by data set, run and method: of each task the rows of all of its cells, the
    newest last, but not how they came to be (commit and seconds)."""
    found = {}
    for file in sorted((folder / "cells").glob("*.csv")):
        for row in frame(file.read_text()):
            cells = found.setdefault((file.name.split(".")[0], int(row["run"]), row["method"]), [])
            if row["checksum"]:  # the first row of a cell
                cells.append([])
            cells[-1].append({name: text for name, text in row.items() if name not in ("commit", "seconds")})
    return found


def failures_in(folder):
    """Why tasks failed, for each of those whose newest cell says so."""
    newest = {task: cells[-1][0]["failure"] for task, cells in cells_in(folder).items()}
    return {task: reason for task, reason in newest.items() if reason}


def outputs_of(results):
    """What a run of the smoke grid leaves for its user, the same bytes whatever happened on the way: its cells, kept
    intervals and tables. All tasks must be done."""
    folder = results / "smoke"
    assert lacp("table", folder).messages == ""
    files = [*(folder / "intervals").glob("*.csv"), folder / "table.csv", folder / "table.tex"]
    return cells_in(folder), {file.name: file.read_text() for file in files}


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def other_digit(text, after):
    """The text with another digit behind a part of it."""
    before, rest = text.split(after, 1)
    return f"{before}{after}{8 if rest[0] == '9' else 9}{rest[1:]}"


def read_cell(folder, task):
    """The rows of a task, which is "<dataset> <run> <method>"."""
    dataset, *of = task.split()
    return [row for row in frame((folder / f"cells/{dataset}.csv").read_text()) if [row["run"], row["method"]] == of]


def put_cell(folder, task, cell):
    """Puts rows in the place of those of a task; their checksum is that of what they say."""
    dataset, *of = task.split()
    path = folder / f"cells/{dataset}.csv"
    rows = frame(path.read_text())
    if cell:
        head = cell[0]
        lines = ["# lacp cell, format 1", f"# task: {task}"]
        lines += [f"# {name}: {head[name]}" for name in ["settings", "data"]]
        lines += [f"# {name}: {head[name]}" for name in ["intervals", "failure"] if head[name]]
        numbers = [] if head["failure"] else cell
        columns = ["metric", "alpha", "bin", "value"]
        lines += [",".join(columns), *(",".join(row[name] for name in columns) for row in numbers)]
        head["checksum"] = sha256("\n".join(lines) + "\n")
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows([row for row in rows if [row["run"], row["method"]] != of] + cell)


def alter_cell(folder, task, **values):
    """Changes what the first row of a cell says."""
    cell = read_cell(folder, task)
    cell[0].update(values)
    put_cell(folder, task, cell)
