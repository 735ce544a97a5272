#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Drivers that fail, hang, chatter, call themselves or hostpin, or answer otherwise each time: a message in bounded time, and no decision that
# outlives the fault.
#   hostile.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

driver() { # TEXT
    printf '#!/bin/sh\n%s\n' "$1" >cxx.new
    chmod +x cxx.new
    mv cxx.new cxx
    settle
}
ground() {
    need_split
    export CUDA_HOME=$toolkit CXX=$stdenv
    write_source app.cu
}
# refused TEXT [MESSAGE]: of such a driver, named and as the stdenv; once it works, so do both.
refused() {
    ground
    local way
    for way in named stdenv; do
        driver "$1"
        local nvcc=("$our_nvcc") compiler=$stdenv
        case $way in named) nvcc+=(-ccbin "$PWD/cxx") ;; stdenv) compiler=$PWD/cxx ;; esac
        CXX=$compiler call timeout 60 "${nvcc[@]}" -arch=sm_80 app.cu -o app
        case $status in 0 | 124) show_call && fail "exit code $status" ;; esac
        says 'error: ' 'hint: ' "${2:-.}"
        absent app
        none_runs "$PWD/cxx"
        driver "exec $host \"\$@\""
        CXX=$compiler call "${nvcc[@]}" -arch=sm_80 app.cu -o app
        exits 0
        same "$(./app)" 'hello from the host half'
        rm app
    done
}
# used TEXT: such a driver builds, named and as the stdenv.
used() {
    ground
    driver "$1"
    call "$our_nvcc" -ccbin "$PWD/cxx" -arch=sm_80 app.cu -o app
    exits 0
    same "$(./app)" 'hello from the host half'
    CXX=$PWD/cxx call "$our_nvcc" -arch=sm_80 app.cu -o app
    exits 0
    same "$(./app)" 'hello from the host half'
}
chatty() {
    ground
    used "echo a line; echo another >&2; exec $host \"\$@\""
}
varying() {
    ground
    used "echo call >>$PWD/calls; exec $host -DCALL_\$(wc -l <$PWD/calls) \"\$@\" -L/nowhere/\$(wc -l <$PWD/calls)"
}

it 'one that fails is refused' refused 'echo broken >&2; exit 3'
it 'and one that hangs' refused 'sleep 600'
# shellcheck disable=SC2016 # its own words
it 'and one that calls itself' refused 'exec "$0" "$@"'
it "and one that calls hostpin's c++" refused "exec $our_cxx \"\$@\""
it 'one that prints to both streams is used' chatty
it 'and one that adds other words each time' varying
finish
