#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What goes wrong with bindings and caches ends in a clear message or in a working uncached run, never in a wrong binary.
#   kept.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- bindings

# The host compiler is now another one behind the same path.
upgrade() {
    sleep 0.01 # a different mtime wherever the clock of the file system ticks in milliseconds
    compiler g++-13 "$lab/bin/g++-12"
}
bound_then_upgraded() {
    ground
    "$hostpin" bind bound
    call bound/nvcc -c x.cu -o x.o
    exits 0
    made_by x.o gcc 13
    rm x.o
    upgrade
    call bound/nvcc -c x.cu -o x.o
    refuses 2 "rests on $bin/g\+\+-13, which has changed" 'bind --refresh'
    call bound/c++ x.cu -o x.o
    refuses 2 "rests on $bin/g\+\+-13"
    # the hint is meant to be pasted
    sh -c "$(sed -n 's/^hint: .*: \(.*bind --refresh .*\)$/\1/p' "$err")"
    call bound/nvcc -c x.cu -o x.o
    exits 0
    made_by x.o gcc 12
}
bound_then_removed() {
    ground
    "$hostpin" bind bound
    rm "$bin/g++-13"
    call bound/nvcc -c x.cu -o x.o
    refuses 2 "rests on $bin/g\+\+-13, which is gone"
    call "$hostpin" bind --refresh bound
    exits 1
    says 'no host compiler fits CUDA 12\.4'
}
bound_toolkit_gone() {
    ground
    cp -rs "$CUDA_HOME" toolkit
    cp --remove-destination "$CUDA_HOME/bin/nvcc" "$CUDA_HOME/bin/nvcc.profile" toolkit/bin/
    CUDA_HOME=$PWD/toolkit "$hostpin" bind bound
    call bound/nvcc -c x.cu -o x.o
    exits 0
    rm -r x.o toolkit
    call bound/nvcc -c x.cu -o x.o
    refuses 2 'rests on .*toolkit'
}
cached_then_upgraded() {
    ground
    compiles_with 13
    upgrade
    compiles_with 12
    compiler g++-13 "$lab/bin/g++-13"
    compiles_with 13
}
cached_then_removed() {
    ground
    compiles_with 13
    rm x.o "$bin/g++-13"
    compile
    refuses 1 'no host compiler fits CUDA 12\.4'
}
damaged_plan() {
    local size length
    ground
    "$hostpin" bind bound
    size=$(stat -c %s bound/plan)
    for length in 0 1 17 $((size / 2)) $((size - 1)); do
        head -c "$length" bound/plan >shortened
        cp shortened bound/plan.new && mv bound/plan.new bound/plan
        call bound/nvcc -c x.cu -o x.o
        refuses 2 'bound/plan is damaged' '^hint: .*bind'
        "$hostpin" bind bound
    done
    # one flipped byte in the middle
    printf '\377' | dd of=bound/plan bs=1 seek=$((size / 2)) conv=notrunc status=none
    call bound/nvcc -c x.cu -o x.o
    refuses 2 'bound/plan is damaged'
}
# What lies two directories up is no installation.
plan_gone() {
    ground
    mkdir -p tree/bin tree/build
    "$hostpin" bind tree/build/bound
    printf '#!/bin/sh\n: >%q\n' "$PWD/ran" >tree/bin/hostpin
    chmod +x tree/bin/hostpin
    rm tree/build/bound/plan
    call tree/build/bound/nvcc -c x.cu -o x.o
    refuses 2 'is gone: .*tree/build/bound/plan' '^hint: .*bind --refresh'
    call tree/build/bound/c++ -c x.cu -o x.o
    refuses 2 'is gone: .*tree/build/bound/plan'
    absent ran
    "$hostpin" bind --refresh tree/build/bound
    call tree/build/bound/nvcc -c x.cu -o x.o
    exits 0
}
damaged_cache() {
    local file
    ground
    compiles_with 13
    find "$HOSTPIN_CACHE_DIR" -type f | while read -r file; do
        case $file in */nvcc | */c++) ;; *) echo garbage >"$file" ;; esac
    done
    compiles_with 13
}

# ---------------------------------------------------------------------------------------------- caches

works_uncached() {
    compiles_with 13
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
    call as_nobody "$PWD/install/libexec/hostpin/nvcc" -c x.cu -o out/x.o
    exits 0
    made_by out/x.o gcc 13
    same "$(ls cache)" ''
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
    made_by x.o gcc 13
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
read_only_everything() {
    ground
    alone
    need_mounts
    mkdir home out
    export HOME=$PWD/home
    unset HOSTPIN_CACHE_DIR
    # the whole tree but a place for the result and nvcc's temporary files
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount --bind "$PWD" "$PWD" && mount --bind out out && mount -o remount,bind,ro "$PWD" && cd "$PWD" &&
        ! touch "$PWD/home/probe" 2>/dev/null && TMPDIR=/tmp exec "$@"' sh "$our_nvcc" -c x.cu -o out/x.o
    exits 0
    made_by out/x.o gcc 13
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
    call moved/libexec/hostpin/nvcc -c x.cu -o x.o
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
it 'a cache directory of somebody else means an uncached run' cache_of_another_user
it 'a full cache means an uncached run' cache_full
it 'a relative cache directory is not used' relative_cache
it 'without HOME the run is uncached' no_home
it 'on a read-only file system the run is uncached' read_only_everything
it 'bind on a read-only file system says so' bind_read_only
it 'bind on a full disk says so and leaves nothing behind' bind_full
it 'bind never writes over files that are not its own' bind_over_foreign_files
it 'a wrapper without its hostpin command says so' hostpin_gone
finish
