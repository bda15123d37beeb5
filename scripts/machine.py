"""What a measurement was made on."""
import os
import platform
import subprocess


def commit(lacp):
    """Of the program: "commit 0123456789ab", which driver.provenance looks for."""
    lines = subprocess.run([lacp, "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return next(" ".join(line.split()) for line in lines if line.split()[:1] == ["commit"])


def processor():
    """Its name."""
    try:
        lines = subprocess.run(["lscpu"], check=True, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "LC_ALL": "C"}).stdout.splitlines()
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        return fields["Model name"].strip()
    except (OSError, subprocess.CalledProcessError, KeyError):
        return platform.processor() or platform.machine()
