#!/usr/bin/env bash
# version.sh: writes the version, which CMakeLists.txt says, wherever a file of the repository must say it, too. Program, wheel
# and Debian packages take it when they are made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
version=$(sed -nE 's/^project\(lacp VERSION ([0-9.]+) .*/\1/p' CMakeLists.txt)
sed -i -E "s/^version: .*/version: $version/" CITATION.cff
sed -i -E "s/^(  \"version\": )\"[^\"]*\"/\1\"$version\"/" codemeta.json .zenodo.json
sed -i -E "s/^__version__ = .*/__version__ = \"$version\"/" lib/python/lacp.py
