#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# target.sh [WORDS]: the samples cross-built for aarch64 and ppc64le with toolkits composed of archives; host halves run under qemu. Each way
# of naming the compiler with one target and one toolkit, HOSTPIN_FULL=1: with all of them. 60 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/../redist/lib.sh"
# shellcheck source=tests/e2e/target/lib.sh
. "$(dirname "$0")/lib.sh"
only=${1:-}
need_hostpin
need_command cmake ninja
saxpy=$repository/samples/saxpy
arm=aarch64-linux-gnu power=powerpc64le-linux-gnu

# binds RELEASE TRIPLE STDENV HOST: ./bound, in which HOST was selected and STDENV links.
binds() {
    need_target "$1" "$2" "$3" "$4"
    stdenv=$(cross "$3")
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$stdenv" --target "$triple"
    exits 0
    contains "^  target  *$triple" <"$out"
    contains "^  compiles  *GCC $4\." <"$out"
    contains "^directory = .*/targets/$directory\"" <bound/binding.toml
}
runs() { # DIRECTORY
    emulated "$stdenv" "$1/saxpy_cuda" host | contains 'host half: 1048576 elements, all as expected'
    emulated "$stdenv" "$1/saxpy_mixed" host | contains 'host half: 1048576 elements, all as expected'
}
objects_by() { made_by "$(find "$1" -name '*saxpy_cuda*.o' | head -n 1)" gcc "$2"; }

by_cmake() {
    binds "$@"
    logged cmake -G Ninja -S "$saxpy" -B build -DCMAKE_TOOLCHAIN_FILE="$PWD/bound/toolchain.cmake" -DCMAKE_INSTALL_PREFIX="$PWD/installed"
    logged cmake --build build
    logged cmake --install build
    objects_by build "$4"
    is_of_target "$stdenv" installed/bin/* installed/lib*/libreport.so
    runs installed/bin
    # the emulator of the toolchain file runs the tests
    logged ctest --test-dir build -R host
    call "$hostpin" leak-check --binding bound --build-dir "$PWD/build" installed
    exits 0
}
by_host_compiler() { # the toolkit's own nvcc, and ours as the compiler that it calls
    binds "$@"
    CXX=$stdenv CUDACXX=$toolkit/bin/nvcc CUDAHOSTCXX=$PWD/bound/c++ logged cmake -G Ninja -S "$saxpy" -B build -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR="$processor"
    logged cmake --build build
    objects_by build "$4"
    is_of_target "$stdenv" build/saxpy_cuda build/saxpy_mixed build/libreport.so
    runs build
}
by_meson() {
    need_command meson
    binds "$@"
    cat >cross.ini <<INI
[binaries]
cpp = '$stdenv'
cuda = '$PWD/bound/nvcc'
exe_wrapper = ['qemu-$processor-static', '-L', '$(dirname "$(dirname "$(realpath "$("$stdenv" -print-file-name=libc.so.6)")")")']
[host_machine]
system = 'linux'
cpu_family = '${processor%le}'
cpu = '$processor'
endian = 'little'
INI
    logged meson setup build "$saxpy" --cross-file cross.ini
    logged ninja -C build
    objects_by build "$4"
    is_of_target "$stdenv" build/saxpy_cuda build/saxpy_mixed build/libreport.so
    runs build
}
by_make() {
    need_command make
    binds "$@"
    mkdir build
    (cd build && logged make -f "$saxpy/Makefile" "NVCC=$work/case/bound/nvcc" "CXX=$stdenv" CXXFLAGS=-O0)
    objects_by build "$4"
    is_of_target "$stdenv" build/saxpy_cuda build/saxpy_mixed build/libreport.so
    (cd build && runs .)
}
by_libraries() {
    binds "$@"
    logged cmake -G Ninja -S "$repository/samples/shared-libraries" -B build -DCMAKE_TOOLCHAIN_FILE="$PWD/bound/toolchain.cmake"
    logged cmake --build build
    is_of_target "$stdenv" build/count build/libhistogram.so build/libwords.so
    needed build/libhistogram.so | contains libcudart
    emulated "$stdenv" build/count host | contains 'all as expected'
}
# A project without CUDA sources asks CMake alone where the libraries are. Each CMake, without and with hostpin.
finds_libraries() { # TRIPLE
    local each cmake
    binds 12.4.1 "$1" 12 12
    mkdir source
    cat >source/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(version LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
add_executable(version version.cpp)
target_link_libraries(version PRIVATE CUDA::cudart)
CMAKE
    cat >source/version.cpp <<'CPP'
#include <cuda_runtime_api.h>
#include <cstdio>
int main() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    std::printf("runtime %d\n", version);
}
CPP
    for each in 3.25 3.31 4.3; do
        cmake=cmake
        if [ -x "$lab/cmake/$each/usr/bin/cmake" ]; then cmake=$lab/cmake/$each/usr/bin/cmake; fi
        logged "$cmake" -G Ninja -S source -B "with-$each" -DCMAKE_TOOLCHAIN_FILE="$PWD/bound/toolchain.cmake"
        logged "$cmake" --build "with-$each"
        same "$each: $(emulated "$stdenv" "with-$each/version")" "$each: runtime 12040"
    done
}
plain_libraries() { # what CMake does by itself for ppc64le
    local each cmake
    finds_libraries "$power"
    for each in 3.31 4.3; do
        cmake=$lab/cmake/$each/usr/bin/cmake
        "$cmake" -G Ninja -S source -B "plain-$each" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=ppc64le \
            -DCMAKE_CXX_COMPILER="$stdenv" -DCUDAToolkit_ROOT="$toolkit" >plain.log 2>&1 || continue
        ! "$cmake" --build "plain-$each" >plain.log 2>&1 || fail "CMake $each finds the libraries for ppc64le; drop the case"
        contains 'file in wrong format' <plain.log
    done
}
plain_does_not_link() { # TRIPLE: what `binds 12.4.1 TRIPLE 14 13` builds, by nvcc -ccbin
    need_target 12.4.1 "$1" 12 14
    stdenv=$(cross 14)
    logged "$stdenv" -std=c++26 -D_GLIBCXX_ASSERTIONS -fPIC -shared "$saxpy/report.cpp" -o libreport.so
    ! "$toolkit/bin/nvcc" -ccbin "$(cross 12)" -arch=sm_75 -std=c++17 "$saxpy/saxpy_cuda.cu" -L. -lreport -o saxpy_cuda >plain.log 2>&1 ||
        fail 'plain nvcc links it'
    contains 'libreport.so: undefined reference' <plain.log
}
plain_libraries_do_not_link() {
    need_target 12.4.1 "$arm" 12
    CXX=$(cross 12) CUDACXX=$toolkit/bin/nvcc CUDAHOSTCXX=$(cross 12) logged cmake -G Ninja -S "$repository/samples/shared-libraries" -B build \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
    ! cmake --build build >plain.log 2>&1 || fail 'plain nvcc and CMake link it'
    contains 'libhistogram.so: undefined reference' <plain.log
}

