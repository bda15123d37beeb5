"""Where the program looks for data sets, what it says of wrong input, and what it leaves where."""
import hashlib
import os
import shutil
from pathlib import Path

import pytest
from program import PROGRAM, SANITIZER, SMOKE, SOURCE, check_lacks, houses, lacp, refused, run, shell

SYNTHETIC = "citation: c\nlicence: l\nsynthetic: {profile: cos, samples: 100}\n"
# Without the variables that name folders.
BARE = {name: value for name, value in os.environ.items() if name not in ("LACP_DATASETS", "LACP_MIRROR")}


def install(place, shipped):
    """The program, installed below a place, where it has this data set."""
    place.write("installed/share/lacp/datasets/shipped.yaml", shipped)
    (place / "empty").mkdir()
    (place / "installed/bin").mkdir()
    return shutil.copy(PROGRAM, place / "installed/bin/lacp")


def description(file):
    """A description of this file, which is to be fetched."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return f"title: t\ncitation: c\nlicence: l\ntarget: y\nsource:\n  url: file://{file}\n  sha256: {digest}\n"


def test_data_sets_are_looked_for_in_datasets_then_lacp_datasets_then_where_the_program_is_installed(place):
    place.write("here/datasets/mine.yaml", f"title: own\n{SYNTHETIC}")
    place.write("named/theirs.yaml", f"title: other\n{SYNTHETIC}")
    installed = install(place, f"title: shipped\n{SYNTHETIC}")
    named = {**BARE, "LACP_DATASETS": str(place / "named")}
    for folder, environment, program, found, other in [("here", named, PROGRAM, "mine", "theirs"),
                                                       ("empty", named, installed, "theirs", "shipped"),
                                                       ("empty", BARE, installed, "shipped", "mine")]:
        ran = run(program, "datasets", cwd=place / folder, env=environment, prints=found)
        check_lacks(ran.output, other)


def test_the_program_knows_nothing_of_the_folder_that_it_was_built_in(place):
    for command in [["datasets"], ["fit", "concrete", "--model", "m"], ["run", SMOKE]]:
        refused("no folder ./datasets", *command, cwd=place.folder, env=BARE)
    assert str(SOURCE / "datasets").encode() not in Path(PROGRAM).read_bytes()


def test_an_experiment_is_found_by_its_name_in_experiments_then_where_the_program_is_installed(place):
    installed = install(place, f"title: t\n{SYNTHETIC}")

    def experiment(file, runs):
        place.write(file, f"based_on: {SMOKE}\nruns: {runs}\ndatasets: [shipped]\nmethods: [fixed]\n")

    def status(folder, name, **expected):
        return run(installed, "status", name, cwd=place / folder, env=BARE, **expected)
    experiment("installed/share/lacp/experiments/theirs.yaml", 2)
    experiment("here/experiments/theirs.yaml", 3)
    for folder, name, runs in [("empty", "theirs", 2), ("empty", "theirs.yaml", 2),
                               ("here", "theirs", 3), ("here", "experiments/theirs.yaml", 3)]:
        status(folder, name, prints=f"theirs: {runs} tasks, 0 done")
    assert status("empty", "none", status=2, says="none: is not a file").messages.count("\n") == 1


def test_an_installed_program_writes_into_the_working_folder_alone(place):
    table = "x,y\n1,2\n"
    installed = install(place, description(place.write("there/data.csv", table)))

    def here(*words, **expected):
        environment = {**BARE, "HOME": str(place / "home")}
        return run(installed, "datasets", *words, cwd=place / "empty", env=environment, **expected)
    here("fetch")
    assert (place / "empty/datasets/cache/data.csv").read_text() == table
    # Those of one's own stand beside the shipped ones, and before one of the same name.
    place.write("there/mine.csv", houses(200, 1))
    here("add", "../there/mine.csv", "--target", "price")
    assert (place / "empty/datasets/mine.yaml").exists()
    here(prints=["mine", "shipped", "fetched"])
    place.write("empty/datasets/shipped.yaml", f"title: my own\n{SYNTHETIC}")
    check_lacks(here(prints="my own").output, "fetched")
    assert not (place / "home").exists()
    assert os.listdir(place / "installed/share/lacp/datasets") == ["shipped.yaml"]


def test_a_folder_of_results_is_one_under_any_name(done, tmp_path):
    (tmp_path / "link").symlink_to(done.folder)
    lacp("status", tmp_path / "link", prints="28 tasks, 28 done")
    cells = done.folder / "cells/cos.csv"
    rows = cells.read_text().splitlines(True)
    cells.write_text("".join(row for row in rows if not row.startswith("0,exp,")))
    for name in [".", "./", ".//.", "../smoke"]:
        lacp("table", name, cwd=done.folder, env=BARE, says=["1 task not finished", f"lacp run {name}\n"])


def test_names_of_files_that_are_too_long_or_odd_are_one_clear_line_or_no_trouble(place):
    long_name = 300 * "a"
    refused("aaa", "run", SMOKE, "--set", "runs=1", f"datasets=[{long_name}]")
    for command in ["status", "run", "table", "pack", "verify", "compare", "figures"]:
        refused("aaa", command, long_name)
    refused("is not a folder", "datasets", "--datasets-folder", long_name)
    for name in [".h.csv", "-d.csv", f"{130 * 'n'}.csv"]:
        place.fit_fixed(place.write(name, houses(200, 1)), "--target", "price", "--quiet")


@pytest.mark.skipif(SANITIZER != "", reason="which takes more address space than any limit leaves")
def test_too_little_memory_is_one_line_that_says_so(fitted):
    shell("ulimit -v 400000; \"$0\" fit houses.csv --target price --method exp --model n.lacp "
          "--set 'network.hidden=[100000, 100000]'", cwd=fitted.folder, env=BARE,
          status=1, says="not enough memory", lacks="bad_alloc")
