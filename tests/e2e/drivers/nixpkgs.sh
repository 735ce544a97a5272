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
    export CUDA_HOME=$toolkit CXX=$PWD/store/gcc/bin/g++
}
two() {
    need_split
    ground
    wrapped gcc "$stdenv"
    wrapped older "$host"
    export CUDA_HOME=$toolkit CXX=$PWD/store/gcc/bin/g++
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
    [ -z "$(loaded ./app libstdc++)" ] || { stdenv_program "$stdenv" && same "$(loaded ./app libstdc++)" "$(loaded plain libstdc++)"; }
    call "$hostpin" bind b
    exits 0
    builds b/nvcc
}
named_in_a_split() {
    two
    builds "$our_nvcc" -ccbin "$PWD/store/older/bin/g++"
    made_by app.o gcc "$older"
    [ -z "$(loaded ./app libstdc++)" ] || { stdenv_program "$stdenv" && same "$(loaded ./app libstdc++)" "$(loaded plain libstdc++)"; }
}
link_time_code() {
    two
    echo 'int twice(int x) { return 2 * x; }' >twice.cpp
    echo 'int twice(int); int main(int argc, char **) { return twice(argc) == 2 ? 0 : 1; }' >main.cpp
    "$CXX" -flto -c twice.cpp && "$CXX" -flto -c main.cpp
    call "$hostpin" bind b
    exits 0
    call b/c++ -flto main.o twice.o -o program
    exits 0
    ./program
    call "$hostpin" lto-check -- "$CXX" -flto main.o twice.o -o program
    exits 0
}
# The sample of two libraries by CMake, and what the setup hook finds when a builder installs it.
sample_and_hook() {
    two
    need_command cmake ninja patchelf
    call "$hostpin" bind b
    exits 0
    call cmake -S "$repository/samples/shared-libraries" -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/b/toolchain.cmake" -DCMAKE_BUILD_TYPE=Release
    exits 0
    call cmake --build build
    exits 0
    for each in count libwords.so libhistogram.so; do contains -F "$PWD/store/dependency/lib" <<<"$(runpath "build/$each")" || fail "$each lacks the wrapper's run path"; done
    build/count host
    mkdir -p hook/nix-support
    sed -e "s,@binding@,$PWD/b," -e "s,@hostpin@,$hostpin," -e "s,@[a-zA-Z]*@,," "$prefix/share/hostpin/setup-hook.sh" >hook/nix-support/setup-hook
    local install="cmake --install $PWD/build --prefix $PWD/result"
    installs() {
        rm -rf result top
        mkdir top
        call env -i PATH="$PATH" HOME="$PWD" NIX_BUILD_TOP="$PWD/top" NIX_STORE="$NIX_STORE" out="$PWD/result" outputs=out \
            nativeBuildInputs="$PWD/hook" installPhase="$1" bash "$repository/tests/e2e/nix/stdenv/setup.sh"
    }
    installs "$install"
    exits 0
    result/bin/count host
    installs "$install; dirname $("$host" -print-libgcc-file-name) >$PWD/result/lib/made-with"
    contains -E '^warning: forbidden-reference: ' <"$out"
}

it 'a compiler that is the stdenv, named, or bound builds what nvcc builds with it' as_plain
it 'in a split compiles get the flags of the stdenv, and links its libraries' in_a_split
it 'another such compiler that is named compiles, and the link is pinned' named_in_a_split
it 'link-time code fits the linker that the script leads to' link_time_code
it "a project of several libraries passes the setup hook's check, which finds the host compiler's path" sample_and_hook
finish
