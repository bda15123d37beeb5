#!/usr/bin/env python3
"""Tests of scripts/peers.py: test_peers.py LACP. Exit code 77: there is no scikit-learn."""
import csv
import pathlib
import subprocess
import sys
import tempfile
import types

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "scripts"))
try:
    import numpy as np
    import peers
except ImportError as error:
    print(f"SKIPPED: {error}; `make setup-peers` installs it")
    sys.exit(77)


def test_quantile_and_measures():
    scores = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 9.0, 7.0, 8.0, 6.0])
    assert [peers.quantile(scores, alpha) for alpha in (0.1, 0.5, 0.32, 0.05)] == [9.0, 5.0, 7.0, np.inf]
    y, f = np.array([0.0, 1.0, 5.0]), np.zeros(3)
    assert peers.measured(f - 1, f + 2, y, 0.5) == (1.5, (3 + 3 + 3 + 4 * 3) / 3, 2 / 3)
    lower = np.array([-1.0, 1.0, -1.0])  # the second is empty, and counts as the point 0
    assert peers.measured(lower, -lower, y, 0.5) == (1.0, (2 + 4 * 1 + 2 + 4 * 4) / 3, 1 / 3)


def test_widths_of_the_normalised_ones():
    """The error grows with x; a model of it that says 0 or less leaves crepes' beta, and MAPIE's stays positive."""
    random = np.random.default_rng(1)

    def part(n):
        x = random.uniform(size=n)
        return x[:, None], x + x * random.normal(size=n)

    rows = peers.Rows({"proper": part(2000), "calibration": part(500), "test": (np.array([[0.01], [0.9]]), np.zeros(2))}, 0)
    for method in ("normalised (crepes)", "normalised (MAPIE)"):
        for level, lower, upper in peers.METHODS[method][0](rows):
            width = upper - lower
            assert 0 < 3 * width[0] < width[1], (method, level, width)
    none = types.SimpleNamespace(fit=lambda X, y: types.SimpleNamespace(predict=lambda points: np.full(len(points), -1.0)))
    rows.model = lambda **_: none
    for level, lower, upper in peers.normalised_as_crepes(rows):
        q = peers.quantile(np.abs(rows.calibration[1] + 1) / 0.01, float(level))
        assert np.allclose(upper - lower, 2 * 0.01 * q), level


def run(program, output, *more):
    return subprocess.run([sys.executable, "-B", SOURCE / "scripts/peers.py", program, "--runs", "1", "--output", output, *more],
                          cwd=SOURCE, capture_output=True, text=True)


def rows_of(output):
    return list(csv.DictReader(line for line in output.read_text().splitlines() if not line.startswith("#")))


def test_a_whole_run_and_what_is_there_stays(program, folder):
    output = folder / "peers.csv"
    done = run(program, output, "--datasets", "cos", "--methods", "split,CQR,normalised (crepes),lacp")
    assert done.returncode == 0, done.stderr
    rows = rows_of(output)
    names = ["split", "normalised (crepes)", "CQR", "lacp"]
    assert [(row["method"], row["alpha"]) for row in rows] == [(m, a) for m in names for a in peers.LEVELS]
    for row in rows:
        assert float(row["winkler"]) >= 2 * float(row["size"]) > 0, row
        assert abs(float(row["validity"]) - (1 - float(row["alpha"]))) < 0.25, row  # 50 calibration and 50 test points
        assert "scikit-learn " in row["versions"] and len(row["commit"]) >= 7 and float(row["seconds"]) > 0, row
    text = output.read_text()
    without_seconds = lambda rows: [{**row, "seconds": ""} for row in rows]
    for field, other, said in (("versions", "older", "split;0.05"), ("commit", "older", "split;0.05"), ("versions", "", "1 rows have no versions")):
        start = text.index("\ncos,0,split,") + 1
        output.write_text(text[:start] + text[start:].replace(rows[0][field], other, 1))  # one row
        done = run(program, output, "--datasets", "cos", "--methods", "split,CQR")
        assert "cos;0;CQR" not in done.stderr and said in done.stderr, (field, said, done.stderr)
        assert without_seconds(rows_of(output)) == without_seconds(rows)


def test_what_it_refuses(program, folder):
    output = folder / "none.csv"
    for more, status, said in ((["--datasets", "nowhere"], 2, "nowhere"), (["--methods", "best"], 1, "best: expected some of split"),
                               (["--experiment", "experiments/paper.yaml", "--datasets", "cos"], 1, "evaluation.mode")):
        done = run(program, output, *more)
        assert done.returncode == status and said in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert not output.exists()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        test_quantile_and_measures()
        test_widths_of_the_normalised_ones()
        test_a_whole_run_and_what_is_there_stays(sys.argv[1], pathlib.Path(scratch))
        test_what_it_refuses(sys.argv[1], pathlib.Path(scratch))
