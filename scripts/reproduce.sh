#!/usr/bin/env bash
# Computes every cell of the protocols again and compares it with the one in results/, tries again what failed there and compares
# the reason, does what is missing, and writes every table, figure and the report. What comes out otherwise is named, and stays
# as it came. The program is build/lacp, or what LACP names.
# usage: scripts/reproduce.sh [--all] [--strict] [other options of lacp run, e.g. --jobs 4]
#   --all     also full, the paper's experiment on all points
#   --strict  fail if a data set was left out or a task failed; otherwise the report says so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
lacp="${LACP:-build/lacp}"

protocols=(release paper) strict=false options=() jobs=()
while (($#)); do
  case "$1" in
    --all) protocols+=(full) ;;
    --strict) strict=true options+=("$1") ;;
    --jobs) jobs=("$1" "${2:-}") options+=("${jobs[@]}") && shift ;;
    *) options+=("$1") ;;
  esac
  shift
done

# First what is there, so that nothing is computed twice; then what is missing or was made with other settings.
different=() failed=()
for protocol in "${protocols[@]}"; do
  if [[ -d results/$protocol/cells ]]; then
    status=0
    "$lacp" verify "results/$protocol" --allow-missing "${jobs[@]}" || status=$?
    if ((status == 1)); then different+=("$protocol"); fi   # 2: it says what could not be compared
  fi
done
for protocol in "${protocols[@]}"; do
  status=0
  "$lacp" run "experiments/$protocol.yaml" "${options[@]}" || status=$?
  if ((status > 1)); then exit "$status"; fi
  if ((status == 1)); then failed+=("$protocol"); fi   # recorded; the other tasks are done
done
"$lacp" report results

status=0
if ((${#failed[@]})); then
  echo "Some tasks failed; the tables mark them and lacp status says why: ${failed[*]}"
  if $strict; then status=1; fi
fi
if ((${#different[@]})); then
  echo "Cells, failures or tables came out with other bytes than results/ has: ${different[*]}"
  status=1
fi
missing="$(for protocol in "${protocols[@]}"; do "$lacp" status "experiments/$protocol.yaml" --csv | sed -n 's/,missing,.*//p'; done | sort -u | xargs)"
if [[ $missing ]]; then
  echo "Left out, since their files are missing: $missing"
  echo "To get them: $lacp datasets fetch $missing; without a network --mirror FOLDER names files that were downloaded elsewhere."
fi
exit $status
