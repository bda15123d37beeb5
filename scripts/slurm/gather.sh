#!/usr/bin/env bash
# Checks that all tasks of an experiment are done and writes tables, comparison, figures and report. If some are missing,
# lists them, says how to run just their shards again, and ends with 1; tables are written only if each of them was tried
# and failed, with its reason. submit.sh runs this as a job; by hand it takes the same arguments.
#
#   scripts/slurm/gather.sh EXPERIMENT --shards N [sbatch options…] [-- options of lacp…]
set -euo pipefail
# shellcheck source=scripts/slurm/arguments.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/arguments.sh"
read_arguments "$@"
[[ -n "$shards" ]] || die "expected --shards with the same number as before"

code=0
missing="$("$lacp" gather "$experiment" --shards "$shards" "${lacp_options[@]}")" || code=$?
if [[ -n "$missing" ]]; then
  rows="$(tail -n +2 <<<"$missing")"
  array="$(cut -d, -f1 <<<"$rows" | sort -nu | paste -sd, -)"
  echo "These tasks are missing:"
  echo "$missing"
  echo "To run their shards again:"
  echo "cd $(quoted "$PWD") && LACP=$(quoted "$lacp" "$here/submit.sh" "$experiment" --shards "$shards" --array="$array" \
    "${sbatch_options[@]}" -- "${lacp_options[@]}")"
  if grep -qvE ',"?failed: ' <<<"$rows"; then exit 1; fi
  echo "All of them failed and may do so again; the tables mark them."
elif [[ $code -ne 0 ]]; then
  exit "$code"
fi

for output in table compare figures; do "$lacp" "$output" "$results/$name"; done
"$lacp" report "$results"
exit "$code"
