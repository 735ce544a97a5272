#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sccache before our nvcc. 0.4 keeps a whole call under the text that nvcc -E prints; since 0.9 it has nvcc tell its steps
# (--dryrun --keep) and keeps those, the host compiler's under the bytes of our c++.
#
#   HOSTPIN_FULL  1: every case with the newest release too
# shellcheck source=tests/e2e/caches/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
use_cache sccache "$@"

stop() { "$cache" --stop-server >/dev/null 2>&1 || true; }
fresh() {
    export SCCACHE_DIR=$PWD/store SCCACHE_IDLE_TIMEOUT=600
    trap stop EXIT
    start_sccache "$cache"
    write_small_source a.cu
    settle
}
misses() { "$cache" --show-stats | sed -nE 's/^Cache misses +([0-9]+) *$/\1/p'; }
hit() {
    local before
    before=$(misses)
    "$@"
    same "$(misses)" "$before"
}
missed() {
    local before
    before=$(misses)
    "$@"
    [ "$(misses)" -gt "$before" ] || fail "no miss: $*"
}

# The control: without this the tests below could not fail.
sccache_is_blind_to_an_update() {
    fresh
    make_updatable g++
    export NVCC_CCBIN=$bin/g++
    build "$toolkit/bin/nvcc"
    update g++
    hit build "$toolkit/bin/nvcc"
    made_before_update a.o
}

bound() {
    fresh
    bind_host one g++-12
    missed build one/nvcc
    made_by a.o gcc 12
    hit build one/nvcc
    bind_host two g++-12
    hit build two/nvcc
    bind_host one g++-11 # in place, while the server remembers the program of that path
    missed build one/nvcc
    made_by a.o gcc 11
    bind_host one g++-12
    hit build one/nvcc
    made_by a.o gcc 12
}

bound_update() {
    fresh
    make_updatable g++-bound
    bind_host one "$bin/g++-bound"
    build one/nvcc
    made_before_update a.o
    update g++-bound
    call compile one/nvcc
    [ "$status" -ne 0 ] || fail "an old object"
    says 'one depends on .*cc1plus, which has changed'
    "$hostpin" bind --refresh one >/dev/null
    missed build one/nvcc
    made_after_update a.o
}

unbound() {
    fresh
    configure_host g++-12
    missed build "$our_nvcc"
    made_by a.o gcc 12
    hit build "$our_nvcc"
    configure_host g++-11
    missed build "$our_nvcc"
    made_by a.o gcc 11
    HOSTPIN_HOST=g++-12 hit build "$our_nvcc"
    made_by a.o gcc 12
    NVCC_CCBIN=g++-11 build "$our_nvcc"
    made_by a.o gcc 11
}

unbound_update() {
    fresh
    make_updatable g++-unbound
    configure_host "$bin/g++-unbound"
    build "$our_nvcc"
    made_before_update a.o
    hit build "$our_nvcc"
    update g++-unbound
    missed build "$our_nvcc"
    made_after_update a.o
}

also "without us sccache hands out an object from before an update" sccache_is_blind_to_an_update
also "a bound nvcc is cached by its binding, in place too" bound
it "a bound nvcc is not answered from the cache after an update behind it" bound_update
it "an unbound nvcc is cached by what configuration and environment choose" unbound
also "an unbound nvcc misses after an update behind it" unbound_update
finish
