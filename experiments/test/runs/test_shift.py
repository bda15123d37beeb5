"""scripts/shift.py on a made table."""
import random
import subprocess
import sys

import pytest
from program import PROGRAM, SOURCE, check_has, script


def test_the_rows_of_jaws_are_tilted_along_two_components_and_scored(tmp_path):
    pytest.importorskip("numpy")
    shift = script("shift")
    draws = random.Random(2)
    lines = []
    for _ in range(500):
        a, b = draws.gauss(0, 1), draws.gauss(0, 0.5)
        lines.append(f"8,?,?,town,1,{a:.3f},{b:.3f},?,{a + b + draws.gauss(0, 1):.3f}\n")
    data = tmp_path / "communities.data"
    data.write_text("".join(lines))
    x, y = shift.communities(data)
    assert x.shape == (500, 2)  # without names, and without the column that has missing cells
    known, others, tilted = shift.split(x, 3)
    assert (len(known), len(others), len(tilted)) == (200, 300, 150)
    assert sorted([*known, *others]) == list(range(500))
    direction = shift.components(x[known], x[others]) @ [-1, 1]
    assert direction[tilted].mean() > direction.mean() + 0.5
    again = shift.split(x, 3)
    assert (again[0] == known).all() and again[2] == tilted
    ran = subprocess.run([sys.executable, SOURCE / "scripts/shift.py", "2", "--data", data, "--output", tmp_path / "trials.csv"],
                         env={"LACP": PROGRAM, "PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
    check_has(ran.stdout, "| `lacp fit` (2 trials) | tilted | 0.", "| JAWS: split, random forest | tilted | 0.831 | 0.525 |")
    assert len((tmp_path / "trials.csv").read_text().splitlines()) == 3
