#!/usr/bin/env python3
"""wheel.py PROGRAM VERSION FOLDER: writes FOLDER/lacp-VERSION-py3-none-manylinux_2_17_ARCH.whl, with lacp.py and the static program.
Nothing but Python's own library is used. The date of all files is SOURCE_DATE_EPOCH."""
import base64
import hashlib
import os
import platform
import sys
import time
import zipfile
from pathlib import Path

program, version, folder = sys.argv[1:]
top = Path(__file__).resolve().parents[2]
tag = f"py3-none-manylinux_2_17_{platform.machine()}"  # a static program needs no libc of the system, only its kernel
info = f"lacp-{version}.dist-info"
about = (top / "lib/python/lacp.py").read_text().split('"""')[1]
metadata = f"""Metadata-Version: 2.1
Name: lacp
Version: {version}
Summary: Prediction intervals for regression that contain the truth as often as promised and are wide only where errors are large
License: BSD-3-Clause
Requires-Python: >=3.8
Requires-Dist: numpy
Provides-Extra: sklearn
Requires-Dist: scikit-learn; extra == "sklearn"
Requires-Dist: pandas; extra == "sklearn"
Classifier: Intended Audience :: Science/Research
Classifier: License :: OSI Approved :: BSD License
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Scientific/Engineering
Description-Content-Type: text/plain

{about}"""
files = {
    "lacp.py": (top / "lib/python/lacp.py").read_bytes(),
    "lacp_program/lacp": Path(program).read_bytes(),
    f"{info}/METADATA": metadata.encode(),
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: lacp wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    f"{info}/entry_points.txt": b"[console_scripts]\nlacp = lacp:main\n",
    f"{info}/licenses/LICENSE": (top / "LICENSE").read_bytes(),
    f"{info}/licenses/copyright": (top / "scripts/package/copyright").read_bytes(),
}
record = ""
for name, content in files.items():
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(content)}\n"
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
with zipfile.ZipFile(Path(folder, f"lacp-{version}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    for name, content in files.items():
        entry = zipfile.ZipInfo(name, date)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100755 if name == "lacp_program/lacp" else 0o100644) << 16
        wheel.writestr(entry, content)
