#!/usr/bin/env bash
# Writes experiments/test/smoke.sha256 again: the checksums of the smoke experiment's cells and intervals, which every
# machine has to reproduce. Only for a change that is meant to change numbers (raise `algorithm` with it).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
"${LACP:-build/lacp}" run experiments/smoke.yaml --results "$scratch"
(cd "$scratch/smoke" && find cells intervals -type f | LC_ALL=C sort | xargs sha256sum) >experiments/test/smoke.sha256
