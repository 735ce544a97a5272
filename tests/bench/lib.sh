# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# What the benchmarks share: bound and unbound calls of this machine's own toolkit and compilers, and their floor.
# Sourced after tests/e2e/lib.sh.

# A binding of what this machine has, in $work/bound.
bind_here() {
    need_hostpin
    # shellcheck disable=SC2154
    if ! "$hostpin" bind "$work/bound" >/dev/null 2>"$work/err"; then
        cat "$work/err"
        skip "nothing to bind on this machine"
    fi
}
# executed WRAPPER: the program that `WRAPPER --version` becomes.
executed() {
    strace -qq -e trace=execve -o "$work/trace" "$1" --version >/dev/null
    sed -n 's/^execve("\([^"]*\)".* = 0$/\1/p' "$work/trace" | sed -n 2p
}
# Up to the exec: what the wrapper itself opens.
opened() {
    strace -qq -e trace=execve,open,openat,openat2 -o "$work/trace" "$1" --version >/dev/null
    awk '/^execve/ && / = 0$/ { if (++execs == 2) exit; next } /^open/ && !/ = -1 / { print }' "$work/trace"
}
# Instructions of a wrapper from its first to its exec, as callgrind counts them.
instructions() {
    local counts=$work/callgrind
    rm -f "$counts"*
    # its state is lost with the exec, so it is written just before
    valgrind -q --tool=callgrind --callgrind-out-file="$counts" --dump-before=execve "$1" --version \
        >/dev/null 2>"$work/valgrind" || true
    awk '/^totals:/ { sum += $2 } END { print sum + 0 }' "$counts".[0-9]*
}
# Peak resident memory in KB before the exec: that exec is made to fail, for the program behind it is larger.
peak_memory() {
    strace -qq -f -o /dev/null -e inject=execve:error=ENOEXEC:when=2+ \
        /usr/bin/time -f %M -o "$work/peak" "$1" --version >/dev/null 2>&1 || true
    tail -n 1 "$work/peak"
}
