#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# icecc distributes only the host half: a scheduler and two daemons, with the archive of hostpin bind --pack as the environment
# of the daemon that compiles. A daemon that dies meanwhile loses nothing.
#   icecc.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# Runs again in separate namespaces: its daemons reach no others, and end with this shell.
if [ "${1:-}" != inside ]; then
    need_hostpin
    need_cuda 12.4
    need_lab bin/g++-12 bin/g++-14 icecc/usr/bin/icecc
    need_command ip unshare
    need_mounts
    set +e
    HOSTPIN_PASSED=$passed_file unshare --net --mount --pid --fork --kill-child --mount-proc "$0" inside "$@"
    exit
fi
only=${2:-}
export PATH=$lab/icecc/usr/bin:$lab/icecc/usr/sbin:$plain_path:/usr/sbin:/sbin
driver=$(realpath -s "$(readlink "$lab/bin/g++-12")")

# icecc's own support for several daemons on one machine. They accept no work on a busy machine, as it is while other tests run,
# so the file that they read the load from is replaced by an idle machine's.
start_daemons() {
    local daemons=$work/icecc
    mkdir -p "$daemons"/{near,far}
    cd "$daemons"
    chmod 755 "$work" # they run as nobody
    chown nobody . near far
    {
        echo 'cpu  1000 0 1000 900000000 0 0 0 0 0 0'
        grep -v '^cpu ' /proc/stat
    } >stat
    echo '0.00 0.00 0.00 1/100 100' >loadavg
    mount --bind stat /proc/stat
    mount --bind loadavg /proc/loadavg
    ip link set lo up
    export ICECC_TESTS=1 ICECC_TEST_SCHEDULER_PORTS=28765:28775
    icecc-scheduler -u nobody -p 28765 -l "$PWD/scheduler.log" -n hostpin -vvv &
    ICECC_TEST_SOCKET=$PWD/near.socket iceccd -n hostpin --no-remote -m 1 -s localhost:28765 -b "$PWD/near" \
        -l "$PWD/near.log" -N near -p 28766 -u nobody -vvv &
    ICECC_TEST_SOCKET=$PWD/far.socket iceccd -n hostpin -m 2 -s localhost:28765 -b "$PWD/far" \
        -l "$PWD/far.log" -N far -p 28767 -u nobody -vvv &
    echo $! >far.process
    disown -a
    for _ in $(seq 1000); do
        if grep -qs 'login far' scheduler.log && grep -qs 'login near' scheduler.log; then return; fi
        sleep 0.1
    done
    fail 'no daemons'
}
environment=$work/toolchain.tar.zst
through_icecc() {
    ICECC_TESTS=1 ICECC_TEST_SOCKET=$work/icecc/near.socket ICECC_TEST_REMOTEBUILD=1 ICECC_PREFERRED_HOST=far \
        ICECC_VERSION=$environment timeout 600 "$@"
}
compiled_far() { grep -c 'BEGIN: .*server=far' "$work/icecc/scheduler.log" || true; }

spreads_the_host_half() {
    echo 'int f(int x) { return x + 1; }' >x.cu
    call through_icecc "$work/spread/nvcc" -arch=compute_75 -c x.cu
    exits 0
    same "$(compiled_far)" 1
    made_by x.o gcc 12
    "$work/packed/nvcc" -arch=compute_75 -c x.cu -o local.o
    same "$(objdump -d x.o | sed 1,3d)" "$(objdump -d local.o | sed 1,3d)"
}
links_here() {
    echo 'int main() {}' >y.cpp
    call through_icecc "$work/spread/c++" y.cpp -o y
    exits 0
    ./y
}
leaves_errors_alone() {
    echo 'int broken() { return nothing; }' >broken.cpp
    call through_icecc "$work/spread/c++" -c broken.cpp
    exits 1
    says "nothing.*was not declared"
}
survives_a_daemon() {
    local far
    far=$(<"$work/icecc/far.process")
    echo 'int g(int x) { return x + 2; }' >z.cpp
    # it accepts the call and never answers
    kill -STOP "$far"
    through_icecc "$work/spread/c++" -O2 -c z.cpp &
    sleep 2
    kill -KILL "$far"
    wait $!
    made_by z.o gcc 12
}

"$hostpin" bind --toolkit "$(cuda 12.4)" --stdenv "$lab/bin/g++-14" --host "$driver" "$work/packed" --pack "$environment" >"$work/bind.log" 2>&1 ||
    { cat "$work/bind.log" && fail 'nothing was packed'; }
"$hostpin" bind --toolkit "$(cuda 12.4)" --stdenv "$lab/bin/g++-14" --host "$(command -v icecc) $driver" "$work/spread" >"$work/bind.log" 2>&1 ||
    { cat "$work/bind.log" && fail 'nothing was bound'; }
(start_daemons) >"$work/daemons.log" 2>&1 || { cat "$work/daemons.log" && fail 'no daemons'; }
it 'the host half is compiled on another machine, with the packed compiler' spreads_the_host_half
it 'links stay here' links_here
it "a compiler's own failure is its own" leaves_errors_alone
it 'a daemon that dies in the middle loses nothing' survives_a_daemon
finish
