"""`lacp verify`: what is in a folder of results comes out again, byte for byte, or is named."""
import re
import shutil

from program import SOURCE, files_below, lacp, refused, table_of
from smoke import DIVERGING, alter_cell, other_digit, put_cell, quick_run, read_cell, run_own, sha256, write_dataset


def verify(folder, *more, **expected):
    return lacp("verify", folder, *more, **expected)


def test_all_cells_of_a_folder_agree_with_any_number_of_threads_and_nothing_is_written(done):
    before = files_below(done.folder)
    for jobs in "1", "3":
        verify(done.folder, "--jobs", jobs, prints=f"{done.folder}: 28 of 28 cells agree byte for byte\n")
    assert files_below(done.folder) == before


def test_a_cell_with_another_number_is_named_with_its_file_the_column_and_both_values(done):
    cell = read_cell(done.folder, "concrete 1 erc")
    [number] = [row for row in cell if (row["metric"], row["alpha"]) == ("size_mean", "0.1")]
    honest = number["value"]
    number["value"] = "1.25"
    put_cell(done.folder, "concrete 1 erc", cell)
    file = done.folder / "cells/concrete.csv"
    verify(done.folder, status=1, prints=[
        f"{file}:", f": concrete 1 erc: 'size_mean,0.1,,1.25' in the folder, 'size_mean,0.1,,{honest}' here\n",
        ": 27 of 28 cells agree"])
    # Of kept intervals, σ of the first point; and other settings.
    kept = done.folder / "intervals/cos.csv"
    kept.write_text(re.sub(r"(\nexp,.*)", r"\g<1>9", kept.read_text(), count=1))
    alter_cell(done.folder, "cos 1 erc", settings=64 * "a")
    verify(done.folder, status=1, prints=[f"{kept}: cos 0 exp: '", ": 25 of 28 cells agree",
                                          ": cos 1 erc: was made with other settings or data, or by another version"])
    kept.unlink()
    verify(done.folder, status=1, prints=f"{kept}: cos 0 exp: is not there\n")
    # Changed by hand, perhaps beyond what a number holds: the bytes count, and the checksum is left. Another checksum.
    text, changes = re.subn(r"(\n0,linear,size_mean,0.05,,[^,]+)", r"\g<1>1", file.read_text())
    assert changes == 1
    checksum = read_cell(done.folder, "concrete 0 exp")[0]["checksum"]
    file.write_text(text.replace(checksum, sha256("another")))
    verify(done.folder, status=1, prints=[": concrete 0 linear: is damaged", ": concrete 0 exp: is damaged"])


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
    check(status=1, prints=[": own 0 linear: was made with other settings or data", "manifest.yaml: fingerprint of own is ",
                            ": 4 of 8 cells agree"])
    place.write("datasets/own.yaml", description.replace(".csv\n", f".csv\n  sha256: {sha256(csv)}\n"))
    check(status=1, says=["own.csv: is not the file that ", "4 tasks could not be tried"])
    place.write("datasets/own.yaml", description)
    (own / "own.csv").unlink()
    check(says="own: left out, ", prints=[": 4 of 4 cells agree", "; left out, without data: own"])
    # A sample is drawn from what can be computed.
    for seed in range(1, 6):
        check("--sample", "2", "--seed", seed, prints=[": 2 of 2 cells agree", "drawn from 4 "])
    (place / "results/smoke/cells/cos.csv").unlink()  # now there is nothing to compare
    check(status=1, says="4 tasks missing, so its tables were not compared", prints=": 0 of 0 cells agree")
    check("--allow-missing", status=2)
    (own / "own.yaml").unlink()
    check(status=2, says="data set 'own'")


