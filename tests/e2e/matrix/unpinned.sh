#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Why hostpin pins: the same sample with the real nvcc and a plain -ccbin of the older GCC does not link. With HOSTPIN_FULL=1 a second pair.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"

# fails_without_pin TOOLKIT OLDER STDENV: both programs fail, for symbols that only the stdenv's libstdc++ has.
fails_without_pin() {
    local program
    need_cuda "$1"
    need_lab "bin/$2" "bin/$3"
    CXX=$lab/bin/$3 CUDAHOSTCXX=$lab/bin/$2 \
        cmake -S "$repository/samples/saxpy" -B build -G Ninja "-DCMAKE_CUDA_COMPILER=$(cuda "$1")/bin/nvcc"
    cmake --build build --target report
    for program in saxpy_cuda saxpy_mixed; do
        call cmake --build build --target "$program"
        [ "$status" -ne 0 ] || fail "$program links without the pin"
        grep -qE "undefined reference to .*@GLIBCXX_3\.4\.3[0-9]" "$out" ||
            { show_call; fail "$program fails for another reason"; }
    done
}

it 'CUDA 12.4 with -ccbin g++-13 next to g++-16 does not link' fails_without_pin 12.4 g++-13 g++-16
[ "$full" = 0 ] || it 'CUDA 11.8 with -ccbin g++-11 next to g++-14 does not link' fails_without_pin 11.8 g++-11 g++-14
finish
