# What submit.sh and gather.sh have in common: their command line. Sourced.
# shellcheck shell=bash disable=SC2034

here="$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"
lacp="${LACP:-$here/../../build/lacp}"

die() { echo "${0##*/}: $*" >&2; exit 2; }

# EXPERIMENT [--shards N] [sbatch options…] [-- options of lacp…]
read_arguments() {
  experiment="" shards="" array="" wait=()
  sbatch_options=() lacp_options=()
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --) shift; lacp_options=("$@"); break ;;
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