def test_failures_are_tried_again_the_same_reason_agrees_another_one_a_success_or_a_new_failure_differs(tmp_path):
    quick_run(tmp_path, "--methods", "exp,fixed", "--datasets", "concrete", *DIVERGING,
              status=1)
    folder = tmp_path / "smoke"
    agree = ": 2 of 2 cells agree byte for byte, 2 of 2 failures with the same reason\n"
    assert "failed" not in verify(folder, prints=agree).messages
    verify(folder, "--sample", "3", prints="drawn from 4 with seed 1")

    # Another reason, and one for a task that ends well.
    exp, fixed = "concrete 0 exp", "concrete 0 fixed"
    [failure], honest = read_cell(folder, exp), read_cell(folder, fixed)
    nothing = {"metric": "", "alpha": "", "bin": "", "value": ""}
    put_cell(folder, exp, [failure | {"failure": "made up"}])
    put_cell(folder, fixed, [honest[0] | nothing | {"failure": "made up"}])
    verify(folder, status=1, prints=[
        f": {exp}: failed: made up in the folder; failed: {failure['failure']} here\n",
        f": {fixed}: failed: made up in the folder; is done here\n",
        ": 1 of 1 cell agree byte for byte, 1 of 3 failures with the same reason"])
    put_cell(folder, fixed, honest)

    # A cell of a training that cannot have ended.
    ended = [row | {"method": "exp"} for row in honest]
    ended[0]["settings"] = failure["settings"]
    put_cell(folder, exp, ended)
    verify(folder, status=1, prints=[f": {exp}: is done in the folder; failed: ", ": 2 of 3 cells agree"])


def test_tasks_that_are_not_there_are_counted_and_fail_unless_that_is_allowed(done):
    for method in ["erc", "exp"]:
        put_cell(done.folder, f"concrete 1 {method}", [])
    sample = ["--sample", "3"]
    verify(done.folder, *sample, status=1, says="2 tasks missing, so its tables were not compared",
           prints=" cells agree byte for byte, 2 missing")
    verify(done.folder, *sample, "--allow-missing", prints=", 2 missing")


def test_tables_that_do_not_follow_from_the_cells_are_named(done):
    for name in "table.csv", "table.tex":
        file = done.folder / name
        honest = file.read_text()
        file.write_text(re.sub(r"(\d\.\d)", r"\g<1>9", honest, count=1))
        verify(done.folder, "--sample", "1", status=1,
               prints=[f"{file}: does not follow from cells: '", ": 1 of 1 cell agree"])
        file.unlink()
        verify(done.folder, "--sample", "1", status=1, prints=f"{file}: is not there; ")
        file.write_text(honest)
    lacp("compare", done.folder)
    comparison = done.folder / "comparison.csv"
    verify(done.folder, "--sample", "1")
    comparison.write_text(other_digit(comparison.read_text(), ",size,0."))
    verify(done.folder, "--sample", "1", status=1, prints=f"{comparison}: does not follow from cells: ")


def test_a_copy_by_another_name_agrees_and_where_the_reference_is_missing_the_tables_are_compared_all_the_same(done, tmp_path):
    copy = shutil.copytree(done.folder, tmp_path / "another-name")
    verify(copy, "--sample", "1", prints=": 1 of 1 cell agree")
    manifest, table = copy / "manifest.yaml", copy / "table.csv"
    manifest.write_text(re.sub(r'(reference:\n +file: ).*', r'\g<1>"none.csv"', manifest.read_text()))
    table.write_text(other_digit(table.read_text(), "concrete,exp,0.1,"))
    verify(copy, "--sample", "1", status=1, prints=["reference.file: no such file", f"{table}: does not follow from cells"])


def test_a_manifest_whose_checksums_are_not_those_of_the_data_is_named(done):
    manifest = done.folder / "manifest.yaml"
    honest = manifest.read_text()
    for key, was in re.findall(r'concrete: \{(fingerprint): "(\w+)"', honest) + re.findall(r'(file_sha256): "(\w+)"', honest):
        manifest.write_text(honest.replace(was, 64 * "d"))
        verify(done.folder, "--sample", "1", status=1, prints=f"{manifest}: {key} of concrete is '{64 * 'd'}'")
    # Without its line cells do not count, and the table does not follow from cells.
    manifest.write_text(re.sub(r"\n  concrete: \{.*\}", "", honest))
    verify(done.folder, status=1, prints=[f"{manifest}: fingerprint of concrete is ''", "table.csv: does not follow"])


def test_no_folder_no_manifest_no_cells_or_a_sample_of_none_is_one_line_and_exit_code_2(done, tmp_path):
    refused(f"{tmp_path / 'none'}: has no manifest.yaml", "verify", tmp_path / "none")
    assert not (tmp_path / "none").exists()
    refused("has no manifest.yaml", "verify", tmp_path)
    refused("--sample", "verify", done.folder, "--sample", "0")
    shutil.rmtree(done.folder / "cells")
    refused(f"{done.folder}: has no cells to verify", "verify", done.folder)
