#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sanitize.sh BUILD: builds the unit tests and the fuzz targets with Clang, warnings as errors, under the address and
# undefined-behaviour sanitizers, runs the tests and lets libFuzzer search for a while.
set -euo pipefail
build=$1
repository=$(cd "$(dirname "$0")/../.." && pwd)
lab=${HOSTPIN_LAB:-${HOME:-/nonexistent}/.cache/hostpin/lab}
unset CXX CXXFLAGS LDFLAGS CMAKE_GENERATOR
# LLVM's headers mark the free memory of its allocators as poisoned, in our code alone: its libraries, which are not
# instrumented, take it into use without a word.
export ASAN_OPTIONS=allow_user_poisoning=0
launcher=()
if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi

has_sanitizers() {
    local probe
    probe=$(mktemp)
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
        "$1" -std=c++20 -fsanitize=fuzzer,address,undefined -x c++ - -o "$probe" 2>/dev/null
    local status=$?
    rm -f "$probe"
    return "$status"
}

for clang in clang++-16 clang++-19 "$lab/bin/clang++-16" "$lab/bin/clang++-19" clang++; do
    if command -v "$clang" >/dev/null && has_sanitizers "$clang"; then
        cmake -S "$repository" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
            -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1\ -g1 -DHOSTPIN_FUZZ=ON -DHOSTPIN_WERROR=ON \
            ${launcher[@]+"${launcher[@]}"}
        cmake --build "$build" --target hostpin_checks
        ctest --test-dir "$build" --output-on-failure -j2 -R '^(unit|fuzz)\.'
        exit
    fi
done
message="no Clang with the runtimes for -fsanitize=fuzzer,address,undefined (libclang-rt-16-dev or -19-dev)"
if [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then
    echo "FAIL: $message, and HOSTPIN_LAB_REQUIRED=1 says that it must be there"
    exit 1
fi
echo "skipped: $message"
exit 77
