"""What a command writes: never over an input, through what is no regular file, and nothing is left behind."""
import hashlib
import itertools
import os
import shutil
import signal
from pathlib import Path

import pytest
from program import (SANITIZER, SMOKE, SOURCE, as_anyone, files_below, houses, lacp, leftovers, peak_memory, refused,
                     shell, start, table_of, wait_until)
from sheets import xlsx_of


@pytest.fixture
def begin(fitted):
    """Starts `predict` of a table that does not end before a signal comes, however late that is, and waits until it has
    this many files without a name."""
    os.mkfifo(fitted / "pipe")
    rows = os.open(fitted / "pipe", os.O_RDWR)

    def unnamed(link):
        try:
            file = os.readlink(link)
        except FileNotFoundError:  # closed meanwhile
            return False
        return file.startswith(str(fitted.folder)) and file.endswith(" (deleted)")

    def begun(files, *more, **how):
        child = start("predict", fitted.model, fitted / "pipe", "--output", fitted / "out.csv", *more, **how)
        os.write(rows, houses(100, 3).encode())
        wait_until(lambda: sum(unnamed(link) for link in Path(f"/proc/{child.pid}/fd").iterdir()) >= files, child)
        return child
    yield begun
    os.close(rows)


def test_no_command_writes_over_its_table_its_description_or_its_model_by_whatever_name(fitted):
    csv = fitted.write("t.csv", houses(20, 2))
    yaml = fitted.write("t.yaml", "title: T\nsource: {file: t.csv}\ntarget: price\n")
    bad = fitted.write("new.bad.csv", houses(20, 2))
    (fitted / "link.lacp").symlink_to(csv)
    (fitted / "hard.lacp").hardlink_to(csv)
    shutil.copy(fitted.model, fitted / "q.bad.csv")
    before = files_below(fitted.folder)
    for words in [("fit", csv, "--model", csv),
                  ("fit", csv, "--model", fitted / "link.lacp"),
                  ("fit", csv, "--model", fitted / "hard.lacp"),
                  ("fit", yaml, "--model", csv),
                  ("fit", yaml, "--model", yaml),
                  ("predict", fitted.model, csv, "--output", csv),
                  ("update", fitted.model, csv, "--output", csv),
                  # The second output, with the rows that are left out.
                  ("predict", fitted.model, bad, "--output", fitted / "new.csv", "--skip-bad"),
                  ("predict", fitted / "q.bad.csv", bad, "--output", fitted / "q.csv", "--skip-bad")]:
        refused("is the same file as", *words)
    # What standard input comes from is an input, too.
    for words in ["predict m.lacp - --output t.csv", "fit - --model t.csv"]:
        refused("is the same file as standard input", shell, f'"$0" {words} < t.csv', cwd=fitted.folder)
    assert files_below(fitted.folder) == before
    (fitted / "a.csv").symlink_to("b.csv")
    (fitted / "b.csv").symlink_to("a.csv")
    refused("loop of links", "predict", fitted.model, csv, "--output", fitted / "a.csv")


def test_export_run_and_compare_never_write_over_the_data_set_the_yaml_or_the_table_that_they_read(place):
    for name in ["concrete.yaml", "concrete.csv", "cos.yaml"]:
        shutil.copy(SOURCE / "datasets" / name, place / name)
    refused("concrete.csv: is the same file as", "export", SMOKE, "--datasets", "cos,concrete",
            "--datasets-folder", place.folder, "--output", place.folder)
    assert not (place / "cos.csv").exists()

    yaml = (f"based_on: {SMOKE}\ndatasets: [concrete]\nmethods: [fixed]\n"
            "keep_intervals: {datasets: []}\nreference: {file: own/comparison.csv}\n")
    published = (SOURCE / "experiments/reference/table1.csv").read_text()
    place.write("manifest/own/comparison.csv", published)
    manifest = place.write("manifest/manifest.yaml", yaml)  # the manifest of these results would be this very file
    lacp("run", manifest, "--results", place.folder, status=2, says="manifest.yaml: is the same file as")
    assert manifest.read_text() == yaml

    place.write("own/comparison.csv", published)
    lacp("run", place.write("own.yaml", yaml), "--results", place.folder)
    refused("comparison.csv: is the same file as", "compare", place / "own", "--quiet")
    assert place.read("own/comparison.csv") == published


