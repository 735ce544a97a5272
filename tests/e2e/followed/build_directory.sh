#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A build directory keeps the decision that it was configured with: the unbound nvcc and c++ follow it, whatever the environment of
# a later call, or refuse and name both.
#   build_directory.sh [WORDS]   only the cases whose sentence contains WORDS; HOSTPIN_FULL=1: by make too
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}
need_hostpin
need_command cmake ninja make
need_lab bin/g++-12 bin/g++-13 bin/g++-14 bin/g++-15
need_cuda 12.4
need_cuda 13.0
old=$(cuda 12.4) new=$(cuda 13.0)
# They differ in the toolkit (12 or 13), the host compiler (GCC 13 or 15) and the linking one (GCC 14 or 15).
configured=(env "CUDAToolkit_ROOT=$old" "CXX=$lab/bin/g++-14")
later=(env "CUDA_HOME=$new" "CXX=$lab/bin/g++-15")
tried=("${identified_only[@]}")
only_compilers "$lab"/bin/g++-{12,13,14,15}
mkdir "$work/source" "$work/source/below"
cat >"$work/source/CMakeLists.txt" <<'CM'
cmake_minimum_required(VERSION 3.18)
project(x LANGUAGES CUDA)
add_subdirectory(below)
CM
echo 'add_executable(x x.cu)' >"$work/source/below/CMakeLists.txt"
cat >"$work/source/below/x.cu" <<'CU'
#include <cstdio>
__global__ void nothing() {}
int main() {
    try {
        throw "CUDA %d, GCC %d\n";
    } catch (const char *line) {
        std::printf(line, __CUDACC_VER_MAJOR__, __GNUC__);
    }
}
CU

configures() { # BUILD [ARGUMENT...]
    "${configured[@]}" cmake -S "$work/source" -B "$1" -G Ninja "-DCMAKE_CUDA_COMPILER=$our_nvcc" "${tried[@]}" "${@:2}" >"$1.log" || {
        cat "$1.log"
        fail "not configured"
    }
}
# is_old BUILD, is_new BUILD: built entirely with what was configured, or with what came later.
is_old() { is "$1" 'CUDA 12, GCC 13' g++-14; }
is_new() { is "$1" 'CUDA 13, GCC 15' g++-15; }
is() {
    same "$("$1/below/x")" "$2"
    stdenv_program "$lab/bin/$3"
    same "$(loaded "$1/below/x" libstdc++)" "$(loaded plain libstdc++)"
}
builds() { call "${later[@]}" cmake --build "$@" -- -v; }

by_generator() { # GENERATOR
    tried=()
    configures build -G "$1"
    call env -i "PATH=$plain_path" "HOSTPIN_CACHE_DIR=$HOSTPIN_CACHE_DIR" cmake --build build
    exits 0
    is_old build
    rm build/below/x
    touch "$work/source/below/CMakeLists.txt" # CMake runs again first
    find build -name '*.o' -delete
    "${later[@]}" cmake --build build
    is_old build
    # elsewhere the environment decides, and a named host compiler overrides it
    "${later[@]}" "$our_nvcc" "$work/source/below/x.cu" -o x
    same "$(./x)" 'CUDA 13, GCC 15'
    (cd build/below && "${later[@]}" "$our_nvcc" -ccbin "$lab/bin/g++-12" "$work/source/below/x.cu" -o y)
    same "$(build/below/y)" 'CUDA 12, GCC 12'
}
configured_again() {
    configures build
    configured=("${later[@]}")
    if cmake --help | contains -e --fresh; then # since 3.24
        configures build --fresh
    else
        rm -r build/CMakeCache.txt build/CMakeFiles
        configures build
    fi
    "${configured[@]}" cmake --build build
    is_new build
    configured=(env "CUDAToolkit_ROOT=$old" "CXX=$lab/bin/g++-14") later=(env "CUDA_HOME=$new")
    rm -r build
    configures build
    builds build
    exits 0
    is_old build
    # a directory of that name which CMake did not create
    rm -r build && mkdir build
    (cd build && CUDA_HOME=$new CXX=$lab/bin/g++-15 "$our_nvcc" "$work/source/below/x.cu" -o x)
    same "$(build/x)" 'CUDA 13, GCC 15'
}
named_while_configuring() {
    configures build "-DCMAKE_CUDA_HOST_COMPILER=$lab/bin/g++-12"
    builds build
    exits 0
    is build 'CUDA 12, GCC 12' g++-14
}
as_cudahostcxx() {
    CUDAHOSTCXX=$our_cxx our_nvcc=$old/bin/nvcc configures build
    builds build
    exits 0
    is_old build
}
compiler_upgraded() {
    compiler host "$lab/bin/g++-13"
    HOSTPIN_HOST=$bin/host configures build
    sleep 0.01
    compiler host "$lab/bin/g++-12"
    builds build
    exits 0
    is build 'CUDA 12, GCC 12' g++-14
}

