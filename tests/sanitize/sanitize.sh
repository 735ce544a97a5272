#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitize.sh BUILD: builds the unit tests and the fuzz targets with Clang, warnings as errors, under the address and
# undefined-behaviour sanitizers, runs the tests and lets libFuzzer search for half a minute with each target.
build=$1
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# LLVM's headers mark the free memory of its allocators as poisoned, in our code alone: its libraries, which are not
# instrumented, take it into use without a word.
export ASAN_OPTIONS=allow_user_poisoning=0
# Otherwise undefined behaviour is told and nothing fails.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

clang_with fuzzer,address,undefined -DFUZZED
configured "$build" -DHOSTPIN_FUZZ=ON
cmake --build "$build" --target hostpin_checks
ctest --test-dir "$build" --output-on-failure -j2 -R '^unit\.'
# A search ends by the clock, so that more of them than processors share the time that passes.
ctest --test-dir "$build" --output-on-failure -j24 -R '^fuzz\.'
