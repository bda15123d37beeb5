"""scripts/check_claims.py, as `make check-claims` calls it: cells behind the claims come out again, and claims are judged anew."""
import re
import shutil

from cells import alter_cell
from program import PROGRAM, SOURCE, lacp, run


def check(results, *more, **expected):
    return run("python3", SOURCE / "scripts/check_claims.py", PROGRAM, "--results", results, "--jobs", "2", *more, **expected)


def table(ran):
    return {cells[0]: cells[1:] for cells in re.findall(r"\| (.+) \| (.+) \| (\d+) \| (\d+) \|\n", ran.output)}


def test_claims_are_judged_and_the_cells_behind_them_computed_again(done):
    lacp("report", done.results)
    ran = check(done.results, "--seed", "4", prints=[
        "seed 4 (to draw the same again: make check-claims SEED=4)", "14 of 14 cells agree byte for byte, drawn from 28 with seed 4",
        "6 claims; 14 of 14 cells agree, seed 4"])
    claims = table(ran)
    assert len(claims) == 6
    # One of two runs of two data sets, by the methods that a claim compares: all seven, or erc_error_fit and fixed.
    assert claims["The intervals are marginally valid"] == ("undecided", "14", "14")
    assert claims["ERC fitted to the residuals is unstable"] == ("undecided", "4", "4")
    assert table(check(done.results, "--seed", "4")) == claims


def test_a_cell_that_comes_out_otherwise_counts_against_the_claims_that_stand_on_it(done):
    lacp("report", done.results)
    page = (done.results / "README.md").read_text()
    for run_of_concrete in ["0", "1"]:
        alter_cell(done.folder, f"concrete {run_of_concrete} erc_error_fit", value="1.25")
    lacp("report", done.results)
    claims = table(check(done.results, "--seed", "4", status=1))
    assert claims["The intervals are marginally valid"][1:] == ("14", "13")
    assert claims["ERC fitted to the residuals is unstable"][1:] == ("4", "3")
    assert claims["The choice of the class is not crucial"][1:] == ("10", "10")
    # And a page that says more than its cells do.
    (done.results / "README.md").write_text(page.replace("**undecided**", "**holds**", 1))
    check(done.results, "--seed", "4", status=1, prints="README.md says otherwise of: The intervals are marginally valid; "
          "the cells say: undecided")


def test_a_data_set_that_is_missing_makes_the_check_incomplete_and_the_last_line_names_it(done, tmp_path):
    lacp("report", done.results)
    descriptions = tmp_path / "datasets"
    descriptions.mkdir()
    for name in ["concrete.yaml", "cos.yaml"]:
        shutil.copy(SOURCE / "datasets" / name, descriptions)  # and not concrete.csv
    ran = check(done.results, "--seed", "4", status=2, cwd=tmp_path,  # whose folder datasets is taken
                says="left out, because their files are missing: concrete\n")
    last = ran.output.splitlines()[-1]
    assert "6 claims; 7 of 7 cells agree, seed 4; " in last
    assert last.endswith("; INCOMPLETE: nothing was computed of concrete, whose files are missing (`lacp datasets fetch`)")
    assert "INCOMPLETE" not in check(done.results, "--seed", "4").output


def test_few_minutes_make_the_share_smaller(done):
    lacp("report", done.results)
    for file in (done.folder / "cells").glob("*.csv"):
        file.write_text(re.sub(r"(\n(?:.*,){11})[0-9.]+,", r"\g<1>90.0,", file.read_text()))
    check(done.results, "--minutes", "1", "--seed", "1", prints=["0.0476 of the runs of 1 folders: about 60 s with 2 threads"])


def test_a_folder_without_claims_is_refused(tmp_path):
    (tmp_path / "README.md").write_text("nothing\n")
    ran = run("python3", SOURCE / "scripts/check_claims.py", PROGRAM, "--results", tmp_path, status=1)
    assert "report" in ran.messages
