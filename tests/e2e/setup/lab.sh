#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lab.sh [COMPILER...]: the lab's own checks (tests/lab/verify.sh) of compilers that hostpin setup makes of the same packages: those of the lab
# that are not the machine's own and that a toolkit here takes, such as g++-13. By hand, HOSTPIN_FULL=1: 80 MB of packages for each.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2031,SC2154,SC2317 # variables of lib.sh; functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
[ "$full" = 1 ] || skip "fetches a gigabyte; HOSTPIN_FULL=1 runs it"
need_hostpin
chosen=${*:+ $* }

verified() ( # TOOLKIT RELEASE FAMILY MAJOR DRIVER
    here=$repository/tests/lab
    # shellcheck source=tests/lab/lib.sh
    . "$here/lib.sh"
    # shellcheck source=tests/lab/verify.sh
    . "$here/verify.sh"
    try_driver "$5" "ok $3 $4 36" && { [ "$2" = 13.0 ] || try_toolkit "$1" "$2" "$5"; }
)
made() { # FAMILY MAJOR SUITE RELEASE
    local driver=g++-$2 toolkit
    if [ "$1" = clang ]; then driver=clang++-$2; fi
    if [ -n "$chosen" ] && [[ $chosen != *" $driver "* ]]; then skip 'not chosen'; fi
    need_cuda "$4"
    export PATH=$prefix/bin:$plain_path
    toolkit=$(cuda "$4")
    CUDAToolkit_ROOT=$toolkit call hostpin setup "$PWD/made" "--$1" "$2" --cuda "$4" --suite "$3" --yes
    exits 0
    verified "$toolkit" "$4" "$1" "$2" "$PWD/made/compilers/$1-$2/bin/$driver"
    sed -n 's/ fetched, .*//p' "$out" | sed "s/^/$driver of $3: /" >>"$work/figures"
}

it 'GCC 9 of Debian 11' made gcc 9 bullseye 11.8
it 'GCC 10 of Debian 11' made gcc 10 bullseye 11.8
it 'GCC 13 of Debian 13' made gcc 13 trixie 12.4
it 'GCC 14 of Debian 13' made gcc 14 trixie 13.0
it 'GCC 15 of sid' made gcc 15 sid 13.0
it 'Clang 17 of Debian 13, with its sanitizers' made clang 17 trixie 12.4
cat "$work/figures" 2>/dev/null || true
finish
