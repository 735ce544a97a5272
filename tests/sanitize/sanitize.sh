#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitize.sh BUILD COMPONENT...: builds the unit tests and the fuzz targets of these components with Clang, warnings as errors, under the
# address and undefined-behaviour sanitizers, and runs them: fuzz targets replay their seeds and what searches found. HOSTPIN_FULL=1: built
# with libFuzzer in BUILD-search, which searches for half a minute with each target.
build=$1
components=("${@:2}")
# shellcheck source=tests/sanitize/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# LLVM's headers poison the free memory of its allocators, but only in hostpin's code: LLVM's libraries, which are
# not instrumented, use that memory without unpoisoning it.
export ASAN_OPTIONS=allow_user_poisoning=0
# Otherwise undefined behaviour is reported and nothing fails.
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1

# The components whose libraries are here, as in the build that this test belongs to.
selected=$(sed -n 's/^HOSTPIN_COMPONENTS:[A-Z]*=//p' "$(dirname "$build")/CMakeCache.txt" 2>/dev/null) || selected=
# Each search ends after a fixed time, so all of them at once take the least in total.
if [ "${HOSTPIN_FULL:-0}" = 1 ]; then
    build+=-search
    settings=(-DHOSTPIN_FUZZ=ON) needed=fuzzer,address,undefined flag=-DFUZZED at_once=99
else
    settings=("-DHOSTPIN_SANITIZE=address,undefined") needed=address,undefined flag='' at_once=$(nproc)
fi
clang_with "$needed" ${flag:+"$flag"}
configured "$build" "${settings[@]}" ${selected:+"-DHOSTPIN_COMPONENTS=$selected"} >/dev/null
cmake --build "$build" --target "${components[@]/#/hostpin_checks-}"
labels="component-($(IFS='|' && echo "${components[*]}"))\$"
ctest --test-dir "$build" --output-on-failure --timeout 3600 --no-tests=error -j"$(nproc)" -L "$labels" -L '^unit$'
ctest --test-dir "$build" --output-on-failure --timeout 3600 -j"$at_once" -L "$labels" -L '^fuzz$'
