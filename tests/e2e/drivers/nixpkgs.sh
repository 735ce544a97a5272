#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compilers as Nixpkgs has them (nix_wrapper.sh) build what nvcc builds with them, and in a split.
#   nixpkgs.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/drivers/nix_wrapper.sh
. "$(dirname "${BASH_SOURCE[0]}")/nix_wrapper.sh"
need_hostpin
only=${1:-}

# A library in the store, which variables of the environment name, as a build input's setup hook sets them; the program needs its header too.
ground() {
    export NIX_STORE=$PWD/store
    mkdir -p store/dependency/{include,lib}
    echo 'int dependency();' >store/dependency/include/dependency.h
    echo 'int dependency() { return 7; }' >dependency.cpp
    "$host" -shared -fPIC dependency.cpp -o store/dependency/lib/libdependency.so
    export NIX_CFLAGS_COMPILE="-isystem $PWD/store/dependency/include" NIX_LDFLAGS="-L$PWD/store/dependency/lib -ldependency"
    cat >app.cu <<'CU'
#include <dependency.h>
#include <string>
#ifndef FROM_CC_CFLAGS
#error the flags of the wrapper are lost
#endif
__global__ void nothing() {}
int main(int argc, char **) { return std::string(argc * dependency(), 'x').size(); }
CU
}
one() {
    need_toolkit
    ground
    wrapped gcc "$host"
    named=$PWD/store/gcc/bin/g++
    export CUDA_HOME=$toolkit CXX=$named
}
two() {
    need_split
    ground
    wrapped gcc "$stdenv"
    wrapped older "$host"
    named=$PWD/store/older/bin/g++
    export CUDA_HOME=$toolkit CXX=$PWD/store/gcc/bin/g++
}
# The reference of each case is nvcc alone, with the script around the compiler that fits. The loaded library and the run paths are compared.
truth() { # BUILD...: each leaves its program in $made
    local plain=("$toolkit/bin/nvcc" -ccbin "$PWD/store/fits/bin/g++")
    wrapped fits "$host"
    "$@" "$PWD/store/fits/bin/g++" "${plain[@]}" || fail 'nvcc alone does not build it'
    found=$(found_by "$made")
}
# Without the run paths to their own libraries that the lab's compilers add.
found_by() { echo "$(loaded "$1" libdependency)" "$(runpath "$1" | tr : '\n' | grep -v "^$lab/")"; }
as_truth() { # BUILD CXX NVCC...
    "$@" || fail 'it is not built'
    same "$(found_by "$made")" "$found"
}
runs() { # PROGRAM: and finds the dependency by its run path
    local code=0
    "$1" || code=$?
    same "$code" 7
    same "$(loaded "$1" libdependency)" "$PWD/store/dependency/lib/libdependency.so"
}
builds() { # COMMAND...
    call "$@" -arch=sm_80 -c app.cu -o app.o
    exits 0
    call "$@" -arch=sm_80 app.o -o app
    exits 0
    runs ./app
}
# loads_stdenv PROGRAM: its C++ library, if any, is the stdenv's.
loads_stdenv() { [ -z "$(loaded "$1" libstdc++)" ] || { stdenv_program "$stdenv" && same "$(loaded "$1" libstdc++)" "$(loaded plain libstdc++)"; }; }
as_plain() {
    one
    builds "$toolkit/bin/nvcc" -ccbin "$CXX"
    builds "$our_nvcc"
    builds "$our_nvcc" -ccbin "$CXX"
    call "$hostpin" bind b
    exits 0
    builds b/nvcc -rdc=true
}
in_a_split() {
    two
    builds "$our_nvcc"
    made_by app.o gcc "$older"
    loads_stdenv ./app
    call "$hostpin" bind b
    exits 0
    builds b/nvcc
}
named_in_a_split() {
    two
    builds "$our_nvcc" -ccbin "$PWD/store/older/bin/g++"
    made_by app.o gcc "$older"
    loads_stdenv ./app
}
response_files() {
    export NIX_CC_USE_RESPONSE_FILE=1 NIX_LD_USE_RESPONSE_FILE=1
    in_a_split
    builds "$our_nvcc" -ccbin "$PWD/store/older/bin/g++"
}
# The script adds -pie to programs alone.
shared() { # NVCC...
    call "$@" -arch=sm_80 -shared -Xcompiler -fPIC library.cu -o libapp.so
    exits 0
    "$CXX" main.cpp -L. -lapp -Wl,-rpath,"$PWD" -o program
    runs ./program
    contains 'DYN (Shared object file)' < <(readelf -hW libapp.so)
}
shared_library() { # GROUND
    "$1"
    sed 's/int main(int argc, char \*\*)/int in_library(int argc)/' app.cu >library.cu
    echo 'int in_library(int); int main(int argc, char **) { return in_library(argc); }' >main.cpp
    shared "$our_nvcc"
    shared "$our_nvcc" -ccbin "$named"
    call "$hostpin" bind b
    exits 0
    shared b/nvcc
}
saxpy_by() { # CXX NVCC...
    made=$PWD/saxpy/saxpy_cuda
    rm -rf saxpy && cp -r "$repository/samples/saxpy" saxpy
    make -C saxpy CXX="$1" NVCC="${*:2}" NVCCFLAGS=-arch=sm_80 check >make.log 2>&1 || { cat make.log && return 1; }
}
saxpy() { # GROUND
    "$1"
    need_command make
    truth saxpy_by
    call "$hostpin" bind b
    exits 0
    as_truth saxpy_by "$CXX" "$PWD/b/nvcc"
}
lto_by() { # CXX NVCC...
    made=$PWD/program
    rm -f program
    "$1" -flto -c twice.cpp && "$1" -flto -c main.cpp && "${@:2}" -Xcompiler -flto main.o twice.o -o program && ./program
}
link_time_code() { # GROUND
    "$1"
    echo 'int twice(int x) { return 2 * x; }' >twice.cpp
    echo 'int twice(int); int dependency(); int main(int argc, char **) { return twice(argc) + dependency() == 9 ? 0 : 1; }' >main.cpp
    truth lto_by
    as_truth lto_by "$CXX" "$our_nvcc"
    call "$hostpin" bind b
    exits 0
    as_truth lto_by "$CXX" b/nvcc
    call b/c++ -flto main.o twice.o -o program
    exits 0
    ./program
    call "$hostpin" lto-check -- "$CXX" -flto main.o twice.o -o program
    exits 0
}
# The sample of two libraries by CMake, and what the setup hook finds when a builder installs it.
sample_by() { # CXX NVCC [-ccbin CXX]
    made=$PWD/build/count
    rm -rf build
    local toolchain=("-DCMAKE_CXX_COMPILER=$1" "-DCMAKE_CUDA_COMPILER=$2" "-DCMAKE_CUDA_HOST_COMPILER=${4-}")
    [ $# = 4 ] || toolchain=("-DCMAKE_TOOLCHAIN_FILE=$(dirname "$2")/toolchain.cmake")
    if ! { cmake -S "$repository/samples/shared-libraries" -B build -G Ninja -DCMAKE_BUILD_TYPE=Release "${toolchain[@]}" &&
        cmake --build build; } >cmake.log 2>&1; then
        cat cmake.log
        return 1
    fi
    build/count host
}
sample_and_hook() { # GROUND
    local each
    "$1"
    need_command cmake ninja patchelf
    truth sample_by
    call "$hostpin" bind b
    exits 0
    as_truth sample_by "$CXX" "$PWD/b/nvcc"
    for each in count libwords.so libhistogram.so; do contains -F "$PWD/store/dependency/lib" <<<"$(runpath "build/$each")" || fail "$each lacks the wrapper's run path"; done
    mkdir -p hook/nix-support
    sed -e "s,@binding@,$PWD/b," -e "s,@hostpin@,$hostpin," -e "s,@[a-zA-Z]*@,," "$prefix/share/hostpin/setup-hook.sh" >hook/nix-support/setup-hook
    local install="cmake --install $PWD/build --prefix $PWD/result"
    installs() {
        rm -rf result top
        mkdir top
        call env -i PATH="$PATH" HOME="$PWD" NIX_BUILD_TOP="$PWD/top" NIX_STORE="$NIX_STORE" out="$PWD/result" outputs=out \
            nativeBuildInputs="$PWD/hook" installPhase="$1" bash "$repository/tests/e2e/nix/stdenv/setup.sh"
    }
    $install >install.log
    ! LD_TRACE_LOADED_OBJECTS=1 result/bin/count | grep -q 'libcudart.* => not found' ||
        skip "it is built as by nvcc alone; the loader does not find the CUDA runtime of $toolkit for the hook's check"
    installs "$install"
    exits 0
    result/bin/count host
    [ "$1" = two ] || return 0
    installs "$install; dirname $("$host" -print-libgcc-file-name) >$PWD/result/lib/made-with"
    contains -E '^warning: forbidden-reference: ' <"$out"
}

it 'a compiler that is the stdenv, named, or bound builds what nvcc builds with it' as_plain
it 'in a split compiles get the flags of the stdenv, and links its libraries' in_a_split
it 'another such compiler that is named compiles, and the link is pinned' named_in_a_split
it 'scripts that pass their commands in response files' response_files
for ground in one two; do
    case $ground in one) with='one compiler' how=seldom ;; two) with='a split' how=it ;; esac
    $how "a shared library, which gets no -pie, with $with" shared_library $ground
    $how "saxpy by make, with $with" saxpy $ground
    it "link-time code fits the linker that the script leads to, with $with" link_time_code $ground
    $how "a project of several libraries passes the setup hook's check, with $with" sample_and_hook $ground
done
finish
