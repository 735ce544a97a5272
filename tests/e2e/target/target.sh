#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# target.sh [WORDS]: the samples cross-built for aarch64 and ppc64le with toolkits composed of archives; host halves run under qemu. Each way
# of naming the compiler with one target and CUDA 12.4, HOSTPIN_FULL=1: with all targets and CUDA 11.8, the presets also for ppc64le, and more
# that fails without hostpin. 160 s of processor.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/redist/lib.sh
. "$(dirname "$0")/../redist/lib.sh"
# shellcheck source=tests/e2e/target/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/bench/lib.sh
. "$repository/tests/bench/lib.sh"
only=${1:-}
need_hostpin
need_command cmake ninja
saxpy=$repository/samples/saxpy
arm=aarch64-linux-gnu power=powerpc64le-linux-gnu
only_compilers "$lab"/bin/{g++-{12,13},{$arm,$power}-g++-{11,12,13,14}}

# binds RELEASE TRIPLE STDENV HOST: ./bound, in which HOST was selected, or named if a newer one fits, and STDENV links.
binds() {
    local named=()
    need_target "$1" "$2" "$3" "$4"
    stdenv=$(cross "$3") host=$(cross "$4")
    if [ "$3 $4" = '14 12' ]; then named=(--host "$host"); fi
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$stdenv" --target "$triple" "${named[@]}"
    exits 0
    contains "^  target  *$triple" <"$out"
    contains "^  compiles  *GCC $4\." <"$out"
    contains "^directory = .*/targets/$directory\"" <bound/binding.toml
}
runs() { # DIRECTORY
    emulated "$stdenv" "$1/saxpy_cuda" host | contains 'host half: 1048576 elements, all as expected'
    emulated "$stdenv" "$1/saxpy_mixed" host | contains 'host half: 1048576 elements, all as expected'
}
# The host compiler made the objects; if it has an older libstdc++ than the stdenv, the samples need more than that has.
objects_by() { # DIRECTORY GCC
    local theirs
    made_by "$(find "$1" -name '*saxpy_cuda*.o' | head -n 1)" gcc "$2"
    theirs=$("$host" -print-file-name=libstdc++.so.6)
    if cmp -s "$theirs" "$("$stdenv" -print-file-name=libstdc++.so.6)"; then return; fi
    versions_needed "$(find "$1" -name libreport.so | head -n 1)" | sed -n 's/^libstdc++.so.6 //p' | sort >needed
    readelf -VW "$theirs" | versions_defined | sort | comm -23 needed - | contains GLIBCXX_
}

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
    if ! is_built checks; then return; fi
    call "$hostpin" leak-check --binding bound --build-dir "$PWD/build" installed
    exits 0
}
# As the sample's README has it, for three platforms with one toolkit.
by_presets() {
    local platform platforms=(linux-x86_64 linux-sbsa)
    if [ "$full" = 1 ]; then platforms+=(linux-ppc64le); fi
    need_target 12.4.1 "$arm" 14 13
    need_target 12.4.1 "$power" 12
    need_lab bin/g++-12
    cp -r "$saxpy" sample
    cd sample
    "$hostpin" bind platforms/linux-x86_64 --toolkit "$toolkit" --target linux-x86_64 --stdenv "$lab/bin/g++-12" >/dev/null
    "$hostpin" bind platforms/linux-sbsa --toolkit "$toolkit" --target linux-sbsa --stdenv "$lab/bin/$arm-g++-14" >/dev/null
    if [ "$full" = 1 ]; then
        "$hostpin" bind platforms/linux-ppc64le --toolkit "$toolkit" --target linux-ppc64le --stdenv "$lab/bin/$power-g++-12" >/dev/null
    fi
    for platform in "${platforms[@]}"; do
        logged cmake --preset "$platform" -G Ninja -DCMAKE_BUILD_TYPE=
        logged cmake --build --preset "$platform"
        logged ctest --preset "$platform" -R host # through the emulator of the toolchain file
        logged cmake --install "build/$platform" --prefix "installed/$platform"
        call "$hostpin" leak-check --binding "platforms/$platform" --build-dir "$PWD/build/$platform" "installed/$platform"
        exits 0
    done
    readelf -h installed/linux-x86_64/bin/saxpy_mixed | contains 'Machine:.*X86-64'
    if [ "$full" = 1 ]; then
        need_target 12.4.1 "$power" 12
        is_of_target "$(cross 12)" installed/linux-ppc64le/{bin/*,lib*/libreport.so}
    fi
    need_target 12.4.1 "$arm" 14 13
    is_of_target "$(cross 14)" installed/linux-sbsa/{bin/*,lib*/libreport.so}
    stdenv=$(cross 14) host=$(cross 13)
    objects_by build/linux-sbsa 13

    # the report of one of them, with a program of this machine among its files
    cp "$(type -P true)" installed/linux-sbsa/bin/planted
    "$hostpin" report --bound platforms/linux-sbsa -o page.html --tree installed/linux-sbsa >/dev/null
    sed -e 's/<wbr>//g' -e 's/<[^>]*>/ /g' page.html >page.txt
    contains -E "^ *Target +$arm +$toolkit/targets/sbsa-linux +programs run under .*qemu-aarch64" <page.txt
    contains -E "GCC 14.* for $power" <page.txt
    contains -E 'foreign-machine +bin/planted +x86-64' < <(tr -s '\n' ' ' <page.txt)
    contains 'All are for aarch64-linux-gnu' <page.txt
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
    logged meson setup build "$saxpy" --cross-file cross.ini --buildtype=plain
    logged ninja -C build
    objects_by build "$4"
    is_of_target "$stdenv" build/saxpy_cuda build/saxpy_mixed build/libreport.so
    runs build
}
by_make() {
    need_command make
    binds "$@"
    mkdir build
    (cd build && logged make -f "$saxpy/Makefile" "NVCC=$work/case/bound/nvcc" "CXX=$stdenv" CXXFLAGS= NVCCFLAGS=-arch=sm_75)
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
    for each in 3.25 3.31 4; do
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
    for each in 3.31 4; do
        cmake=$lab/cmake/$each/usr/bin/cmake
        "$cmake" -G Ninja -S source -B "plain-$each" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=ppc64le \
            -DCMAKE_CXX_COMPILER="$stdenv" -DCUDAToolkit_ROOT="$toolkit" >plain.log 2>&1 || continue
        ! "$cmake" --build "plain-$each" >plain.log 2>&1 || fail "CMake $each finds the libraries for ppc64le; drop the case"
        contains 'file in wrong format' <plain.log
    done
}
plain_does_not_link() { # TRIPLE: what `binds 12.4.1 TRIPLE 14 13` builds, by nvcc -ccbin
    need_target 12.4.1 "$1" 12 14
    printf '#include <iostream>\nvoid report() { std::cout << std::flush; }\n' >report.cpp
    logged "$(cross 14)" -fPIC -shared report.cpp -o libreport.so
    echo 'void report(); int main() { report(); }' >x.cpp
    ! "$toolkit/bin/nvcc" -ccbin "$(cross 12)" x.cpp -L. -lreport -o x >plain.log 2>&1 || fail 'plain nvcc links it'
    contains 'libreport.so: undefined reference' <plain.log
}
plain_libraries_do_not_link() {
    need_target 12.4.1 "$arm" 12
    CXX=$(cross 12) CUDACXX=$toolkit/bin/nvcc CUDAHOSTCXX=$(cross 12) logged cmake -G Ninja -S "$repository/samples/shared-libraries" -B build \
        -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64
    ! cmake --build build >plain.log 2>&1 || fail 'plain nvcc and CMake link it'
    contains 'libhistogram.so: undefined reference' <plain.log
}

