#!/usr/bin/env bash
# Which intervals should I use? Runs experiments/frontier*.yaml, draws the figures and writes the report.
# Hours of two cores; stop it at any time, and the same command goes on. Data sets that cannot be fetched are left out.
# usage: scripts/frontier.sh [EXPERIMENTS, default "frontier frontier_boosted frontier_mlp frontier_two_sides"] [options of lacp run, e.g. --jobs 4]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"
experiments=(frontier frontier_boosted frontier_mlp frontier_two_sides)
if (($#)) && [[ $1 != -* ]]; then read -ra experiments <<<"$1" && shift; fi

for experiment in "${experiments[@]}"; do
  "$lacp" datasets fetch --for "experiments/$experiment.yaml" || (($? == 1)) # 1: one could not be fetched
done
for experiment in "${experiments[@]}"; do
  "$lacp" run "experiments/$experiment.yaml" "$@" || (($? == 1)) # 1: a task failed, which the report counts
done
"$lacp" report results
