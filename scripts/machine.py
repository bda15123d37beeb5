"""What a measurement was made on."""
import os
import platform
import subprocess


def processor():
    """Its name."""
    try:
        lines = subprocess.run(["lscpu"], check=True, stdout=subprocess.PIPE, text=True,
                               env={**os.environ, "LC_ALL": "C"}).stdout.splitlines()
        fields = dict(line.split(":", 1) for line in lines if ":" in line)
        return fields["Model name"].strip()
    except (OSError, subprocess.CalledProcessError, KeyError):
        return platform.processor() or platform.machine()
