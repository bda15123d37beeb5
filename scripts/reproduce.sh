#!/usr/bin/env bash
# Reruns the protocols and writes every table, figure and the report. What is done already is not done again.
# usage: scripts/reproduce.sh [--all] [--strict] [other options of lacp run, e.g. --jobs 4]
#   --all     also the protocols that the report uses beyond the paper's own table (full, single_level_*)
#   --strict  fail if a data set was left out or a task failed; otherwise the report says so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

protocols=(release paper)
strict=false
options=()
for argument in "$@"; do
  case "$argument" in
    --all) protocols+=(full single_level_005 single_level_010 single_level_032) ;;
    --strict) strict=true options+=("$argument") ;;
    *) options+=("$argument") ;;
  esac
done

# The cells that came with the clone are another machine's work: the first call does all of them anew, later ones
# continue.
for protocol in "${protocols[@]}"; do
  begun=build/begun-$protocol
  if [[ ! -e $begun ]]; then
    rm -rf "results/$protocol/cells" "results/$protocol/intervals"
    touch "$begun"
  fi
done

failed=()
for protocol in "${protocols[@]}"; do
  status=0
  build/lacp run "experiments/$protocol.yaml" "${options[@]}" || status=$?
  case "$status" in
    0) ;;
    1) failed+=("$protocol") ;;   # recorded in failures.csv; the other tasks are done
    *) exit "$status" ;;
  esac
done
build/lacp report results

if ((${#failed[@]})); then
  echo "Some tasks failed; the tables mark them and results/*/failures.csv says why: ${failed[*]}"
  if $strict; then exit 1; fi
fi
