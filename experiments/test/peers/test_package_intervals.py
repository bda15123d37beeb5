#!/usr/bin/env python3
"""Tests of scripts/package_intervals.py: experiments/test/peers/test_package_intervals.py LACP

Exit code 77: there is no scikit-learn.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "scripts"))
try:
    import numpy as np
    import package_intervals as packages
except ImportError as error:
    print(f"SKIPPED: {error}; `make setup-peers` installs it")
    sys.exit(77)

# A package in a checkout: it says how wide a normal distribution is.
STAND_IN = """
import numpy as np
__version__ = "9.9"
class NGBRegressor:
    def __init__(self, random_state, verbose): pass
    def fit(self, X, y):
        self.mean, self.deviation = y.mean(), y.std()
        return self
    def pred_dist(self, X):
        self.rows = len(X)
        return self
    def interval(self, share):
        return np.full(self.rows, self.mean - 9 * self.deviation), np.full(self.rows, self.mean + 9 * self.deviation)
"""


def test_ends_are_those_of_the_level():
    assert packages.SHARES == [0.025, 0.05, 0.16, 0.84, 0.95, 0.975]
    quantiles = np.arange(6.0).reshape(1, 6)
    for level, ends in (("0.05", (0, 5)), ("0.1", (1, 4)), ("0.32", (2, 3))):
        assert tuple(end[0] for end in packages.ends_at(quantiles, float(level))) == ends


def test_what_is_in_a_checkout_is_measured_and_the_rest_is_named(program, folder):
    (folder / "checkout").mkdir()
    (folder / "checkout/ngboost.py").write_text(STAND_IN)
    for name in ("crepes", "mapie", "quantile_forest"):  # which may be installed
        (folder / f"checkout/{name}.py").write_text("raise ImportError('not here')")
    (folder / "bin").mkdir()
    for name in ("lscpu", "git"):
        (folder / "bin" / name).symlink_to(f"/usr/bin/{name}")
    output = folder / "out/peers_packages.csv"
    call = lambda *more: subprocess.run(
        [sys.executable, "-B", SOURCE / "scripts/package_intervals.py", program, "--runs", "1", "--datasets", "energy", "--output", output,
         *more], cwd=SOURCE, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(folder / "checkout"), "PATH": str(folder / "bin")})
    done = call()
    assert done.returncode == 0, done.stderr
    for said in ("left out: crepes; to get it: pip install crepes", "left out: ranger; to get it: apt install r-cran-ranger"):
        assert said in done.stderr, done.stderr
    written = output.read_text()
    assert "# ngboost: ngboost 9.9, Python" in written and "# lacp: lacp of commit" in written, written
    rows = [line.split(",") for line in written.splitlines() if line.startswith("energy,0,ngboost")]
    assert len(rows) == 3 and all(float(row[6]) == 1 for row in rows), rows
    page = (folder / "out/packages.md").read_text()
    # What another version measured is measured again, and nothing else is.
    output.write_text(written.replace("ngboost 9.9", "ngboost 9.8").replace(",ngboost,0.1,", ",ngboost,0.1,1"))
    again = call()
    assert output.read_text() == "\n".join(
        line if ",ngboost," not in line else line.rsplit(",", 1)[0] + "," + new.rsplit(",", 1)[1]  # its seconds
        for line, new in zip(written.splitlines(), output.read_text().splitlines())) + "\n", output.read_text()
    assert again.stderr.count("energy;0;") == 3 and "energy;0;lacp" not in again.stderr, again.stderr
    assert "| data set | runs | ngboost | lacp |" in page and "`pip install mapie`" in page, page


if __name__ == "__main__":
    test_ends_are_those_of_the_level()
    with tempfile.TemporaryDirectory() as place:
        test_what_is_in_a_checkout_is_measured_and_the_rest_is_named(os.path.abspath(sys.argv[1]), pathlib.Path(place))
