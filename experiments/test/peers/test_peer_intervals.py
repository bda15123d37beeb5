#!/usr/bin/env python3
"""Tests of scripts/peer_intervals.py: experiments/test/peers/test_peer_intervals.py LACP

Exit code 77: there is no scikit-learn.
"""

import csv
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "scripts"))
try:
    import numpy as np
    import peer_intervals as peers
    import sklearn
    from machine import processor
except ImportError as error:
    print(f"SKIPPED: {error}; `make setup-peers` installs it")
    sys.exit(77)


def check_equal(found, expected, what):
    assert found == expected, f"{what}\nfound:    {found!r}\nexpected: {expected!r}"


def test_quantile_is_that_of_the_ceiling():
    scores = np.array([3.0, 1.0, 2.0, 5.0, 4.0, 9.0, 7.0, 8.0, 6.0])
    check_equal(peers.quantile(scores, 0.1), 9.0, "rank ceil(10 · 0.9) = 9 of 9")
    check_equal(peers.quantile(scores, 0.5), 5.0, "rank 5")
    check_equal(peers.quantile(scores, 0.32), 7.0, "rank ceil(6.8) = 7")
    check_equal(peers.quantile(scores, 0.05), np.inf, "rank 10 of 9")


def test_measures():
    y, f = np.array([0.0, 1.0, 5.0]), np.array([0.0, 0.0, 0.0])
    size, winkler, validity = peers.measured(f - 1, f + 2, f, y, 0.5)
    check_equal((size, winkler, validity), (1.5, (3 + 3 + 3 + 4 * 3) / 3, 2 / 3), "the third lies 3 above")
    lower = np.array([-1.0, 1.0, -1.0])  # the second is empty
    size, winkler, validity = peers.measured(lower, np.array([1.0, -1.0, 1.0]), f, y, 0.5)
    check_equal((size, winkler, validity), (1.0, (2 + 4 * 1 + 2 + 4 * 4) / 3, 1 / 3), "an empty one counts as the point f")


def test_parts_out_of_folds_are_halved():
    X, y = np.arange(10.0).reshape(5, 2), np.arange(5.0)
    (X1, y1), (X2, y2) = peers.first_parts({"proper": (X, y)})
    check_equal((list(y1), list(y2), X1.shape, X2.shape), ([0, 1], [2, 3, 4], (2, 2), (3, 2)), "halves in order")
    check_equal(peers.first_parts({"proper": 1, "train": 2}), (1, 2), "separate parts stay")


def run(program, folder, *more, cwd=SOURCE, experiment="experiments/frontier.yaml"):
    output = folder / "peers.csv"
    done = subprocess.run([sys.executable, "-B", SOURCE / "scripts/peer_intervals.py", program, "--runs", "1", "--output", output,
                           "--experiment", experiment, *more], cwd=cwd, capture_output=True, text=True)
    return done, output


def test_whole_run(program, folder):
    done, output = run(program, folder, "--datasets", "concrete,cos")
    assert done.returncode == 0, done.stderr
    with open(output, newline="") as file:
        unit, made, *lines = file
    assert unit.startswith("# In units of mean |y|") and "experiments/frontier.yaml" in unit, unit
    check_equal(made, f"# {', '.join(peers.METHODS)}: scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
                f"Python {platform.python_version()}; {processor()}, {platform.machine()}.\n", "what measured it")
    rows = list(csv.DictReader(lines))
    found = [(row["dataset"], row["method"], row["alpha"]) for row in rows]
    check_equal(found, [(d, m, a) for d in ("concrete", "cos") for m in peers.METHODS for a in peers.LEVELS],
                "every data set, method and level")
    for row in rows:
        size, winkler, validity = (float(row[key]) for key in ("size", "winkler", "validity"))
        off = validity - (1 - float(row["alpha"]))
        assert winkler >= 2 * size > 0 and abs(off) < 0.25, row  # 50 calibration and 50 test points on cos


def test_rows_of_other_methods_stay(program, folder):
    folder = folder / "others"
    run(program, folder, "--datasets", "cos", "--methods", "split,CQR")
    output = folder / "peers.csv"
    before = output.read_text().replace("# split, CQR: ", "# split, CQR: of another machine, ").splitlines()
    output.write_text("\n".join(before) + "\n")
    done, _ = run(program, folder, "--datasets", "cos", "--methods", "lacp,CQR")
    assert done.returncode == 0, done.stderr
    made = [line for line in output.read_text().splitlines() if line.startswith("#")]
    assert made[1].startswith("# split: of another machine, ") and made[2].startswith("# CQR: scikit-learn "), made
    assert made[3].startswith("# lacp: lacp ") and len(made) == 4, made
    before = [line for line in before if not line.startswith("#")]
    lines = [line.split(",") for line in output.read_text().splitlines() if not line.startswith("#")]
    check_equal([line[2] for line in lines[1:]], ["split"] * 3 + ["CQR"] * 3 + ["lacp"] * 3, "in the order of methods")
    check_equal([line[:7] for line in lines[:7]], [line.split(",")[:7] for line in before], "all but the seconds")
    for line in lines[7:]:
        assert 0 < float(line[4]) < float(line[5]) and abs(float(line[6]) - (1 - float(line[3]))) < 0.25, line


def test_data_sets_that_are_missing_are_left_out_first(program, folder):
    described = folder / "described"
    described.mkdir()
    for name in ("cos", "bike"):
        (described / f"{name}.yaml").write_bytes((SOURCE / f"datasets/{name}.yaml").read_bytes())
    os.environ["LACP_DATASETS"] = str(described)
    try:
        done, output = run(program, folder / "few", "--datasets", "bike,cos", "--methods", "split", cwd=folder,
                           experiment=SOURCE / "experiments/frontier.yaml")
        none, _ = run(program, folder / "none", "--datasets", "bike", cwd=folder, experiment=SOURCE / "experiments/frontier.yaml")
    finally:
        del os.environ["LACP_DATASETS"]
    assert done.returncode == 0, done.stderr
    first = "left out, because their files are missing: bike; to get them: lacp datasets fetch bike\n"
    assert done.stderr.startswith(first), done.stderr
    found = {line.split(",")[0] for line in output.read_text().splitlines()[3:]}
    check_equal(found, {"cos"}, "the data sets that are there")
    check_equal((none.returncode, none.stderr), (1, first + "no data set is left to measure\n"), "nothing to do")


def test_bad_input(program, folder):
    done, output = run(program, folder / "bad", "--datasets", "nowhere")
    assert done.returncode == 2 and "nowhere" in done.stderr and "Traceback" not in done.stderr, done.stderr
    done, _ = run(program, folder / "bad", "--experiment", "experiments/paper.yaml", "--datasets", "cos")
    assert done.returncode == 1 and "evaluation.mode" in done.stderr and "Traceback" not in done.stderr, done.stderr
    done, _ = run(program, folder / "bad", "--methods", "crepes")
    assert done.returncode == 1 and "crepes: expected some of split" in done.stderr, done.stderr
    assert not output.exists()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        for test in (test_quantile_is_that_of_the_ceiling, test_measures, test_parts_out_of_folds_are_halved):
            test()
        for test in (test_whole_run, test_rows_of_other_methods_stay,
                     test_data_sets_that_are_missing_are_left_out_first, test_bad_input):
            test(sys.argv[1], pathlib.Path(scratch))


if __name__ == "__main__":
    main()
