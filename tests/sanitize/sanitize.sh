#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitize.sh BUILD: builds the unit tests and the fuzz targets with Clang, warnings as errors, under the address and
# undefined-behaviour sanitizers, runs the tests and lets libFuzzer search for half a minute with each target.
build=$1
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# LLVM's headers poison the free memory of its allocators, but only in hostpin's code: LLVM's libraries, which are
# not instrumented, use that memory without unpoisoning it.
export ASAN_OPTIONS=allow_user_poisoning=0
# Otherwise undefined behaviour is reported and nothing fails.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

clang_with fuzzer,address,undefined -DFUZZED
configured "$build" -DHOSTPIN_FUZZ=ON
cmake --build "$build" --target hostpin_checks
ctest --test-dir "$build" --output-on-failure -j2 -R '^unit\.'
# Each search ends after a fixed time, so all of them at once take the least in total.
ctest --test-dir "$build" --output-on-failure -j99 -R '^fuzz\.'
