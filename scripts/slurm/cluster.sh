# A Slurm cluster of two nodes, n1 and n2, on this machine, for test_cluster.sh, which sources this file. Everything of it
# (settings, key, state, logs) lies in one folder, on ports of its own and with a munge daemon of its own: it needs no
# systemd and no root, and a Slurm that is set up on the machine is left alone. Every daemon is a child of this shell.
# shellcheck shell=bash

cluster_programs=(munged slurmctld slurmd sbatch squeue scontrol scancel)
cluster_pids=()

# Names of those that are not installed. Debian keeps the daemons in sbin.
cluster_lacks() {
  local program
  for program in "${cluster_programs[@]}"; do command -v "$program" >/dev/null || echo "$program"; done
}

# Process ids of a Slurm that runs here already.
slurm_daemons() { { grep -lxE 'slurmctld|slurmd' /proc/[0-9]*/comm 2>/dev/null || true; } | cut -d/ -f3 | xargs; }

port_in_use() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# The first of three ports that are free together.
free_ports() {
  local port
  while :; do
    port=$((17000 + RANDOM % 10000))
    if ! port_in_use $port && ! port_in_use $((port + 1)) && ! port_in_use $((port + 2)); then echo $port; return; fi
  done
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
