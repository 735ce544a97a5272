#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Problems with toolkits, compilers and configuration give a clear message, never a wrong binary.
#   failure.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/failure/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- toolkits

# hide_toolkits COMMAND...: in a mount namespace without toolkits in the usual directories.
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
    hide_toolkits "$our_nvcc" -c x.cpp -o x.o
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
    local install='^hint: install ([^ ]*\b(1[0-3]|[6-9])\b|GCC 1[0-3])' # the newest that fits and that the package manager has
    ground
    rm "$bin/g++-$older"
    compile
    refuses 1 "no host compiler fits CUDA $release" "g\+\+-$newer .*$newer\.[0-9.]+ .*newer than $older.* +[^ ]" "$install"
    call "$hostpin" bind bound
    refuses 1 "no host compiler fits CUDA $release" "g\+\+-$newer .*newer than $older" "$install"
    absent bound
}
every_candidate_in_the_table() {
    need_lab bin/g++-13 bin/g++-14 bin/g++-15 bin/clang++-19
    ground
    rm "$bin/g++-$older"
    program g++-10 'kill -SEGV $$'
    compiler g++-14 "$lab/bin/g++-14"
    compiler g++-15 "$lab/bin/g++-15"
    compiler clang++-19 "$lab/bin/clang++-19"
    compile
    refuses 1 'g\+\+-14 .*newer than 13' 'g\+\+-15 .*newer than 13' 'g\+\+-16 .*newer than 13' 'clang\+\+-19 ' \
        'g\+\+-10 .*signal 11'
}

# program NAME SHELL-LINE...: a fake compiler that runs these lines.
program() {
    rm -f "$bin/$1"
    { echo '#!/bin/sh' && printf '%s\n' "${@:2}"; } >"$bin/$1"
    chmod +x "$bin/$1"
}
# A compiler named g++-10 that misbehaves, next to a good one.
bad_compiler() { # SHELL-LINE...
    ground
    program g++-10 "$@"
    compiles_with "$older"
    "$hostpin" doctor >doctor.txt
    grep -E 'broken .*g\+\+-10 ' doctor.txt || { cat doctor.txt; fail "the table does not call g++-10 broken"; }
}
stdenv_bad() { # SHELL-LINE...
    ground
    program "g++-$newer" "$@"
    compile
    refuses 1 "$bin/g\+\+-$newer"
}
hanging() {
    # a unique number, to find processes that survive
    bad_compiler 'sleep 98765.4321 & wait'
    none_runs 'sleep 98765\.4321'
}
script_around_us() {
    ground
    compiler g++-10 "$our_cxx"
    compiler nvcc "$our_nvcc"
    SECONDS=0
    compiles_with "$older"
    [ "$SECONDS" -lt 120 ] || fail "took $SECONDS s: somebody waited for somebody"
    call env HOSTPIN_CACHE_DIR="$PWD/empty" "$hostpin" doctor
    grep -qE 'broken .*g\+\+-10' "$out" || { show_call && fail "the script is not in the table"; }
}
only_versioned_names() {
    ground
    rm "$bin/gcc"
    compiles_with "$older"
}
half_a_compiler() {
    ground
    # answers the queries, then cannot compile: nvcc's own error and exit code must be passed on
    # shellcheck disable=SC2016
    program "g++-$older" 'case " $* " in *" -E "* | *" -v "* | *" -print-"* | *" -dump"* | *" --version "*)' \
        "exec '$host'"' "$@" ;; esac' 'kill -SEGV $$'
    compile
    [ "$status" -ne 0 ] || made_by x.o gcc "$older"
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
    call setpriv --reuid=65534 --regid=65534 --clear-groups "$our_nvcc" -c x.cpp -o x.o
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
    HOME=$PWD/home XDG_CONFIG_DIRS=$PWD/none compiles_with "$older"
}
# runs_nothing_here COMMAND...: neither what hostpin looks up on PATH, nor what a driver that is probed runs, comes from this directory.
runs_nothing_here() {
    ground
    export PATH=.::$PATH HOSTPIN_CACHE_DIR=$PWD/fresh
    # shellcheck disable=SC2016 # of the script
    program mpicxx 'exec g++ "$@"'
    # shellcheck disable=SC2016
    printf '#!/bin/sh\necho "$0 $*" >>"%s"\nexit 1\n' "$PWD/ran" | tee "g++-$older" g++ gcc c++ clang++ nvcc >mpicxx
    chmod +x "g++-$older" g++ gcc c++ clang++ nvcc mpicxx
    "$@"
    [ ! -s ran ] || { cat ran && fail 'programs of this directory were run'; }
}
decides() {
    call "$hostpin" doctor
    contains 'mpicxx' <"$out"
    call "$hostpin" bind "$PWD/bound"
    exits 0
}
checks() {
    call "$hostpin" leak-check x.cpp
    exits 0
    call "$hostpin" stdlib-probe why x.cpp --max GLIBCXX_3.4.20 -- "g++-$older" -c x.cpp
    [ "$status" -le 1 ] || { show_call && fail 'it does not compile'; }
}

need_hostpin
it 'doctor and bind run no program of the current directory, whatever PATH has' runs_nothing_here decides
it 'leak-check and stdlib-probe run no program of the current directory, whatever PATH has' of checks runs_nothing_here checks
it 'without any nvcc every command says so, and what to do' no_nvcc
it 'a named toolkit that is not there is an error that names it' named_toolkit_missing
it 'without a fitting compiler nothing is compiled, and the hint names the package' none_fits
it 'the table of reasons has every candidate' every_candidate_in_the_table
it 'a compiler that hangs is broken in the table, and the others are used' hanging
it 'a compiler that crashes is broken in the table, and the others are used' bad_compiler 'kill -SEGV $$'
it 'a compiler that prints garbage is broken in the table, and the others are used' \
    bad_compiler 'head -c 300000 /dev/urandom' 'exit 0'
seldom 'a compiler that prints without end is broken in the table, and the others are used' \
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
finish
