"""`lacp verify`: what is in a folder of results comes out again, byte for byte, or is named; and what cannot be
compared, or not at all: no folder, other settings, other data."""
import re
import shutil

from cells import alter_cell, other_digit, put_cell, read_cell, sealed, sha256, without_seal
from program import SOURCE, files_below, frame, lacp, refused, table_of
from smoke import DIVERGING, quick_run, run_own, write_dataset


def verify(folder, *more, **expected):
    return lacp("verify", folder, *more, **expected)


def test_all_cells_of_a_folder_agree_with_any_number_of_threads_and_nothing_is_written(done):
    before = files_below(done.folder)
    for jobs, threads in [("1", " with 1 thread\n"), ("3", " with 3 threads\n")]:
        verify(done.folder, "--jobs", jobs, prints=[f"{done.folder}: 28 of 28 cells agree byte for byte", threads])
    assert files_below(done.folder) == before


def test_a_cell_with_another_number_is_named_with_its_file_the_column_and_both_values(done):
    cell = read_cell(done.folder, "concrete 1 erc")
    [number] = [row for row in cell if (row["metric"], row["alpha"]) == ("size_mean", "0.1")]
    honest = number["value"]
    number["value"] = "1.25"
    put_cell(done.folder, "concrete 1 erc", cell)
    file = done.folder / "cells/concrete.csv"
    verify(done.folder, status=1, prints=[
        f"{file}:", f": concrete 1 erc: value of size_mean,0.1,: 1.25 in the folder, {honest} here\n",
        ": 27 of 28 cells agree"])
    # Changed by hand, perhaps beyond what a number holds: the bytes count, and the checksum is left. Another checksum.
    text, changes = re.subn(r"(\n0,linear,size_mean,0.05,,[^,]+)", r"\g<1>1", file.read_text())
    assert changes == 1
    checksum = read_cell(done.folder, "concrete 0 exp")[0]["checksum"]
    file.write_text(text.replace(checksum, sha256("another")))
    verify(done.folder, status=1, prints=[": concrete 0 linear: ", "is damaged: ", ": 25 of 28 cells agree"])


def test_kept_intervals_are_compared_too(done):
    file = done.folder / "intervals/cos.csv"
    honest = file.read_text()
    file.write_text(re.sub(r"(\nexp,.*)", r"\g<1>9", honest, count=1))  # σ of the first point
    assert file.read_text() != honest
    verify(done.folder, status=1, prints=[f"{file}: cos 0 exp: sigma of ", ": 27 of 28 cells agree"])
    file.unlink()
    verify(done.folder, status=1, prints=[f"{file}: cos 0 exp: is not there\n", ": 21 of 28 cells agree"])


def test_a_seed_draws_the_same_cells_on_any_machine(done):
    # All cells are spoiled, so that those that are drawn are named.
    for dataset in ["concrete", "cos"]:
        for row in frame((done.folder / f"cells/{dataset}.csv").read_text()):
            if row["checksum"]:
                alter_cell(done.folder, f"{dataset} {row['run']} {row['method']}", value=f"1{row['value']}", seconds="100.000")
    ran = verify(done.folder, "--sample", "4", "--seed", "9", status=1, prints=[
        ": 0 of 4 cells agree", "drawn from 28 with seed 9", "all 28 took 46 min 40 s of one thread"])
    assert re.findall(r": (\w+ \d \w+): value of ", ran.output) == [
        "concrete 0 exp", "concrete 1 erc_error_fit", "concrete 1 exp", "cos 0 linear"]


def test_cells_of_other_settings_or_another_version_are_named_as_such_and_not_as_different_numbers(done):
    for task in ["cos 0 erc", "cos 1 erc"]:
        alter_cell(done.folder, task, settings=64 * "a")
    verify(done.folder, status=2, says=": not compared: 2 cells (cos 0 erc, ...)", prints=": 26 of 26 cells agree")
    alter_cell(done.folder, "concrete 1 exp", value="1.25")
    verify(done.folder, status=1)  # one that differs weighs more


def test_a_data_set_that_is_missing_is_left_out_and_one_that_is_unknown_or_other_data_is_an_error(place):
    own = place / "datasets"
    csv = table_of("x,y", 120, lambda i: f"{i},{i * 3 % 17}")
    write_dataset(own, "own", csv, "target: y\n")
    shutil.copy(SOURCE / "datasets/cos.yaml", own)
    description = (own / "own.yaml").read_text()
    run_own(place.folder, "own,cos")

    def check(*more, **expected):
        return verify(place / "results/smoke", "--datasets-folder", own, *more, **expected)
    check(prints=": 8 of 8 cells agree")
    place.write("datasets/own.csv", f"{csv}7,7\n")
    check(status=2, says="4 cells (own 0 linear, ...) were made from other data", prints=": 4 of 4 cells agree")
    place.write("datasets/own.yaml", description.replace(".csv\n", f".csv\n  sha256: {sha256(csv)}\n"))
    check(status=2, says="own.csv: is not the file that ")
    place.write("datasets/own.yaml", description)
    (own / "own.csv").unlink()
    check(says="missing: own\n", prints=[": 4 of 4 cells agree", "; 4 left out, since their data sets are missing: own"])
    # A sample is drawn from what can be computed.
    for seed in range(1, 6):
        check("--sample", "2", "--seed", seed, prints=[": 2 of 2 cells agree", "drawn from 4 "])
    (place / "results/smoke/cells/cos.csv").unlink()  # now there is nothing to compare
    check(status=1, says="4 tasks are missing (cos 0 linear, ...)", prints=": 0 of 0 cells agree")
    check("--allow-missing", status=2)
    (own / "own.yaml").unlink()
    check(status=2, says="data set 'own'")


