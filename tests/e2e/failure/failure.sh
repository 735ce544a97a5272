#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What goes wrong in the world ends in a clear message or in a working uncached run, never in a wrong binary.
#   failure.sh [WORDS]   only the cases whose sentence contains WORDS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

# ---------------------------------------------------------------------------------------------- the ground

# CUDA 12.4 next to a stdenv it does not take and one compiler it does. Of the machine's programs all are on PATH but the compilers.
ground() {
    need_cuda 12.4
    need_lab bin/g++-12 bin/g++-13 bin/g++-16 bin/gcc-16
    rm -rf "$bin"
    compiler g++-13 "$lab/bin/g++-13"
    compiler g++-16 "$lab/bin/g++-16"
    compiler gcc "$lab/bin/gcc-16" # what a bare nvcc would run
    export PATH=$bin:$tools CXX=$bin/g++-16
    CUDA_HOME=$(cuda 12.4)
    export CUDA_HOME
    write_source x.cu
}
tools=$work/tools
mkdir "$tools"
find /usr/sbin /usr/bin -maxdepth 1 ! -type d ! -name '*++*' ! -name '*gcc*' ! -name '*clang*' ! -name 'nvcc*' ! -name 'c[89]9' \
    ! -name cc ! -name '*-cc' -exec ln -sft "$tools" {} +
compile() { call "$our_nvcc" -c x.cu -o x.o; }
compiles_with() { # GCC MAJOR
    rm -f x.o
    compile
    exits 0
    made_by x.o gcc "$1"
}
refuses() { # EXIT-CODE PATTERN...
    exits "$1"
    prints_nothing
    says '^hostpin: error: ' "${@:2}"
    absent x.o
}

# ---------------------------------------------------------------------------------------------- toolkits

# hide_toolkits COMMAND...: in a name space where the usual places hold no toolkit.
hide_toolkits() {
    local place script=''
    for place in /usr/local/cuda* /opt/cuda* /usr/lib/nvidia-cuda-toolkit; do
        if [ -d "$place" ]; then script="$script mount -t tmpfs none '$(realpath "$place")' &&"; fi
    done
    call unshare -m sh -c "$script exec \"\$@\"" sh "$@"
}
no_nvcc() {
    ground
    need_mounts
    unset CUDA_HOME
    hide_toolkits "$our_nvcc" -c x.cu -o x.o
    refuses 1 'no CUDA toolkit' '^hint: '
    hide_toolkits "$hostpin" bind "$PWD/bound"
    refuses 1 'no CUDA toolkit' '^hint: '
    absent bound
    hide_toolkits "$hostpin" doctor
    says_not 'terminate called'
    [ "$status" -ne 0 ] || fail "doctor found nothing and is content"
}
named_toolkit_missing() {
    ground
    call "$hostpin" bind --toolkit "$PWD/nowhere" bound
    refuses 1 "$PWD/nowhere"
    absent bound
}

# ---------------------------------------------------------------------------------------------- compilers

none_fits() {
    ground
    rm "$bin/g++-13"
    compile
    refuses 1 'no host compiler fits CUDA 12\.4' 'g\+\+-16 .*16\.[0-9.]+ .*newer than 13.* +[^ ]' '^hint: .*g\+\+-13'
    call "$hostpin" bind bound
    refuses 1 'no host compiler fits CUDA 12\.4' 'g\+\+-16 .*newer than 13' '^hint: .*g\+\+-13'
    absent bound
}
every_candidate_in_the_table() {
    need_lab bin/g++-14 bin/g++-15 bin/clang++-19
    ground
    rm "$bin/g++-13"
    program g++-11 'kill -SEGV $$'
    compiler g++-14 "$lab/bin/g++-14"
    compiler g++-15 "$lab/bin/g++-15"
    compiler clang++-19 "$lab/bin/clang++-19"
    compile
    refuses 1 'g\+\+-14 .*newer than 13' 'g\+\+-15 .*newer than 13' 'g\+\+-16 .*newer than 13' 'clang\+\+-19 ' \
        'g\+\+-11 .*signal 11'
}

