#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compilers as Nixpkgs has them: scripts around GCC and ld, written here as its cc-wrapper and bintools-wrapper are documented (Nixpkgs manual,
# "Standard environment", and their setup hooks): flags from files and from variables, other ones for a call without an input, an `ld` that is
# found by -B, and run paths for each library of the store that a link takes.
#   nixpkgs.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# wrapped NAME COMPILER: store/NAME/bin/g++ and store/NAME-bintools/bin/ld.
wrapped() {
    local cc=$PWD/store/$1 bintools=$PWD/store/$1-bintools loader
    loader=$(plain_loader "$2")
    mkdir -p "$cc/bin" "$cc/nix-support" "$bintools/bin"
    echo "-B$bintools/bin/ -DFROM_CC_CFLAGS" >"$cc/nix-support/cc-cflags"
    cat >"$cc/bin/g++" <<'SCRIPT'
#!/bin/bash
set -eu -o pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
links=1 inputs=0 plain=1
for each; do
    case $each in
    -c | -S | -E | -M | -MM) links=0 ;;
    -fno-plt) plain=0 ;;
    -) inputs=1 ;;
    -*) ;;
    *) inputs=1 ;;
    esac
done
[ $inputs = 1 ] || links=0
before=() after=()
read -ra after <<<"$(cat "$here/nix-support/cc-cflags") ${NIX_CFLAGS_COMPILE-}"
case " ${NIX_HARDENING_ENABLE-fortify} " in *' fortify '*) [ $plain = 0 ] || before+=(-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) ;; esac
if [ $links = 1 ]; then
    for each in ${NIX_LDFLAGS_BEFORE-}; do before+=("-Wl,$each"); done
    read -ra more <<<"${NIX_CFLAGS_LINK-}"
    after+=("${more[@]}")
fi
exec COMPILER "${before[@]}" "$@" "${after[@]}"
SCRIPT
    sed -i "s|COMPILER|$2|" "$cc/bin/g++"
    cat >"$bintools/bin/ld" <<'SCRIPT'
#!/bin/bash
set -eu -o pipefail
words=() directories=() libraries=() paths=() loader=1
for each; do
    case $each in
    @*) mapfile -t more < <(xargs -n 1 <"${each#@}") && words+=("${more[@]}") ;;
    *) words+=("$each") ;;
    esac
done
more=()
read -ra more <<<"${NIX_LDFLAGS-}"
words+=("${more[@]}")
for each in "${words[@]}"; do
    case $each in
    -L"$NIX_STORE"/*) directories+=("${each#-L}") ;;
    -l*) libraries+=("${each#-l}") ;;
    -shared | -r | --relocatable) loader=0 ;;
    esac
done
for directory in "${directories[@]}"; do
    for library in "${libraries[@]}"; do
        if [ -e "$directory/lib$library.so" ]; then paths+=(-rpath "$directory") && break; fi
    done
done
[ $loader = 0 ] || paths+=(-dynamic-linker LOADER)
exec LINKER "${words[@]}" "${paths[@]}"
SCRIPT
    sed -i -e "s|LOADER|$loader|" -e "s|LINKER|$(command -v "$("$2" -print-prog-name=ld)")|" "$bintools/bin/ld"
    chmod +x "$cc/bin/g++" "$bintools/bin/ld"
}
plain_loader() {
    echo 'int main() {}' >empty.cpp
    "$1" empty.cpp -o empty
    readelf -lW empty | sed -n 's/.*interpreter: \(.*\)\]/\1/p'
}

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

it 'a compiler that is the stdenv, named, or bound builds what nvcc builds with it' as_plain
it 'in a split compiles get the flags of the stdenv, and links its libraries' in_a_split
it 'another such compiler that is named compiles, and the link is pinned' named_in_a_split
it 'link-time code fits the linker that the script leads to' link_time_code
finish
