#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Problems with bindings and caches give a clear message or a correct uncached run, never a wrong binary.
#   kept.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- bindings

# Replaces the host compiler behind the same path by another one.
upgrade() {
    sleep 0.01 # a different mtime on file systems with a resolution of milliseconds
    compiler "g++-$older" "$lab/bin/g++-$third"
}
bound_then_upgraded() {
    ground
    need_third
    "$hostpin" bind bound
    call bound/nvcc -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$older"
    rm x.o
    upgrade
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 "depends on $old, which has changed" 'bind --refresh'
    call bound/c++ x.cpp -o x.o
    refuses 2 "depends on $old"
    # the hint must work when pasted
    sh -c "$(sed -n 's/^hint: .*: \(.*bind --refresh .*\)$/\1/p' "$err")"
    call bound/nvcc -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$third"
}
bound_then_removed() {
    ground
    "$hostpin" bind bound
    rm "$bin/g++-$older"
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 "depends on $old, which is gone"
    call "$hostpin" bind --refresh bound
    exits 1
    says "no host compiler fits CUDA $release"
}
bound_toolkit_gone() {
    ground
    cp -rs "$CUDA_HOME" toolkit
    cp --remove-destination "$CUDA_HOME/bin/nvcc" "$CUDA_HOME/bin/nvcc.profile" toolkit/bin/
    CUDA_HOME=$PWD/toolkit "$hostpin" bind bound
    call bound/nvcc -c x.cpp -o x.o
    exits 0
    rm -r x.o toolkit
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 'depends on .*toolkit'
}
cached_then_upgraded() {
    ground
    need_third
    compiles_with "$older"
    upgrade
    compiles_with "$third"
    compiler "g++-$older" "$host"
    compiles_with "$older"
}
cached_then_removed() {
    ground
    compiles_with "$older"
    rm x.o "$bin/g++-$older"
    compile
    refuses 1 "no host compiler fits CUDA $release"
}
damaged_plan() {
    local size length
    ground
    "$hostpin" bind bound
    size=$(stat -c %s bound/plan)
    for length in 0 1 17 $((size / 2)) $((size - 1)); do
        head -c "$length" bound/plan >shortened
        cp shortened bound/plan.new && mv bound/plan.new bound/plan
        call bound/nvcc -c x.cpp -o x.o
        refuses 2 'bound/plan is damaged' '^hint: .*bind'
        "$hostpin" bind bound
    done
    # one flipped byte in the middle
    damage bound/plan $((size / 2))
    call bound/nvcc -c x.cpp -o x.o
    refuses 2 'bound/plan is damaged'
}
# The directory two levels up is not an installation.
plan_gone() {
    ground
    mkdir -p tree/bin tree/build
    "$hostpin" bind tree/build/bound
    printf '#!/bin/sh\n: >%q\n' "$PWD/ran" >tree/bin/hostpin
    chmod +x tree/bin/hostpin
    rm tree/build/bound/plan
    call tree/build/bound/nvcc -c x.cpp -o x.o
    refuses 2 'is gone: .*tree/build/bound/plan' '^hint: .*bind --refresh'
    call tree/build/bound/c++ -c x.cpp -o x.o
    refuses 2 'is gone: .*tree/build/bound/plan'
    absent ran
    "$hostpin" bind --refresh tree/build/bound
    call tree/build/bound/nvcc -c x.cpp -o x.o
    exits 0
}
damaged_cache() {
    local file
    ground
    compiles_with "$older"
    find "$HOSTPIN_CACHE_DIR" -type f | while read -r file; do
        case $file in */nvcc | */c++) ;; *) echo garbage >"$file" ;; esac
    done
    compiles_with "$older"
}

# ---------------------------------------------------------------------------------------------- caches

