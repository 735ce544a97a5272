#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Link-time code through the wrapper: what is refused before a link starts, what is dropped, and that links without it cost nothing.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/e2e/lib.sh
. "$here/../lib.sh"
only=${1:-}

# A bound host compiler that is older than the stdenv, and a program in two halves.
ground() {
    need_split 12.4 12 15
    export CXX=$stdenv
    "$hostpin" bind bound --toolkit "$toolkit" --host "$host" >/dev/null
    echo 'int half() { return 21; }' >half.cpp
    printf '#include <iostream>\nint half();\nint main() { std::cout << 2 * half() << std::endl; }\n' >main.cpp
    "$CXX" -c main.cpp
}
has_lto() { readelf -SW "$1" | contains '\.gnu\.lto_'; }

project() {
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(halves LANGUAGES CXX CUDA)
add_executable(halves main.cpp kernel.cu)
CMAKE
    cat >kernel.cu <<'CU'
__global__ void nothing() {}
int half() { return 21; }
CU
    cmake -S . -B build -G Ninja -DCMAKE_CUDA_COMPILER="$PWD/bound/nvcc" -DCMAKE_CUDA_ARCHITECTURES=75 \
        -DCMAKE_CXX_FLAGS=-flto "-DCMAKE_CUDA_FLAGS=-Xcompiler -flto" >configure.log
}
# CMake's own check of the compiler uses the same flags.
a_project_is_refused() {
    ground
    call project
    [ "$status" -ne 0 ] || call cmake --build build
    [ "$status" -ne 0 ] || fail 'built'
    cat configure.log "$out" "$err" >all
    grep -q 'on-mismatch = "drop"' all
    grep -qE "hostpin: error: -flto: objects of GCC $older.* cannot be linked by .*GCC $newer" all || { cat all; fail 'no reason'; }
}
a_project_drops_it() {
    ground
    printf '[lto]\non-mismatch = "drop"\n' >>"$HOSTPIN_CONFIG"
    rm -r bound
    "$hostpin" bind bound --toolkit "$toolkit" --host "$host" >/dev/null
    : >"$HOSTPIN_CONFIG"
    project
    call cmake --build build -v
    exits 0
    same "$(build/halves)" 42
    has_lto build/CMakeFiles/halves.dir/main.cpp.o || fail 'the C++ half lost its link-time code'
    ! has_lto build/CMakeFiles/halves.dir/kernel.cu.o || fail 'the CUDA half kept its link-time code'
    same "$(cat "$out" "$err" | grep -c "hostpin: note: -flto: not passed to GCC $older")" 1
    stdenv_program "$CXX"
    same "$(loaded build/halves libstdc++)" "$(loaded plain libstdc++)"
}

