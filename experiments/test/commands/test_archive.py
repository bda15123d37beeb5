"""scripts/Containerfile, whose image and packages have a date, and the file for a deposit that `make archive` makes."""
import json
import re
import subprocess
import tarfile
import types

import pytest
from program import SOURCE, frame, run

DEPOSIT = json.loads((SOURCE / ".zenodo.json").read_text())
SOURCES = """Types: deb
# http://archive.example/archive/debian/20260918T000000Z
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates

Types: deb
# http://archive.example/archive/debian-security/20260918T000000Z
URIs: http://mirror.example/debian-security
Suites: bookworm-security
"""


def test_the_container_names_its_image_by_digest_and_takes_packages_of_the_image_s_date(tmp_path):
    lines = (SOURCE / "scripts/Containerfile").read_text().replace("\\\n", "").splitlines()
    [image] = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert re.fullmatch(r"docker\.io/library/debian:bookworm-20\d{6}@sha256:[0-9a-f]{64}", image)
    steps = [line[4:] for line in lines if line.startswith("RUN ")]
    assert len(steps) == 2 and "apt-get update" in steps[1]
    listed, settings = tmp_path / "debian.sources", tmp_path / "99snapshot"
    dated = steps[0].replace("/etc/apt/sources.list.d/debian.sources", str(listed))
    dated = dated.replace("/etc/apt/apt.conf.d/99snapshot", str(settings))
    assert "/etc" not in dated
    listed.write_text(SOURCES)
    run("sh", "-c", dated)
    assert re.findall("URIs: (.*)", listed.read_text()) == [
        "http://archive.example/archive/debian/20260918T000000Z", "http://archive.example/archive/debian-security/20260918T000000Z"]
    assert "#" not in listed.read_text() and "Check-Valid-Until" in settings.read_text()
    listed.write_text(SOURCES.replace("# http", "# see http"))  # an image that does not say its date
    run("sh", "-c", dated, status=1)


@pytest.fixture
def packed(tmp_path):
    """Makes an archive of a commit of this repository, with these files, and unpacks it: (the file, its folder, its README, its
    members, what was said). `tagged`: as if the commit had the tag of its version."""
    if subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("this is no clone")
    environment = {"PATH": "/usr/bin:/bin", "PATHS": "CITATION.cff .zenodo.json datasets/cos.yaml results/README.md", "HOME": str(tmp_path),
                   "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}

    def pack(place, *made, tagged=True, mask="022"):
        copy = tmp_path / f"{place}.git"
        run("git", "clone", "--quiet", "--bare", "--shared", SOURCE, copy, env=environment)
        run("sh", "-c", "git tag --list 'v*' | xargs --no-run-if-empty git tag --delete", cwd=copy, env=environment)
        if tagged:
            run("git", "tag", f"v{DEPOSIT['version']}", cwd=copy, env=environment)
        commit = run("git", "-C", SOURCE, "rev-parse", "HEAD", env=environment).output.strip()
        ran = run("sh", "-c", f"umask {mask} && exec {SOURCE}/scripts/package/archive.sh {tmp_path / place} {' '.join(map(str, made))}",
                  env=environment | {"GIT_DIR": str(copy), "COMMIT": commit})
        [file] = (tmp_path / place).iterdir()
        top = tmp_path / place / file.name.removesuffix("-archive.tar.gz")
        with tarfile.open(file) as archive:
            archive.extractall(tmp_path / place)
            members = archive.getmembers()
        date = int(run("git", "-C", SOURCE, "log", "-1", "--format=%ct", env=environment).output)
        return types.SimpleNamespace(file=file, top=top, about=(top / "README.txt").read_text().splitlines(), members=members,
                                     commit=commit, date=date, said=ran.messages)
    return pack


def test_the_same_commit_gives_the_same_archive_which_says_what_the_deposit_says(packed, tmp_path):
    made = tmp_path / "article.pdf"
    made.write_text("a pdf\n")
    once = packed("once", made)
    made.touch()
    again = packed("again", made, mask="077")
    assert once.file.read_bytes() == again.file.read_bytes() and once.said == ""
    assert [member.name for member in once.members] == sorted(member.name for member in once.members)
    assert {member.mtime for member in once.members} == {once.date}
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=once.top)
    assert (once.top / "made/article.pdf").exists() and (once.top / "source/results/README.md").exists()
    version, about = DEPOSIT["version"], once.about
    assert len(about) == 10 and once.top.name == f"lacp-{version}"
    cited = (SOURCE / "CITATION.cff").read_text()
    assert about[0] == DEPOSIT["title"] and f'title: "{DEPOSIT["title"]}"' in cited
    assert about[1].startswith(f"Version {version}, commit {once.commit}, ") and f"\nversion: {version}\n" in cited
    names = [creator["name"] for creator in DEPOSIT["creators"]]
    assert re.findall(r"  - name: (.*)", cited) == names and all(name in about[1] for name in names)
    assert DEPOSIT["license"] in about[1]


def test_a_commit_without_the_tag_of_its_version_is_no_release(packed):
    found = packed("untagged", tagged=False)
    assert found.top.name == f"lacp-{found.commit[:12]}" and f"no tag v{DEPOSIT['version']}" in found.said
    assert found.about[1].startswith(f"Not a release, but commit {found.commit} ")


def test_the_readme_calls_the_program_where_it_is_and_none_that_is_not_there(packed, tmp_path):
    enter = lambda about: next(line for line in about if "cd source" in line)
    without = packed("without")
    assert "made/lacp" not in "\n".join(without.about) and "make && lacp=build/lacp " in enter(without.about)
    program = tmp_path / "lacp-1.0.0-linux-x86_64"
    program.write_text("#!/bin/sh\necho called \"$@\"\n")
    program.chmod(0o755)
    found = packed("with", program)
    assert "/usr/" not in "\n".join(found.about)
    words = enter(found.about).strip().split("  ")[0]
    run("sh", "-c", f"{words} && $lacp datasets fetch", cwd=found.top, prints="called datasets fetch")


def test_the_record_of_the_second_machine_names_commits_of_this_history_and_counts_all_tasks_of_a_folder():
    folder = SOURCE / "experiments/article"
    rows = [line.split(",") for line in (folder / "machines.csv").read_text().splitlines()[1:]]
    shallow = subprocess.run(["git", "-C", SOURCE, "rev-parse", "--is-shallow-repository"], capture_output=True, check=False).stdout
    for name, made_on, made_by, again_on, again_by, cells, agree, *_ in rows:
        manifest = (SOURCE / "results" / name / "manifest.yaml").read_text()
        processor = "aarch64" if made_on == "arm64" else "Xeon"
        assert f'commit: "{made_by}"' in manifest and f'cpu: "{processor}' in manifest
        tasks = [row for file in (SOURCE / "results" / name / "cells").glob("*.csv") for row in frame(file.read_text()) if row["checksum"]]
        assert made_on != again_on and cells == agree == str(len(tasks))
        if shallow == b"false\n":
            run("git", "-C", SOURCE, "merge-base", "--is-ancestor", again_by, "HEAD")
