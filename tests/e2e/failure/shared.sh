#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Machines with several users, disks without locks, clocks that jump, and names nobody expects: a right build or a refusal.
#   shared.sh [WORDS]   only the cases whose sentence contains WORDS
full=${HOSTPIN_FULL:-0} # the next line forgets it
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
# Directories in our cache that another user made, when it was theirs or open to all: whoever owns one exchanges what is in it.
planted_directories() {
    local how each
    two_users
    for how in 'chown 65534 index' 'chmod 770 index' 'chown 65534 bindings' 'chmod 707 bindings'; do
        each=${how##* }
        rm -rf cache
        mkdir -m 700 cache "cache/$each"
        (cd cache && $how)
        call "$their_nvcc" --dryrun -c x.cu
        exits 0
        says 'gnu_version=130' "^hostpin: note: .*cache/$each .*belongs to somebody else, or others may write to it"
        same "kept: $(find "cache/$each" -mindepth 1)" 'kept: '
    done
}
# A link that another user placed in a directory for all, where the cache is to be.
planted_link() {
    two_users
    mkdir theirs
    chown 65534 theirs
    rm -rf cache
    ln -s theirs cache
    chown -h 65534 cache
    call "$their_nvcc" --dryrun -c x.cu
    exits 0
    says 'gnu_version=130' 'cache .*belongs to somebody else'
    same "kept: $(find theirs -mindepth 1)" 'kept: '
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
# An empty directory that another user left where ours is to be, or made free to all.
foreign_directory() {
    local how
    ground
    need_mounts
    for how in 'chown 65534' 'chmod 777' 'chmod 707'; do
        rm -rf bound
        mkdir -m 755 bound
        $how bound
        call "$hostpin" bind bound
        exits 2
        says "^hostpin: error: $PWD/bound .*, who could exchange what is bound there; nothing was written" '^hint: '
        same "$(ls bound)" ''
    done
    rm -rf bound
    mkdir -m 775 bound # as a umask of 002 makes them
    call "$hostpin" bind bound
    exits 0
    chown 65534 bound
    cp -a bound before
    call "$hostpin" bind --refresh bound
    exits 2
    diff -r before bound
}
# Every file that is made in a directory for all is made by open or mkdir that fail where something is, under six random characters.
unguessable_names() {
    two_users
    rm -rf "$HOSTPIN_CACHE_DIR"
    export HOSTPIN_CACHE_DIR=$PWD/own
    makes_unguessable "$hostpin" bind bound
    # lto-check asks linkers, stdlib-probe has the compiler compile
    echo 'int main() { throw 1; }' >main.cpp
    "$lab/bin/g++-13" -flto -c main.cpp
    makes_unguessable "$hostpin" lto-check -- "$lab/bin/g++-13" -flto main.o -o program
    makes_unguessable "$hostpin" stdlib-probe why main.cpp --max GLIBCXX_3.4.20 -- "$lab/bin/g++-13" -c main.cpp
    if [ "$full" = 1 ]; then makes_unguessable "$hostpin" doctor --verify; fi
    # what is mended is in a directory that a group shares
    mkdir -m 1777 tree
    printf 'libdir=%s\nLibs: -L%s -lx\n' "$PWD/gone" "$PWD/gone" >tree/x.pc
    TMPDIR=$PWD/tree makes_unguessable "$hostpin" leak-check --no-binding --fix --forbid "$PWD/gone" tree
}
# makes_unguessable COMMAND...: leaves nothing there either.
makes_unguessable() {
    local before
    before=$(find "$TMPDIR" -mindepth 1)
    strace -f -qq -e trace=open,openat,creat,mkdir,mkdirat,link,linkat,symlink,symlinkat,rename,renameat,renameat2 -o trace "$@" \
        >"$out" 2>"$err" || [ $? -eq 1 ] || { show_call && fail "$*"; }
    # nvcc and GCC's drivers name their own
    grep -E "\"($TMPDIR/)?[^/\"]*\"" trace | grep -E 'O_CREAT|mkdir|creat\(|link' | grep -E "$TMPDIR/|openat\([0-9]" |
        grep -vE '/(tmpxft_|cc[A-Za-z0-9]{6})| = -1 ' >made || true
    ! grep -vE 'O_EXCL|mkdir|linkat' made || fail "made without O_EXCL by $*"
    grep 'hostpin' made >ours || true
    ! grep -vE "mkdir\(\"$TMPDIR/hostpin\.[A-Za-z0-9]{6}\", 0700\)|linkat\(.*\.hostpin[-.][A-Za-z0-9]+\"" ours || fail "ours, under another name or open to others, by $*"
    wc -l made ours
    same "left: $(find "$TMPDIR" -mindepth 1)" "left: $before"
}

# ---------------------------------------------------------------------------------------------- storage and clocks

# As NFS without its lock daemon, and file systems of the user's own, which may have no hard links and keep no modes either.
without_locks() {
    local n how
    ground
    for how in 'flock:error=ENOLCK' 'flock:error=EOPNOTSUPP -e inject=link:error=EPERM'; do
        rm -rf "$HOSTPIN_CACHE_DIR"
        for n in 1 2 3 4 5 6; do
            # shellcheck disable=SC2086 # options
            strace -f --seccomp-bpf -qq -o /dev/null -e inject=$how "$our_nvcc" --dryrun -c x.cu >"$n.out" 2>&1 </dev/null &
        done
        wait
        for n in 1 2 3 4 5 6; do grep -q 'gnu_version=130' "$n.out" || { cat "$n.out"; fail "call $n, $how"; }; done
        same "drafts: $(find "$HOSTPIN_CACHE_DIR" -name '*.??????' ! -name '*.lock' ! -name '*.toml' -type f | wc -l)" 'drafts: 0'
    done
    compiles_with 13
}
# Two that bind one directory at once and cannot keep each other off: one of the two decisions, whole.
binds_without_locks() {
    local n
    ground
    "$hostpin" bind bound >/dev/null
    for n in 1 2; do
        for host in g++-12 g++-13; do
            strace -f --seccomp-bpf -qq -o /dev/null -e inject=flock:error=ENOLCK "$hostpin" bind --host "$lab/bin/$host" bound \
                >"$host.out" 2>&1 </dev/null &
        done
        wait
        call bound/nvcc --dryrun -c x.cu
        exits 0
        says 'gnu_version=1[23]0'
        same "$(find bound -mindepth 1 -printf '%f\n' | sort | xargs)" 'binding.toml c++ identity nvcc plan toolchain.cmake'
    done
}
# What another machine replaced while it was read here: NFS tells of a stale handle.
stale_handles() {
    local index call
    ground
    "$our_nvcc" --version >/dev/null
    index=$(find "$HOSTPIN_CACHE_DIR/index" -type f -size +1k)
    for call in openat read newfstatat; do
        call strace -qq -o /dev/null -P "$index" -e "inject=$call:error=ESTALE" "$our_nvcc" --dryrun -c x.cu
        exits 0
        says 'gnu_version=130'
    done
    "$hostpin" bind bound >/dev/null
    call strace -qq -o /dev/null -P "$PWD/bound/plan" -e inject=read:error=ESTALE bound/nvcc --dryrun -c x.cu
    refuses 2 "cannot read $PWD/bound/plan: Stale file handle"
    call strace -qq -o /dev/null -P "$bin/g++-13" -e inject=newfstatat:error=ESTALE bound/nvcc --dryrun -c x.cu
    refuses 2 "rests on $bin/g\+\+-13, which cannot be looked at: Stale file handle"
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
        rm -f x.o
        call "$hostpin" bind "./$name/bound"
        case $name in
        *[\"\$\`\\]* | *$'\n'*)
            refuses 2 'to a shell unescaped' '^hint: '
            absent "./$name/bound"
            ;;
        *)
            exits 0
            call "./$name/bound/c++" -c -x c++ "./$name/source.cu" -D__global__= -o x.o
            exits 0
            made_by x.o gcc 13
            rm -f x.o
            call "./$name/bound/nvcc" -c x.cu -o x.o
            exits 0
            made_by x.o gcc 13
            ;;
        esac
        absent made
    done
}

# A cache and a place for temporary files under such names: decided, kept and found again, or refused with the reason.
# shellcheck disable=SC2016
hostile_caches() {
    local name
    ground
    for name in 'a b' $'new\nline' $'\xff\xfe' '-dash' '$(touch made)'; do
        mkdir -- "./$name"
        export HOSTPIN_CACHE_DIR=$PWD/$name/cache TMPDIR=$PWD/$name
        for _ in first second; do
            rm -f x.o
            call "$our_nvcc" -E x.cu -o x.ii
            case $status in
            0) grep -q nothing x.ii ;;
            2) says '^hostpin: error: ' 'hands that path to a shell unescaped' '^hint: ' ;;
            *) show_call && fail "$name" ;;
            esac
            absent made
        done
        [ -n "$(find "./$name/cache/index" -type f -size +1k)" ] || fail "nothing was kept in $name"
        unset TMPDIR
    done
}

need_hostpin
need_command strace setpriv
it 'a cache that others may write to is not used, and the build is right' one_cache
it 'a plan in the cache that another user owns or may write is not used' planted_plan
it 'a directory in the cache that another user owns or may write is not used' planted_directories
it 'a link to a directory of another user is no cache' planted_link
it 'a binding whose plan others own or may write is refused' writable_binding
it 'bind writes to no directory that another user owns or everybody may write to' foreign_directory
it 'no name in a shared directory can be guessed' unguessable_names
it 'without locks a crowd of first calls succeeds' without_locks
it 'without locks two binds of one directory leave one of the two decisions' binds_without_locks
it 'a file that another machine replaced meanwhile is decided anew, or named' stale_handles
it 'who waits for a lock ends when asked to, leaves nothing, and gets the lock when it is free' lock_waits
it 'clocks that jump neither hide a change nor break a binding' clocks
it 'hostile names of directories' hostile_names
it 'hostile names of the cache and of the place for temporary files' hostile_caches
finish