# way FUNCTION RELEASE TRIPLE STDENV HOST
way() { it "$(tr _ ' ' <<<"$1"): CUDA $2 for $3, GCC $5 compiles and GCC $4 links" "$@"; }
ways=(by_cmake by_host_compiler by_meson by_make by_libraries)
if [ "$full" = 1 ]; then
    for each in "${ways[@]}"; do
        for triple in "$arm" "$power"; do
            way "$each" 12.4.1 "$triple" 14 13
            way "$each" 12.4.1 "$triple" 12 12
            way "$each" 11.8.0 "$triple" 12 11
        done
    done
else
    way by_cmake 12.4.1 "$arm" 14 13
    way by_host_compiler 11.8.0 "$arm" 12 11
    way by_meson 12.4.1 "$power" 14 13
    way by_make 11.8.0 "$power" 12 11
    way by_libraries 12.4.1 "$arm" 14 13
    way by_libraries 11.8.0 "$power" 12 11
fi
it 'FindCUDAToolkit of CMake 3.25 to 4.3 finds the libraries for aarch64' finds_libraries "$arm"
it 'and those for ppc64le, where it takes those for x86_64 without hostpin' plain_libraries
it 'nvcc -ccbin with an older cross compiler does not link what a newer one made, for aarch64' plain_does_not_link "$arm"
it 'nor for ppc64le' plain_does_not_link "$power"
it 'a program that needs the CUDA runtime through a library does not link without hostpin' plain_libraries_do_not_link
finish
