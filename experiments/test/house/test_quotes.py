"""What README.md and bench.md say of results is what the results say, and the pages below results/ are those that `lacp report` writes."""
import re
import shutil

import pytest
from smoke import sha256
from program import SOURCE, frame, lacp, run

README = (SOURCE / "README.md").read_text()


def table_below(text, header):
    """The lines of the first table of a page whose header has this."""
    return next(table for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE) if header in table.split("\n")[0]).splitlines()


def rows(name):
    text = (SOURCE / "results/frontier" / name).read_text()
    return [row for row in frame("\n".join(line for line in text.split("\n") if not line.startswith("#"))) if row["alpha"] == "0.1"]


def peers():
    """Winkler score and coverage at 0.1 of each method, means over the runs that all have."""
    found = {}
    for file, methods in (("peers.csv", ("split", "CQR")), ("peers_packages.csv", ("crepes", "MAPIE", "lacp"))):
        for row in rows(file):
            if row["method"] in methods:
                found.setdefault(row["dataset"], {}).setdefault(row["method"], {})[row["run"]] = row
    for dataset in ("energy", "concrete", "homes", "CASP", "facebook_1"):
        of = found[dataset]
        runs = set.intersection(*(set(each) for each in of.values()))
        mean = lambda method, key: sum(float(of[method][run][key]) for run in runs) / len(runs)
        cells = (f"{mean(method, 'winkler'):.3f} / {mean(method, 'validity'):.2f}" for method in ("split", "CQR", "crepes", "MAPIE", "lacp"))
        yield f"| {dataset} ({len(runs)}) | {' | '.join(cells)} |"


def test_readme_is_short_and_begins_with_the_commands():
    lines = README.rstrip("\n").split("\n")
    assert len(lines) <= 90 and sum(len(line) > 130 for line in lines) <= 10
    commands = README.split("```sh\n")[1].split("```")[0].splitlines()
    assert [command.split("#")[0].strip() for command in commands] == [
        "make", "make reproduce", "build/lacp report results/paper", "build/lacp datasets add my.csv --target y", "make test", "build/lacp demo"]


def test_readme_has_the_numbers_of_the_results():
    assert table_below(README, "MAPIE")[2:] == list(peers())
    page = (SOURCE / "results/README.md").read_text()
    for row in table_below(README, "released Python")[2:]:
        assert row.split(" | ", 1)[1] in page, row


def test_no_line_of_a_document_is_too_long():
    pages = [page for folder in (".", "lib", "lib/models", "datasets", "experiments", "scripts/slurm") for page in (SOURCE / folder).glob("*.md")]
    assert len(pages) > 10
    for page in pages:
        assert [line for line in page.read_text().split("\n") if len(line) > 150 and not line.startswith("|")] == [], page


def test_bench_is_of_this_program():
    """Or `make bench-peers` has to be called again."""
    text = (SOURCE / "results/bench.md").read_text()
    first = "\n".join(text.split("\n")[:6])
    for part in (r"commit [0-9a-f]{12}\b", r"PyTorch \d", r"scikit-learn \d", r"one core of .*\(\w+, \d+ cores\)"):
        assert re.search(part, first), part


def test_pages_and_tables_in_results_are_those_that_report_writes(tmp_path):
    if not (SOURCE / ".git").exists():
        pytest.skip("git does not say which files are the project's")
    tracked = run("env", "-u", "GIT_DIR", "git", "-C", SOURCE, "ls-files", "results", "experiments/reference").output.split("\n")[:-1]
    for name in tracked:
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SOURCE / name, copy)
        if name.endswith(".svg"):  # beside a pdf of the same data, as no clone has it, it is not drawn again
            text = copy.read_text()
            copy.with_suffix(".pdf").write_text(f"% {text[text.rindex('drawn by'):][:83]}\n")
    lacp("report", "results", "--quiet", cwd=tmp_path)
    made = [name for name in tracked if name.endswith((".md", ".html", ".csv", ".tex"))]
    assert len(made) > 50
    assert [name for name in made if sha256((tmp_path / name).read_text()) != sha256((SOURCE / name).read_text())] == []
