#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# doctor and bind end with the command to run next.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_split 12.4 12 15
only=${1:-}

doctor_ends_with_what_comes_next() {
    call "$hostpin" doctor --toolkit "$toolkit" --stdenv "g++-$newer" --host "g++-$older"
    exits 0
    local next
    next=$(tail -n 1 "$out")
    [[ $next == "next: $hostpin bind toolchain "* ]] || { show_call && fail "the last line is no command"; }
    call bash -c "${next#next: }"
    exits 0
    write_source a.cu
    toolchain/nvcc -arch=sm_75 -c a.cu
    made_by a.o gcc "$older"
    PATH=$prefix/bin:$PATH "$hostpin" doctor --toolkit "$toolkit" | tail -n 1 | contains '^next: hostpin bind toolchain '
}

bind_ends_with_what_comes_next() {
    need_command cmake
    call "$hostpin" bind "my toolchain" --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build '-DCMAKE_TOOLCHAIN_FILE=$PWD/my toolchain/toolchain.cmake'"
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(p CUDA)\n' >CMakeLists.txt
    local next
    next=$(tail -n 1 "$out")
    (export CUDAARCHS=75 && eval "${next#next: }") >log || { cat log && fail "cmake does not take it"; }
    grep -qF "set(CMAKE_CUDA_COMPILER \"$PWD/my toolchain/cuda/bin/nvcc\")" build/CMakeFiles/*/CMakeCUDACompiler.cmake || fail "CMake takes another nvcc"
    PATH="$PWD/my toolchain:$PATH" call "$hostpin" doctor
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build '-DCMAKE_TOOLCHAIN_FILE=$PWD/my toolchain/toolchain.cmake'"
    call "$hostpin" bind listed --toolkit "$toolkit" --stdenv "g++-$newer" --capabilities 7.5
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build -DCMAKE_TOOLCHAIN_FILE=$PWD/listed/toolchain.cmake"
    rm -r build
    next=$(tail -n 1 "$out")
    eval "${next#next: }" >log || { cat log && fail "cmake does not take it"; }
    # builds that use it continue
    call "$hostpin" bind --refresh listed
    exits 0
    ! grep -q '^next:' "$out" || { show_call && fail "a refresh has no next command"; }
    call "$hostpin" bind --view view --toolkit "$toolkit" --stdenv "g++-$newer"
    exits 0
    next=$(tail -n 1 "$out")
    same "$next" "next: eval \"\$($hostpin env --bound $PWD/view)\""
    (eval "${next#next: }" && same "$CUDA_HOME" "$PWD/view")
    PATH=$PWD/view/bin:$PATH call "$hostpin" doctor
    exits 0
    same "$(tail -n 1 "$out")" "next: cmake -B build -DCMAKE_TOOLCHAIN_FILE=$PWD/view/hostpin/toolchain.cmake"
}

# Only compilers of GCC's family that the toolkit rejects are available.
a_hint_names_what_there_is() {
    local paste
    need_lab bin/g++-15 bin/clang++-17
    need_cuda 12.4
    printf 'search = "named"\n' >named.toml
    export HOSTPIN_CONFIG=$PWD/named.toml CXX=$lab/bin/g++-15
    CUDA_HOME=$(cuda 12.4)
    export CUDA_HOME
    write_small_source a.cu
    call "$our_nvcc" -c a.cu
    exits 1
    says '^hint: install (g\+\+-1[0-3] \(apt-get install g\+\+-1[0-3]\)|GCC 13|[a-z]*1[0-3]).*or name one with -ccbin$'
    call "$hostpin" bind bound
    exits 1
    says '^hint: .*or name one with --host$'
    if command -v apt-cache >/dev/null && paste=$(sed -n 's/^hint: install [^(]*(apt-get install \([^)]*\)).*/\1/p' "$err") && [ -n "$paste" ]; then
        [ -n "$(apt-cache madison "$paste")" ] || fail "apt has no package of that very name: $paste"
    fi
    printf 'compilers = ["%s"]\n' "$lab/bin/clang++-17" >>named.toml
    call "$hostpin" bind bound
    exits 1
    says "^hint: .*use one that fits but is not a GCC: --host $(literally "$lab/bin/clang++-17")\$"
    paste=$(sed -n 's/^hint: .*not a GCC: //p' "$err")
    call bash -c "'$hostpin' bind bound $paste"
    exits 0
    call "$our_nvcc" -c a.cu
    exits 1
    paste=$(sed -n 's/^hint: .*not a GCC: //p' "$err")
    call bash -c "'$our_nvcc' -c a.cu -o a.o $paste"
    exits 0
    made_by a.o clang 17
    call "$hostpin" bind bound --host g++-15
    exits 1
    says '^hint: .*or add --allow-unsupported$'
}
variables_of_nvcc_have_their_own_cure() {
    export CUDA_HOME=$toolkit CXX=g++-$newer NVCC_APPEND_FLAGS=-ccbin=g++-$newer
    call "$hostpin" doctor
    exits 1
    grep -q 'name one that fits .*, unset NVCC_APPEND_FLAGS or, .*, or add -allow-unsupported-compiler' "$out" || { show_call && fail "no cure for a call of nvcc"; }
    call env -u NVCC_APPEND_FLAGS HOSTPIN_HOST="g++-$newer" "$hostpin" bind bound
    exits 1
    says '^hint: name one that fits .*, unset HOSTPIN_HOST, or add --allow-unsupported$'
}
a_path_in_a_hint_is_one_word() {
    compiler g++-mine "$host"
    "$hostpin" bind "my bound" --toolkit "$toolkit" --stdenv "g++-$newer" --host "$bin/g++-mine" >/dev/null
    compiler g++-mine env "$host"
    call "my bound/nvcc" --version
    exits 2
    call bash -c "$(sed -n 's/^hint: check the change and bind again: //p' "$err")"
    exits 0
    "my bound/nvcc" --version
}
a_copy_without_its_links() {
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer" >/dev/null
    cp -r bound kept && kept/cuda/bin/nvcc --version
    rm -rf kept/cuda/{include,lib,lib64,nvvm,targets} # gigabytes
    cp -rL kept copy
    call copy/cuda/bin/nvcc --version
    exits 2
    says "error: $PWD/copy/cuda/bin/nvcc is a copy " '^hint: .*cp -a.*: hostpin bind toolchain$'
    says_not reinstall
}