def test_failures_are_tried_again_the_same_reason_agrees_another_one_a_success_or_a_new_failure_differs(tmp_path):
    quick_run(tmp_path, "--methods", "exp,fixed", "--datasets", "concrete", *DIVERGING,
              status=1)
    folder = tmp_path / "smoke"
    agree = ": 2 of 2 cells agree byte for byte, 2 of 2 failures with the same reason; "
    assert "failed" not in verify(folder, prints=agree).messages
    verify(folder, "--sample", "3", prints="drawn from 4 with seed 1")

    # Another reason, and one for a task that ends well.
    exp, fixed = "concrete 0 exp", "concrete 0 fixed"
    [failure], honest = read_cell(folder, exp), read_cell(folder, fixed)
    nothing = {"metric": "", "alpha": "", "bin": "", "value": ""}
    put_cell(folder, exp, [failure | {"failure": "made up"}])
    put_cell(folder, fixed, [honest[0] | nothing | {"failure": "made up"}])
    verify(folder, status=1, prints=[
        f": {exp}: failed in the folder: made up; fails here: {failure['failure']}\n",
        f": {fixed}: failed in the folder: made up; is done here\n",
        ": 1 of 1 cell agree byte for byte, 1 of 3 failures with the same reason"])
    put_cell(folder, fixed, honest)

    # A failure by chance says nothing of its task: it is missing.
    put_cell(folder, exp, [failure | {"settings": "", "data": "", "failure": "not enough memory"}])
    verify(folder, status=1, says=f"1 task is missing ({exp}); to run it: lacp run ",
           prints=": 2 of 2 cells agree byte for byte, 1 of 1 failure with the same reason, 1 missing")

    # A cell of a training that cannot have ended.
    ended = [row | {"method": "exp"} for row in honest]
    ended[0]["settings"] = failure["settings"]
    put_cell(folder, exp, ended)
    verify(folder, status=1, prints=[f": {exp}: is in the folder, and fails here: ", ": 2 of 3 cells agree"])


def test_tasks_that_are_not_there_are_counted_and_fail_unless_that_is_allowed(done):
    for method in ["erc", "exp"]:
        put_cell(done.folder, f"concrete 1 {method}", [])
    for sample in [[], ["--sample", "3"]]:
        verify(done.folder, *sample, status=1, says="2 tasks are missing (concrete 1 erc, ...); to run them: ",
               prints=" cells agree byte for byte, 2 missing")
        verify(done.folder, *sample, "--allow-missing", prints=", 2 missing")


def test_table_csv_and_units_csv_are_checked_against_cells_and_data(done, tmp_path):
    table = done.folder / "table.csv"
    table.write_text(other_digit(table.read_text(), "\nconcrete,erc,0.1,2,0."))
    verify(done.folder, "--sample", "1", status=1,
           prints=[f"{table}: does not follow from the cells: size_mean of ", ": 1 of 1 cell agree"])

    quick_run(tmp_path / "crossed", "--methods", "fixed", "--set", "predictor.cross_fit=3")
    folder = tmp_path / "crossed/smoke"
    verify(folder, prints=": 4 of 4 cells agree")
    file = folder / "units.csv"
    rows = without_seal(file.read_text())
    file.write_text(sealed(rows.replace("\nconcrete,1,", "\nconcrete,1,1")))  # another number of its first column
    verify(folder, "--sample", "1", status=1, prints=f"{file}: concrete, run 1: mean_abs_y: ")
    file.write_text(sealed(re.sub("\nconcrete,1,.*", "", rows)))
    verify(folder, status=1, prints=f"{file}: concrete, run 1: is missing")
    file.write_text(f"{file.read_text()}concrete,1,1,1,\n")
    verify(folder, status=1, prints=f"{file}: was changed, or ")


def test_no_folder_no_manifest_no_cells_or_a_sample_of_none_is_one_line_and_exit_code_2(done, tmp_path):
    refused(f"{tmp_path / 'none'}: has no manifest.yaml", "verify", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    refused("has no manifest.yaml", "verify", tmp_path)
    refused("--sample", "verify", done.folder, "--sample", "0")
    shutil.rmtree(done.folder / "cells")
    refused(f"{done.folder}: has no cells to verify", "verify", done.folder)
