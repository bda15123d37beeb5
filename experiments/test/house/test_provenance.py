"""Every committed number can be traced: its cell, or the file that it stands in, names the commit whose program computed it."""
import re

import pytest
from program import SOURCE, frame, run, shell


def git(*arguments):
    return run("env", "-u", "GIT_DIR", "git", "-C", SOURCE, *arguments).output


@pytest.fixture(scope="module")
def history():
    """The commits that this one descends from, by their first 12 digits; not in a shallow clone or an unpacked archive."""
    if not (SOURCE / ".git").exists() or git("rev-parse", "--is-shallow-repository") != "false\n":
        pytest.skip("there is no git history here")
    return {commit[:12] for commit in git("rev-list", "HEAD").split()}


def named_commits(text):
    """Those in words: "commit 0123456789ab", or `commit: "0123456789ab"` in a manifest."""
    return {found[0] for found in re.findall(r'\bcommit:? "?([0-9a-f]{12}(-dirty)?|unknown)\b', text)}


def test_every_cell_in_results_names_a_commit_of_this_history(history):
    files = [file for file in git("ls-files", "results").split("\n") if "/cells/" in file and file.endswith(".csv")]
    assert len(files) > 30
    for file in files:
        commits = {row["commit"] for row in frame((SOURCE / file).read_text()) if row["checksum"]}
        assert commits <= history, f"{file}: compute the cells of {commits - history} again, by a program built from a commit"


def test_manifests_and_files_without_cells_name_commits_of_this_history(history):
    manifests = 0
    for file in git("ls-files", "results").split("\n"):
        name = file.rpartition("/")[2]
        if not re.fullmatch(r"manifest\.yaml|runs\.csv|peers.*\.csv|bench\.md", name):
            continue
        commits = named_commits((SOURCE / file).read_text())
        manifests += name == "manifest.yaml"
        assert commits <= history, file
        assert commits or name not in ("manifest.yaml", "bench.md"), file
    assert manifests == 10


def test_the_page_about_clusters_has_the_steps_that_its_awk_line_finds():
    page = (SOURCE / "scripts/slurm/README.md").read_text()
    line = re.search(r"awk -F,.*", page)[0]
    steps = {name.rpartition("/")[2].removesuffix(".csv"): float(number)
             for name, number in (row.split() for row in shell('cd "$1" && eval "$2"', SOURCE, line).output.splitlines())}
    many = {name: number for name, number in steps.items() if number > 10000}
    others = [number for number in steps.values() if number <= 10000]
    assert len(others) == 6
    for text in (*(f"{name} {number:,.0f}" for name, number in many.items()), f"{sum(steps.values()):,.0f} steps per run",
                 f"and the six others about {sum(others) / 6:.0f} each", f"{1000 * sum(steps.values()) * 200e-6 / 3600:.1f} core-hours"):
        assert text in page
