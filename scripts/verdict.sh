#!/usr/bin/env bash
# The comparison with Table 1 with many more runs than the paper's five, to tell noise from a difference.
# usage: scripts/verdict.sh [RUNS, default 50] [DATA SETS, default those of Table 1]
# Keeps table and manifest in results/verdict/<protocol>, from which the report is made; the cells stay in build/verdict
# and are continued.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"
runs=${1:-50} datasets=${2:-energy_with_y1,concrete,homes,CASP,facebook_1}

for protocol in release paper; do
  "$lacp" run "experiments/$protocol.yaml" --runs "$runs" --datasets "$datasets" --results build/verdict \
    --set report.role=many_runs "report.base=$protocol" || (($? == 1))
  "$lacp" table "build/verdict/$protocol"
  mkdir -p "results/verdict/$protocol"
  cp "build/verdict/$protocol"/{table.csv,manifest.yaml} "results/verdict/$protocol/"
done
"$lacp" report results
