"""scripts/Containerfile, whose image and packages have a date, and the file for a deposit that `make archive` makes."""
import json
import re
import subprocess
import tarfile

import pytest
from program import SOURCE, run

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


def test_the_same_commit_gives_the_same_archive_which_says_what_the_deposit_says(tmp_path):
    if subprocess.run(["git", "-C", SOURCE, "rev-parse", "HEAD"], capture_output=True, check=False).returncode:
        pytest.skip("this is no clone")
    made = tmp_path / "article.pdf"
    made.write_text("a pdf\n")
    environment = {"PATH": "/usr/bin:/bin", "PATHS": "CITATION.cff .zenodo.json datasets/cos.yaml results/README.md", "HOME": str(tmp_path),
                   "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
    files = [tmp_path / name / "a.tar.gz" for name in ["once", "again"]]
    for file, mask in zip(files, ["022", "077"]):
        run("sh", "-c", f"umask {mask} && touch {made} && exec {SOURCE}/scripts/package/archive.sh {file} {made}", env=environment)
    assert files[0].read_bytes() == files[1].read_bytes()

    with tarfile.open(files[0]) as archive:
        archive.extractall(tmp_path)
        members = archive.getmembers()
    assert [member.name for member in members] == sorted(member.name for member in members)
    date = run("git", "-C", SOURCE, "log", "-1", "--format=%ct", env=environment).output
    assert {member.mtime for member in members} == {int(date)}
    deposit = json.loads((SOURCE / ".zenodo.json").read_text())
    top = tmp_path / f"lacp-{deposit['version']}"
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=top)
    assert (top / "made/article.pdf").exists() and (top / "source/results/README.md").exists()
    about = (top / "README.txt").read_text().splitlines()
    assert len(about) == 10
    cited = (SOURCE / "CITATION.cff").read_text()
    assert about[0] == deposit["title"] and f'title: "{deposit["title"]}"' in cited
    assert about[1].startswith(f"Version {deposit['version']}, commit ") and f"\nversion: {deposit['version']}\n" in cited
    names = [creator["name"] for creator in deposit["creators"]]
    assert re.findall(r"  - name: (.*)", cited) == names and all(name in about[1] for name in names)
    assert deposit["license"] in about[1]


def test_the_record_of_the_second_machine_names_commits_of_this_history():
    folder = SOURCE / "experiments/article"
    rows = [line.split(",") for line in (folder / "machines.csv").read_text().splitlines()[1:]]
    shallow = subprocess.run(["git", "-C", SOURCE, "rev-parse", "--is-shallow-repository"], capture_output=True, check=False).stdout
    for name, made_on, made_by, again_on, again_by, cells, agree, *_ in rows:
        manifest = (SOURCE / "results" / name / "manifest.yaml").read_text()
        processor = "aarch64" if made_on == "arm64" else "Xeon"
        assert f'commit: "{made_by}"' in manifest and f'cpu: "{processor}' in manifest
        assert made_on != again_on and cells == agree
        if shallow == b"false\n":
            run("git", "-C", SOURCE, "merge-base", "--is-ancestor", again_by, "HEAD")