# program NAME SHELL-LINE...: what happens instead of compiling.
program() {
    rm -f "$bin/$1"
    { echo '#!/bin/sh' && printf '%s\n' "${@:2}"; } >"$bin/$1"
    chmod +x "$bin/$1"
}
# A compiler named g++-12 that misbehaves, beside a good g++-13.
bad_compiler() { # SHELL-LINE...
    ground
    program g++-12 "$@"
    compiles_with 13
    "$hostpin" doctor >doctor.txt
    grep -E 'broken .*g\+\+-12 ' doctor.txt || { cat doctor.txt; fail "the table does not call g++-12 broken"; }
}
stdenv_bad() { # SHELL-LINE...
    ground
    program g++-16 "$@"
    compile
    refuses 1 "$bin/g\+\+-16"
}
hanging() {
    # a number nobody else sleeps for, so that survivors are known
    bad_compiler 'sleep 98765.4321 & wait'
    ! pgrep -f 'sleep 98765.4321' || fail "a child of the hanging compiler outlived the probe"
}
script_around_us() {
    ground
    compiler g++-12 "$our_cxx"
    compiler nvcc "$our_nvcc"
    SECONDS=0
    compiles_with 13
    [ "$SECONDS" -lt 20 ] || fail "took $SECONDS s: somebody waited for somebody"
    call env HOSTPIN_CACHE_DIR="$PWD/empty" "$hostpin" doctor
    grep -qE 'broken .*g\+\+-12' "$out" || { show_call && fail "the script is not in the table"; }
}
only_versioned_names() {
    ground
    rm "$bin/gcc"
    compiles_with 13
}
half_a_compiler() {
    ground
    # answers the questions, then cannot compile: nvcc's own error and code must come through
    # shellcheck disable=SC2016
    program g++-13 'case " $* " in *" -E "* | *" -v "* | *" -print-"* | *" -dump"* | *" --version "*)' \
        "exec '$lab/bin/g++-13'"' "$@" ;; esac' 'kill -SEGV $$'
    compile
    [ "$status" -ne 0 ] || made_by x.o gcc 13
}

# ---------------------------------------------------------------------------------------------- configuration

