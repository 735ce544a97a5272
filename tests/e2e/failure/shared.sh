#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Machines with several users, disks without locks, clocks that jump, and names nobody expects: a right build or a refusal.
#   shared.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- users

# Everything is readable for both; they share a cache as they share /tmp.
two_users() {
    ground
    need_mounts
    cp -r "$prefix" install
    mkdir out
    mkdir -m 1777 cache temporary
    chmod -R a+rX "$work" && chmod 777 out && chmod 1777 cache
    export HOSTPIN_CACHE_DIR=$PWD/cache TMPDIR=$PWD/temporary
    their_nvcc=$PWD/install/libexec/hostpin/nvcc
}
# Whoever may write to a cache could put a program in the place of ours.
one_cache() {
    two_users
    call as_nobody "$their_nvcc" -c x.cu -o out/theirs.o
    exits 0
    made_by out/theirs.o gcc 13
    call "$their_nvcc" -c x.cu -o out/ours.o
    exits 0
    made_by out/ours.o gcc 13
    says '^hostpin: note: the cache directory .* is not used: it belongs to somebody else, or others may write to it'
    same "index: $(find cache -path '*/index/*')" 'index: '
    # one that another user made for themselves
    rm -r cache
    mkdir cache
    chown 65534 cache
    call "$their_nvcc" -c x.cu -o out/again.o
    exits 0
    says 'is not used'
    same "index: $(find cache -path '*/index/*')" 'index: '
}
# A plan in the cache that another user planted: it names a program of theirs as nvcc.
planted_plan() {
    local index
    two_users
    chmod 700 cache
    "$their_nvcc" --version >/dev/null
    index=$(find cache/index -type f -size +1k)
    chown 65534 "$index"
    strace -f -qq -e trace=execve -o trace "$their_nvcc" --version >/dev/null
    grep -q '"bind", "--plan"' trace || fail 'the plan of another user was used'
    same "owner: $(stat -c %u "$index")" 'owner: 0'
    chmod 666 "$index"
    strace -f -qq -e trace=execve -o trace "$their_nvcc" --version >/dev/null
    grep -q '"bind", "--plan"' trace || fail 'a plan that anybody may write was used'
}
writable_binding() {
    two_users
    "$hostpin" bind bound
    call bound/nvcc --version
    exits 0
    for mode in 664 646; do
        chmod "$mode" bound/plan
        call bound/nvcc -c x.cu -o x.o
        refuses 2 "$PWD/bound/plan, which says what is executed, can be written by others" '^hint: .*chmod go-w'
        call bound/c++ --version
        exits 2
    done
    chmod 644 bound/plan
    chown 65534 bound/plan
    call bound/nvcc -c x.cu -o x.o
    refuses 2 'belongs to somebody else'
    chown 65534 bound/nvcc # a toolchain that somebody installed for all
    call bound/nvcc --version
    exits 0
}
# Every file that is made in a directory for all is made by open or mkdir that fail where something is, under six random characters.
unguessable_names() {
    two_users
    rm -rf "$HOSTPIN_CACHE_DIR"
    strace -f -qq -e trace=open,openat,creat,mkdir,mkdirat,link,linkat,symlink -o trace "$hostpin" bind bound >/dev/null
    # nvcc names its own after its process
    grep -E "\"$TMPDIR/[^/\"]*\"" trace | grep -v /tmpxft_ | grep -E 'O_CREAT|mkdir|creat\(|link' | grep -v ' = -1 ' >made
    [ -s made ] || fail 'nothing was made in TMPDIR'
    grep -v 'O_EXCL\|mkdir' made && fail 'made without O_EXCL'
    grep '/hostpin\.' made >ours
    grep -vE "mkdir\(\"$TMPDIR/hostpin\.[A-Za-z0-9]{6}\", 0700\)" ours && fail 'ours, under another name or open to others'
    same "left: $(find "$TMPDIR" -mindepth 1)" 'left: '
}

# ---------------------------------------------------------------------------------------------- storage and clocks

