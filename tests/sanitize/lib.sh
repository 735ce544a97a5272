# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by the scripts in this directory: a Clang with the required runtimes, and builds that share a cache.
set -euo pipefail
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
lab=${HOSTPIN_LAB:-${HOME:-/nonexistent}/.cache/hostpin/lab}
unset CXX CXXFLAGS LDFLAGS CMAKE_GENERATOR
# Debug information contains the build directory, and there are many with the same sources.
export CCACHE_BASEDIR=$repository CCACHE_NOHASHDIR=1

has() { # CLANG SANITIZERS
    local probe status
    probe=$(mktemp)
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }
#ifndef FUZZED
int main() {}
#endif' | "$1" -std=c++20 "-fsanitize=$2" ${3:+"$3"} -x c++ - -o "$probe" 2>/dev/null
    status=$?
    rm -f "$probe"
    return "$status"
}
# clang_with SANITIZERS [FLAG]: sets $clang to one that can link them; skips the test if there is none.
clang_with() {
    for clang in clang++-16 clang++-19 "$lab/bin/clang++-16" "$lab/bin/clang++-19" clang++; do
        if command -v "$clang" >/dev/null && has "$clang" "$@"; then return; fi
    done
    local message="no Clang with the runtimes for -fsanitize=$1 (libclang-rt-16-dev or -19-dev)"
    if [ "${HOSTPIN_LAB_REQUIRED:-0}" = 1 ]; then
        echo "FAIL: $message, and HOSTPIN_LAB_REQUIRED=1 says that it must be there"
        exit 1
    fi
    echo "skipped: $message"
    exit 77
}
configured() { # BUILD OPTION...
    local settings=() linker
    if command -v ccache >/dev/null; then settings=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    # A link takes 0.3 s of processor with lld, 1.2 s with GNU ld, and there are 124. Both Clang and GCC, as CMake's C compiler, find it on PATH.
    linker=$(command -v ld.lld || compgen -G "$lab/linkers/lld-1[4-9]/ld.lld" | head -n 1) || true
    if [ -n "$linker" ]; then
        export PATH=$PATH:${linker%/*}
        settings+=(-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld)
    fi
    cmake -S "$repository" -B "$1" -G Ninja -DCMAKE_CXX_COMPILER="$clang" -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O0\ -g1 -DHOSTPIN_WERROR=ON -DBUILD_TESTING=ON ${settings[@]+"${settings[@]}"} "${@:2}"
}