# costs NAME MOST ARGUMENT...: instructions of that bound call until it becomes the real tool, and of a native binding's.
costs() {
    local directory count
    for directory in bound native; do
        count=$(instructions_alone "$PWD/$directory/$1" "${@:3}")
        echo "$directory $1: $count instructions"
        [ "$count" -gt 1000 ] || fail "callgrind counted $count: $(cat "$work/valgrind")"
        [ "$count" -le "$2" ] || fail "$directory/$1 executes $count instructions, where $2 are enough"
    done
}
costs_what_a_native_call_does() {
    need_command valgrind
    binds 12.4.1 "$arm" 14 13
    need_lab bin/g++-13
    "$hostpin" bind native --toolkit "$toolkit" --stdenv "$lab/bin/g++-13" >/dev/null
    costs nvcc 100000 "${typical_nvcc[@]}"
    costs c++ 100000 "${typical_cxx[@]}"
}
# A source whose program needs libc and a version of libstdc++, for is_of_target.
write_versioned_source() {
    cat >"$1" <<'CU'
#include <cstdio>
#include <stdexcept>
__global__ void nothing() {}
int main() {
    try {
        throw std::runtime_error("hello from the host half");
    } catch (const std::exception &error) {
        std::puts(error.what());
    }
}
CU
}
starts_no_emulator() {
    local program
    need_command strace
    binds 12.4.1 "$arm" 14 13
    write_versioned_source x.cu
    logged strace -f --seccomp-bpf -qq -s 4096 -e trace=execve,execveat -o trace bound/nvcc -arch=sm_75 x.cu -o x
    is_of_target "$stdenv" x
    sed -n 's/.*execve("\([^"]*\)".* = 0$/\1/p' trace | sort -u >programs
    contains cicc <programs
    ! grep -E 'execveat|qemu' trace || fail 'an emulator'
    while read -r program; do
        if [ "$(head -c 2 "$program")" != '#!' ]; then readelf -h "$program" | contains 'Machine:.*X86-64'; fi
    done <programs
}
# Both directories of 64-bit Arm in one toolkit. Jetson's own libraries are not to be had: those of sbsa stand in for them.
jetson_beside_sbsa() {
    local each
    need_target 12.4.1 "$arm" 12
    cp -al "$toolkit" both
    rm -r both/targets/aarch64-linux
    cp -a both/targets/sbsa-linux both/targets/aarch64-linux
    stdenv=$(cross 12)
    call "$hostpin" bind any --toolkit "$PWD/both" --target "$triple" --stdenv "$stdenv" --capabilities all
    exits 0
    contains 'target .*targets/sbsa-linux' <"$out"
    contains 'for GPUs .* 50-real;.*90' <"$out"
    says 'note: .*both has files for linux-aarch64 too: --target linux-aarch64 chooses them instead of those for linux-sbsa'
    call "$hostpin" bind bound --toolkit "$PWD/both" --target linux-aarch64 --stdenv "$stdenv" --capabilities all --pack "$PWD/all.tar.zst"
    exits 0
    says_not 'has files for'
    contains 'target .*targets/aarch64-linux' <"$out"
    contains 'for GPUs  *53-real;62-real;72-real;87 ' <"$out"
    for each in any:sbsa bound:aarch64; do
        "${each%:*}/nvcc" --dryrun -x cu /dev/null 2>&1 | contains "_TARGET_DIR_=targets/${each#*:}-linux$"
    done
    call "$hostpin" bind other --toolkit "$PWD/both" --target linux-aarch64 --stdenv "$stdenv" --capabilities '8.0;8.7'
    exits 1
    says '8\.0: no Jetson has it'
    call "$hostpin" bind other --toolkit "$PWD/both" --target linux-sbsa --stdenv "$stdenv" --capabilities 8.7
    exits 1
    says '8\.7: a Jetson'

    # the packed toolchain in a root where nothing else is
    mkdir -p root/source root/dev
    tar -C root -xf all.tar.zst
    : >root/dev/null
    write_versioned_source root/source/x.cu
    find "root$PWD/both/targets" -name 'libcudart.so*' -o -name cuda_runtime.h >found
    contains "both/targets/aarch64-linux/" <found
    ! contains /sbsa-linux/ <found || fail 'files of another platform are packed'
    unshare --map-root-user true || skip 'user namespaces are not allowed here'
    call env -i PATH=/usr/bin:/bin unshare --map-root-user --root=root /bin/sh -c 'cd /source && /toolchain/nvcc -arch=sm_87 x.cu -cudart shared -o x'
    exits 0
    says_not hostpin # all was verified
    is_of_target "$stdenv" root/source/x
    same "$(emulated "$stdenv" root/source/x)" 'hello from the host half'
}

