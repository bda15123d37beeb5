"""The manifest of a folder of results says what counts, and nothing else in it is lost."""
import re
import shutil

import pytest
from program import SMOKE, SOURCE, as_anyone, check_has, lacp, run, shell
from smoke import DIVERGING, cells_in


class Experiment:
    """Two methods of the smoke experiment, `fixed` and `exp`, on data sets of this test."""

    def __init__(self, root):
        self.root, self.yaml, self.results, self.datasets = root, root / "e.yaml", root / "results", root / "datasets"
        self.folder = self.results / "e"
        self.manifest, self.table_csv = self.folder / "manifest.yaml", self.folder / "table.csv"
        shutil.copy(SMOKE, self.yaml)
        shutil.copytree(SMOKE.parent / "reference", root / "reference")  # for commands without --set
        self.datasets.mkdir()
        for name in "cos", "concrete", "mine":
            self.describe(name, "cos")

    def describe(self, name, profile):
        synthetic = f"{{profile: {profile}, samples: 300}}"
        (self.datasets / f"{name}.yaml").write_text(f"{{title: t, citation: c, licence: l, synthetic: {synthetic}}}")

    def run(self, *more, command="run", methods="exp,fixed", **expected):
        return lacp(command, self.yaml, "--results", self.results, "--datasets-folder", self.datasets, "--set",
                    "training.epochs=1", "reference.file=", "--methods", methods, *more, **expected)

    def table(self):
        """What `lacp table` says, and the table that it writes."""
        return lacp("table", self.folder).messages + self.table_csv.read_text()


@pytest.fixture
def place(tmp_path):
    return Experiment(tmp_path)


def test_cells_of_other_settings_stay_and_count_again_with_their_settings_until_pack(place):
    task = "cos", 0, "exp"
    place.run()
    table = place.table()
    place.run("--set", "seed=2", "--datasets", "cos", says="0 done before, 4 done now")
    check_has(place.table(), "4 cells stale")
    lacp("verify", place.folder, "--datasets-folder", place.datasets, status=1, prints=[
        "concrete 0 exp: was made with other settings", "4 of 8 cells agree"])
    # But whole intervals, of run 0 of cos, are kept of the last settings alone.
    place.run(says="6 done before, 2 done now", lacks="damaged")
    place.run(says="8 done before, 0 done now")
    assert place.table() == table
    assert len(cells_in(place.folder)[task]) == 2
    lacp("pack", place.folder)
    assert len(cells_in(place.folder)[task]) == 1
    assert place.table() == table
    place.run("--name", "../other", status=2)


def test_a_data_set_that_the_yaml_does_not_list_is_one_of_the_folders_once_it_is_run(place):
    place.run("--datasets", "cos")
    place.run("--datasets", "mine")
    check_has(place.table(), "\ncos,exp,0.1,2,", "\nmine,fixed,0.1,2,")
    check_has(place.manifest.read_text(), '\n  cos: {fingerprint: "', '\n  mine: {fingerprint: "')


def test_cells_of_data_that_changed_do_not_count_in_status_table_and_report_alike(place):
    place.run("--datasets", "concrete")
    check_has(place.table(), "\nconcrete,fixed,0.1,2,")
    place.describe("concrete", "linear")
    place.run("--datasets", "concrete", "--shard", "1/2", says="0 done before, 2 done now")
    place.run("--datasets", "concrete", command="status", prints=[
        "e: 4 tasks, 2 done, 2 to run, 0 failed\n", "2 cells stale: "])
    check_has(place.table(), "2 cells stale")
    lacp("report", place.folder)
    check_has((place.folder / "README.md").read_text(), "; 2 of 4 tasks done;")
    # The command that the table names does them again.
    again = re.search("lacp (run .*)", lacp("table", place.folder).messages)[1]
    shell(f'exec "$0" {again} --datasets-folder "$1"', place.datasets, says="4 tasks, 2 done before, 2 done now")
    check_has(place.table(), "\nconcrete,fixed,0.1,2,")


def test_a_task_that_failed_is_not_stale_as_well_though_its_old_cell_is_there(place):
    place.run("--datasets", "cos", "--runs", "1")
    # The same yaml, in which every training now fails: done again in place, since --force says so.
    absurd = ["--datasets", "cos", "--runs", "1", *DIVERGING]
    place.run(*absurd, "--force", status=1)
    place.run(*absurd, command="status", prints="2 tasks, 1 done, 0 to run, 1 failed", lacks="stale")
    said = place.table()
    check_has(said, "1 task failed (see `lacp status`)")
    assert "stale" not in said


def test_where_the_manifest_is_lost_or_cannot_be_read_the_cells_count_still(place):
    place.run()
    manifest = place.manifest.read_bytes()
    newer = manifest + b"  of_a_newer_version: 1\n"
    for damaged in manifest[:-20], b'a,b\n\0\xff,1,c,d\n"', newer:
        place.manifest.write_bytes(damaged)
        lacp("table", place.folder, status=2)
        place.run(command="status", prints="e: 8 tasks, 8 done, 0 to run, 0 failed\n")
        place.run("--dry-run")
        assert place.manifest.read_bytes() == damaged
    place.run(says=["of_a_newer_version", "; a new one is written", "8 done before, 0 done now"])
    check_has(place.table(), "concrete,exp")


def test_the_commit_in_the_program_is_written_again_when_it_changes_and_only_then(tmp_path):
    header = tmp_path / "out/commit.hpp"

    def after(script):
        run("sh", "-c", script, cwd=tmp_path)
        run("cmake", "-DSOURCE=.", f"-DOUTPUT={header}", "-P", SOURCE / "experiments/commit.cmake", cwd=tmp_path)
        return header.read_text(), header.stat().st_mtime_ns
    commit = "git add a && git -c user.name=n -c user.email=e commit -qm m"
    assert '"unknown"' in after("true")[0]  # no repository
    first = after(f"echo out >.gitignore && git init -q && echo 1 >a && {commit}")
    assert "dirty" not in first[0]
    # Ninja has nothing to do; results are what a run writes.
    assert after("mkdir results && echo 1 >results/a && git add results && echo 2 >results/a") == first
    assert '-dirty"' in after("echo 2 >a")[0]
    second = after(commit)[0]
    assert second != first[0] and "dirty" not in second


def test_tables_of_other_settings_go_with_them(place):
    place.run("--runs", "2")
    of_two_runs = place.table_csv.read_text()
    shutil.rmtree(place.folder / "cells")
    # With others the cells of the other method are stale, and two runs are more than one.
    place.run("--force", "--runs", "1", "--set", "seed=2", methods="fixed")
    assert place.table_csv.read_text() != of_two_runs
    # If nothing can be done, there is no new table, and none of the old.
    place.run("--force", "--set", "seed=3", *DIVERGING, methods="exp", status=1)
    assert not list(place.folder.glob("table.*"))


def test_intervals_and_panels_of_data_sets_that_are_kept_no_longer_are_removed(place):
    for kept in ["cos", "concrete"], ["cos"], []:
        place.run("--set", f"keep_intervals.datasets=[{', '.join(kept)}]")
        lacp("figures", place.folder)
        for name in "cos", "concrete":
            for file in f"intervals/{name}.csv", f"figures/figure1_{name}.csv":
                assert (place.folder / file).exists() == (name in kept), file


def test_a_table_that_cannot_be_written_is_shown(place):
    place.run()
    words = ["table", place.folder, "--format", "csv"]
    shown = lacp(*words).output
    place.table_csv.unlink()
    place.folder.chmod(0o555)
    as_anyone(*words, status=1, says="Permission denied", prints=shown)
    place.folder.chmod(0o755)