a_stale_object_is_refused() {
    ground
    "$host" -flto -c half.cpp
    call bound/c++ main.o half.o -o halves
    exits 1
    prints_nothing
    says "^hostpin: error: 1 LTO input does not fit .*GCC $newer" "half\.o +GCC $older" "hint: compile it again with GCC $newer"
    absent halves
    # The linker itself agrees.
    ! "$CXX" main.o half.o -o halves 2>/dev/null || fail 'this link works'
    HOSTPIN_LTO=warn call bound/c++ main.o half.o -o halves
    [ "$status" -ne 0 ] || fail 'linked'
    says '^hostpin: warning: .*' 'half\.o'
    HOSTPIN_LTO=off call bound/c++ main.o half.o -o halves
    [ "$status" -ne 0 ] || fail 'linked'
    says_not '^hostpin: '
    HOSTPIN_LTO=maybe call bound/c++ main.o half.o -o halves
    exits 2
    says 'hostpin: error: HOSTPIN_LTO=maybe is not a policy' '^hint: .*error, warn'
}
a_fat_object_is_refused_unless_its_machine_code_is_asked_for() {
    ground
    "$host" -flto -ffat-lto-objects -c half.cpp
    call bound/c++ main.o half.o -o halves
    exits 1
    says 'half\.o' '-fno-lto'
    call bound/c++ -fno-lto main.o half.o -o halves
    exits 0
    same "$(cat "$err")" ''
    same "$(./halves)" 42
}
in_archives_and_directories() {
    ground
    mkdir lib
    "$host" -flto -c half.cpp
    "$lab/bin/gcc-ar-$older" rcs lib/libhalf.a half.o 2>/dev/null || ar rcs lib/libhalf.a half.o
    call bound/c++ main.o -Llib -lhalf -o halves
    exits 1
    says 'libhalf\.a\(half\.o\)'
    echo '-Llib -lhalf' >words
    call bound/c++ main.o @words -o halves
    exits 1
    says 'libhalf\.a\(half\.o\)'
    # not needed
    echo 'int main() {}' >alone.cpp
    "$CXX" -c alone.cpp
    call bound/c++ alone.o -Llib -lhalf -o alone
    exits 0
    says_not 'hostpin: error'
    ./alone
}
by_the_linkers_own_words() {
    ground
    "$host" -flto -c half.cpp
    echo half.o >words
    for words in -Wl,half.o -Wl,@words; do
        call bound/c++ main.o "$words" -o halves
        exits 1
        says '^  half\.o '
    done
    mkdir lib
    ar rcs lib/libhalf.a half.o
    echo 'INPUT(libhalf.a)' >lib/libscript.so
    echo 'INPUT(half.o)' >script
    echo 'INCLUDE script' >lib/libincluding.so
    for words in -Wl,-Llib,-lhalf -Wl,--library-path=lib,--library=half '-Llib -Wl,-lhalf' '-Llib -lscript' '-Llib -lincluding' script \
        -Wl,-T,script -Wl,-Tscript '-T script' -Tscript '-Blib/ -lhalf'; do
        # shellcheck disable=SC2086 # words
        call bound/c++ main.o $words -o halves
        exits 1
        says '^hostpin: error: ' 'half\.o' # the linker says the second as well
    done
    : >empty.o
    "$CXX" -c half.cpp
    mkdir run
    call bound/c++ main.o half.o empty.o -Wl,-rpath,run -o halves
    exits 0
    same "$(cat "$err")" ''
    call bound/c++ '-###' -flto -c half.cpp
    exits 0
}
# nvcc writes the same label into the assembly of each host half.
clang_by_halves() {
    need_toolkit 12.4 12
    need_lab bin/clang++-14
    "$hostpin" bind bound --toolkit "$toolkit" --host "$lab/bin/clang++-14" --stdenv "$lab/bin/clang++-14" >/dev/null
    echo '__global__ void one() {} int half(); int main() { return half() != 21; }' >one.cu
    echo '__global__ void two() {} int half() { return 21; }' >two.cu
    local form
    for form in thin full; do
        bound/nvcc -Xcompiler -flto=$form -c one.cu -o one.o
        bound/nvcc -Xcompiler -flto=$form -c two.cu -o two.o
        call bound/nvcc -Xcompiler -flto=$form one.o two.o -o halves
        if [ $form = thin ]; then
            exits 0
            says_not '^hostpin: '
            ./halves
        else
            exits 1
            says '^hostpin: error: 2 LTO inputs do not fit' "symbol 'fatbinData' is already defined" 'hint: .*-Xcompiler -flto=thin'
            absent refused
            HOSTPIN_LTO=off call bound/nvcc -Xcompiler -flto=full one.o two.o -o refused
            [ "$status" -ne 0 ] || fail 'full LTO of two halves links: there is nothing to refuse'
            says "symbol 'fatbinData' is already defined"
            bound/nvcc -Xcompiler -flto=thin -c two.cu -o two.o # full LTO for one and ThinLTO for the other
            bound/nvcc -Xcompiler -flto=thin one.o two.o -o halves
            ./halves
        fi
    done
}
# The host compiler links too, because the stdenv cannot read its LTO objects.
by_one_compiler() {
    ground
    printf '[runtime]\nlto = "one-compiler"\n' >"$HOSTPIN_CONFIG"
    "$hostpin" bind --refresh bound >/dev/null
    : >"$HOSTPIN_CONFIG"
    bound/c++ -flto -c half.cpp
    bound/c++ -flto -c main.cpp
    call bound/nvcc -Xcompiler -flto main.o half.o -o halves
    exits 0
    says_not 'hostpin: error'
    same "$(./halves)" 42
    same "$(producers halves | grep -c "GCC: (Debian $newer")" 0
    "$hostpin" lto-check -- bound/c++ -flto main.o half.o
    "$hostpin" lto-check --linker 'bound/c++ -flto' main.o half.o | contains "fit .*GCC $older"
    call "$hostpin" lto-check -- bound/c++ main.o half.o # without the flag the stdenv links
    exits 1
    says "which calls GCC $newer"
    echo 'int half();
        __global__ void one() {} int main() { one<<<1, 1>>>(); return half() != 21; }' >one.cu
    echo '__global__ void two() {} int half() { two<<<1, 1>>>(); return 21; }' >two.cu
    bound/nvcc -Xcompiler -flto -c one.cu -o one.o
    bound/nvcc -Xcompiler -flto one.o half.o -o halves # nvcc's own stub has no LTO code
    ./halves
    bound/nvcc -Xcompiler -flto -c two.cu -o two.o
    call bound/nvcc -Xcompiler -flto one.o two.o -o refused
    exits 1
    says '^hostpin: error: 2 LTO inputs do not fit' "symbol 'fatbinData' is already defined" 'hint: .*-Xcompiler -fno-lto'
    absent refused
    HOSTPIN_LTO=off call bound/nvcc -Xcompiler -flto one.o two.o -o refused
    [ "$status" -ne 0 ] || fail 'two halves link: there is nothing to refuse'
    says "symbol .fatbinData. is already defined"
    bound/nvcc -Xcompiler -flto -Xcompiler -fno-lto -c two.cu -o two.o
    bound/nvcc -Xcompiler -flto one.o two.o -o halves
    ./halves
}
a_binding_names_its_refresh() {
    ground
    call bound/nvcc -Xcompiler -flto -c half.cpp
    [ "$status" -ne 0 ] || fail 'compiled'
    says "^hint: .*one-compiler.*; after a change of the configuration: $(literally "$hostpin") bind --refresh $PWD/bound\$"
}
in_words_of_nvcc() {
    ground
    "$host" -flto -ffat-lto-objects -c half.cpp
    call bound/nvcc main.o half.o -o halves
    exits 1
    says 'link with -Xcompiler -fno-lto'
    bound/nvcc main.o half.o -Xcompiler -fno-lto -o halves
    same "$(./halves)" 42
}
what_matches_links() {
    ground
    "$CXX" -flto -c half.cpp
    "$CXX" -flto -c main.cpp
    call bound/c++ -flto -O2 main.o half.o -o halves
    exits 0
    same "$(cat "$err")" ''
    same "$(./halves)" 42
    call bound/c++ '-###' -flto main.o half.o -o other
    exits 0
}
nothing_to_check_starts_nothing() {
    need_command strace
    ground
    "$CXX" -c half.cpp
    strace -f --seccomp-bpf -e trace=execve -o trace bound/c++ main.o half.o -o halves
    ! grep -q lto-check trace || fail 'lto-check ran for a link without link-time code'
    "$CXX" -flto -c half.cpp
    strace -f --seccomp-bpf -e trace=execve -o trace bound/c++ main.o half.o -o halves
    grep -q lto-check trace || fail 'lto-check did not run'
}
a_check_that_fails_stops_the_link() {
    ground
    cp -a "$prefix" moved
    rm moved/libexec/hostpin/lto-check
    moved/bin/hostpin bind unchecked --toolkit "$toolkit" --host "$host" >/dev/null
    "$CXX" -flto -c half.cpp
    call unchecked/c++ -flto main.o half.o -o halves
    exits 1
    says '^hostpin: error: link-time code could not be checked: .*lto-check' '^hint: .*HOSTPIN_LTO=warn'
    absent halves
    HOSTPIN_LTO=warn call unchecked/c++ -flto main.o half.o -o halves
    exits 0
    says '^hostpin: note: the link continues although .*lto-check'
    rm halves
    printf '#!/bin/sh\nkill -KILL $$\n' >moved/libexec/hostpin/lto-check
    chmod +x moved/libexec/hostpin/lto-check
    call unchecked/c++ -flto main.o half.o -o halves
    exits 1
    says '^hostpin: error: link-time code could not be checked: .*killed by signal 9'
    absent halves
}

# device TOOLKIT HOST: an object with LTO-IR of a kernel and one that calls it.
device() {
    echo '__device__ int twice(int x) { return 2 * x; }' >twice.cu
    echo 'extern __device__ int twice(int); __global__ void go(int* p) { *p = twice(*p); } int main() {}' >go.cu
    "$(cuda "$1")/bin/nvcc" -ccbin "$lab/bin/$2" -gencode arch=compute_75,code=lto_75 -rdc=true -c twice.cu go.cu
}
device_code_of_a_newer_toolkit_is_refused() {
    need_lab bin/g++-11 bin/g++-12
    need_cuda 12.4
    need_cuda 11.8
    device 12.4 g++-12
    # The real nvlink exits 0, and omits the kernels.
    "$(cuda 11.8)/bin/nvcc" -ccbin "$lab/bin/g++-11" -arch=sm_75 -dlto -dlink twice.o go.o -o real.o 2>real.err
    ! "$(cuda 12.4)/bin/cuobjdump" -elf real.o 2>/dev/null | contains _Z2goPi || fail 'the real nvlink linked it'
    "$hostpin" bind bound --toolkit "$(cuda 11.8)" --host "$lab/bin/g++-11" --stdenv "$lab/bin/g++-12" >/dev/null
    call bound/nvcc -arch=sm_75 -dlto -dlink twice.o go.o -o linked.o
    exits 1
    says '^hostpin: error: ' 'twice\.o' 'go\.o' 'CUDA 12\.4|1\.61'
    absent linked.o
    call bound/nvcc -arch=sm_75 -dlto twice.o go.o -o program
    exits 1
    absent program
    ar rcs libtwice.a twice.o
    call bound/nvcc -arch=sm_75 -dlto go.o -L. -ltwice -o program
    exits 1
    HOSTPIN_LTO=off call bound/nvcc -arch=sm_75 -dlto -dlink twice.o go.o -o linked.o
    exits 0
}
device_code_of_its_own_links() {
    need_toolkit 12.4 12
    need_libnvvm
    device "$release" "g++-$gcc"
    "$hostpin" bind bound --toolkit "$toolkit" --host "$host" --stdenv "$host" >/dev/null
    call bound/nvcc -arch=sm_75 -dlto twice.o go.o -o program
    exits 0
    says_not hostpin
    ./program
}
# A static library by one toolkit, a program by another, both with INTERPROCEDURAL_OPTIMIZATION.
across_toolkits() {
    need_lab bin/g++-11 bin/g++-12
    need_cuda 12.4
    need_cuda 11.8
    mkdir library program
    cat >library/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(twice LANGUAGES CXX CUDA)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(twice STATIC twice.cu)
set_target_properties(twice PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 75)
CMAKE
    cat >program/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(go LANGUAGES CXX CUDA)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
add_library(twice STATIC IMPORTED)
set_target_properties(twice PROPERTIES IMPORTED_LOCATION ${TWICE} IMPORTED_LINK_INTERFACE_LANGUAGES CUDA)
add_executable(go go.cu)
target_link_libraries(go PRIVATE twice)
set_target_properties(go PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 75)
CMAKE
    echo '__device__ int twice(int x) { return 2 * x; }' >library/twice.cu
    echo 'extern __device__ int twice(int); __global__ void go(int* p) { *p = twice(*p); } int main() {}' >program/go.cu
    "$hostpin" bind newer --toolkit "$(cuda 12.4)" --host "$lab/bin/g++-12" --stdenv "$lab/bin/g++-12" >/dev/null
    "$hostpin" bind older --toolkit "$(cuda 11.8)" --host "$lab/bin/g++-11" --stdenv "$lab/bin/g++-11" >/dev/null
    cmake -S library -B library/build -G Ninja "-DCMAKE_CUDA_COMPILER=$PWD/newer/nvcc" "-DCMAKE_CXX_COMPILER=$lab/bin/g++-12"
    cmake --build library/build
    for bound in newer older; do
        cxx=$([ "$bound" = newer ] && echo g++-12 || echo g++-11)
        cmake -S program -B "$bound-build" -G Ninja "-DCMAKE_CUDA_COMPILER=$PWD/$bound/nvcc" "-DCMAKE_CXX_COMPILER=$lab/bin/$cxx" \
            "-DTWICE=$PWD/library/build/libtwice.a"
        call cmake --build "$bound-build" -v
        if [ "$bound" = newer ]; then exits 0; fi
    done
    [ "$status" -ne 0 ] || fail 'linked across toolkits'
    cat "$out" "$err" >all
    if ! grep -q 'hostpin: error: ' all || ! grep -q 'libtwice.a(twice' all; then
        cat all
        fail 'no reason'
    fi
}

need_hostpin
it 'a project with -flto on both sides is refused with the reason' a_project_is_refused
it 'under drop it builds, runs, and only the CUDA half lacks LTO code' a_project_drops_it
it 'an object of another GCC is refused before the link, is a warning, or is accepted, by policy' a_stale_object_is_refused
it 'a fat object of another GCC is refused, and links with -fno-lto' a_fat_object_is_refused_unless_its_machine_code_is_asked_for
it 'members of archives count if the link needs them' in_archives_and_directories
it 'inputs in linker options count too, and other values do not' by_the_linkers_own_words
it 'under one-compiler the link is judged by the compiler that links, and full LTO of several .cu files is refused' by_one_compiler
it 'a refusal in a bound directory names the command that refreshes it' a_binding_names_its_refresh
it 'if nvcc links, the hint is spelt for nvcc, and works' in_words_of_nvcc
it 'matching objects link' what_matches_links
it 'host halves of Clang link with ThinLTO, and are refused with full LTO' clang_by_halves
it 'a link without link-time code starts no other program' nothing_to_check_starts_nothing
it 'a check that is missing or is killed stops the link' a_check_that_fails_stops_the_link
it 'device code of a newer toolkit, which nvlink would omit, is refused' device_code_of_a_newer_toolkit_is_refused
it 'device code of its own toolkit links' device_code_of_its_own_links
it 'device link-time optimization across toolkits is refused through CMake' across_toolkits
finish
