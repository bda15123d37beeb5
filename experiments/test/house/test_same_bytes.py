"""One seed, one table, byte for byte, on any processor: what can be seen of that by one program. Other compilers and the other
architecture are tried by scripts/same_bytes.sh (tests same_bytes.*)."""
import os
import re

from program import PROGRAM, SMOKE, SOURCE, lacp, run


def kernels():
    """Of this processor, as the program names them."""
    said = run("env", "LACP_KERNELS=abacus", PROGRAM, "--version", status=2, says="this processor has no kernels 'abacus'").messages
    return said.split("it can run ")[1].strip().split(", ")


def checksums(folder):
    return dict(reversed(line.split("  ")) for line in run(SOURCE / "scripts/smoke_checksums.sh", folder).output.splitlines())


def stored(name):
    return dict(reversed(line.split("  ")) for line in (SOURCE / f"experiments/test/{name}.sha256").read_text().splitlines())


def check_same(found, expected):
    """Where numbers change on purpose: raise algorithm, or the version of the method, then scripts/smoke_checksums.sh."""
    assert {name: expected.get(name) for name in found} == found


def test_smoke_gives_the_stored_bytes_under_every_kernel_and_with_any_number_of_threads(tmp_path):
    expected = stored("smoke")
    assert len(expected) == 28 + 1
    for name, options, files in [("", ["--jobs", "3"], len(expected)),
                                 *((name, ["--jobs", "1", "--datasets", "concrete", "--methods", "exp", "--runs", "1"], 1) for name in kernels())]:
        environment = {**os.environ, "LACP_KERNELS": name}
        run(PROGRAM, "run", SMOKE, "--results", tmp_path / f"of {name}", *options, env=environment)
        found = checksums(tmp_path / f"of {name}/smoke")
        assert len(found) == files
        check_same(found, expected)


def test_every_method_gives_the_stored_bytes(tmp_path):
    expected = stored("every_method")
    lacp("run", SOURCE / "experiments/test/every_method.yaml", "--results", tmp_path)
    assert checksums(tmp_path / "every_method").keys() == expected.keys()
    check_same(checksums(tmp_path / "every_method"), expected)
    methods = re.findall(r"^(\w+) {2,}\S", lacp("methods").output, re.MULTILINE)
    assert {name.split("/")[-1] for name in expected} == set(methods)  # or: add it to every_method.yaml
