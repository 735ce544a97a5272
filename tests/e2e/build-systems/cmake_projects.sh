#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Small CMake projects with the toolchain file of a bound directory: what plain nvcc and a fitting host compiler build is built.
#   cmake_projects.sh [WORDS]   only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1              every language set x feature x CMake as a project of its own, built, and by plain nvcc first
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_command cmake make
need_split 12.4 13 14
tk=$toolkit
"$hostpin" bind "$work/a bound" --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
bound="$work/a bound"

# Each feature of the language CUDA: what its project adds to main.cu.
# shellcheck disable=SC2016 # for CMake
declare -A features=(
    [toolkit]='find_package(CUDAToolkit '"$release"' EXACT REQUIRED)
add_executable(toolkit main.cu)
target_link_libraries(toolkit PRIVATE CUDA::cudart_static CUDA::cuda_driver)
list(GET CUDAToolkit_INCLUDE_DIRS 0 headers)
if(NOT EXISTS "${CUDAToolkit_BIN_DIR}/nvcc" OR NOT EXISTS "${headers}/cuda.h" OR NOT TARGET CUDA::cudart)
  message(FATAL_ERROR "half a toolkit: ${CUDAToolkit_BIN_DIR} ${CUDAToolkit_INCLUDE_DIRS}")
endif()'
    [separable]='add_library(device STATIC device.cu)
add_executable(separable calls.cu)
target_link_libraries(separable PRIVATE device)
set_target_properties(device separable PROPERTIES CUDA_SEPARABLE_COMPILATION ON)'
    [shared]='add_library(half SHARED half.cu)
add_executable(shared uses.cu)
target_link_libraries(shared PRIVATE half)
set_target_properties(shared PROPERTIES CUDA_RUNTIME_LIBRARY Shared)'
    [standard]='foreach(standard 11 14 17)
  add_executable(standard${standard} standard.cu)
  target_compile_definitions(standard${standard} PRIVATE STANDARD=${standard})
  set_target_properties(standard${standard} PROPERTIES CUDA_STANDARD ${standard} CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF)
endforeach()'
    [ptx]='add_library(ptx OBJECT main.cu)
set_target_properties(ptx PROPERTIES CUDA_PTX_COMPILATION ON)'
)
# Those of the other languages, for sets that have them.
cxx_feature='find_package(Threads REQUIRED)
add_executable(mixed main.cpp half.cu)
target_link_libraries(mixed PRIVATE Threads::Threads)'
c_feature='add_library(c STATIC c.c)'

