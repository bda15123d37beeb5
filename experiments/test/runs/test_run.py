"""`lacp run`: what it leaves, what it says, and what it does not do again."""
import csv
import re

import pytest
from program import PROGRAM, SANITIZER, SMOKE, SOURCE, check_has, frame, lacp, peak_memory, run
from smoke import DIVERGING, cells_in, failures_in, quick_run


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
    assert lacp("table", folder, "--format", "markdown").output.startswith("| data set | method | size, α = 0.05 |")
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
    quick_run(tmp_path, *absurd, status=1, says=[failed, "To try them again: lacp run "],
              prints=["\n  exp      ", "missing", "2 tasks failed, and `lacp status` says why: "])
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
    assert same.messages.endswith(" --retry-failed\n")
    assert cells.read_text() == rows
    quick_run(tmp_path, *absurd, "--retry-failed", status=1, says="4 tasks, 2 done, 2 to run")
    quick_run(tmp_path, *sane, "--force")  # a sane step: the rows are gone
    assert not failures_in(folder)


def test_several_values_may_follow_one_set_and_the_experiment_before_or_after_them(tmp_path):
    def plan(*words, **expected):
        lacp("run", *words, "--dry-run", "--results", tmp_path, **expected)
    for words in [(SMOKE, "--set", "runs=1", "methods=[fixed]"), ("--set=runs=1", "methods=[fixed]", SMOKE),
                  ("--set", "runs=1", SMOKE, "--set", "methods=[fixed]")]:
        plan(*words, prints="2 tasks, 0 done, 2 to run (data set, run, method)\n")
    plan(SMOKE, "--runs", "010", "--methods", "fixed", prints="20 tasks, ")  # ten, not eight
    for words in [(SMOKE, "--set", "runs=1", "methods"), (SMOKE, "runs=1")]:
        plan(*words, status=2)


def test_wrong_input_ends_with_2_before_anything_is_written(tmp_path):
    for wrong in ["--set training.epoch=3", "--datasets cosine", "--methods fixd",
                  "--runs 0", "--jobs none", "--force --only-missing"]:
        quick_run(tmp_path, *wrong.split(), status=2)
        assert not (tmp_path / "smoke").exists()
    lacp("run", tmp_path / "none.yaml", status=2, says="none.yaml: is not a file")
    lacp("status", tmp_path, status=2)


def test_ten_times_as_many_tasks_need_hardly_more_memory_and_all_of_them_are_in_the_table(tmp_path):
    # Sanitizers are ten times slower and keep freed memory back: there, fewer tasks, and memory does not count.
    few = 50 if SANITIZER else 400
    many = 10 * few
    given = SOURCE / "experiments/test/runs/many_tasks"

    def peak(results, runs):
        return peak_memory("run", given / "many_tasks.yaml", "--datasets-folder", given / "datasets", "--results",
                           tmp_path / results, "--runs", runs)
    # A task may leave 930 bytes in lists, 2000 in the table at the end, which reads the files of cells whole, 5000
    # bytes for each. What it worked on must be gone: 200 rows with their predictions would be 6 kB more.
    per_task = (peak("large", many) - peak("small", few)) / (many - few)
    assert SANITIZER or per_task < 10000
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
                  says="has more runs and is left as it is, since 14 tasks are still to be done")
        assert table.read_text() == undisturbed.table
    quick_run(done.results, "--shard", "1/2")
    assert table.read_text() == undisturbed.table
    # Who asks for the table of what is there gets it, and the rest of the run makes it whole.
    lacp("table", done.folder)
    assert table.read_text() != undisturbed.table
    quick_run(done.results)
    assert table.read_text() == undisturbed.table


def test_a_cell_that_is_damaged_beside_what_was_run_keeps_the_table_from_being_made_and_nothing_else(undisturbed, done):
    for dataset, length in [("concrete", 400), ("cos", 0)]:  # cut off, and gone
        file = done.folder / f"cells/{dataset}.csv"
        rows = file.read_text().splitlines(True)
        of_task = "".join(row for row in rows if row.startswith("0,exp,"))
        others = "".join(row for row in rows if not row.startswith("0,exp,"))
        file.write_text(others + (of_task[:length] + "\n" if length else ""))
    quick_run(done.results, "--datasets", "cos", status=1, says=["1 done now", "cells/concrete.csv:"])
    task = "cos", 0, "exp"
    assert cells_in(done.folder)[task] == undisturbed.outputs[0][task]
    assert (done.folder / "table.csv").read_text() == undisturbed.table


def test_one_task_is_one_task_and_letters_are_bold_on_a_terminal_alone_and_not_with_no_color(tmp_path):
    quick_run(tmp_path, "--methods", "fixed", "--datasets", "cos", "--runs", "1", "--jobs", "1", prints="over 1 run;",
              says=["1 task, 0 done, 1 to run, with 1 thread\n", "1 task, 0 done before, 1 done now"])
    folder = tmp_path / "smoke"
    lacp("table", folder, lacks="\033")
    if run("bash", "-c", "script -qec true /dev/null; echo $?").output != "0\n":
        pytest.skip("there are no terminals here (/dev/pts is not mounted)")

    def on_terminal(no_color, **expected):
        run("env", "TERM=xterm", f"NO_COLOR={no_color}", "script", "-qec", f"{PROGRAM} table {folder}", "/dev/null",
            **expected)
    on_terminal("", prints="\033[1m")
    on_terminal("1", prints="cos", lacks="\033[")


def test_a_run_ends_with_the_idle_share_of_its_threads_and_one_that_does_nothing_has_none(tmp_path):
    words = ["--jobs", "2", "--datasets", "concrete", "--methods", "erc,fixed"]
    said = quick_run(tmp_path, *words).messages
    assert re.search(r"\nidle: (\d\d?|100) % of the time of 2 threads", said), said
    quick_run(tmp_path, *words, lacks="idle: ")


def test_times_of_an_earlier_run_change_the_order_of_the_tasks_and_no_byte_of_a_cell(tmp_path):
    words = ["--methods", "erc,exp", "--datasets", "concrete"]
    quick_run(tmp_path, *words)
    folder = tmp_path / "smoke"
    file = folder / "cells/concrete.csv"
    cells = cells_in(folder)

    def order(slow):
        rows = list(csv.reader(file.read_text().splitlines()))
        for row in rows[1:]:
            if row[9]:  # the checksum: the first row of a cell
                row[11] = "9.0" if row[:2] == ["1", slow] else "2.0"
        file.write_text("".join(",".join(row) + "\n" for row in rows))
        return quick_run(tmp_path, *words, "--force", "--dry-run").output
    assert order("erc").startswith("concrete 0 erc\nconcrete 1 erc\nconcrete 0 exp\n")
    assert order("exp").startswith("concrete 0 exp\nconcrete 1 exp\nconcrete 0 erc\n")
    quick_run(tmp_path, *words, "--force")
    assert cells_in(folder) == cells
