"""Cells of results, to be looked at and altered."""
import csv
import hashlib

from program import frame


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(text):
    """A csv below a checksum of its lines."""
    return f"# sha256 of the lines below: {sha256(text)}\n{text}"


def without_seal(text):
    return text.split("\n", 1)[1]


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