def test_outputs_go_through_links_and_a_files_mode_stays(fitted):
    table = fitted.write("new.csv", houses(20, 2))

    def predict(output):
        lacp("predict", fitted.model, table, "--output", fitted / output, "--quiet")
    predict("plain.csv")
    fitted.write("there.csv", "old")
    for target in ["there.csv", "not_yet.csv"]:
        link = fitted / f"to_{target}"
        link.symlink_to(target)
        predict(link)
        assert link.is_symlink()
        assert fitted.read(target) == fitted.read("plain.csv")
    for mode in [0o600, 0o664]:
        (fitted / "plain.csv").chmod(mode)
        predict("plain.csv")
        assert (fitted / "plain.csv").stat().st_mode & 0o7777 == mode
    (fitted / "device").symlink_to("/dev/null")
    predict("device")
    assert (fitted / "device").is_symlink()
    assert leftovers(fitted.folder) == []


def test_a_named_pipe_stays_one_dev_stdout_is_standard_output_and_both_get_what_a_file_would(fitted):
    fitted.write("new.csv", houses(20, 2))
    expected = lacp("predict", fitted.model, fitted / "new.csv").output
    os.mkfifo(fitted / "pipe")
    shell("""p() { timeout 600 "$0" predict m.lacp new.csv --quiet --output "$1"; }
             timeout 600 cat pipe > read & p pipe && wait && p /dev/stdout | cat > piped && p /dev/stdout > written &&
               echo before > appended && p /dev/stdout >> appended &&
               (timeout 600 cat pipe > piped.lacp &
                timeout 600 "$0" fit houses.csv --method fixed --quiet --model pipe; code=$?; wait; exit $code)""",
          cwd=fitted.folder)
    assert (fitted / "pipe").is_fifo()
    assert os.path.islink("/dev/stdout")
    for name in ["read", "piped", "written"]:
        assert fitted.read(name) == expected
    assert fitted.read("appended") == f"before\n{expected}"
    lacp("predict", fitted / "piped.lacp", fitted / "new.csv")
    refused("pipe is no regular file", "predict", fitted.model, fitted / "new.csv", "--output", fitted / "pipe",
            "--skip-bad")


def test_what_cannot_be_written_is_told_before_the_work_begins(fitted):
    csv = fitted / "houses.csv"
    (fitted / "folder").mkdir()
    (fitted / "locked").mkdir(mode=0o555)
    predict = ["predict", fitted.model, csv, "--output"]
    for command in [["fit", csv, "--model"], predict]:
        # One line: nothing was said of a training.
        refused("Permission denied", as_anyone, *command, fitted / "locked/m", status=1)
        refused("folder: is a folder", as_anyone, *command, fitted / "folder")
    (fitted / "o.bad.csv").mkdir()
    refused("o.bad.csv: is a folder", as_anyone, *predict, fitted / "o.csv", "--skip-bad")


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_a_signal_leaves_no_temporary_file_whichever_it_is(fitted, begin, name):
    number = signal.Signals[name]

    def usual():  # a shell that starts tests in the background has some of them ignored
        if name != "SIGKILL":
            signal.signal(number, signal.SIG_DFL)
    child = begin(2, "--skip-bad", "--jobs", "2", preexec_fn=usual)
    child.send_signal(number)
    assert child.wait() == -number
    assert leftovers(fitted.folder) == []
    assert not (fitted / "out.csv").exists()


