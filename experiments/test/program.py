"""What tests of the commands share: the program under test, how it is called, and tables to give to it."""
import csv
import io
import json
import os
import random
import subprocess
import sys
import time
import types
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
SMOKE = SOURCE / "experiments/smoke.yaml"
# LACP_PROGRAM, or the one that was built with these tests.
PROGRAM = os.environ.get("LACP_PROGRAM") or os.environ.get("LACP_BUILT_PROGRAM", str(SOURCE / "build/lacp"))
# "address" or "thread" if that program was built so: slow, with memory of its own.
SANITIZER = os.environ.get("LACP_SANITIZED", "")
os.environ.setdefault("LACP_DATASETS", str(SOURCE / "datasets"))

SHORT_TRAINING = ["--set", "training.epochs=3", "network.hidden=[8]"]


def check_has(text, *parts):
    for part in parts:
        assert part in text


def check_lacks(text, *parts):
    for part in parts:
        assert part not in text


def as_list(parts):
    return [parts] if isinstance(parts, str) else parts


def run(*command, status=0, says=(), prints=(), lacks=(), given=None, binary=False, **how):
    """Runs a program. Checks its exit code, and what stands in its messages (`says`), in its output (`prints`)
    and in neither (`lacks`). `given`: its standard input."""
    words = [str(word) for word in command]
    given = given.encode() if isinstance(given, str) else given
    ended = subprocess.run(words, input=given, capture_output=True, check=False, timeout=1200, **how)
    output = ended.stdout if binary else ended.stdout.decode()
    messages = ended.stderr.decode(errors="replace")
    assert ended.returncode == status, f"{words}\n{output}\n{messages}"
    check_has(messages, *as_list(says))
    check_has(output, *as_list(prints))
    check_lacks(messages if binary else output + messages, *as_list(lacks))
    return types.SimpleNamespace(output=output, messages=messages)


def lacp(*arguments, **expected):
    return run(PROGRAM, *arguments, **expected)


def refused(part, *arguments, status=2, **how):
    """The program refuses these arguments, in one line that has this part. The first may be another function that calls
    it: refused("no csv", place.fit, table)."""
    call, *words = arguments if callable(arguments[0]) else (lacp, *arguments)
    ran = call(*words, status=status, says=part, **how)
    assert ran.messages.count("\n") == 1, ran.messages
    return ran


def shell(text, *arguments, **expected):
    """A shell script with these arguments from $1; $0 is the program."""
    return run("bash", "-c", text, PROGRAM, *arguments, **expected)


def frame(text):
    """The rows of a csv, each by the names of its columns."""
    return list(csv.DictReader(io.StringIO(text)))


def table_of(header, rows, row):
    """A csv: a header, and the row of each of 0, 1, ..."""
    return "\n".join([header, *(row(i) for i in range(rows))]) + "\n"


def drawn(header, rows, row, seed=1):
    """The same, with rows that are drawn from their number and random numbers."""
    draws = random.Random(seed)
    return table_of(header, rows, lambda i: row(i, draws))


def houses(n, seed):
    """Houses with a category, a date and a tenth of their areas missing."""
    def house(i, draws):
        area = draws.uniform(20, 200)
        flat = draws.random() < 0.5
        price = 3 * area + (50 if flat else 0) + 0.3 * area * draws.gauss(0, 1)
        return f"{'NA' if draws.random() < 0.1 else area},{'flat' if flat else 'house'},{1990 + i % 30}-06-01,{price}"
    return drawn("area,kind,built,price", n, house, seed)


class Place:
    """A folder with tables, and a model m.lacp of one of them."""

    def __init__(self, folder):
        self.folder = folder
        self.model = folder / "m.lacp"

    def __truediv__(self, name):
        return self.folder / name

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def fit(self, data, *more, **expected):
        return lacp("fit", data, "--model", self.model, "--quiet", *more, *SHORT_TRAINING, **expected)

    def fit_fixed(self, data, *more, **expected):
        return lacp("fit", data, "--model", self.model, "--method", "fixed", *more, **expected)

    def evaluate(self, table, *more, **expected):
        return lacp("evaluate", self.model, table, *more, **expected)

    def scores(self, table, *more):
        return frame(self.evaluate(table, "--csv", *more).output)

    def predict(self, table, *more, **expected):
        return lacp("predict", self.model, table, "--output", self.folder / "out.csv", *more, **expected)

    def intervals(self, table, *more):
        self.predict(table, *more)
        return frame((self.folder / "out.csv").read_text())

    def columns(self):
        """Of each column that the model uses, its kind and how many attributes it became."""
        columns = json.loads(lacp("info", self.model, "--json").output)["columns"]
        return {each["column"]: (each["kind"], each["attributes"]) for each in columns}

    def read(self, name):
        return (self.folder / name).read_bytes().decode()


def peak_memory(*arguments, status=0):
    """The most bytes that the program holds. A small process starts it: the memory of who starts one counts, too."""
    script = """import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)"""
    return int(run(sys.executable, "-I", "-S", "-c", script, PROGRAM, *arguments, status=status).output)


def start(*arguments, **how):
    """The program, at work in the background."""
    words = [PROGRAM, *(str(word) for word in arguments)]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **how)


def wait_until(condition, child):
    """Waits until it holds. Fails if the child ends before, or after ten minutes."""
    end = time.monotonic() + 600
    while not condition():
        assert child.poll() is None and time.monotonic() < end
        time.sleep(0.01)


def as_anyone(*arguments, **expected):
    """Runs the program without the powers of root, who may write where others may not."""
    limits = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    return run(*limits, PROGRAM, *arguments, **expected)


def files_below(folder):
    """What is in a folder and below: the bytes of files, and when each was written."""
    return {path: (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns) for path in folder.rglob("*")}


def leftovers(folder):
    return list(folder.rglob("*.tmp"))
