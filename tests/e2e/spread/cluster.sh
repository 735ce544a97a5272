# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced after e2e/lib.sh: a Slurm cluster of a controller and two nodes, each with its own network and processes. The caller
# already runs in namespaces of its own (in_own_machine), so that everything ends with that shell.

# in_own_machine INSIDE SCRIPT ARGUMENT...: runs the script again in new namespaces, with INSIDE first; ends with its code.
in_own_machine() {
    need_command slurmctld slurmd srun salloc munged ip nsenter unshare cmake ninja
    need_mounts
    local inside=$1 script=$2
    shift 2
    set +e
    HOSTPIN_PASSED=${passed_file:-} unshare --net --mount --pid --fork --kill-child --mount-proc "$script" "$inside" "$@"
    exit
}
export SLURM_CONF=${work:?}/slurm/slurm.conf
export PATH=$PATH:/usr/sbin:/sbin
host=$(hostname -s)

start_node() { # NAME
    # Each has its own name: if all had this machine's NodeHostname, the controller would search for srun on the first of them.
    # shellcheck disable=SC2016 # the node's shell
    nsenter --net="/run/netns/$1" unshare --uts --mount --pid --fork --kill-child --mount-proc \
        sh -c 'hostname "$1" && exec slurmd -D -N "$1"' sh "$1" >"$work/slurm/$1.out" 2>&1 &
    echo $! >"$work/slurm/$1.process"
    disown
}
# Kills everything that runs there at once, without a message, as in a power failure. The controller notices after about 25
# s.
lose_node() {
    ip link set "$1" down
    kill -KILL "$(<"$work/slurm/$1.process")"
}
return_node() {
    ip link set "$1" up
    start_node "$1"
}
until_true() { # SECONDS COMMAND...
    local left=$(($1 * 10))
    shift
    until "$@"; do
        if [ $((left -= 1)) -lt 0 ]; then
            tail -n 20 "$work"/slurm/*.log "$work"/slurm/*.out
            fail "never true: $*"
        fi
        sleep 0.1
    done
}
node_is() { [[ $(sinfo --noheader --nodes "$1" --format %T 2>/dev/null) == "$2" ]]; }
start_cluster() {
    local node address=10
    mkdir -p "$work/slurm/state"
    cd "$work/slurm" || exit
    mount -t tmpfs none /run # ip stores names there
    # the controller reports a lost node to srun by the name of this machine, which has another address here
    printf '127.0.0.1 localhost\n10.213.0.1 %s\n' "$host" >hosts
    mount --bind hosts /etc/hosts
    ip link set lo up
    ip link add cluster type bridge
    ip address add 10.213.0.1/24 dev cluster
    ip link set cluster up
    for node in n1 n2; do
        ip netns add $node
        ip link add $node type veth peer name eth0 netns $node
        ip link set $node master cluster up
        ip -n $node address add 10.213.0.$((address += 1))/24 dev eth0
        ip -n $node link set lo up
        ip -n $node link set eth0 up
    done
    head -c 1024 /dev/urandom >munge.key
    chmod 600 munge.key
    munged --force --key-file="$PWD/munge.key" --socket="$PWD/munge.socket" --pid-file="$PWD/munged.pid" \
        --log-file="$PWD/munged.log" --seed-file="$PWD/munged.seed" >munged.out 2>&1
    # As sites have it: the nodes' processes have the same numbers here, by which nvcc names its temporary files.
    cat >prolog <<PROLOG
#!/bin/sh
mkdir -p "$PWD/temporary-\$SLURMD_NODENAME"
echo "export TMPDIR=$PWD/temporary-\$SLURMD_NODENAME"
PROLOG
    chmod +x prolog
    cat >slurm.conf <<CONF
ClusterName=hostpin
SlurmctldHost=$host(10.213.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket,cred_expire=5
SchedulerParameters=sched_interval=1,builtin_interval=1
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool-%n
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd-%n.pid
SlurmctldLogFile=$PWD/slurmctld.log
SlurmdLogFile=$PWD/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
TaskProlog=$PWD/prolog
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
SlurmdTimeout=5
SlurmdParameters=config_overrides
NodeName=n1 NodeAddr=10.213.0.11 Port=6821 CPUs=1
NodeName=n2 NodeAddr=10.213.0.12 Port=6822 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
    slurmctld -D -c >slurmctld.out 2>&1 &
    echo $! >slurmctld.process
    disown
    for node in n1 n2; do start_node $node; done
    for node in n1 n2; do until_true 300 node_is $node idle; done
}
stop_cluster() {
    local process
    for process in "$work"/slurm/*.process; do kill -KILL "$(<"$process")" || true; done
    kill "$(<"$work/slurm/munged.pid")"
    sleep 0.2
}
# in_time SECONDS COMMAND...: ends a command that hangs, and prints the state of the cluster.
in_time() {
    local code=0
    timeout --kill-after=1 "$@" || code=$? # salloc survives the plain signal while its command waits
    if [ "$code" -ge 124 ]; then tail -n 8 "$work"/slurm/slurm*.log >&2; fi
    return "$code"
}
allocated() { in_time 300 salloc --quiet --no-kill --nodes=2 --exclusive "$@"; }
allocated_until_a_loss() { in_time 300 salloc --quiet --exclusive "$@"; }