# way FUNCTION RELEASE TRIPLE STDENV HOST
way() { it "$(tr _ ' ' <<<"$1"): CUDA $2 for $3, GCC $5 compiles and GCC $4 links" "$@"; }
ways=(by_cmake by_host_compiler by_meson by_make by_libraries)
if [ "$full" = 1 ]; then
    for each in "${ways[@]}"; do
        for triple in "$arm" "$power"; do
            way "$each" 12.4.1 "$triple" 14 13
            way "$each" 12.4.1 "$triple" 14 12
            way "$each" 12.4.1 "$triple" 12 12
            way "$each" 11.8.0 "$triple" 12 11
        done
    done
else
    way by_host_compiler 12.4.1 "$arm" 14 13
    way by_meson 12.4.1 "$power" 12 12 # GCC 14 needs 3 s more for the sample's library
fi
it 'the presets of the sample build it for x86_64 and others with one toolkit' of checks of report by_presets
it 'a bound cross call executes at most 100,000 instructions, as a native one does' costs_what_a_native_call_does
it 'no compile and no link starts an emulator or a program of the target' starts_no_emulator
it "of Jetson's files and those of sbsa the named ones are used, with their GPUs, and packed" jetson_beside_sbsa
it 'FindCUDAToolkit of CMake 3.25 to 4 finds the libraries for aarch64' finds_libraries "$arm"
it 'and those for ppc64le, where it takes those for x86_64 without hostpin' plain_libraries
it 'nvcc -ccbin with an older cross compiler does not link what a newer one made, for aarch64' plain_does_not_link "$arm"
if [ "$full" = 1 ]; then
    it 'nor for ppc64le' plain_does_not_link "$power"
    it 'a program that needs the CUDA runtime through a library does not link without hostpin' plain_libraries_do_not_link
fi
finish
