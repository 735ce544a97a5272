#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A command that is terminated also ends the programs it runs, and leaves no files.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_toolkit 12.4 12
only=${1:-}
need_command perl

# Once the programs it runs have started, which their temporary files show.
ends_with_all_that_it_runs() { # SIGNAL NAME ARGUMENT...
    local signal=$1 name=$2 pid
    shift 2
    mkdir temporary
    # a shell starts its background jobs with SIGINT ignored
    TMPDIR=$PWD/temporary perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$hostpin" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
    until find temporary -name "$name" | contains .; do
        kill -0 "$pid" || fail 'it ended by itself'
        sleep 0.01
    done
    kill -"$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    exits $((128 + $(kill -l "$signal")))
    same "left: $(find temporary -mindepth 1)" 'left: '
    # one that was just killed may take a moment to end
    for _ in {1..300}; do
        if ! grep -lazF "TMPDIR=$PWD/temporary" /proc/[0-9]*/environ 2>/dev/null | contains .; then return; fi
        sleep 0.1
    done
    fail 'a program of it runs on'
}

it "hostpin doctor --verify, by Ctrl-C" ends_with_all_that_it_runs INT 'tmpxft*' doctor --verify --toolkit "$toolkit" --stdenv "g++-$gcc"
it "hostpin doctor --verify, by SIGTERM" ends_with_all_that_it_runs TERM 'tmpxft*' doctor --verify --toolkit "$toolkit" --stdenv "g++-$gcc"

# A source that takes compilers forever.
source_without_end() {
    echo 'constexpr bool odd() { bool odd = false; for (long i = 0; i < 1000000000000; ++i) odd = !odd; return odd; }
          static_assert(!odd());' >endless.cpp
    ends_with_all_that_it_runs INT 'cc*' stdlib-probe why endless.cpp -- "$host" -std=c++17 \
        -fconstexpr-ops-limit=1000000000000000 -fconstexpr-loop-limit=2147483647 -c endless.cpp
}
compiler_without_end() {
    mkdir hung tree
    printf '#!/bin/sh\nexec sleep 1000\n' >hung/g++
    chmod +x hung/g++
    PATH=$PWD/hung:$PATH XDG_CACHE_HOME=$PWD/cache ends_with_all_that_it_runs INT 'hostpin.*' leak-check tree
}
question_without_end() {
    mkdir hung
    printf '#!/bin/sh\nexec sleep 1000\n' >hung/g++
    chmod +x hung/g++
    ends_with_all_that_it_runs TERM 'hostpin.*' stdlib-probe facts hung/g++
}
# Where it creates and removes the directories for its programs' output.
between_two_programs() {
    local each
    need_command strace
    mkdir temporary
    for each in mkdir rmdir; do
        TMPDIR=$PWD/temporary call strace -qq -o trace -e trace="$each" -e inject="$each:signal=TERM:when=1" \
            "$hostpin" stdlib-probe facts "$host"
        exits 143
        same "left: $(find temporary -mindepth 1)" 'left: '
    done
}
it "hostpin stdlib-probe, between two programs that it runs" of checks between_two_programs
it "hostpin stdlib-probe why, while it compiles" of checks source_without_end
it "hostpin stdlib-probe, while it asks a compiler" of checks question_without_end
it "hostpin leak-check, while it asks what is in force" of checks compiler_without_end
finish