broken_toml() { # LINE:COLUMN-PATTERN TEXT
    ground
    printf '%b' "$2" >broken.toml
    export HOSTPIN_CONFIG=$PWD/broken.toml
    compile
    refuses 2 "$PWD/broken\.toml:$1"
    call "$hostpin" doctor
    exits 2
    says "$PWD/broken\.toml:$1"
}
directory_as_toml() {
    ground
    mkdir config.d
    export HOSTPIN_CONFIG=$PWD/config.d
    compile
    refuses 2 "$PWD/config\.d"
}
unreadable_toml() {
    ground
    need_mounts # root is needed to become nobody
    echo '# fine' >secret.toml
    chmod 000 secret.toml
    chmod -R a+rX "$work" && chmod 777 . && chmod 000 secret.toml
    export HOSTPIN_CONFIG=$PWD/secret.toml
    call setpriv --reuid=65534 --regid=65534 --clear-groups "$our_nvcc" -c x.cu -o x.o
    refuses 2 "$PWD/secret\.toml.*Permission denied"
}
absent_toml() {
    ground
    export HOSTPIN_CONFIG=$PWD/not-there.toml
    compile
    refuses 2 "$PWD/not-there\.toml"
}
none_of_the_directory() {
    ground
    printf 'host = "/nonexistent"\n[' | tee hostpin.toml .hostpin.toml config.toml >binding.toml
    unset HOSTPIN_CONFIG
    HOME=$PWD/home XDG_CONFIG_DIRS=$PWD/none compiles_with 13
}

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
    call "$our_nvcc" x.cu -o x
    exits 0
    same "$(./x)" 'hello from the host half'
}
cache_under_a_file() {
    ground
    : >file
    export HOSTPIN_CACHE_DIR=$PWD/file/cache
    works_uncached
}
# as_nobody COMMAND...: as a user without rights. The lab may lie below a home that only its owner enters; then that home
# is covered by an empty one in which the lab is the only thing.
as_nobody() {
    local closed='' each
    each=$(dirname "$lab")
    while [ "$each" != / ]; do
        case $(stat -c %A "$each") in *x) ;; *) closed=$each ;; esac
        each=$(dirname "$each")
    done
    mkdir hold
    # shellcheck disable=SC2016
    unshare -m sh -ec 'lab=$1 closed=$2; shift 2
        if [ -n "$closed" ]; then
            mount --bind "$lab" hold && mount -t tmpfs -o mode=755 none "$closed"
            mkdir -p "$lab" && mount --bind hold "$lab"
        fi
        exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"' sh "$lab" "$closed" "$@"
}
cache_of_another_user() {
    ground
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
    need_mounts
    mkdir full
    export HOSTPIN_CACHE_DIR=$PWD/full/cache
    # shellcheck disable=SC2016
    call unshare -m sh -c 'mount -t tmpfs -o size=16k none full && dd if=/dev/zero of=full/filling bs=1k 2>/dev/null
        "$@" && "$@"' sh "$our_nvcc" -c x.cu -o x.o
    exits 0
    made_by x.o gcc 13
}
relative_cache() {
    ground
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
it 'without any nvcc every command says so, and what to do' no_nvcc
it 'a named toolkit that is not there is an error that names it' named_toolkit_missing
it 'without a fitting compiler nothing is compiled, and the hint names the package' none_fits
it 'the table of reasons has every candidate' every_candidate_in_the_table
it 'a compiler that hangs is broken in the table, and the others are used' hanging
it 'a compiler that crashes is broken in the table, and the others are used' bad_compiler 'kill -SEGV $$'
it 'a compiler that prints garbage is broken in the table, and the others are used' \
    bad_compiler 'head -c 300000 /dev/urandom' 'exit 0'
it 'a compiler that prints without end is broken in the table, and the others are used' \
    bad_compiler 'while :; do echo __GNUC__ 13; done'
it 'a compiler that says nothing is broken in the table, and the others are used' bad_compiler 'exit 0'
it 'a compiler that closes its input and fails is broken in the table' bad_compiler 'exec <&-; exit 3'
it 'a stdenv that crashes is an error that names it' stdenv_bad 'kill -SEGV $$'
it 'a stdenv that prints garbage is an error that names it' stdenv_bad 'head -c 300000 /dev/urandom'
it 'a script on PATH that runs our own unbound program is no compiler, and nothing hangs' script_around_us
it 'a machine without a plain gcc or c++ is no failure' only_versioned_names
it 'a compiler that answers but cannot compile never yields a wrong object' half_a_compiler
it 'broken TOML is named with file, line and column' broken_toml '2:[0-9]+' '# first\nhost = = "g++"\n'
it 'an unknown key is named with file, line and column' broken_toml '3:[0-9]+' '# first\n\nhosst = "g++"\n'
it 'a value of the wrong type is named with file, line and column' broken_toml '1:[0-9]+' 'host = 13\n'
it 'an unfinished string at the end of the file is named with its line' broken_toml '1:[0-9]+' 'host = "g++'
it 'bytes that are not text are named with their line' broken_toml '1:[0-9]+' '\x00\xff\xfe\n'
it 'a directory in place of the configuration is an error' directory_as_toml
it 'a configuration that must not be read is an error' unreadable_toml
it 'a configuration that is named but not there is an error' absent_toml
it 'nothing in the current directory is configuration' none_of_the_directory
it 'a binding whose compiler was upgraded refuses, and its hint repairs it' bound_then_upgraded
it 'a binding whose compiler was removed refuses' bound_then_removed
it 'a binding whose toolkit is gone refuses' bound_toolkit_gone
it 'an unbound call after an upgrade decides anew' cached_then_upgraded
it 'an unbound call after the removal of the compiler refuses' cached_then_removed
it 'a damaged plan is refused wherever it is cut' damaged_plan
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
