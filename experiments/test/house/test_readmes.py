"""Every shell block of every page is executed, in a copy of the project, and what a page shows below it is compared with what it prints.
What would take long or leave this machine has a stand-in that still checks what it is asked for."""
import os
import re
import shutil

import pytest
from program import PROGRAM, SOURCE, check_has, frame, lacp, run

PAGES = sorted((path for folder in (".", "lib", "lib/models", "datasets", "experiments", "scripts", "scripts/slurm") for path in (SOURCE / folder).glob("*.md")),
               key=lambda page: (page != SOURCE / "README.md" and page.name != "tutorial.md", page))


def blocks_of(page):
    """(kind, file, text) of the fenced blocks: "```sh" or "```yaml some/file.yaml"."""
    for kind, file, text in re.findall(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
        yield kind, file, text


def is_shown(printed, shown):
    """"…" stands for any text within a line, alone on a line for any number of lines. Notes of progress, which only slow commands
    have, are left out."""
    printed = re.sub(r"(\d+ of \d+ tasks? done, |\d+ s: )[^\n]*\n", "", printed)
    pattern = re.escape(shown).replace("\\\n…\\\n", "\n(?:.*\n)*").replace("…", ".*")
    return re.fullmatch(pattern, printed) is not None


def write_script(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/bash\nset -eu\n{text}")
    file.chmod(0o755)


def put_program(root, little):
    """The program without downloads. `little`: runs train for one epoch."""
    write_script(root / "build/lacp", f"""real='{PROGRAM}'
case " $* " in
  ' run '*) exec "$real" "$@" {'--set training.epochs=1' if little else ''} ;;
  ' datasets '*'fetch '*) exec "$real" datasets fetch --help ;;
  *) exec "$real" "$@" ;;
esac
""")


@pytest.fixture
def project(tmp_path):
    """The project's folders as a user has them, with stand-ins in `tools`."""
    for folder in ("experiments", "datasets"):
        (tmp_path / folder).mkdir()
        for path in (SOURCE / folder).iterdir():
            if path.is_file():
                shutil.copy(path, tmp_path / folder)
    for folder in ("experiments/reference", "scripts", "results/paper"):
        shutil.copytree(SOURCE / folder, tmp_path / folder)
    put_program(tmp_path, True)
    tools = tmp_path / "tools"
    write_script(tools / "make", f"exec /usr/bin/make -n -C '{SOURCE}' \"$@\"\n")  # the targets must exist
    write_script(tools / "cmake", f"""cd '{SOURCE}'
case $1 in
  --preset) grep -q "\\"name\\": \\"$2\\"" CMakePresets.json ;;
  --build | --install) name=${{2#build}} name=${{name#-}}; grep -q "\\"name\\": \\"${{name:-release}}\\"" CMakePresets.json ;;
  *) exit 1 ;;
esac
""")
    write_script(tools / "pip", "[[ $1 == install && $2 == lacp-*.whl ]]\n")
    write_script(tools / "sbatch", """for option; do
  case $option in
    --output=*) log=${option#--output=} log=${log//%[jA]/42} && touch "${log//%a/1}" ;;
  esac
done
cat >/dev/null
echo 42
""")
    write_script(tools / "tail", 'if [[ $1 == -f ]]; then shift; fi\nexec /usr/bin/tail "$@"\n')
    # The user's part: a description and its file.
    write_script(tools / "editor", """printf 'title: T\\ncitation: C\\nlicence: L\\nsource: {file: mine.csv}\\ntarget: y\\n' >"$1"
awk 'BEGIN { print "a,b,y"; for (i = 1; i <= 300; i++) print sin(i), cos(i * i), 2 + sin(3 * i) }' |
  tr ' ' , >"${1%.yaml}.csv"
""")
    shutil.copy(tmp_path / "datasets/concrete.csv", tmp_path / "my.csv")  # README.md adds one, whose target is y
    (tmp_path / "my.csv").write_text((tmp_path / "my.csv").read_text().replace("compressive_strength", "y", 1))
    return tmp_path


def in_project(root, script):
    """A script there, with all that it prints."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LACP", "LACP_DATASETS", "MAKEFLAGS", "MAKELEVEL")}
    environment.update(PATH=f"{root}/tools:{root}/build:{environment['PATH']}", EDITOR="editor")
    return run("bash", "-euc", 'exec 2>&1; eval "$1"', "bash", script, cwd=root, env=environment).output


def test_every_link_of_every_page_leads_to_a_file():
    links = [(page, target) for page in (*PAGES, *(SOURCE / "results").rglob("*.md"))
             for target in re.findall(r"\]\(([^)# ]+)", page.read_text()) if not target.startswith("http")]
    assert len(links) > 50
    assert [(page, target) for page, target in links if not (page.parent / target).exists()] == []


def test_every_option_of_the_commands_for_a_table_of_ones_own_is_named_on_a_page():
    named = "".join(page.read_text() for page in PAGES if page.name != "CHANGELOG.md")
    for command in ("fit", "predict", "evaluate", "update", "datasets add"):
        options = re.findall(r"\n  (--[a-z-]+)", lacp(*command.split(), "--help").output)
        assert len(options) > 5
        assert [option for option in options if not re.search(option + "(?![a-z-])", named)] == [], command


def test_one_place_says_the_version_and_all_others_what_it_says():
    version = re.match(r"lacp (\S+)\n", lacp("--version").output)[1]
    for file, words in (("CMakeLists.txt", f"project(lacp VERSION {version} "), ("CITATION.cff", f"\nversion: {version}\n"),
                        ("lib/python/lacp.py", f'\n__version__ = "{version}"\n')):
        check_has((SOURCE / file).read_text(), words)
    assert re.findall(r"\n## (\d+\.\d+\.\d+)\n", (SOURCE / "CHANGELOG.md").read_text())[0] == version


def test_every_block_of_every_page_does_what_it_says_one_page_after_another_in_one_project(project):
    count = {"sh": 0, "text": 0}
    for page in PAGES:
        put_program(project, page.name != "tutorial.md")
        if page == SOURCE / "scripts/slurm/README.md":  # the cluster, whose jobs only seem to be submitted here, has done its work
            lacp("run", project / "experiments/paper.yaml", "--datasets", "cos", "--methods", "exp", "--runs", "1", "--set",
                 "training.epochs=1", "--results", project / "results", "--datasets-folder", project / "datasets")
        output = ""
        for kind, file, text in blocks_of(page):
            count[kind] = count.get(kind, 0) + 1
            if file:
                (project / file).write_text(text)
            elif kind == "text":
                assert is_shown(output, text), f"{page}: printed\n{output}"
            elif kind == "sh":
                output = in_project(project, text)
            else:  # compiled by lib.readme and lib.consumer, run by python.estimator
                assert page in ([SOURCE / "README.md"] if kind == "python" else [SOURCE / "lib/README.md", SOURCE / "lib/models/README.md"])
        if page == SOURCE / "README.md":
            assert len(frame((project / "intervals.csv").read_text())) == 206
    assert count["sh"] >= 20 and count["text"] >= 10
