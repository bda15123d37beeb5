"""scripts/compare_fits.py: a program beside itself, which says that it is of another commit."""
import csv
import sys

import pytest
from program import PROGRAM, SANITIZER, check_has, script

compare_fits = script("compare_fits")


@pytest.fixture
def compared(monkeypatch, tmp_path, capsys):
    """Calls it for one run of a data set without a file; returns what it prints."""
    other = tmp_path / "other"
    other.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "  commit 0123456789ab"; else exec {PROGRAM} "$@"; fi\n')
    other.chmod(0o755)

    def call(old, new):
        monkeypatch.chdir(compare_fits.SOURCE)
        monkeypatch.setattr(sys, "argv", ["compare_fits.py", str(old), str(new), "--datasets", "linear", "--runs", "1",
                                          "--output", str(tmp_path / "fits.csv")])
        compare_fits.main()
        return capsys.readouterr().out
    return call, other, tmp_path / "fits.csv"


@pytest.mark.skipif(SANITIZER != "", reason="two fits in folds, which other tests make, too")
def test_both_get_the_same_rows_and_what_is_done_is_not_done_again(compared):
    call, other, file = compared
    said = call(other, PROGRAM)
    check_has(said, "linear               1.0000   1.0000   1.0000", "median               1.0000")
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [row["level"] for row in rows] == ["0.05", "0.1", "0.32"] * 2
    assert {row["commit"] for row in rows[:3]} == {"commit 0123456789ab"}
    assert all(0.8 < float(row["coverage"]) < 1 for row in rows if row["level"] == "0.1")
    other.write_text("#!/bin/sh\necho '  commit 0123456789ab'\n")  # cannot fit any more
    assert call(other, PROGRAM) == said


def test_a_program_is_not_compared_with_itself(compared, capsys):
    call, _, _ = compared
    with pytest.raises(SystemExit):
        call(PROGRAM, PROGRAM)
    check_has(capsys.readouterr().err, "both programs are of commit")


def test_means_over_runs_are_divided(compared):
    rows = [("a", run, name, level, winkler, "0.9", "1", seconds) for name, seconds in (("old", "4"), ("new", "2"))
            for run, winkler in (("0", "2" if name == "new" else "4"), ("1", "4")) for level in compare_fits.LEVELS]
    lines = list(compare_fits.summary(rows, "old", "new"))
    check_has(lines[1], "a                    0.7500   0.7500   0.7500  0.50")
