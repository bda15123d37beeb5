"""`lacp run`: what it leaves, what it says, and what it does not do again."""
import os
import shutil

import pytest
from program import PROGRAM, SANITIZER, SOURCE, check_has, frame, lacp, peak_memory, run
from smoke import DIVERGING, cells_in, failures_in, many_tasks, other_digit, quick_run, read_cell


def test_a_run_fills_cells_intervals_a_manifest_and_a_table_and_a_second_one_has_nothing_to_do(undisturbed, tmp_path):
    ran = quick_run(tmp_path)
    folder = tmp_path / "smoke"
    assert cells_in(folder) == undisturbed.outputs[0]
    assert len(cells_in(folder)) == 28
    assert [file.name for file in folder.glob("intervals/*")] == ["cos.csv"]
    assert sorted(folder.glob("cells/**/*.csv")) == [folder / "cells/concrete.csv", folder / "cells/cos.csv"]
    assert not failures_in(folder)
    manifest = (folder / "manifest.yaml").read_text()
    check_has(manifest, "\nstart: ", "\ncommit: ", "\ncpu: ", "  cos: {fingerprint: ", "finished: true",
              "\nexperiment:\n", "    epochs: 2\n", "  levels: [0.05, 0.1, 0.32]\n")
    quick_run(tmp_path, says="28 tasks, 28 done before, 0 done now")
    assert (folder / "manifest.yaml").read_text() == manifest
    assert lacp("status", folder).output == (
        "smoke: 28 tasks, 28 done, 0 to run, 0 failed\n"
        "  cos       14 tasks, 14 done, 0 to run, 0 failed\n"
        "  concrete  14 tasks, 14 done, 0 to run, 0 failed\n")
    # It ends with its table, and writes it as `lacp table` does.
    csv_and_tex = [(folder / f"table.{kind}").read_text() for kind in ("csv", "tex")]
    assert csv_and_tex == [undisturbed.outputs[1][f"table.{kind}"] for kind in ("csv", "tex")]
    assert [lacp("table", folder, "--format", kind).output for kind in ("csv", "latex")] == csv_and_tex
    # An empty line sets it apart from what the run said.
    lacp("table", folder, "--format", "text", prints=ran.output[1:])
    check_has(ran.output, "data set cos\n", "data set concrete\n", "\n  erc (error fit) ")
    assert ran.output.count("*") >= 2 * 3 + 1  # a smallest size per data set and level, and the legend
    assert max(len(line) for line in ran.output.splitlines()) <= 80


def test_kept_intervals_name_the_rows_of_a_data_set_with_several_attributes(tmp_path):
    quick_run(tmp_path, "--datasets", "concrete", "--runs", "1", "--set", "keep_intervals.datasets=[concrete]")
    folder = tmp_path / "smoke"
    kept = [row for row in frame((folder / "intervals/concrete.csv").read_text()) if row["method"] == "exp"]
    strength = [float(row["compressive_strength"]) for row in frame((SOURCE / "datasets/concrete.csv").read_text())]
    assert len(kept) == 206
    for row in kept:
        assert float(row["y"]) == pytest.approx(strength[int(row["row"]) - 1], abs=1e-9, rel=0)
        assert row["x"] == ""
    for command in "figures", "report":  # one run: no warning of gnuplot either
        assert lacp(command, folder).messages == ""
    assert (folder / "figures/adaptivity.svg").exists()
    assert not (folder / "figures/figure1.svg").exists()


def test_a_task_that_fails_is_a_row_with_its_reason_the_others_go_on_and_the_last_lines_say_what_to_do(tmp_path):
    folder = tmp_path / "smoke"
    cells = folder / "cells/concrete.csv"
    sane = ["--methods", "exp,fixed", "--datasets", "concrete"]
    absurd = [*sane, *DIVERGING]
    failed = "2 of 4 tasks failed:\n  data set concrete, run 0, method exp: "
    quick_run(tmp_path, *absurd, status=1, says=[failed, "To try them again: --retry-failed\n"],
              prints=["\n  exp      ", "missing", "2 tasks failed: see `lacp status`."])
    check_has((folder / "table.csv").read_text(), "concrete,fixed,0.05,2,", "concrete,exp,0.05,0,,,")
    rows = cells.read_text()
    reasons = failures_in(folder)
    assert list(reasons) == [("concrete", 0, "exp"), ("concrete", 1, "exp")]
    assert reasons["concrete", 0, "exp"].startswith("training diverged: the loss became ")
    assert len(cells_in(folder)) - len(reasons) == 2
    quick_run(tmp_path, *absurd, command="status", prints=[
        "smoke: 4 tasks, 2 done, 0 to run, 2 failed\n",
        "\nfailed:\n  data set concrete, run 0, method exp: training diverged: "])
    # Nothing changed, so it would fail again: it is not tried, and still told.
    same = quick_run(tmp_path, *absurd, status=1, says=["4 tasks, 2 done before, 0 done now", failed])
    assert same.messages.endswith("--retry-failed\n")
    assert cells.read_text() == rows
    quick_run(tmp_path, *absurd, "--retry-failed", status=1, says="4 tasks, 2 done, 2 to run")
    quick_run(tmp_path, *sane, "--force")  # a sane step: the rows are gone
    assert not failures_in(folder)


