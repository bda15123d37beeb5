#!/usr/bin/env bash
# Fetches the chart library of the page (experiments/page/vendor) from npm again, at the same versions, and checks it. For another
# version: change it here, run with --new, which writes new checksums, and read what changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../experiments/page/vendor"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT

# fetch PACKAGE VERSION FILE : puts one file of a package here.
fetch() {
  curl -sSfL --retry 3 -o "$scratch/package.tgz" "https://registry.npmjs.org/$1/-/${1##*/}-$2.tgz"
  tar -xzf "$scratch/package.tgz" -C "$scratch" "package/$3"
  mv "$scratch/package/$3" "$scratch/${3##*/}"
}
fetch d3 7.9.0 dist/d3.min.js
fetch @observablehq/plot 0.6.17 dist/plot.umd.min.js

if [[ "${1:-}" == --new ]]; then
  (cd "$scratch" && sha256sum -- *.min.js) >checksums.sha256
fi
(cd "$scratch" && sha256sum --check --quiet) <checksums.sha256
cp "$scratch"/*.min.js .
echo "experiments/page/vendor: as the checksums say"