def test_an_option_without_its_value_takes_no_other_word_for_it_and_an_empty_word_is_no_name(fitted):
    victim = fitted.write("victim.csv", houses(20, 2))
    for words in ["--output= victim.csv", "victim.csv --output=", "victim.csv --output --quiet",
                  "victim.csv --output= --quiet", "victim.csv --keep= --quiet"]:
        refused(": has no value; expected ", "predict", "m.lacp", *words.split(), cwd=fitted.folder)
    assert not (fitted / "--quiet").exists()
    for words, part in [(("fit", victim, "--model="), "--model: has no value"),
                        (("fit", victim, "--seed", ""), "--seed: a word is empty"),
                        (("predict", "", victim), "a word is empty")]:
        refused(part, *words)
    assert victim.read_text() == houses(20, 2)


def test_fit_reads_a_pipe_one_of_the_shells_and_a_named_one(place):
    csv = place.write("t.csv", houses(300, 2))
    place.fit_fixed(csv)
    for before, pipe in [("", '<(cat "$1")'), ('mkfifo "$1.pipe"; (cat "$1" > "$1.pipe" &); ', '"$1.pipe"')]:
        shell(f'{before}timeout 600 "$0" fit {pipe} --method fixed --model "$2" --quiet', csv, place / "piped.lacp")
        assert (place / "piped.lacp").read_bytes() == place.model.read_bytes()
    refused("--model: is missing", shell, '"$0" fit <(cat "$1") --method fixed', csv)


def test_output_that_is_lost_is_a_failure_of_every_command():
    for words in ["datasets", "--help", "--version", "methods", "help info", "status results/paper"]:
        # A list of data sets is lost before the end, where nobody knows why any more.
        reason = "" if words == "datasets" else ": No space left on device"
        ran = shell(f'"$0" {words} > /dev/full', cwd=SOURCE, status=1)
        assert ran.messages == f"lacp: standard output cannot be written{reason}\n"


def test_a_small_xlsx_costs_little_whatever_is_in_it_and_a_broken_one_is_told_in_one_line(place):
    table = table_of("x,y", 200, lambda i: f"{i * 37 % 101},{i % 7}")
    # Entities within entities: 2 kB that take minutes. And 350 MB of text that no cell uses.
    tens = [f'<!ENTITY {name} "{10 * f"&{before};"}">' for before, name in itertools.pairwise("abcdefghi")]
    dtd = f'<!DOCTYPE w [<!ENTITY a "0123456789">{"".join(tens)}]>'
    nested = xlsx_of(table, dtd=dtd, strings=["<si><t>&i;</t></si>"])
    large = xlsx_of(table, strings=itertools.repeat(1000 * f"<si><t>{1000 * 'x'}</t></si>", 350))
    for data in [xlsx_of(table), nested]:
        place.fit_fixed(place.write("t.xlsx", data))
    assert len(large) < 1 << 20
    for name, data, part in [("large.xlsx", large, "its member 'xl/sharedStrings.xml' has more than "),
                             ("broken.xlsx", "no zip", "it is no zip archive"),
                             ("old.xlsx", b"\xD0\xCF\x11\xE0 and so on",
                              "it is an old xls file, or has a password")]:
        refused(f"{name}: cannot be unpacked: {part}", place.fit_fixed, place.write(name, data))
    assert SANITIZER or peak_memory("fit", place / "large.xlsx", "--model", place.model, status=2) < 256e6


def test_a_program_ends_with_the_one_that_started_it_even_if_that_is_killed(place):
    place.write("tools/curl", '#!/bin/sh\necho $$ > "${0%/*}/pid"\nexec sleep 1000\n').chmod(0o700)
    place.write("d/set.yaml", "title: T\ncitation: C\nlicence: L\ntarget: y\nsource:\n"
                f"  url: https://localhost/t.csv\n  sha256: {hashlib.sha256().hexdigest()}\n")
    # A zombie, which nobody may wait for here, has ended, too.
    shell("""PATH=$PWD/tools:$PATH "$0" datasets --datasets-folder d fetch set & lacp=$!
             until [ -s tools/pid ]; do kill -0 $lacp || exit 1; sleep 0.01; done; curl=$(cat tools/pid); kill -9 $lacp
             for i in $(seq 10000); do
               grep -q '^State:.[^Z]' /proc/$curl/status || exit 0; sleep 0.01
             done; kill -9 $curl; exit 1""", cwd=place.folder)
