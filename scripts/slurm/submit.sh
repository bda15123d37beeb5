#!/usr/bin/env bash
# Runs an experiment on a Slurm cluster: an array with one task per shard, then a job that gathers.
#
#   scripts/slurm/submit.sh EXPERIMENT [--shards N] [sbatch options…] [-- options of lacp…]
#   scripts/slurm/submit.sh experiments/full.yaml --shards 64 --partition=short --time=4:00:00 -- --runs 1000
#
# The options of lacp are those that choose tasks: --runs, --datasets, --methods, --set, --results, --name,
# --datasets-folder.
# --array=3,7 with the same --shards as before runs just these shards again; --wait waits for the end. The program is
# build/lacp, or what LACP names. Results, and one log per task, are in results/<experiment>, which all nodes must see.
#
# With --gather, and otherwise the same arguments, it does here what the gathering job does: checks that all tasks are done
# and writes tables, comparison, figures and report. If some are missing, lists them, says how to run just their shards
# again, and ends with 1; tables are written only if each of them was tried and failed, with its reason.
set -euo pipefail
here="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
lacp="${LACP:-$here/../../build/lacp}"

die() { echo "${0##*/}: $*" >&2; exit 2; }

# EXPERIMENT [--shards N] [sbatch options…] [-- options of lacp…]
read_arguments() {
  experiment="" shards="" array="" gather=false wait=()
  sbatch_options=() lacp_options=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --) shift; lacp_options=("$@"); break ;;
      --gather) gather=true ;;
      --shards) shards="${2:-}"; shift ;;
      --shards=*) shards="${1#*=}" ;;
      -a | --array) array="${2:-}"; shift ;;
      --array=*) array="${1#*=}" ;;
      -W | --wait) wait=(--wait) ;;
      *) if [[ -z "$experiment" ]]; then experiment="$1"; else sbatch_options+=("$1"); fi ;;
    esac
    shift
  done
  [[ "$experiment" == *.yaml ]] ||
    die "expected an experiment, e.g. ${0##*/} experiments/paper.yaml --shards 16 --time=2:00:00; found '$experiment'"
  [[ -r "$experiment" ]] || die "$experiment: cannot be read"
  [[ "$shards" =~ ^([1-9][0-9]*)?$ ]] || die "--shards $shards: expected a number from 1"
  [[ -x "$lacp" ]] || die "$lacp: not found; run make first, or set LACP to the program"
  lacp="$(readlink -f "$lacp")"
  name="$(lacp_option --name "$(basename "$experiment" .yaml)")"
  results="$(lacp_option --results results)"
}

# Value of an option among those for lacp: lacp_option NAME DEFAULT
lacp_option() {
  local i value="$2"
  for i in "${!lacp_options[@]}"; do
    case "${lacp_options[i]}" in
      "$1") value="${lacp_options[i + 1]:-}" ;;
      "$1="*) value="${lacp_options[i]#*=}" ;;
    esac
  done
  echo "$value"
}

# Words that a shell reads back as they are.
quoted() { local words; printf -v words '%q ' "$@"; echo "${words% }"; }

gather() {
  local code=0 missing rows array output
  [[ -n "$shards" ]] || die "expected --shards with the same number as before"

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
}

read_arguments "$@"
if $gather; then gather; fi
command -v sbatch >/dev/null || die "there is no sbatch on PATH; this needs a machine from which Slurm jobs are submitted"
[[ -z "$array" || -n "$shards" ]] || die "--array repeats some shards, so it needs --shards with the same number as before"

# Before the array, and once: are the arguments right, and are the data sets there?
status="$("$lacp" status --csv "$experiment" "${lacp_options[@]}")" || exit 2
mapfile -t absent < <(awk -F, '$2 == "missing" { print $1 }' <<<"$status")
if [[ ${#absent[@]} -gt 0 ]]; then
  datasets_folder="$(lacp_option --datasets-folder "")"
  "$lacp" datasets ${datasets_folder:+--datasets-folder "$datasets_folder"} fetch "${absent[@]}" ||
    die "not all data sets could be fetched; get them first, or choose others with -- --datasets"
fi
tasks="$(awk -F, 'NR > 1 { n += $3 } END { print n }' <<<"$status")"
default_shards=32
shards="${shards:-$((tasks < default_shards ? tasks : default_shards))}"
logs="$results/$name/logs"
mkdir -p "$logs"

# Slurm runs a copy of a job's script, so the script only starts what lies here. `exec`: Slurm's signals reach lacp itself.
array_job="$(sbatch --parsable --job-name="lacp-$name" --cpus-per-task=1 --output="$logs/shard-%a.%A.log" \
  "${sbatch_options[@]}" --array="${array:-1-$shards}" <<JOB
#!/usr/bin/env bash
echo "shard \$SLURM_ARRAY_TASK_ID/$shards on \$SLURMD_NODENAME"
exec $(quoted "$lacp" run "$experiment" "${lacp_options[@]}") --shard "\$SLURM_ARRAY_TASK_ID/$shards"
JOB
)"
array_job="${array_job%%;*}"  # a federation adds the cluster's name
echo "$name: $tasks task$([[ $tasks -eq 1 ]] || echo s) in $shards shard$([[ $shards -eq 1 ]] || echo s); array job $array_job (${array:-1-$shards}), logs in $logs"

# afterany: where a shard failed, the gathering job says what is missing.
status=0
gather_job="$(sbatch --parsable --job-name="lacp-$name-gather" --output="$logs/gather.%j.log" "${sbatch_options[@]}" \
  --cpus-per-task=1 --dependency="afterany:$array_job" "${wait[@]}" <<JOB
#!/usr/bin/env bash
export LACP=$(quoted "$lacp")
exec $(quoted "$here/submit.sh" "$experiment" --gather --shards "$shards" "${sbatch_options[@]}" -- "${lacp_options[@]}")
JOB
)" || status=$?
gather_job="${gather_job%%;*}"
[[ -n "$gather_job" ]] || die "the gathering job could not be submitted; once the array is done: $(
  quoted "$here/submit.sh" "$experiment" --gather --shards "$shards" -- "${lacp_options[@]}")"
echo "$name: gathered by job $gather_job, log $logs/gather.$gather_job.log"
exit "$status"
