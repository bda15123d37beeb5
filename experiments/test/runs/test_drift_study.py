"""scripts/drift.py on a made table."""
import csv
import random
import sys

import pytest
from program import check_has, script


def test_scores_are_those_of_the_rows_that_count():
    drift = script("drift")
    drift.UNSCORED, drift.STRETCH = 100, 100
    ends = [(0.0, 1.0)] * 400
    y = [9.0] * 100 + [0.5] * 150 + [-0.5] * 50 + [2.0] * 50 + [0.5] * 50
    numbers, stretches = drift.scores(ends, y)
    assert numbers["rows"] == 300
    assert numbers["coverage"] == pytest.approx(2 / 3)
    assert (numbers["below"], numbers["above"]) == (pytest.approx(1 / 6), pytest.approx(1 / 6))
    assert numbers["worst_300"] == 0
    assert numbers["winkler"] == pytest.approx(1 + 2 / 0.1 * (0.5 + 1.0) / 6)
    assert stretches == {100: 0, 200: 1, 300: 0.5, 400: 0.5}


def test_a_jump_of_the_level_is_repaired_by_updates_and_told_on_a_page(monkeypatch, tmp_path):
    drift = script("drift")
    draws = random.Random(1)

    def made():
        """The level jumps by ten standard deviations after the 1,000 known rows."""
        rows = [dict(x=f"{draws.random():.4f}", y=f"{draws.gauss(0, 1) + 10 * (i >= 1000):.4f}") for i in range(1800)]
        return rows, "y", 1000
    monkeypatch.setattr(drift, "DATASETS", {"elec2": made})
    monkeypatch.setattr(sys, "argv", ["drift.py", "--datasets", "elec2", "--blocks", "250", "--output", str(tmp_path)])
    drift.main()
    written = (tmp_path / "drift.csv").read_text().splitlines()
    assert written[0].startswith("# By lacp 1.") and ", seed 1." in written[0]
    found = {(row["mechanism"], row["sides"]): row for row in csv.DictReader(written[1:])}
    assert list(found) == drift.WAYS
    assert float(found["nothing", ""]["coverage"]) < 0.01
    for sides in ("both", "each"):
        row = found["window 200", sides]
        assert 0.8 < float(row["coverage"]) < 0.97
        assert row["rows"] == "300"
    assert float(found["window 200", "each"]["width"]) < 0.5 * float(found["window 200", "both"]["width"])
    check_has((tmp_path / "README.md").read_text(), "## elec2, 300 rows", "| window 500 | per side | 0.", "NexCP 0.890")
    check_has((tmp_path / "figures/drift.svg").read_text(), "elec2, targets in blocks of 250", "the newest 500, per side")
    check_has((tmp_path / "figures/drift.svg").read_text(), "the fit alone", "all rows, per side", "the newest 500, one threshold",
              "the newest 500, per side")
