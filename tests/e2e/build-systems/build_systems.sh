#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The saxpy sample in each build system, and a small project with each release of CMake, as their users would call them. The
# host compiler compiles, the stdenv links, and leak-check finds nothing in the installed files.
#   build_systems.sh [WORDS]   only the cases whose sentence contains WORDS
#   HOSTPIN_FULL=1             the sample instead of the small project with every CMake, and every way with each
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_split 12.4 13 14
tk=$toolkit
saxpy=$repository/samples/saxpy
"$hostpin" bind "$work/bound" --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
"$hostpin" bind --view "$work/the view" --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
bound=$work/bound view="$work/the view"

logged() {
    if "$@" >>log 2>&1; then return; fi
    tail -n 40 log
    fail "$*"
}
# is_pinned INSTALLED BUILD: the installed files load the stdenv's library, and refer to nothing of the host compiler or the build.
is_pinned() {
    local program programs=()
    for program in "$1"/bin/*; do programs+=("$program"); done
    stdenv_program "$stdenv"
    for program in "${programs[@]}"; do
        same "$program loads $(loaded "$program" 'libstdc++')" "$program loads $(loaded plain 'libstdc++')"
    done
    if ! is_built checks; then return; fi
    call "$hostpin" leak-check --binding "$bound" --build-dir "$2" "$1"
    exits 0
}
runs() { "$1/bin/saxpy_cuda" host >/dev/null && "$1/bin/saxpy_mixed" host >/dev/null; }

# As C++17 the sample's library formats no time, which would take 3 s to compile.
plain_make() {
    mkdir build
    (cd build && logged make -f "$saxpy/Makefile" "NVCC=$bound/nvcc" "CXX=$stdenv" CXXFLAGS=-std=c++17 "PREFIX=$PWD/out" check install && mv out ..)
    made_by build/saxpy_cuda.o gcc "$older"
    made_by build/saxpy_mixed.o gcc "$newer"
    is_pinned out "$PWD/build"
    runs out
}
configure_and_make() {
    need_command autoconf make
    cp -r "$saxpy" source
    (cd source && logged autoconf)
    mkdir build
    # the variable that CuPy and others read too
    (cd build && NVCC="$bound/nvcc" CXX=$stdenv CXXFLAGS=-std=c++17 logged ../source/configure "--prefix=$PWD/out" && logged make install && mv out ..)
    made_by build/saxpy_cuda.o gcc "$older"
    is_pinned out "$PWD/build"
    # in the source directory it would overwrite the Makefile
    (cd source && call ./configure && [ "$status" -ne 0 ] && cmp Makefile "$saxpy/Makefile")
}
by_meson() {
    need_command meson ninja
    # a native file, and the view's own nvlink and libraries by PATH and CUDA_PATH
    printf "[binaries]\ncpp = '%s'\ncuda = '%s'\n" "$stdenv" "$view/bin/nvcc" >native.ini
    export PATH="$view/bin:$PATH" CUDA_PATH="$view"
    logged meson setup --native-file native.ini --buildtype=plain -Dcpp_std=c++17 "--prefix=$PWD/out" build "$saxpy"
    grep -q "nvcc $release\." log || { cat log && fail "Meson asked another nvcc"; }
    logged meson install -C build
    made_by build/saxpy_cuda.p/saxpy_cuda.cu.o gcc "$older"
    is_pinned out "$PWD/build"
    LD_LIBRARY_PATH=$(dirname "$(find out -name libreport.so)") runs out
}
by_xmake() {
    need_lab xmake/2.9
    local xmake=$lab/xmake/2.9/usr/bin/xmake
    cp -r "$saxpy" source
    cd source
    # it cannot name a host compiler in a directory with a space
    "$hostpin" bind --view cuda --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
    # root may run it, it writes only to this directory, and sends no statistics
    export XMAKE_ROOT=y XMAKE_GLOBALDIR=$PWD/global XMAKE_TMPDIR=$PWD/tmp XMAKE_COLORTERM=nocolor XMAKE_STATS=false CXX=$stdenv
    logged "$xmake" config -y -v -m plain -o build "--cuda=$PWD/cuda" "--cu-ccbin=$PWD/cuda/hostpin/c++" </dev/null
    grep -qF "checking for nvcc ... $PWD/cuda/bin/nvcc" log || { cat log && fail "xmake took another nvcc"; }
    logged "$xmake" build -v </dev/null
    logged "$xmake" install -o "$PWD/out" </dev/null
    made_by build/.objs/saxpy_cuda/linux/x86_64/plain/saxpy_cuda.cu.o gcc "$older"
    made_by build/.objs/saxpy_mixed/linux/x86_64/plain/device.cu.o gcc "$older"
    made_by build/.objs/saxpy_mixed/linux/x86_64/plain/saxpy_mixed.cpp.o gcc "$newer"
    is_pinned out "$PWD/build"
    runs out
    # with CXX alone it passes that to nvcc, and a named compiler wins
    logged "$xmake" config -c -y -m plain -o build "--cuda=$PWD/cuda" </dev/null
    call "$xmake" build saxpy_cuda
    [ "$status" -ne 0 ] || fail "CXX was not handed on as -ccbin"
    grep -q 'named by -ccbin' "$out" "$err" || { show_call; fail "another error than that of -ccbin"; }
}
write_small() {
    cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(small LANGUAGES CXX CUDA)
enable_testing()
find_package(CUDAToolkit REQUIRED)
find_package(hostpin REQUIRED)
add_executable(small small.cu)
target_link_libraries(small PRIVATE CUDA::cudart_static)
install(TARGETS small RUNTIME DESTINATION bin)
file(WRITE "${CMAKE_BINARY_DIR}/found" "${CUDAToolkit_NVCC_EXECUTABLE}\n${CUDAToolkit_INCLUDE_DIRS}\n")
hostpin_leak_check()
CMAKE
    echo '__global__ void k() {} int main() { throw 1; }' >small.cu
}
# by_cmake VERSION: a view with its toolchain file, FindCUDAToolkit, find_package(hostpin) and the check at each install.
by_cmake() {
    need_lab "cmake/$1"
    local cmake=$lab/cmake/$1/usr/bin/cmake
    write_small
    logged "$cmake" -S . -B build "-DCMAKE_TOOLCHAIN_FILE=$view/hostpin/toolchain.cmake" -DCMAKE_CUDA_ARCHITECTURES=75 \
        "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_INSTALL_PREFIX=$PWD/out"
    same "$(cat build/found)" "$view/bin/nvcc"$'\n'"$view/include"
    logged "$cmake" --build build
    logged "$cmake" --install build
    grep -q '0 errors' log || fail "the install was not checked"
    made_by build/CMakeFiles/small.dir/small.cu.o gcc "$older"
    is_pinned out "$PWD/build"
    if [ "$full" = 1 ]; then
        logged "$cmake" -S "$saxpy" -B saxpy "-DCMAKE_CUDA_COMPILER=$bound/nvcc" "-DCMAKE_CXX_COMPILER=$stdenv" "-DCMAKE_INSTALL_PREFIX=$PWD/saxpy-out"
        logged "$cmake" --build saxpy
        logged "$cmake" --install saxpy
        is_pinned saxpy-out "$PWD/saxpy"
        runs saxpy-out
    fi
}
by_presets() {
    need_command cmake ninja
    cp -r "$saxpy" source
    "$hostpin" bind source/toolchain --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
    cd source
    CMAKE_GENERATOR=Ninja logged cmake --preset bound -DCMAKE_BUILD_TYPE=
    logged cmake --build --preset bound
    logged ctest --preset bound
    logged cmake --install build/bound --prefix "$PWD/out"
    made_by build/bound/CMakeFiles/saxpy_cuda.dir/saxpy_cuda.cu.o gcc "$older"
    is_pinned out "$PWD/build/bound"
    "$hostpin" bind --view cuda --toolkit "$tk" --stdenv "$stdenv" --host "$host" >/dev/null
    logged cmake --preset view -G Ninja "${identified_only[@]}"
    grep -qF "CMAKE_CUDA_COMPILER:FILEPATH=$PWD/cuda/bin/nvcc" build/view/CMakeCache.txt ||
        grep -qF "$PWD/cuda/bin/nvcc" build/view/CMakeFiles/*/CMakeCUDACompiler.cmake || fail "the preset does not take the view's nvcc"
}

seldom 'plain make builds the sample with the pin' plain_make
it 'configure and make build the sample with the pin' configure_and_make
it 'Meson builds the sample with the pin, through a native file and a view' by_meson
it 'xmake builds the sample with the pin, through a view and its c++' by_xmake
it 'the presets of the sample build it, from a bound directory and from a view' by_presets
for version in 3.18 3.31 4; do
    # only the oldest and the newest; the others with HOSTPIN_FULL=1
    if [ "$version" = 3.31 ] && [ "$full" != 1 ]; then continue; fi
    it "CMake $version finds a view through its toolchain file, and leak-check through find_package" of checks by_cmake "$version"
done
finish
