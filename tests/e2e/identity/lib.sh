# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Sourced by what looks at answers to nvcc's question who its host compiler is.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

# question TOOLKIT FILE: the text that its nvcc has a host compiler preprocess.
question() {
    compiler keep-question cp
    # shellcheck disable=SC2016 # for the script's own shell
    printf '#!/bin/sh\ncp "$2" "$0.cpp"\nexit 1\n' >"$bin/keep-question"
    "$1/bin/nvcc" --dryrun -ccbin "$bin/keep-question" none.cu >/dev/null 2>&1 || true
    mv "$bin/keep-question.cpp" "$2"
}
# bound_to COMPILER TOOLKIT DIRECTORY
bound_to() {
    # One compiler for both halves; whether it fits is another test's matter.
    PATH=$plain_path call "$hostpin" bind --allow-unsupported --stdenv "$1" --host "$1" --toolkit "$2" "$3"
    exits 0
}
# executions DIRECTORY ARGUMENT...: how many programs a call of its c++ became or ran.
executions() {
    strace -f --seccomp-bpf -qq -e trace=execve -o "$work/trace" "$1/c++" "${@:2}" >/dev/null 2>&1 || true
    grep -c ' = 0$' "$work/trace"
}
answers_itself() { same "$(executions "$@")" 1; }
asks_the_compiler() { [ "$(executions "$@")" -gt 1 ] || fail "the compiler was not asked: ${*:2}"; }

# as_the_compiler COMPILER DIRECTORY ARGUMENT...: both print the same and end in the same way.
as_the_compiler() {
    local real=0 ours=0
    "$1" "${@:3}" >"$work/real" 2>"$work/real-errors" </dev/null || real=$?
    "$2/c++" "${@:3}" >"$work/ours" 2>"$work/our-errors" </dev/null || ours=$?
    same "$ours" "$real"
    cmp "$work/ours" "$work/real" || fail "another answer than $1 gives: ${*:3}"
    cmp "$work/our-errors" "$work/real-errors" || fail "other messages than $1 gives: ${*:3}"
}
