#!/usr/bin/env bash
# Writes experiments/test/smoke.sha256 again: the checksums of the smoke experiment's cells and intervals, which every
# machine has to reproduce. Only for a change that is meant to change numbers (raise `algorithm` with it).
#   scripts/smoke_checksums.sh FOLDER   prints those of a folder of results instead
set -euo pipefail

checksums() { # a cell's stands in the first of its rows
  cd "$1"
  awk -F, 'FNR > 1 && $10 != "" { name = FILENAME; sub(/\.csv$/, "", name); print $10 "  " name "/" $1 "/" $2 }' cells/*.csv |
    LC_ALL=C sort -k 2
  find intervals -type f | LC_ALL=C sort | xargs sha256sum
}

if (($#)); then checksums "$1" && exit; fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
"${LACP:-build/lacp}" run experiments/smoke.yaml --results "$scratch"
(checksums "$scratch/smoke") >experiments/test/smoke.sha256
