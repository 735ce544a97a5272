#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A command that is asked to end, ends what it runs as well, and leaves nothing.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_lab bin/g++-12
need_cuda 12.4
need_command perl

# Once nvcc is at work, which shows in what it writes in passing.
ends_with_all_that_it_runs() { # SIGNAL ARGUMENT...
    local signal=$1 pid
    shift
    mkdir temporary
    # a shell starts its background jobs with SIGINT ignored
    TMPDIR=$PWD/temporary perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$hostpin" "$@" >"$out" 2>"$err" </dev/null &
    pid=$!
    until find temporary -name 'tmpxft*' | contains .; do
        kill -0 "$pid" || fail 'it ended by itself'
        sleep 0.01
    done
    kill -"$signal" "$pid"
    status=0
    wait "$pid" || status=$?
    exits $((128 + $(kill -l "$signal")))
    same "left: $(find temporary -mindepth 1)" 'left: '
    ! grep -lazxF "TMPDIR=$PWD/temporary" /proc/[0-9]*/environ 2>/dev/null | contains . || fail 'a program of it runs on'
}

it "hostpin doctor --verify, by Ctrl-C" ends_with_all_that_it_runs INT doctor --verify --toolkit "$(cuda 12.4)" --stdenv g++-12
it "hostpin doctor --verify, by SIGTERM" ends_with_all_that_it_runs TERM doctor --verify --toolkit "$(cuda 12.4)" --stdenv g++-12
finish