# write_project LANGUAGES FEATURE...
write_project() {
    local feature
    mkdir -p source
    { echo 'cmake_minimum_required(VERSION 3.18)' && echo "project(small LANGUAGES $1)"; } >source/CMakeLists.txt
    for feature in "${@:2}"; do echo "${features[$feature]}" >>source/CMakeLists.txt; done
    if [[ $1 == *CXX* ]]; then echo "$cxx_feature" >>source/CMakeLists.txt; fi
    if [[ "$1 " == *'C '* ]]; then echo "$c_feature" >>source/CMakeLists.txt; fi
    cd source
    echo '__global__ void kernel() {} int main() { kernel<<<1, 1>>>(); }' >main.cu
    echo '__device__ int twice(int x) { return 2 * x; }' >device.cu
    echo '__device__ int twice(int); __global__ void kernel(int* x) { *x = twice(*x); } int main() { kernel<<<1, 1>>>(nullptr); }' >calls.cu
    echo '#include <string>
__global__ void kernel() {} std::string half() { kernel<<<1, 1>>>(); return "half"; }' >half.cu
    echo '#include <string>
std::string half(); int main() { return half().size() == 4 ? 0 : 1; }' | tee main.cpp >uses.cu
    echo 'static_assert(__cplusplus / 100 % 100 == STANDARD, ""); __global__ void kernel() {} int main() {}' >standard.cu
    echo 'int c(void) { return 0; }' >c.c
    cd ..
}
cmake_of() {
    if [ "$1" = machine ]; then PATH=$plain_path command -v cmake; else echo "$lab/cmake/$1/usr/bin/cmake"; fi
}
# one_way ours|plain CMAKE configure|build: the exit code is 0 if it works; build-WAY/log has the error.
one_way() {
    local options
    case $1 in
    ours) options=("-DCMAKE_TOOLCHAIN_FILE=$bound/toolchain.cmake") ;;
    plain) options=("-DCMAKE_CUDA_COMPILER=$tk/bin/nvcc" "-DCMAKE_CUDA_HOST_COMPILER=$host" "-DCMAKE_CXX_COMPILER=$host"
        "-DCUDA_TOOLKIT_ROOT_DIR=$tk" "-DCUDA_HOST_COMPILER=$host" "-DCUDAToolkit_ROOT=$tk") ;;
    esac
    # without CXX, CMake's FindThreads fails if a C++ compiler is named anyway
    if [ "$1" = plain ] && ! grep -q 'LANGUAGES.*CXX' source/CMakeLists.txt; then unset 'options[2]'; fi
    mkdir -p "build-$1"
    "$2" -S source -B "build-$1" -DCMAKE_CUDA_ARCHITECTURES=75 "${options[@]}" >"build-$1/log" 2>&1 || return
    [ "$3" = configure ] || "$2" --build "build-$1" -- -k >>"build-$1/log" 2>&1
}
# as_plain CMAKE configure|build: hostpin works; if not, plain nvcc shows whether that is hostpin's fault.
as_plain() {
    local cmake
    cmake=$(cmake_of "$1")
    if [ "$full" = 1 ]; then one_way plain "$cmake" "$2" || { tail -n 30 build-plain/log && fail "plain nvcc does not: the project is no measure"; }; fi
    one_way ours "$cmake" "$2" && return
    tail -n 30 build-ours/log
    if [ "$full" = 1 ] || one_way plain "$cmake" "$2"; then fail 'plain nvcc does, and the toolchain file does not'; fi
    tail -n 30 build-plain/log
    fail 'neither does plain nvcc: the project is no measure'
}
pinned_objects() { # the host compiler compiled CUDA, the stdenv C++
    made_by "$(find build-ours -name "$1.o")" gcc "$2"
}

# cuda_language VERSION configure|build LANGUAGES FEATURE...
cuda_language() {
    if [ "$1" != machine ]; then need_lab "cmake/$1"; fi
    write_project "${@:3}"
    as_plain "$1" "$2"
    if [ "$2" = configure ]; then return; fi
    if [[ " ${*:4} " == *' separable '* ]]; then pinned_objects calls.cu "$older"; fi
    if [[ $3 == *CXX* ]]; then pinned_objects main.cpp "$newer"; fi
}
# Toolkit libraries without the language: what a C++ project finds.
toolkit_of_cxx() {
    if [ "$1" != machine ]; then need_lab "cmake/$1"; fi
    write_project CXX
    cat >source/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES CXX)
find_package(CUDAToolkit $release EXACT REQUIRED)
add_executable(runtime runtime.cpp)
target_link_libraries(runtime PRIVATE CUDA::cudart)
CMAKE
    printf '#include <cuda_runtime.h>\nint main() { int count; return cudaGetDeviceCount(&count) == 0; }\n' >source/runtime.cpp
    as_plain "$1" build
    pinned_objects runtime.cpp "$newer"
}
# The module that preceded the language; it passes the C compiler to nvcc unless another one is set.
old_module() {
    if [ "$1" != machine ]; then need_lab "cmake/$1"; fi
    write_project CXX
    cat >source/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES C CXX)
