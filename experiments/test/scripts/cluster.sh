#!/usr/bin/env bash
# Runs smoke.yaml through submit.sh on a Slurm of two nodes that it starts on this machine, kills a worker, reruns what the
# gathering job says, and compares all outputs byte for byte with those of a run on one machine.
#
#   cluster.sh [LACP]        exit code 77: Slurm is not installed, or one is running here
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
PATH="$PATH:/usr/sbin:/sbin"  # where Debian keeps the daemons
LACP="$(readlink -f "${1:-build/lacp}")"
export LACP LACP_DATASETS="$PWD/datasets"
experiment=experiments/smoke.yaml shards=3
for variable in "${!SLURM@}" "${!SBATCH_@}"; do unset "$variable"; done

# ---- The cluster: nodes n1 and n2. Everything of it (settings, key, state, logs) lies in one folder, on ports of its own and
# with a munge daemon of its own: it needs no systemd and no root, and a Slurm that is set up on the machine is left alone.
# Every daemon is a child of this shell.

cluster_pids=()
port_in_use() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The first of three ports that are free together.
free_ports() {
  local port=$((17000 + RANDOM % 10000))
  while port_in_use $port || port_in_use $((port + 1)) || port_in_use $((port + 2)); do port=$((17000 + RANDOM % 10000)); done
  echo $port
}

write_cluster_settings() {
  local folder="$1" port host
  port="$(free_ports)" host="$(uname -n)" host="${host%%.*}"
  cat >"$folder/slurm.conf" <<SETTINGS
ClusterName=lacptest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MailProg=/bin/true
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 2))] CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
SETTINGS
  # Since 23.02 slurmd wants control groups unless told otherwise; earlier ones do not know the word.
  if [[ "$(slurmd -V)" =~ \ ([0-9]+)\. && ${BASH_REMATCH[1]} -ge 23 ]]; then
    echo "CgroupPlugin=disabled" >"$folder/cgroup.conf"
  fi
  (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
  mkdir -p "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
}

# Starts the cluster in an empty folder that all may enter, and waits until both nodes are idle. Exports SLURM_CONF.
start_cluster() {
  local folder="$1"
  export SLURM_CONF="$folder/slurm.conf"
  write_cluster_settings "$folder"
  munged --foreground --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
    --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" >"$folder/munged.out" 2>&1 &
  cluster_pids+=($!)
  wait_until 30 test -S "$folder/munge.socket" || return 1
  slurmctld -D >"$folder/slurmctld.out" 2>&1 &
  cluster_pids+=($!)
  local node
  for node in n1 n2; do
    slurmd -D -N $node >"$folder/slurmd.$node.out" 2>&1 &
    cluster_pids+=($!)
  done
  wait_until 60 both_idle
}

both_idle() { [[ "$(sinfo --noheader --format=%T%D 2>/dev/null)" == idle2 ]]; }

# wait_until SECONDS COMMAND...: false if the command never succeeds.
wait_until() {
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    if [[ $SECONDS -ge $end ]]; then return 1; fi
    sleep 0.05
  done
}

# Processes of this cluster: those with its settings in their environment (jobs) or with one of its files open (daemons and
# their helpers). The environments are read by this shell alone, since every program that it starts has them too.
cluster_processes() {
  local file variable
  for file in /proc/[0-9]*/environ; do
    while IFS= read -r -d '' variable; do
      if [[ "$variable" == "SLURM_CONF=$SLURM_CONF" ]]; then
        file="${file#/proc/}"
        echo "${file%/environ}"
        break
      fi
    done 2>/dev/null <"$file" || true
  done
  find /proc/[0-9]*/fd -maxdepth 1 -lname "${SLURM_CONF%/*}/*" 2>/dev/null | cut -d/ -f3 | uniq || true
}

no_processes() { [[ -z "$(cluster_processes)" ]]; }
no_jobs() { [[ -z "$(squeue --noheader 2>/dev/null)" ]]; }

