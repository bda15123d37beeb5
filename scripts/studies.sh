#!/usr/bin/env bash
# The studies behind the pages in results/ that take longer than `make reproduce`. Stop one at any time: what is done is not
# done again. The program is build/lacp, or what LACP names. A task that fails, or a data set that cannot be fetched, is counted.
#   scripts/studies.sh frontier [options of lacp run, e.g. --jobs 4]
#       Which intervals should I use? Runs frontier: an hour of one thread or more.
#   scripts/studies.sh verdict [RUNS, default 50] [DATA SETS, default those of Table 1]
#       The comparison with Table 1 with many more runs than the paper's five, to tell noise from a difference. Keeps the manifest
#       and runs.csv (size and validity of every run) in results/verdict/<protocol>, from which the report is made; the cells stay in build/verdict.
#   scripts/studies.sh levels
#       Trained for one level instead of all: keeps the runs of single_level_* in the same way, and their cells in build/levels.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"

run() { "$lacp" run "$@" || (($? == 1)); } # 1: a task failed

frontier() {
  "$lacp" datasets fetch --for experiments/frontier.yaml || (($? == 1)) # 1: one could not be fetched
  run experiments/frontier.yaml "$@"
  "$lacp" report results
}

# The manifest and the runs of a folder of results, without its cells.
keep() {
  mkdir -p "$2"
  "$lacp" table "$1" --format runs >"$2/runs.csv"
  cp "$1/manifest.yaml" "$2/"
}

verdict() {
  local protocol runs=${1:-50} datasets=${2:-energy_with_y1,concrete,homes,CASP,facebook_1}
  for protocol in release paper; do
    run "experiments/$protocol.yaml" --runs "$runs" --datasets "$datasets" --results build/verdict
    keep "build/verdict/$protocol" "results/verdict/$protocol"
  done
  "$lacp" report results
}

levels() {
  for level in 005 010 032; do
    run "experiments/single_level_$level.yaml" --results build/levels
    keep "build/levels/single_level_$level" "results/single_level_$level"
  done
  "$lacp" report results
}

case "${1:-}" in
  frontier | verdict | levels) "$@" ;;
  *) sed -n '2,/^set /{s/^# \{0,1\}//p}' scripts/studies.sh >&2 && exit 2 ;;
esac
