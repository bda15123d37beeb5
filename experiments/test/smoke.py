"""Experiments that take a second, on the smoke grid or on data of one's own, and what they leave."""
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