without_locks() {
    local n
    ground
    for n in 1 2 3 4 5 6; do
        strace -f -qq -o /dev/null -e inject=flock:error=ENOLCK "$our_nvcc" --dryrun -c x.cu >"$n.out" 2>&1 </dev/null &
    done
    wait
    for n in 1 2 3 4 5 6; do grep -q 'gnu_version=130' "$n.out" || { cat "$n.out"; fail "call $n"; }; done
    same "drafts: $(find "$HOSTPIN_CACHE_DIR" -name '*.??????' ! -name '*.lock' ! -name '*.toml' -type f | wc -l)" 'drafts: 0'
    compiles_with 13
}
# held FILE COMMAND...: runs while somebody else holds the lock on FILE. Once it waits, $signal is sent to it or, where that is
# empty, the lock is given free. The exit code is above 128 where the signal ended it, 124 where nothing did.
held() {
    local holder binder tries=0
    rm -f waits
    exec {gate}<"$1"
    flock -x "$gate"
    setsid --wait strace -f --seccomp-bpf -qq -e trace=flock -e signal=none -o waits timeout 20 "${@:2}" >"$out" 2>"$err" {gate}<&- </dev/null &
    holder=$!
    until grep -q 'flock(.*EAGAIN' waits 2>/dev/null; do
        [ $((tries += 1)) -lt 200 ] || fail "does not wait for $1"
        sleep 0.1
    done
    binder=$(sed -n 's/ .*EAGAIN.*//p' waits | head -n 1)
    if [ -n "${signal:-}" ]; then kill -s "$signal" "$binder"; else flock -u "$gate"; fi
    status=0
    wait "$holder" || status=$?
    exec {gate}<&-
}
lock_waits() {
    ground
    export TMPDIR=$PWD/temporary
    mkdir temporary place
    "$hostpin" bind --host "$lab/bin/g++-12" place/bound >/dev/null
    cp -a place before
    signal=TERM held place/bound "$hostpin" bind place/bound
    [ "$status" -gt 128 ] || { show_call; fail "exit code $status"; }
    diff -r before place
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
    touch -d '2099-01-01' "$bin/g++-13" "$bin/g++-16"
    "$hostpin" bind bound
    call bound/nvcc -c x.cu -o x.o
    exits 0
    compiles_with 13
    # put back: not newer than the binding, and changed all the same
    rm x.o
    touch -d '1971-01-01' "$bin/g++-13"
    call bound/nvcc -c x.cu -o x.o
    refuses 2 "rests on $bin/g\+\+-13, which has changed"
    compiles_with 13
    touch -d '1960-01-01' "$bin/g++-13" # before the epoch: a negative time
    compiles_with 13
    "$hostpin" bind bound
    rm x.o
    call bound/nvcc -c x.cu -o x.o
    exits 0
}

# ---------------------------------------------------------------------------------------------- names

# shellcheck disable=SC2016 # of which nothing is expanded
hostile_names() {
    local name
    ground
    for name in 'a b' "it's" $'new\nline' $'\xff\xfe' '-dash' '*?[x]' '$(touch made)' '`touch made`' 'a"b' 'a\b' 'a;touch made;' \
        "$(printf 'n%.0s' {1..240})"; do
        mkdir -- "./$name"
        cp x.cu "./$name/source.cu"
        call "$hostpin" bind "./$name/bound"
        exits 0
        rm -f x.o
        call "./$name/bound/c++" -c -x c++ "./$name/source.cu" -D__global__= -o x.o
        exits 0
        made_by x.o gcc 13
        rm -f x.o
        call "./$name/bound/nvcc" -c x.cu -o x.o
        case $status in
        0) made_by x.o gcc 13 ;;
        *) refuses 2 'hands that path to a shell unescaped' '^hint: ' ;;
        esac
        absent made
    done
}

need_hostpin
need_command strace setpriv
it 'a cache that others may write to is not used, and the build is right' one_cache
it 'a plan in the cache that another user owns or may write is not used' planted_plan
it 'a binding whose plan others own or may write is refused' writable_binding
it 'no name in a shared directory can be guessed' unguessable_names
it 'without locks a crowd of first calls succeeds' without_locks
it 'who waits for a lock ends when asked to, leaves nothing, and gets the lock when it is free' lock_waits
it 'clocks that jump neither hide a change nor break a binding' clocks
it 'hostile names of directories' hostile_names
finish