works_uncached() {
    compiles_with "$older"
    says_not 'hostpin: error'
    call "$our_nvcc" x.o -o x
    exits 0
    same "$(./x)" 'hello from the host half'
}
cache_under_a_file() {
    ground
    alone
    : >file
    export HOSTPIN_CACHE_DIR=$PWD/file/cache
    works_uncached
}
cache_of_another_user() {
    ground
    alone
    need_mounts
    mkdir -m 755 cache out
    cp -r "$prefix" install
    chmod -R a+rX "$work" && chmod 777 out
    export HOSTPIN_CACHE_DIR=$PWD/cache
    call as_nobody "$PWD/install/libexec/hostpin/nvcc" -c x.cpp -o out/x.o
    exits 0
    made_by out/x.o gcc "$older"
    same "$(ls cache)" ''
}
# The directory exists or could be created, but not by this user.
permission_denied() {
    ground
    alone
    need_mounts
    mkdir -m 555 home
    mkdir -m 700 closed
    ln -s "$toolkit" closed/cuda
    ln -s "$host" closed/g++
    chown 65534 home
    cp -r "$prefix" install
    chmod -R a+rX "$work" && chmod 700 closed
    call as_nobody env -u HOSTPIN_CACHE_DIR -u XDG_CACHE_HOME HOME="$PWD/home" "$PWD/install/libexec/hostpin/nvcc" --dryrun -x cu -c /dev/null -o none.o
    exits 0
    says "cannot create $PWD/home/\.cache: Permission denied"
    call as_nobody "$PWD/install/bin/hostpin" bind bound --toolkit "$PWD/closed/cuda"
    exits 1
    says "closed/cuda \(--toolkit\) cannot be reached: this user may not search $PWD/closed \(permission denied\)"
    call as_nobody "$PWD/install/bin/hostpin" bind bound --stdenv "$PWD/closed/g++"
    exits 1
    says "closed/g\+\+ cannot be reached: this user may not search $PWD/closed "
}
cache_full() {
    ground
    alone
    need_mounts
    mkdir full
    export HOSTPIN_CACHE_DIR=$PWD/full/cache
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs -o size=16k none full && dd if=/dev/zero of=full/filling bs=1k 2>/dev/null
        "$@" --dryrun 2>/dev/null && "$@"' sh "$our_nvcc" -c x.cu -o x.o
    exits 0
    made_by x.o gcc "$older"
}
relative_cache() {
    ground
    alone
    export HOSTPIN_CACHE_DIR=relative
    works_uncached
    absent relative
}
no_home() {
    ground
    unset HOME XDG_CACHE_HOME XDG_CONFIG_HOME HOSTPIN_CACHE_DIR HOSTPIN_CONFIG
    works_uncached
}
# As of users of packages' builds and services: /nonexistent, so that nothing is written.
missing_home() {
    ground
    alone
    export HOME=$PWD/nonexistent
    unset XDG_CACHE_HOME HOSTPIN_CACHE_DIR
    compile
    exits 0
    says "^hostpin: note: the decision cannot be stored in the cache: HOME is $PWD/nonexistent, which does not exist; "
    works_uncached
    "$hostpin" bind bound
    "$hostpin" doctor
    "$hostpin" lto-check x.o
    if is_built checks; then "$hostpin" leak-check --no-binding x.o; fi
    absent nonexistent
    mkdir nonexistent
    compile
    [ -d nonexistent/.cache/hostpin/index ] || fail 'the cache was not made'
}
# decides NUMBER GCC NVCC ARGUMENT...: a call that makes x.o makes and reports that many decisions for all that nvcc runs.
decides() {
    local number=$1 gcc=$2
    shift 2
    rm -f x.o
    call strace -f --seccomp-bpf -qq -e trace=execve -e signal=none -o trace "$@" -c x.cu -o x.o
    exits 0
    made_by x.o gcc "$gcc"
    same "$(grep -c 'execve(".*/bin/hostpin", .* = 0$' trace) decisions" "$number decisions"
    same "$(grep -c hostpin: "$err") notes" "$number notes"
}
# decides_once GCC ARGUMENT...: one decision and one note by hostpin's nvcc if nothing was decided before.
decides_once() {
    rm -rf "$XDG_RUNTIME_DIR/hostpin"
    decides 1 "$1" "$our_nvcc" "${@:2}"
    says '^hostpin: note: the decision cannot be stored in the cache: .*; it is in .* for now; to store it permanently: .*/bin/hostpin bind toolchain$'
}
uncached() {
    ground
    alone
    need_command strace
    : >file && export HOME=$PWD/file/home
    unset HOSTPIN_CACHE_DIR XDG_CACHE_HOME
    other=$(majors g++ "$older" | sed -n 2p) # to be named on a call
    other=${other:-$older}
}
uncached_once() {
    uncached
    decides_once "$older"
    unset HOME
    decides_once "$older"
    HOSTPIN_CACHE_DIR=$PWD/file/cache decides_once "$older"
    decides_once "$older" --threads 2 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_80,code=sm_80
    decides_once "$other" -ccbin "$lab/bin/g++-$other"
    decides_once "$older" -ccbin "$our_cxx"
    # a program that it runs may call nvcc again
    printf '#include <cstdlib>\nint main() { return std::system("%s -ccbin %s -c x.cpp -o x.o") != 0; }\n' \
        "$our_nvcc" "$lab/bin/g++-$other" >starts.cpp
    rm x.o
    call "$our_nvcc" -run starts.cpp
    exits 0
    made_by x.o gcc "$other"
}
# No program of hostpin is above c++ that could pass the decision on.
below_a_real_nvcc() {
    local real spare=$XDG_RUNTIME_DIR/hostpin
    uncached
    real=("$toolkit/bin/nvcc" -ccbin "$our_cxx")
    decides 1 "$older" "${real[@]}"
    same "$(stat -c '%a' "$spare")" 700
    decides 0 "$older" "${real[@]}"
    compiler "g++-$older" "$lab/bin/g++-$other" # the decision depends on the files
    decides 1 "$other" "${real[@]}"
    XDG_RUNTIME_DIR='' TMPDIR=$PWD decides 1 "$other" "${real[@]}"
    XDG_RUNTIME_DIR=/dev/null TMPDIR=$PWD decides 0 "$other" "${real[@]}"
    same "$(stat -c '%a' "hostpin-$(id -u)")" 700
    # never in a directory that others can write to
    mkdir -m 777 open
    XDG_RUNTIME_DIR=$PWD/open TMPDIR=$PWD/open call "${real[@]}" -c x.cpp -o x.o
    exits 0
    says '^hostpin: note: the decision cannot be stored in the cache: .*; each call decides again; to store it permanently: .*bin/hostpin bind toolchain$'
    same "in it: $(ls open)" 'in it: '
    # once a cache directory can be created, it is
    rm file && mkdir -p file/home
    call "${real[@]}" -c x.cpp -o x.o
    exits 0
    says_not hostpin:
    [ -d file/home/.cache/hostpin/index ] || fail 'the cache was not made'
}
# A decision that c++ gets in nvcc's name counts only if that nvcc passed it.
given_by_another_call() {
    local given
    uncached
    need_third
    compiler "g++-$other" "$lab/bin/g++-$other"
    # what c++ gets below a call that names another GCC
    # shellcheck disable=SC2016
    printf '#include <cstdlib>\nint main() { return std::system("printf %%s \\"$HOSTPIN_DECISION\\" >given") != 0; }\n' >spy.cpp
    call "$our_nvcc" -ccbin "$bin/g++-$other" -run spy.cpp
    exits 0
    given=$(cat given)
    contains 'hostpin plan' <<<"$given" || fail 'nothing was given'
    rm -f x.o
    HOSTPIN_DECISION=$given$'\n' call "$toolkit/bin/nvcc" -ccbin "$our_cxx" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$older"
    # in its own name it counts, unless it is damaged
    in_its_name "$other" "${given#*$'\n'}"
    in_its_name "$older" "${given#*$'\n'}damage"
}
in_its_name() { # GCC DECISION
    rm x.o
    # shellcheck disable=SC2016
    call bash -c 'HOSTPIN_DECISION=$(printf "%s\n%s\n." "$$ $(cut -d" " -f22 /proc/$$/stat)" "$1")
        export HOSTPIN_DECISION=${HOSTPIN_DECISION%.}
        shift && exec "$@"' bash "$2" "$toolkit/bin/nvcc" -ccbin "$our_cxx" -c x.cpp -o x.o
    exits 0
    made_by x.o gcc "$1"
}
read_only_everything() {
    ground
    alone
    need_mounts
    mkdir home out
    export HOME=$PWD/home
    unset HOSTPIN_CACHE_DIR
    # the whole tree except a directory for the result and nvcc's temporary files
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount --bind "$PWD" "$PWD" && mount --bind out out && mount -o remount,bind,ro "$PWD" && cd "$PWD" &&
        ! touch "$PWD/home/probe" 2>/dev/null && TMPDIR=/tmp exec "$@"' sh "$our_nvcc" -c x.cpp -o out/x.o
    exits 0
    made_by out/x.o gcc "$older"
}
bind_read_only() {
    ground
    need_mounts
    mkdir place
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount --bind place place && mount -o remount,bind,ro place && exec "$@"' \
        sh "$hostpin" bind "$PWD/place/bound"
    exits 2
    says "^hostpin: error: .*$PWD/place/bound.*Read-only file system"
    absent place/bound
}
bind_full() {
    ground
    need_mounts
    mkdir place
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs -o size=64k none place && "$@"; code=$?; ls -A place >left; exit $code' \
        sh "$hostpin" bind "$PWD/place/bound"
    exits 2
    says '^hostpin: error: .*No space left on device'
    same "left behind: $(cat left)" 'left behind: '
}
bind_over_foreign_files() {
    ground
    mkdir mine
    echo precious >mine/file
    call "$hostpin" bind mine
    exits 2
    says "mine holds files that are not a binding"
    same "$(ls mine) $(cat mine/file)" 'file precious'
}
hostpin_gone() {
    ground
    mkdir -p moved/libexec/hostpin
    cp "$our_nvcc" "$our_cxx" moved/libexec/hostpin/
    call moved/libexec/hostpin/nvcc -c x.cpp -o x.o
    refuses 2 'cannot run .*/moved/bin/hostpin' '^hint: '
}