# Without a record that leads to a binding, a call is refused only if its decision is known to differ.
refuses_both() { # BUILD
    exits 1
    cat "$out" >>"$err" # ninja prints errors there
    says "hostpin: error: the build directory $1 was configured with CUDA 12\.4" 'selects CUDA 13\.0' '^hint: '
    absent "$1/below/x"
}
stored_elsewhere() {
    local cache=$HOSTPIN_CACHE_DIR
    configures build
    mv build moved # first, what is stored is for another directory
    (cd moved && call "${later[@]}" "$our_nvcc" -c "$work/source/below/x.cu" -o x.o && exits 1 && says 'configured with CUDA 12\.4')
    (cd moved && call "${configured[@]}" "$our_nvcc" -c "$work/source/below/x.cu" -o x.o && exits 0)
    mv moved build
    export HOSTPIN_CACHE_DIR=$PWD/empty
    builds build
    refuses_both "$PWD/build"
    later=("${configured[@]}")
    HOSTPIN_CACHE_DIR=$PWD/empty builds build/. --target below/all
    "${configured[@]}" "$our_nvcc" -c "$work/source/below/x.cu" -o x.o # as configured
    # the record exists, its binding does not
    export HOSTPIN_CACHE_DIR=$cache
    rm -r "$cache/bindings"
    later=(env "CUDA_HOME=$new" "CXX=$lab/bin/g++-15")
    (cd build && call "${later[@]}" "$our_nvcc" -c "$work/source/below/x.cu" -o x.o && says 'configured with CUDA 12\.4' && exits 1)
    later=("${configured[@]}")
    builds build
    exits 0
    is_old build
}
never_stored() {
    : >file
    HOSTPIN_CACHE_DIR=$PWD/file/cache configures build
    export HOSTPIN_CACHE_DIR=$PWD/file/cache
    builds build
    refuses_both "$PWD/build"
    later=("${configured[@]}")
    builds build
    exits 0
    is_old build
}

# What CMake has written since belongs to an nvcc that is not hostpin's.
configured_by_another_nvcc() {
    configures build
    rm build/CMakeCache.txt
    configured=("${later[@]}")
    our_nvcc=$new/bin/nvcc configures build "-DCMAKE_CUDA_HOST_COMPILER=$lab/bin/g++-13"
    (cd build && "${later[@]}" "$our_nvcc" "$work/source/below/x.cu" -o x)
    same "$(build/x)" 'CUDA 13, GCC 15'
}
damaged_record() {
    local record
    configures build
    for record in "$HOSTPIN_CACHE_DIR"/builds/*; do
        damage "$record" 60
    done
    builds build
    refuses_both "$PWD/build"
    says 'hostpin: note: .*/builds/.* is damaged or from another hostpin release'
    later=("${configured[@]}")
    builds build
    exits 0
    is_old build
}

by_meson() {
    need_command meson
    mkdir source
    cp "$work/source/below/x.cu" source
    printf "project('x', 'cuda')\nexecutable('x', 'x.cu')\n" >source/meson.build
    printf "[binaries]\ncuda = '%s'\n" "$our_nvcc" >native.ini
    # it searches CUDA_PATH for libraries
    "${configured[@]}" "CUDA_PATH=$old" meson setup --native-file native.ini build/below source
    "${later[@]}" meson compile -C build/below
    is_old build
}
by_configure() {
    need_command autoconf
    mkdir source build
    cp "$work/source/below/x.cu" source
    cat >source/configure.ac <<'AC'
AC_INIT([x], [1])
AC_CONFIG_SRCDIR([x.cu])
AC_PROG_CXX
AC_LANG([C++])
AC_ARG_VAR([NVCC], [])
ac_ext=cu
ac_compile='$NVCC -c conftest.$ac_ext >&5'
AC_COMPILE_IFELSE([AC_LANG_SOURCE([__global__ void k() {}])], [], [AC_MSG_ERROR([no nvcc])])
AC_CONFIG_FILES([Makefile])
AC_OUTPUT
AC
    printf 'x: @srcdir@/x.cu\n\t@NVCC@ @srcdir@/x.cu -o x\n' >source/Makefile.in
    (cd source && autoconf)
    mkdir build/below
    (cd build/below && "${configured[@]}" ../../source/configure "NVCC=$our_nvcc")
    "${later[@]}" make -C build/below
    is_old build
}

it 'with Ninja a build directory keeps what it was configured with' by_generator Ninja
if [ "$full" = 1 ]; then it 'with make a build directory keeps what it was configured with' by_generator 'Unix Makefiles'; fi
it 'a build directory that is configured again follows that' configured_again
it 'a host compiler that was named to CMake is kept with it' named_while_configuring
it "with c++ as CUDAHOSTCXX, links that no nvcc runs keep it too" as_cudahostcxx
it 'a compiler that was upgraded is taken as it is now' compiler_upgraded
it 'in a directory that was moved, and where what is stored is gone, another decision is refused' stored_elsewhere
it 'where another nvcc configured the directory meanwhile, what was stored does not count' configured_by_another_nvcc
it 'where what is stored is damaged, that is noted and another decision is refused' damaged_record
it 'where nothing could be stored, another decision is refused' never_stored
it 'Meson builds keep it' by_meson
it "builds that autoconf's configure set up keep it" by_configure
finish
