"""scripts/reproduce.sh on a small clone: results that came with it are done again in place, and never lost."""
import os
import shutil

import pytest
from program import PROGRAM, SOURCE, check_has, check_lacks, run
from smoke import cells_in, put_cell, read_cell, write_dataset


class Clone:
    """Two protocols of two tasks each on `cos`, and on `away`, whose file can be taken away. All of it is done, as if made elsewhere."""

    def __init__(self, folder):
        self.folder, self.paper = folder, folder / "results/paper"
        (folder / "scripts").mkdir()
        (folder / "experiments").mkdir()
        shutil.copy(SOURCE / "scripts/reproduce.sh", folder / "scripts")
        write_dataset(folder / "datasets", "away", "x,y\n" + "".join(f"{i % 17},{i % 17 + i % 3}\n" for i in range(400)))
        (folder / "datasets/cos.yaml").write_text("{title: t, citation: c, licence: l, synthetic: {profile: cos, samples: 300}}")
        for name in ("paper", "release"):
            (folder / f"experiments/{name}.yaml").write_text(
                "{runs: 1, datasets: [cos, away], methods: [exp, fixed], levels: [0.1], network: {hidden: [4]}, training: {epochs: 1}}")
            self.lacp("run", f"experiments/{name}.yaml")
        self.lacp("report", "results")

    def run(self, *words, **expected):
        environment = {**os.environ, "LACP": PROGRAM}
        environment.pop("LACP_DATASETS", None)
        ran = run("sh", "-c", '"$@" 2>&1', "sh", *words, cwd=self.folder, env=environment, **expected)
        return ran.output

    def lacp(self, *words, **expected):
        return self.run(PROGRAM, *words, **expected)

    def reproduce(self, **expected):
        return self.run("bash", "scripts/reproduce.sh", **expected)


@pytest.fixture(scope="module")
def made_once(tmp_path_factory):
    return Clone(tmp_path_factory.mktemp("clone")).folder


@pytest.fixture
def clone(made_once, tmp_path):
    copy = object.__new__(Clone)
    copy.folder = shutil.copytree(made_once, tmp_path / "clone")
    copy.paper = copy.folder / "results/paper"
    return copy


def test_what_is_there_is_compared_and_the_last_lines_say_what_was_left_out(clone):
    before, away = cells_in(clone.paper), clone.folder / "datasets/away.csv"
    precious = away.read_text()
    away.unlink()
    said = clone.reproduce()
    assert said.splitlines()[-2] == "Left out, since their files are missing: away"
    assert "datasets fetch away; without a network --mirror FOLDER names" in said.splitlines()[-1]
    assert cells_in(clone.paper) == before
    away.write_text(precious)

    put_cell(clone.paper, "cos 0 exp", [])  # what is not there, or made with other settings, is done
    said = clone.reproduce()
    check_has(said, "results/paper: 3 of 3 cells agree", "3 done before, 1 done now")
    check_lacks(said, "Left out")
    assert cells_in(clone.paper) == before


def test_git_sees_nothing_of_a_reproduction_that_gives_the_same_numbers_with_whatever_gnuplot(clone):
    shutil.copy(SOURCE / ".gitignore", clone.folder)
    figure = clone.paper / "figures/adaptivity.svg"
    figure.write_text(figure.read_text().replace("translate(", "translate(9", 1))  # as another version draws it
    git = lambda *words: clone.run("git", "-c", "user.name=n", "-c", "user.email=e", *words)
    git("init", "-q", "."), git("add", "-A"), git("commit", "-qm", "clone")
    check_lacks(git("ls-files"), ".pdf")
    git("clean", "-qfdx"), git("status")  # what a clone has
    for _ in range(2):
        check_has(clone.reproduce(), "results/paper: 4 of 4 cells", "results/release: 4 of 4 cells")
        assert git("status", "--porcelain") == ""
    clone.lacp("run", "experiments/paper.yaml", "--force")  # the same numbers keep how they came to be
    assert git("status", "--porcelain") == " M results/paper/manifest.yaml\n"


@pytest.mark.parametrize("failed", [False, True])
def test_a_cell_or_failure_that_comes_out_otherwise_is_told_stays_and_ends_in_exit_code_1(clone, failed):
    cell = read_cell(clone.paper, "cos 0 fixed")
    if failed:
        cell = cell[:1]
        cell[0].update(metric="", alpha="", bin="", value="", failure="made up")
    else:  # as another machine might have it
        cell[-1]["value"] = repr(float(cell[-1]["value"]) * (1 + 1e-15))
    put_cell(clone.paper, "cos 0 fixed", cell)
    before = cells_in(clone.paper)
    said = clone.reproduce(status=1)
    check_has(said, ": cos 0 fixed: " + ("failed: made up in the folder" if failed else ""), "results/release: 4 of 4 cells agree",
              "came out with other bytes than results/ has: paper\n")
    assert failed or cells_in(clone.paper) == before


def test_cells_of_your_own_data_sets_stay_through_a_reproduction(clone):
    (clone.folder / "datasets/mine.yaml").write_text("{title: t, citation: c, licence: l, synthetic: {profile: linear, samples: 300}}")
    clone.lacp("run", "experiments/paper.yaml", "--datasets", "mine", "--name", "mine")
    clone.lacp("run", "experiments/paper.yaml", "--datasets", "mine", "--force")
    own = cells_in(clone.folder / "results/mine")
    clone.reproduce()
    assert len(own) == 2 and cells_in(clone.folder / "results/mine") == own
    assert ("mine", 0, "exp") in cells_in(clone.paper)


def test_make_verify_draws_with_a_seed_of_its_own_each_time_or_with_the_one_it_is_given():
    commands = lambda *more: run("make", "-n", "-C", SOURCE, "verify", *more).output
    check_has(commands(), "frontier", "full")
    assert commands() != commands()
    assert "--seed 7" in commands("SEED=7") and commands("SEED=7") == commands("SEED=7")


@pytest.mark.parametrize("target", ["reproduce", "reproduce-all", "verdict"])
def test_make_hands_the_program_of_its_preset_to_every_script(target):
    run("make", "-n", "-C", SOURCE, "PRESET=debug", target, prints="LACP=build-debug/lacp scripts/", lacks="\nbuild/lacp")
