#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What doctor and bind end with is the command that comes next.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_cuda 12.4
need_lab bin/g++-15 bin/g++-13 bin/g++-12
toolkit=$(cuda 12.4)

doctor_ends_with_what_comes_next() {
    call "$hostpin" doctor --toolkit "$toolkit" --stdenv g++-15 --host g++-12
    exits 0
    local next
    next=$(tail -n 1 "$out")
    [[ $next == 'next: hostpin bind toolchain '* ]] || { show_call && fail "the last line is no command"; }
    call env PATH="$prefix/bin:$PATH" bash -c "${next#next: }"
    exits 0
    write_source a.cu
    toolchain/nvcc -arch=sm_75 -c a.cu
    made_by a.o gcc 12
}

bind_ends_with_what_comes_next() {
    need_command cmake
    call "$hostpin" bind "my toolchain" --toolkit "$toolkit" --stdenv g++-15
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build '-DCMAKE_CUDA_COMPILER=$PWD/my toolchain/nvcc'"
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(p CUDA)\n' >CMakeLists.txt
    local next
    next=$(tail -n 1 "$out")
    (export CUDAARCHS=75 && eval "${next#next: }") >log || { cat log && fail "cmake does not take it"; }
    same "$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' build/CMakeCache.txt)" "$PWD/my toolchain/nvcc"
    call "$hostpin" bind listed --toolkit "$toolkit" --stdenv g++-15 --capabilities 7.5
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build -DCMAKE_TOOLCHAIN_FILE=$PWD/listed/toolchain.cmake"
    rm -r build
    next=$(tail -n 1 "$out")
    eval "${next#next: }" >log || { cat log && fail "cmake does not take it"; }
    # the builds that use it go on
    call "$hostpin" bind --refresh listed
    exits 0
    ! grep -q '^next:' "$out" || { show_call && fail "a refresh has no next command"; }
    call "$hostpin" bind --view view --toolkit "$toolkit" --stdenv g++-15
    exits 0
    next=$(tail -n 1 "$out")
    same "$next" "next: eval \"\$(hostpin env --bound $PWD/view)\""
    (PATH=$prefix/bin:$PATH && eval "${next#next: }" && same "$CUDA_HOME" "$PWD/view")
}

it "doctor's last line is the command that comes next" doctor_ends_with_what_comes_next
it "bind's last line is the command that comes next" bind_ends_with_what_comes_next
finish