find_package(CUDA $release EXACT REQUIRED)
set(CUDA_SEPARABLE_COMPILATION ON)
cuda_add_executable(old calls.cu device.cu OPTIONS -arch=sm_75)
CMAKE
    as_plain "$1" build
    made_by "$(find build-ours -name '*calls.cu.o')" gcc "$older"
}
# PATH with the oldest CMake, and the alternative to the toolchain file for the module; the others of docs/build-systems.md: cmake_releases.sh.
other_ways() {
    need_lab cmake/3.18
    local cmake
    cmake=$(cmake_of 3.18)
    write_project CUDA toolkit
    call env "PATH=$bound/cuda/bin:$PATH" "$cmake" -S source -B path -DCMAKE_CUDA_ARCHITECTURES=75 "${identified_only[@]}"
    exits 0
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(old LANGUAGES C CXX)\nfind_package(CUDA %s EXACT REQUIRED)\ncuda_add_executable(old main.cu OPTIONS -arch=sm_75)\n' "$release" >source/CMakeLists.txt
    call env "PATH=$bound/cuda/bin:$PATH" "CUDAHOSTCXX=$bound/c++" cmake -S source -B old
    exits 0
    call cmake --build old
    exits 0
    made_by "$(find old -name '*main.cu.o')" gcc "$older"
}
# The toolchain file does not override a language or a compiler that the user has set.
what_is_named_wins() {
    write_project CXX
    local cmake
    cmake=$(cmake_of machine)
    CXX=$host "$cmake" -S source -B named "-DCMAKE_TOOLCHAIN_FILE=$bound/toolchain.cmake" >/dev/null
    grep -q "^CMAKE_CXX_COMPILER:.*=$host$" named/CMakeCache.txt || fail "CXX was overruled"
    "$cmake" -S source -B option "-DCMAKE_TOOLCHAIN_FILE=$bound/toolchain.cmake" "-DCMAKE_CXX_COMPILER=$host" >/dev/null
    "$cmake" -S source -B option >/dev/null
    grep -q "^CMAKE_CXX_COMPILER:.*=$host$" option/CMakeCache.txt || fail "CMAKE_CXX_COMPILER was overruled"
}
# A stdenv with a blank in its path, with and without an argument, works as the C++ compiler in every CMake.
odd_stdenv() {
    local version named bound
    mkdir 'a b'
    printf '#!/bin/sh\nexec %q "$@"\n' "$stdenv" >'a b/g++-new'
    chmod +x 'a b/g++-new'
    write_project CXX
    printf 'cmake_minimum_required(VERSION 3.18)\nproject(small LANGUAGES CXX)\nadd_executable(plain main.cpp)\n' >source/CMakeLists.txt
    echo 'int main() { return ARGUMENT - 1; }' >source/main.cpp
    for named in "'$PWD/a b/g++-new'" "'$PWD/a b/g++-new' -DARGUMENT=1"; do
        "$hostpin" bind odd --toolkit "$tk" --stdenv "$named" --host "$host" >/dev/null
        bound=$PWD/odd
        for version in 3.18 machine 4; do
            if [ "$version" != machine ] && [ ! -e "$lab/cmake/$version" ]; then continue; fi
            if [[ $named != *ARGUMENT* ]]; then export CXXFLAGS=-DARGUMENT=1; else unset CXXFLAGS; fi
            one_way ours "$(cmake_of "$version")" build || { tail -n 30 build-ours/log && fail "CMake $version with $named"; }
            grep -qF "a b/g++-new" build-ours/CMakeFiles/*/CMakeCXXCompiler.cmake || fail "CMake $version took another compiler than $named"
            rm -r build-ours
        done
    done
}

all='toolkit separable shared standard ptx'
for version in 3.18 machine 3.31 4; do
    if [ "$full" = 1 ]; then
        for languages in CUDA 'CXX CUDA' 'C CXX CUDA'; do
            for feature in $all; do
                it "CMake $version builds $feature of a project of $languages" cuda_language "$version" build "$languages" "$feature"
            done
        done
    elif [ "$version" != 3.31 ]; then
        # the oldest builds what needs only CUDA; what the configure step shows is not built again
        how=configure take=seldom # the other project of these releases has CUDA as well
        if [ "$version" = 3.18 ]; then how=build take=it; fi
        # shellcheck disable=SC2086 # words
        "$take" "CMake $version builds a project of CUDA alone" cuda_language "$version" "$how" CUDA $all
        how=configure some=$all
        if [ "$version" = machine ]; then how=build some=separable; fi
        # shellcheck disable=SC2086 # words
        it "CMake $version builds a project of C, C++ and CUDA" cuda_language "$version" "$how" 'C CXX CUDA' $some
    fi
    if [ "$version" = 3.31 ] && [ "$full" != 1 ]; then continue; fi
    it "CMake $version finds the toolkit in a project of C++ alone" toolkit_of_cxx "$version"
    if [ "$version" = 4 ]; then continue; fi # its new policies remove that module
    it "CMake $version builds by the old find_package(CUDA)" old_module "$version"
done
it 'the other ways find the toolkit too' other_ways
it 'a C++ compiler that the user names wins over the toolchain file' what_is_named_wins
it 'a stdenv with blanks and arguments is what the toolchain file names' odd_stdenv
finish
