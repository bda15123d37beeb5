#!/usr/bin/env bash
# Writes experiments/test/smoke.sha256 and every_method.sha256 again: the checksums of cells and intervals of two small
# experiments, which every machine has to reproduce. Only for a change that is meant to change numbers: raise `algorithm`, or
# the `version` of the one method, with it.
#   scripts/smoke_checksums.sh FOLDER   prints those of a folder of results instead
set -euo pipefail

checksums() { # a cell's stands in the first of its rows
  cd "$1"
  awk -F, 'FNR > 1 && $10 != "" { name = FILENAME; sub(/\.csv$/, "", name); print $10 "  " name "/" $1 "/" $2 }' cells/*.csv |
    LC_ALL=C sort -k 2
  if [[ -d intervals ]]; then find intervals -type f | LC_ALL=C sort | xargs sha256sum; fi
}

if (($#)); then checksums "$1" && exit; fi
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
for experiment in experiments/smoke.yaml experiments/test/every_method.yaml; do
  name="$(basename "$experiment" .yaml)"
  "${LACP:-build/lacp}" run "$experiment" --results "$scratch"
  (checksums "$scratch/$name") >"experiments/test/$name.sha256"
done
