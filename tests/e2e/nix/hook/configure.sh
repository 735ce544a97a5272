#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck disable=SC2154 # from ../../lib.sh
# The setup hook before configure: what it exports, and what it does not change. In a real store: ../store.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../../lib.sh"
# shellcheck source=tests/e2e/leak-check/lib.sh
. "$repository/tests/e2e/leak-check/lib.sh"
# shellcheck source=tests/e2e/nix/hook/lib.sh
. "$repository/tests/e2e/nix/hook/lib.sh"
need_command cmake

exports() {
    hook_package
    tells
    seen "CUDACXX=$PWD/hook/bound/nvcc"
    seen "NVCC=$PWD/hook/bound/nvcc"
    seen "CUDAHOSTCXX=$PWD/hook/bound/c++"
    seen "CUDAToolkit_ROOT=$PWD/toolkit"
    seen "CUDA_PATH=$PWD/toolkit"
    seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all"
    tells dontConfigure=1 "buildPhase=env >$PWD/seen"
    seen "CUDAHOSTCXX=$PWD/hook/bound/c++"
    # once: a variable that the derivation unsets afterwards stays unset
    tells "postConfigure=unset CUDAHOSTCXX" "buildPhase=env >$PWD/seen"
    unseen CUDAHOSTCXX
}
inputs() {
    hook_package
    mkdir -p cublas/nix-support plain nvcc/include
    : >cublas/nix-support/include-in-cudatoolkit-root
    : >nvcc/include/cuda_runtime_api.h
    mkdir -p plain/nix-support
    echo "$PWD/cublas" >plain/nix-support/propagated-build-inputs
    local strict
    for strict in 0 1; do
        tells strictDeps=$strict "nativeBuildInputs=$PWD/hook $PWD/nvcc" "buildInputs=$PWD/plain $PWD/toolkit"
        seen "CUDAToolkit_ROOT=$PWD/nvcc:$PWD/cublas:$PWD/toolkit"
        # a hook that is a library input, and one that comes twice
        tells strictDeps=$strict "nativeBuildInputs=" "buildInputs=$PWD/hook $PWD/cublas"
        seen "CUDAToolkit_ROOT=$PWD/toolkit:$PWD/cublas"
        tells strictDeps=$strict "nativeBuildInputs=$PWD/hook" "buildInputs=$PWD/hook $PWD/cublas"
        seen "CUDAToolkit_ROOT=$PWD/toolkit:$PWD/cublas"
        seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all"
    done
}
named() {
    hook_package
    tells CUDACXX=/mine/nvcc CUDAHOSTCXX=/mine/c++ CUDAToolkit_ROOT=/mine CUDA_HOME=/mine NVCC=/mine/nvcc NVCC_PREPEND_FLAGS=-G
    seen CUDACXX=/mine/nvcc
    seen CUDAHOSTCXX=/mine/c++
    seen CUDAToolkit_ROOT=/mine
    seen CUDA_HOME=/mine
    seen NVCC=/mine/nvcc
    seen "NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all -G"
    tells CUDAHOSTCXX=
    seen CUDAHOSTCXX=
    tells NVCC_CCBIN=/mine/g++
    seen NVCC_CCBIN=/mine/g++
    unseen CUDAHOSTCXX
    local naming
    for naming in NVCC_PREPEND_FLAGS=-ccbin=g++-11 "NVCC_APPEND_FLAGS=-O2 --compiler-bindir g++-11" "CUDAFLAGS=-ccbin g++" \
        cmakeFlags=-DCMAKE_CUDA_HOST_COMPILER=g++ "cmakeFlags=-GNinja -DCMAKE_CUDA_HOST_COMPILER:PATH=g++"; do
        tells "$naming"
        unseen CUDAHOSTCXX
    done
}
# An empty attribute means none, not the package's value.
empty_words() {
    hook_package
    local phase="mkdir -p $PWD/result; echo fine >$PWD/result/file; echo \"[\$hostpinForbid]\" >$PWD/word"
    build "installPhase=$phase"
    exits 0
    same "$(cat word)" "[$PWD/gcc-11]"
    build "installPhase=$phase" hostpinForbid=
    exits 0
    same "$(cat word)" "[]"
}
switches() {
    hook_package
    tells dontCompressCudaFatbin=1
    unseen NVCC_PREPEND_FLAGS
    tells dontCompressCudaFatbin=
    seen NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all
    tells dontCompressCudaFatbin=0
    seen NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all
    tells dontCompressFatbin=1
    unseen NVCC_PREPEND_FLAGS
    local switch
    for switch in dontHostpinSetup dontSetupCUDAToolkitCompilers; do
        tells "$switch=1"
        unseen CUDACXX
        unseen CUDAHOSTCXX
        unseen NVCC_PREPEND_FLAGS
    done
}
# An option about compression in any variable for flags takes precedence.
compression() {
    hook_package
    local spoken
    for spoken in NVCC_APPEND_FLAGS='-Xfatbin -compress=false' NVCC_PREPEND_FLAGS=-no-compress CUDAFLAGS=-Xfatbin=-compress-all \
        'cmakeFlags=-GNinja -DCMAKE_CUDA_FLAGS=--compress-mode=size' "mesonFlags=-Dcuda_args=['-Xfatbin=-compress-all']" \
        'makeFlags=NVCCFLAGS=--no-compress' configureFlags=NVCCFLAGS=-Xfatbin=-compress-all; do
        tells "$spoken"
        unseen_compression
    done
    for spoken in 'cmakeFlags=-DWITH_COMPRESS=ON -Dzstd-compress=1' CUDAFLAGS=-Wl,--compress-debug-sections=zlib; do
        tells "$spoken"
        seen NVCC_PREPEND_FLAGS=-Xfatbin=-compress-all
    done
    # an array that the derivation fills in its preConfigure, which comes before the hook
    tells 'preConfigure=cmakeFlagsArray+=("-DCMAKE_CUDA_FLAGS=-O2 -Xfatbin=-compress-all")'
    unseen_compression
}
unseen_compression() { ! contains -e 'PREPEND.*-Xfatbin=-compress-all' <seen || fail "added: $(grep PREPEND seen)"; }
# by_name [ATTRIBUTE=VALUE...]: the nvcc that is found by its name, and the first entry of PATH, in ./found.
by_name() {
    build "configurePhase=type -P nvcc >$PWD/found; echo \${PATH%%:*} >>$PWD/found" "$@"
    exits 0
}
path() {
    hook_package
    mkdir -p other/bin other/bound
    cp hook/bound/nvcc other/bin/
    cp hook/bound/{nvcc,binding.toml} other/bound/
    # an input is on PATH anyway
    by_name
    same "$(cat found)" "$PWD/hook/bin/nvcc"$'\n'"$PWD/hook/bin"
    # another nvcc before it, and no such input at all
    by_name "nativeBuildInputs=$PWD/hook $PWD/other"
    same "$(head -n 1 found)" "$PWD/hook/bound/../bin/nvcc"
    by_name strictDeps=1 nativeBuildInputs= "buildInputs=$PWD/hook"
    same "$(head -n 1 found)" "$PWD/hook/bound/../bin/nvcc"
    # the derivation's own binding, which has a c++ next to its nvcc, and no bin
    by_name "hostpinBinding=$PWD/other/bound"
    [ "$(head -n 1 found)" -ef other/bound/nvcc ] || fail "found $(cat found)"
    [ "$(ls "$(tail -n 1 found)")" = nvcc ] || fail "more than nvcc: $(ls "$(tail -n 1 found)")"
    by_name "hostpinBinding=$PWD/other/bound" dontHostpinSetup=1
    same "$(head -n 1 found)" "$PWD/hook/bin/nvcc"
}
# An exported list is one for CMake, which uses the system's separator in the environment.
roots() {
    hook_package
    mkdir -p cublas/include cublas/lib source
    : >cublas/include/cuda_runtime_api.h
    : >cublas/lib/libcublas.so
    # shellcheck disable=SC2016 # CMake's
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(x LANGUAGES NONE)' \
        'find_library(FOUND cublas PATHS ENV CUDAToolkit_ROOT PATH_SUFFIXES lib NO_DEFAULT_PATH)' 'message("found ${FOUND}")' >source/CMakeLists.txt
    build "buildInputs=$PWD/toolkit $PWD/cublas" "configurePhase=cmake -S $PWD/source -B build"
    exits 0
    says "^found $(literally "$PWD/cublas/lib/libcublas.so")$"
    # the derivation's own list is not changed
    local list
    for list in '/a;/b' '/a /b' '/a:/b'; do
        tells "CUDAToolkit_ROOT=$list" "CUDA_PATH=$list"
        seen "CUDAToolkit_ROOT=$list"
        seen "CUDA_PATH=$list"
    done
}
# An attribute may contain blanks, quotes and newlines.
odd_words() {
    hook_package
    local -r odd=$'/a b/"c\'d\n$(false)*'
    build "configurePhase=printf '%s|' \"\$CUDACXX\" \"\$NVCC_PREPEND_FLAGS\" >$PWD/words" "CUDACXX=$odd" "NVCC_PREPEND_FLAGS=-I'$odd'" "cmakeFlags=-DX=$odd"
    exits 0
    same "$(cat words)" "$odd|-Xfatbin=-compress-all -I'$odd'|"
}

it "the bound toolchain is exported for CMake, Meson and make" exports
it "every CUDA input is found, with and without strictDeps, by mark or by header, and once" inputs
it "values of the derivation are not changed, also a host compiler in flags" named
it "an empty attribute counts as the derivation's value" empty_words
it "the switches before configure are obeyed" switches
it "fatbins are compressed unless the derivation has an option about compression" compression
it "nvcc on PATH is the bound one, and PATH is changed only if it is not" path
it "CMake gets several roots as a list, and the derivation's own list is not changed" roots
it "attributes with blanks, quotes and newlines pass as they are" odd_words
finish