# Ends the jobs, then the daemons, each by its process id, then whatever of the cluster is still there.
stop_cluster() {
  local pid i
  if [[ ${#cluster_pids[@]} -eq 0 ]]; then return 0; fi  # in a trap, a bare return is not a success
  for pid in $(squeue --noheader --format=%A 2>/dev/null | sort -u); do scancel "$pid" 2>/dev/null || true; done
  wait_until 15 no_jobs || true
  for ((i = ${#cluster_pids[@]} - 1; i >= 0; --i)); do
    kill "${cluster_pids[i]}" 2>/dev/null || true
    wait "${cluster_pids[i]}" 2>/dev/null || true
  done
  cluster_pids=()
  wait_until 5 no_processes || true
  for pid in $(cluster_processes); do kill -KILL "$pid" 2>/dev/null || true; done
}

# ---- The test

skip() { echo "SKIPPED: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }

lacking="$(for program in munged slurmctld slurmd sbatch squeue scontrol scancel; do
  command -v "$program" >/dev/null || echo "$program"; done | xargs)"
[[ -z "$lacking" ]] || skip "not installed: $lacking (Debian: apt-get install slurmctld slurmd slurm-client munge)"
grep -qs ' /sys/fs/cgroup' /proc/mounts || skip "slurmd needs /sys/fs/cgroup, which is not mounted here (a bare chroot?)"
running="$({ grep -lxE 'slurmctld|slurmd' /proc/[0-9]*/comm 2>/dev/null || true; } | cut -d/ -f3 | xargs)"
[[ -z "$running" ]] || skip "a Slurm is running on this machine already (process $running), and is left alone"

scratch="$(mktemp -d)"
chmod 755 "$scratch"  # munged insists that its socket can be reached
clean_up() {
  local code=$?
  trap - EXIT
  set +e
  stop_cluster
  if [[ $code -ne 0 ]]; then
    tail -n 20 "$scratch"/cluster/*.{log,out} "$scratch"/shared/smoke/logs/*.log >&2 2>/dev/null || true
  fi
  rm -rf "$scratch"
  exit $code
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Of one job, or of one task of an array: COMPLETED, FAILED, …
state_of() { scontrol --oneliner show job "$1" | grep -o 'JobState=[A-Z_]*' | cut -d= -f2; }
finished() { [[ "$(state_of "$1")" =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }
await() { wait_until 400 finished "$1" || fail "job $1 did not end: $(scontrol --oneliner show job "$1")"; }
submitted() { array_job="$(sed -n 's/.*array job \([0-9]*\).*/\1/p' <<<"$1")" gather_job="$(sed -n 's/.*by job \([0-9]*\).*/\1/p' <<<"$1")"; }

echo "== a run on one machine, to compare with"
single="$scratch/single" shared="$scratch/shared"
"$LACP" run $experiment --results "$single"
for output in table compare figures; do "$LACP" $output "$single/smoke" >/dev/null; done
"$LACP" report "$single" >/dev/null

echo "== two nodes"
mkdir "$scratch/cluster"
start_cluster "$scratch/cluster" || fail "the cluster did not start"
sinfo

# The process of one array task: the program that the job's script turned into.
worker() {
  local pid
  for pid in $(cluster_processes); do
    if grep -qzx "SLURM_ARRAY_TASK_ID=$1" "/proc/$pid/environ" && [[ "$(readlink "/proc/$pid/exe")" == "$LACP" ]]; then
      echo "$pid"
    fi
  done
}

echo "== an array of $shards shards, one worker killed"
plan="$("$LACP" run $experiment --shard 1/$shards --results "$shared" --dry-run)"
read -r dataset run method <<<"$plan"
output="$(scripts/slurm/submit.sh $experiment --shards $shards --time=10 -- --results "$shared")"
echo "$output"
submitted "$output"
logs="$shared/smoke/logs"
first_task_done() { grep -qs "^$run,$method," "$shared"/smoke/cells/"$dataset".*.csv; }
wait_until 120 first_task_done || fail "the first task of shard 1 was not done"
kill -KILL "$(worker 1)" || fail "shard 1 was over before it could be killed"
await "$gather_job"
cat "$logs/gather.$gather_job.log"
[[ "$(state_of "${array_job}_1")" == FAILED ]] || fail "shard 1 was killed and is $(state_of "${array_job}_1")"
for shard in 2 3; do
  [[ "$(state_of "${array_job}_$shard")" == COMPLETED ]] || fail "shard $shard: $(state_of "${array_job}_$shard")"
done
[[ "$(state_of "$gather_job")" == FAILED ]] || fail "the gathering job did not notice that tasks are missing"
[[ ! -e "$shared/smoke/table.csv" ]] || fail "a table was made of a part of the tasks"
for node in n1 n2; do grep -q " on $node$" "$logs"/shard-*.log || fail "node $node did nothing"; done
missing="$(grep -cE '^[0-9]+,' "$logs/gather.$gather_job.log" || true)"
in_shard_1="$(grep -cE '^1,' "$logs/gather.$gather_job.log" || true)"
[[ $missing -gt 0 && $in_shard_1 -eq $missing ]] || fail "$missing tasks are said to be missing, $in_shard_1 of shard 1"
[[ $missing -lt $(($(wc -l <<<"$plan") - 1)) ]] || fail "the worker was killed after a task was done, which was lost"

echo "== the command that the gathering job printed"
again="$(grep '^cd ' "$logs/gather.$gather_job.log")"  # no other line starts like that
[[ "$again" == *"--array=1 "* ]] || fail "not a command for shard 1 alone: $again"
output="$(bash -c "$again")"
echo "$output"
submitted "$output"
await "$gather_job"
cat "$logs/gather.$gather_job.log"
[[ "$(state_of "$gather_job")" == COMPLETED ]] || fail "the gathering job failed"
logs_of_array=("$logs"/shard-*."$array_job".log)
[[ "${#logs_of_array[@]} ${logs_of_array[0]}" == "1 $logs/shard-1.$array_job.log" ]] || fail "more than one shard was run again"

echo "== byte for byte"
numbers() { (cd "$1" && for file in *.csv; do echo "$file" && cut -d, -f 1-10 "$file"; done); } # without commit and seconds
diff <(numbers "$single/smoke/cells") <(numbers "$shared/smoke/cells") || fail "cells differ"
[[ -z "$(find "$shared/smoke/cells" -name "*.*.csv")" ]] || fail "what tasks left was not gathered"
for output in intervals figures table.csv table.tex comparison.csv comparison.tex README.md; do
  # A pdf holds the time at which it was drawn; the svg beside it does not.
  diff -r --exclude='*.pdf' "$single/smoke/$output" "$shared/smoke/$output" || fail "$output differs"
done
diff "$single/README.md" "$shared/README.md" || fail "the report differs"
"$LACP" status "$shared/smoke" | head -n 1

stop_cluster
left="$(cluster_processes)"
[[ -z "$left" ]] || fail "processes are left: ${left//$'\n'/ }"
echo "the same bytes from $shards shards on two nodes as from one machine"
