#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The driver as the child of c++: its exit code, its signals, and those of its parent.
#   child.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/proof/ground.sh
. "$(dirname "${BASH_SOURCE[0]}")/ground.sh"

# ---------------------------------------------------------------------------------------------- the child

# A stdenv that answers bind, and whose links run these lines instead.
linker_that() { # SHELL-LINE
    need_split 12.4 13 15
    mkdir -p "$bin"
    rm -f "$bin/odd"
    # shellcheck disable=SC2016 # the script's own
    printf '%s\n' '#!/bin/sh' 'case " $* " in *" special "*) ;; *) exec '"'$stdenv'"' "$@" ;; esac' "$1" >"$bin/odd"
    chmod +x "$bin/odd"
    bound '' "$bin/odd"
}
status_passes() {
    linker_that 'exit 37'
    call "$cxx" special -o x
    exits 37
    says_not '^hostpin:'
    # shellcheck disable=SC2016
    linker_that 'kill -SEGV $$'
    # shellcheck disable=SC2016
    call perl -e 'system(@ARGV); printf("%d\n", $? & 127)' "$cxx" special -o x
    same "$(cat "$out")" 11
    says_not 'hostpin: error'
}
# started: waits until the linker runs.
started() {
    local _
    for _ in $(seq 600); do if [ -s linker.pid ]; then return; fi; sleep 0.1; done
    fail 'no linker was started'
}
gone() { # PID
    local _
    for _ in $(seq 300); do if ! kill -0 "$1" 2>/dev/null; then return; fi; sleep 0.1; done
    kill -9 "$1"
    fail 'the linker outlived us'
}
signals_arrive() {
    local name number
    # shellcheck disable=SC2016
    linker_that 'trap "echo cleaned >cleaned; exit 9" TERM; echo $$ >linker.pid; sleep 60 & wait'
    "$cxx" special -o x &
    started
    kill -TERM $!
    status=0
    wait $! || status=$?
    same "$status" 9
    same "$(cat cleaned)" cleaned
    # shellcheck disable=SC2016
    linker_that 'echo $$ >linker.pid; exec sleep 60'
    for name in TERM HUP INT KILL; do
        rm -f linker.pid
        # a shell starts its background jobs with SIGINT ignored
        perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$cxx" special -o x &
        started
        number=$(kill -l "$name")
        kill "-$name" $!
        status=0
        wait $! 2>/dev/null || status=$?
        same "$name $status" "$name $((128 + number))"
        gone "$(cat linker.pid)"
    done
}
ignored_signals_stay_ignored() {
    # through a shell in both cases, because a shell sets SIGCHLD itself
    linker_that 'grep SigIgn /proc/$$/status >ignored'
    # shellcheck disable=SC2016
    perl -e '$SIG{$_} = "IGNORE" for qw(INT HUP TERM CHLD); exec @ARGV' "$cxx" special -o x
    # shellcheck disable=SC2016
    perl -e '$SIG{$_} = "IGNORE" for qw(INT HUP TERM CHLD); exec @ARGV' sh -c 'grep SigIgn /proc/$$/status; :' >expected
    same "$(cat ignored)" "$(cat expected)"
}
parent_that_ignores_children() {
    bound
    write_program
    # shellcheck disable=SC2016
    call perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$cxx" main.o greet.o -o program
    accepts program
    # shellcheck disable=SC2016
    call perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$cxx" main.o absent.o -o program2
    exits 1
}

need_hostpin
it 'exit codes and signals of the driver pass exactly' status_passes
it 'signals reach the driver, which does not outlive us' signals_arrive
it 'signals that are ignored stay ignored' ignored_signals_stay_ignored
it 'a parent that ignores SIGCHLD makes no difference' parent_that_ignores_children
finish
