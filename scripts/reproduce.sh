#!/usr/bin/env bash
# Reruns the protocols and writes every table, figure and the report. What was done here already is not done again, and
# nothing is deleted before its replacement is there. The program is build/lacp, or what LACP names.
# usage: scripts/reproduce.sh [--all] [--strict] [other options of lacp run, e.g. --jobs 4]
#   --all     also the protocols that the report uses beyond the paper's own table (full, single_level_*)
#   --strict  fail if a data set was left out or a task failed; otherwise the report says so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"

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

# The cells that came with the clone are another machine's work: each is done again once, in place, if its data is there;
# results/<protocol>/redone.csv records which, and later calls continue.
failed=()
for protocol in "${protocols[@]}"; do
  status=0
  "$lacp" run "experiments/$protocol.yaml" --redo "${options[@]}" || status=$?
  case "$status" in
    0) ;;
    1) failed+=("$protocol") ;;   # recorded in failures.csv; the other tasks are done
    *) exit "$status" ;;
  esac
done
for protocol in "${protocols[@]}"; do
  if [[ -d results/$protocol/cells ]]; then "$lacp" pack "results/$protocol" || (($? == 1)); fi # 1: it names what it left
done
"$lacp" report results
for protocol in "${protocols[@]}"; do "$lacp" status "experiments/$protocol.yaml" | grep "^$protocol: "; done

if ((${#failed[@]})); then
  echo "Some tasks failed; the tables mark them and results/*/failures.csv says why: ${failed[*]}"
  if $strict; then exit 1; fi
fi