# A second toolkit on PATH whose nvcc reports that it was run.
runs_one_toolkit() {
    mkdir -p toolkit/bin
    printf '#!/bin/sh\necho run >>%q\nexec %q "$@"\n' "$PWD/runs" "$toolkit/bin/nvcc" >toolkit/bin/nvcc
    chmod +x toolkit/bin/nvcc
    export CXX=$stdenv PATH=$PWD/toolkit/bin:$PATH
    write_host_source x.cpp
    CUDA_HOME=$toolkit "$hostpin" bind bound
    CUDA_HOME=$toolkit "$our_nvcc" -c x.cpp -o x.o
    absent runs
    CUDA_HOME=$toolkit "$hostpin" doctor >shown
    [ -s runs ] || fail 'doctor did not run the second one'
    grep -qF "$PWD/toolkit/bin/nvcc" shown || { cat shown && fail 'doctor does not list the second one'; }
    # one that is not usable is rejected, and the next one is used
    mkdir -p broken/bin
    printf '#!/bin/sh\nexit 1\n' >broken/bin/nvcc
    chmod +x broken/bin/nvcc
    CUDA_HOME=$PWD/broken "$hostpin" bind other >shown
    grep -qF "$PWD/toolkit" other/binding.toml || { cat shown other/binding.toml && fail 'the one on PATH was not used'; }
}

it "a decision runs no nvcc but that of its toolkit, and doctor runs all" runs_one_toolkit
it "doctor's last line is the command that comes next" doctor_ends_with_what_comes_next
it "bind's last line is the command that comes next" bind_ends_with_what_comes_next
it "a refusal's hint names packages and options that there are" a_hint_names_what_there_is
it "a compiler that a variable names has that variable's cure" variables_of_nvcc_have_their_own_cure
it "a path in a hint's command is one word" a_path_in_a_hint_is_one_word
it "a program copied away from its binding says so" a_copy_without_its_links
finish