def test_wrong_input_ends_with_2_before_anything_is_written(tmp_path):
    for wrong in ["--set training.epoch=3", "--datasets cosine", "--methods fixd",
                  "--runs 0", "--jobs none", "--force --only-missing"]:
        quick_run(tmp_path, *wrong.split(), status=2)
        assert not (tmp_path / "smoke").exists()
    lacp("run", tmp_path / "none.yaml", status=2, says="none.yaml: is not a file")
    lacp("status", tmp_path, status=2)


def test_six_times_as_many_tasks_need_hardly_more_memory_and_all_of_them_are_in_the_table(tmp_path):
    # Tasks wait for the disk; and sanitizers keep freed memory back. So memory counts only in the test with all cases.
    all_cases = "LACP_ALL_SEEDS" in os.environ and not SANITIZER
    few = 200 if all_cases else 20
    many = 6 * few
    words = many_tasks(tmp_path)

    def peak(results, runs):
        return peak_memory("run", *words, "--results", tmp_path / results, "--runs", runs)
    # A task may leave 930 bytes in lists, 2000 in the table at the end, which reads the files of cells whole, 5000
    # bytes for each. What it worked on must be gone: 200 rows with their predictions would be 6 kB more.
    per_task = (peak("large", many) - peak("small", few)) / (many - few)
    assert not all_cases or per_task < 10000
    folder = tmp_path / "large/many_tasks"
    cells = cells_in(folder)
    assert len(cells) == many
    for task, rows in cells_in(tmp_path / "small/many_tasks").items():
        assert cells[task] == rows
    assert lacp("table", folder).messages == ""
    assert frame((folder / "table.csv").read_text())[0]["runs"] == str(many)


def test_a_quiet_run_says_nothing_and_leaves_the_same_files_a_dry_run_or_a_shard_no_table(undisturbed, tmp_path):
    table = tmp_path / "smoke/table.csv"
    for part in ["--dry-run"], ["--shard", "1/2", "--quiet"]:
        quick_run(tmp_path, *part)
        assert not table.exists()
    ran = quick_run(tmp_path, "--quiet")
    assert ran.output + ran.messages == ""
    assert table.read_text() == undisturbed.table
    quick_run(tmp_path, "--quiet", "--set", "training.epochs=0", status=2, says="training.epochs")


def test_a_table_of_more_runs_stays_while_tasks_are_to_be_done_quiet_or_not(undisturbed, done):
    table = done.folder / "table.csv"
    (done.folder / "cells/concrete.csv").unlink()
    for more in [], ["--quiet"]:
        quick_run(done.results, "--datasets", "cos", *more,
                  says="table.csv has more runs and stays; 14 tasks to do")
        assert table.read_text() == undisturbed.table
    quick_run(done.results, "--shard", "1/2")
    assert table.read_text() == undisturbed.table
    # Who asks for the table of what is there gets it, and the rest of the run makes it whole.
    lacp("table", done.folder)
    assert table.read_text() != undisturbed.table
    quick_run(done.results)
    assert table.read_text() == undisturbed.table


def test_letters_are_bold_on_a_terminal_alone_and_not_with_no_color(done):
    if run("bash", "-c", "script -qec true /dev/null; echo $?").output != "0\n":
        pytest.skip("there are no terminals here (/dev/pts is not mounted)")
    lacp("table", done.folder, lacks="\033")
    for no_color, prints, lacks in [("", "\033[1m", "nothing"), ("1", "cos", "\033[")]:
        run("env", "TERM=xterm", f"NO_COLOR={no_color}", "script", "-qec", f"{PROGRAM} table {done.folder}", "/dev/null",
            prints=prints, lacks=lacks)


def test_size_and_validity_of_every_run_are_enough_for_the_tables(tmp_path):
    quick_run(tmp_path, *DIVERGING, "--methods", "exp,fixed", "--datasets", "cos", status=1)
    folder = tmp_path / "smoke"
    runs = lacp("table", folder, "--format", "runs").output
    [size] = [row["value"] for row in read_cell(folder, "cos 1 fixed") if row["metric"] == "size_mean" and row["alpha"] == "0.1"]
    check_has(runs, "dataset,run,method,alpha,size,validity\n", f"\ncos,1,fixed,0.1,{size},", "\ncos,1,exp,0.1,,\n")
    kept = tmp_path / "kept/smoke"
    kept.mkdir(parents=True)
    shutil.copy(folder / "manifest.yaml", kept)
    (kept / "runs.csv").write_text(runs)
    lacp("report", kept)
    honest = (folder / "table.csv").read_text()
    assert (kept / "table.csv").read_text() == honest
    assert not (kept / "README.md").exists() and not (kept / "table.tex").exists()
    (kept / "runs.csv").write_text(other_digit(runs, "cos,1,fixed,0.1,"))
    lacp("report", kept)
    assert (kept / "table.csv").read_text() != honest
