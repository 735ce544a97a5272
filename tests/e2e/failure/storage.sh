#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# File systems without locks, files that others replace, and clocks that jump: a correct build or a refusal.
#   storage.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# As NFS without its lock daemon, and FUSE file systems, which may also have no hard links and not store modes.
without_locks() {
    local n how
    ground
    alone
    for how in 'flock:error=ENOLCK' 'flock:error=EOPNOTSUPP -e inject=link:error=EPERM'; do
        rm -rf "$HOSTPIN_CACHE_DIR"
        for n in 1 2 3 4; do
            # shellcheck disable=SC2086 # options
            strace -f --seccomp-bpf -qq -o /dev/null -e trace=flock,link -e inject=$how "$our_nvcc" --dryrun -c x.cu >"$n.out" 2>&1 </dev/null &
        done
        wait
        for n in 1 2 3 4; do grep -q "gnu_version=${older}0" "$n.out" || { cat "$n.out"; fail "call $n, $how"; }; done
        same "drafts: $(find "$HOSTPIN_CACHE_DIR" -name '*.??????' ! -name '*.lock' ! -name '*.toml' -type f | wc -l)" 'drafts: 0'
    done
    compiles_with "$older"
}
# Two processes that bind one directory at once without locks: the result is one of the two decisions, whole.
binds_without_locks() {
    local n
    ground
    need_third
    "$hostpin" bind bound >/dev/null
    for n in 1 2; do
        for host in "g++-$third" "g++-$older"; do
            strace -f --seccomp-bpf -qq -o /dev/null -e trace=flock -e inject=flock:error=ENOLCK "$hostpin" bind --host "$lab/bin/$host" bound \
                >"$host.out" 2>&1 </dev/null &
        done
        wait
        call bound/nvcc --dryrun -c x.cu
        exits 0
        says "gnu_version=($third|$older)0"
        same "$(find bound -mindepth 1 ! -path "bound/cuda/*" -printf '%f\n' | sort | xargs)" 'binding.toml c++ cuda identity nvcc plan toolchain.cmake'
    done
}
# A file that another machine replaced while it was read here: NFS reports a stale handle.
stale_handles() {
    local index call
    ground
    "$our_nvcc" --version >/dev/null
    index=$(find "$HOSTPIN_CACHE_DIR/index" -type f -size +1k)
    for call in openat read newfstatat; do
        call strace -qq -o /dev/null -P "$index" -e "inject=$call:error=ESTALE" "$our_nvcc" --dryrun -c x.cu
        exits 0
        says "gnu_version=${older}0"
    done
    "$hostpin" bind bound >/dev/null
    call strace -qq -o /dev/null -P "$PWD/bound/plan" -e inject=read:error=ESTALE bound/nvcc --dryrun -c x.cu
    refuses 2 "cannot read $PWD/bound/plan: Stale file handle"
    call strace -qq -o /dev/null -P "$bin/g++-$older" -e inject=newfstatat:error=ESTALE bound/nvcc --dryrun -c x.cu
    refuses 2 "depends on $old, which cannot be examined: Stale file handle"
}
# held FILE COMMAND...: runs while another process holds the lock on FILE. Once it waits, $signal is sent to it or, if that is
# empty, the lock is released. The exit code is above 128 if the signal ended it, 124 if nothing did.
held() {
    local holder binder tries=0
    rm -f waits
    exec {gate}<"$1"
    flock -x "$gate"
    setsid --wait strace -f --seccomp-bpf -qq -e trace=flock -e signal=none -o waits timeout 300 "${@:2}" >"$out" 2>"$err" {gate}<&- </dev/null &
    holder=$!
    until grep -q 'flock(.*EAGAIN' waits 2>/dev/null; do
        [ $((tries += 1)) -lt 3000 ] || fail "does not wait for $1"
        sleep 0.1
    done
    binder=$(sed -n 's/ .*EAGAIN.*//p' waits | sed -n 1p)
    if [ -n "${signal:-}" ]; then kill -s "$signal" "$binder"; else flock -u "$gate"; fi
    status=0
    wait "$holder" || status=$?
    exec {gate}<&-
}
lock_waits() {
    ground
    export TMPDIR=$PWD/temporary
    mkdir temporary place
    "$hostpin" bind --host "$host" place/bound >/dev/null
    cp -a place before
    signal=TERM held place/bound "$hostpin" bind place/bound
    [ "$status" -gt 128 ] || { show_call; fail "exit code $status"; }
    diff -r --no-dereference before place
    same "left: $(find temporary -mindepth 1)" 'left: '
    signal='' held place/bound "$hostpin" bind place/bound
    exits 0
    ! cmp -s before/bound/plan place/bound/plan || fail 'not bound anew'
    # an entry of the cache, for which a first call waits
    local index=$PWD/kept/index/x
    mkdir -m 700 kept kept/index
    touch "$index.lock"
    for signal in INT HUP; do
        held "$index.lock" "$hostpin" bind --plan --index "$index"
        [ "$status" -gt 128 ] || { show_call; fail "$signal: exit code $status"; }
    done
    same "kept: $(find kept -type f)" "kept: kept/index/x.lock"
    signal='' held "$index.lock" "$hostpin" bind --plan --index "$index"
    exits 0
    [ -s "$index" ] || fail 'nothing was kept'
}
clocks() {
    ground
    touch -d '2099-01-01' "$bin/g++-$older" "$bin/g++-$newer"
    "$hostpin" bind bound
    call bound/nvcc -c x.cpp -o x.o
    exits 0
    compiles_with "$older"
    # not newer than the binding, but changed anyway
    rm x.o
    compiler "g++-$older" env "$host"
    touch -d '1971-01-01' "$bin/g++-$older"
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 "depends on $old, which has changed"
    compiler "g++-$older" "$host"
    compiles_with "$older"
    touch -d '1960-01-01' "$bin/g++-$older" # before the epoch: a negative time
    compiles_with "$older"
    "$hostpin" bind bound
    rm x.o
    call bound/nvcc -c x.cpp -o x.o
    exits 0
}

need_hostpin
need_command strace
it 'without locks a crowd of first calls succeeds' without_locks
it 'without locks two binds of one directory leave one of the two decisions' binds_without_locks
it 'a file that another machine replaced meanwhile is decided anew, or named' stale_handles
it 'who waits for a lock ends when asked to, leaves nothing, and gets the lock when it is free' lock_waits
it 'clocks that jump neither hide a change nor break a binding' clocks
finish