need_hostpin
it 'a binding whose compiler was upgraded refuses, and its hint repairs it' bound_then_upgraded
it 'a binding whose compiler was removed refuses' bound_then_removed
it 'a binding whose toolkit is gone refuses' bound_toolkit_gone
it 'an unbound call after an upgrade decides anew' cached_then_upgraded
it 'an unbound call after the removal of the compiler refuses' cached_then_removed
it 'a damaged plan is refused wherever it is cut' damaged_plan
it 'a binding without its plan is refused, and nothing else is run for it' plan_gone
it 'a damaged cache is decided anew' damaged_cache
it 'a cache directory that cannot exist means an uncached run' cache_under_a_file
it 'a cache directory of another user means an uncached run' cache_of_another_user
it 'what this user may not reach or make is not called missing' permission_denied
it 'a full cache means an uncached run' cache_full
it 'a relative cache directory is not used' relative_cache
it 'without HOME the run is uncached' no_home
it 'a HOME that does not exist is not made, and the run is uncached' missing_home
it 'without a cache one call decides once and notes it once, however nvcc works' uncached_once
it 'below a real nvcc c++ decides once without a cache, in a directory of this user alone' below_a_real_nvcc
it 'a decision that another call was given, or a damaged one, is not obeyed' given_by_another_call
it 'on a read-only file system the run is uncached' read_only_everything
it 'bind on a read-only file system says so' bind_read_only
it 'bind on a full disk says so and leaves nothing behind' bind_full
it 'bind never writes over files that are not its own' bind_over_foreign_files
it 'a wrapper without its hostpin command says so' hostpin_gone
finish
