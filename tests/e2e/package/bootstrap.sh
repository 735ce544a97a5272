#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bootstrap.sh: `./bootstrap saxpy` and `./bootstrap test` of a clone of the last commit, in a bare Debian 12 by debootstrap with an empty
# home. There is no toolkit and the core alone is built, so that the toolkit is CUDA 11.8 of the distribution, GCC 11 alone fits it, and most
# components are absent: a test that fails there needs what it does not ask for. By hand, HOSTPIN_FULL=1, as root: an hour of processor and
# gigabytes from the mirror.
#   CCACHE_DIR   a compiler cache to use in there, with the options of CI; none if it is empty
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0} ccache=${CCACHE_DIR:-}
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/package/roots_lib.sh
. "$(dirname "$0")/roots_lib.sh"
[ "$full" = 1 ] || skip "makes a system of packages, builds and tests everything in it; HOSTPIN_FULL=1 runs it"
need_roots
need_command git

passes() { # SUITE WORDS...
    local words
    provide_root "$1" ca-certificates "$1-bare"
    git clone -q --no-hardlinks "$repository" "$work/clone"
    mkdir home
    # in_root has the last directory as /cuda
    call in_root "$1-bare" "$work/clone" "$PWD/home" "cd /hostpin ${ccache:+&& export CCACHE_DIR=/cuda CI=true}
        for command in saxpy test; do ./bootstrap \$command || exit 1; done" "$ccache"
    cp "$out" "$work/$1.log"
    grep -E 'skipped|tests passed|The following tests FAILED|^[[:space:]]*[0-9]+ - ' "$out" || true
    exits 0
    for words in 'done: \./bootstrap saxpy' '100% tests passed' 'done: \./bootstrap test' "${@:2}"; do contains -E "$words" <"$out"; done
}

it 'Debian 12: a bare system builds the sample, and passes all tests or skips them with the reason' passes bookworm 'CUDA 11\.8' 'GCC 11'
if [ -e "$work/bookworm.log" ]; then tail -n 40 "$work/bookworm.log"; fi
finish
