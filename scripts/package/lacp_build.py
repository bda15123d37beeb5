#!/usr/bin/env python3
"""The wheel and the source archive of lacp, by Python's own library alone. pyproject.toml names build_wheel and build_sdist to pip.

    lacp_build.py wheel STAGE FOLDER   a wheel of lacp.py and what `cmake --install` put into STAGE; its program is to be static, and
                                       its library linked with nothing but the libc
    lacp_build.py sdist FOLDER         the files of a clone that the wheel is built from

All dates are SOURCE_DATE_EPOCH, or that of the commit; the same files give the same bytes."""
import base64
import gzip
import hashlib
import io
import os
import platform
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SOURCES = ("CMakeLists.txt", "CMakePresets.json", "Makefile", "pyproject.toml", "LICENSE", "README.md", "CHANGELOG.md", "lib", "datasets",
           "scripts", "experiments")
VERSION = re.search(r"project\(lacp VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text())[1]


def epoch():
    given = os.environ.get("SOURCE_DATE_EPOCH")
    return int(given or subprocess.run(["git", "-C", TOP, "log", "-1", "--format=%ct"], check=True, capture_output=True).stdout)


def metadata():
    about = (TOP / "lib/python/lacp.py").read_text(encoding="utf-8").split('"""')[1]
    return f"""Metadata-Version: 2.1
Name: lacp
Version: {VERSION}
Summary: Prediction intervals for regression that contain the truth as often as promised and are wide only where errors are large
Author: The lacp authors
License: BSD-3-Clause
Keywords: conformal prediction,prediction intervals,regression,uncertainty
Classifier: Development Status :: 4 - Beta
Classifier: Environment :: Console
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: BSD License
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: C++
Classifier: Programming Language :: Python :: 3
Classifier: Topic :: Scientific/Engineering :: Information Analysis
Requires-Python: >=3.9
Requires-Dist: numpy
Provides-Extra: sklearn
Requires-Dist: scikit-learn; extra == "sklearn"
Requires-Dist: pandas; extra == "sklearn"
Description-Content-Type: text/plain

{about}""".encode()


def write_wheel(stage, folder):
    library = (stage / "lib/liblacp_python.so").read_bytes()
    libc = max(17, *map(int, re.findall(rb"GLIBC_2\.(\d+)", library)))  # of which it is; the program is static
    tag, info = f"py3-none-manylinux_2_{libc}_{platform.machine()}", f"lacp-{VERSION}.dist-info"
    below = lambda part: sorted(path for path in (stage / part).rglob("*") if path.is_file())
    files = {"lacp.py": (TOP / "lib/python/lacp.py").read_bytes()}
    # Data sets lie where the program looks for them, from its own place.
    for path in [stage / "bin/lacp", stage / "lib/liblacp_python.so", *below("share/lacp")]:
        files[f"lacp_program/{path.relative_to(stage)}"] = path.read_bytes()
    files[f"{info}/METADATA"] = metadata()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: lacp_build.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    files[f"{info}/entry_points.txt"] = b"[console_scripts]\nlacp = lacp:main\n"
    for path in below("share/doc/lacp"):
        files[f"{info}/licenses/{path.relative_to(stage / 'share/doc/lacp')}"] = path.read_bytes()
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    date, name = time.gmtime(epoch())[:6], f"lacp-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(Path(folder, name), "w") as wheel:
        for file, content in files.items():
            entry = zipfile.ZipInfo(file, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if file == "lacp_program/bin/lacp" else 0o100644) << 16
            wheel.writestr(entry, content, compresslevel=9)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the static program and the library in this folder. Installs nothing: what is missing is named."""
    for command in ("scripts/setup.sh --static --check", "cmake --preset static", "cmake --build build-static --target lacp lacp_python",
                    "scripts/package/dist.sh build-static build/dist"):
        if subprocess.run(command, shell=True, cwd=TOP, stdout=sys.stderr).returncode != 0:
            sys.exit(f"lacp: {command}: failed, for the reason above")
    [wheel] = (TOP / "build/dist").glob("*.whl")
    Path(wheel_directory, wheel.name).write_bytes(wheel.read_bytes())
    return wheel.name


def build_sdist(sdist_directory, config_settings=None):
    listed = subprocess.run(["git", "-C", TOP, "ls-files", "-z", *SOURCES], check=True, capture_output=True).stdout
    files = {name: (TOP / name).read_bytes() for name in listed.decode().split("\0")
             if name and not name.startswith("experiments/test/")}
    files["PKG-INFO"] = metadata()
    with tempfile.TemporaryDirectory() as folder:  # the commit, which nobody can ask for outside a clone
        subprocess.run(["cmake", f"-DSOURCE={TOP}", f"-DOUTPUT={folder}/commit.hpp", "-P", TOP / "experiments/commit.cmake"], check=True)
        files["experiments/commit.hpp"] = Path(folder, "commit.hpp").read_bytes()
    name, date = f"lacp-{VERSION}", epoch()
    with gzip.GzipFile(Path(sdist_directory, f"{name}.tar.gz"), "wb", mtime=date) as packed, tarfile.open(
            fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{name}/{file}")
            entry.size, entry.mtime, entry.mode = len(content), date, 0o755 if content.startswith(b"#!") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return f"{name}.tar.gz"


if __name__ == "__main__":
    if sys.argv[1] == "wheel":
        write_wheel(Path(sys.argv[2]), sys.argv[3])
    else:
        build_sdist(sys.argv[2])
