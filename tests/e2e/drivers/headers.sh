#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where another GCC compiles the host half of .cu files, it gets what the stdenv's script adds for the preprocessor, and no headers of the
# stdenv's own.
#   headers.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# ground ARGUMENTS...: a split whose stdenv is the script ./cxx; these come before the user's.
ground() {
    need_split
    mkdir -p one two
    echo '#define ONE 1' >one/one.h
    echo '#define TWO 2' >two/two.h
    cat >uses.cu <<'CU'
#include <one.h>
#include <two.h>
#include <vector>
#if __GNUC__ != EXPECTED
#error another compiler
#endif
__global__ void nothing() {}
std::vector<int> numbers{ONE, TWO};
const char *text = TEXT;
CU
    export CUDA_HOME=$toolkit CXX=$PWD/cxx
    script "$@"
}
script() { # BEFORE [AFTER [ASSIGNMENTS]]
    printf '#!/bin/sh\n%s exec %q %s "$@" %s\n' "${3-}" "$stdenv" "$1" "${2-}" >cxx
    chmod +x cxx
}
compiles() {
    call "$our_nvcc" -arch=sm_80 "-DEXPECTED=$older" "$@" -c uses.cu -o uses.o
    exits 0
    made_by uses.o gcc "$older"
}
text="-DTEXT='\"a b\"'"

before_or_after() {
    ground "-I$PWD/one -isystem $PWD/two $text"
    compiles
    script "" "-I$PWD/one -isystem $PWD/two $text"
    compiles
    script "-I$PWD/one" "$text" "CPATH=$PWD/two"
    compiles
    call "$hostpin" explain -- -c uses.cu
    exits 0
    grep -q "compiles also get what $PWD/cxx adds: .*$PWD/one.*$PWD/two" "$out" || { show_call; fail 'explain does not show the words'; }
}
bound() {
    ground "-I$PWD/one -isystem $PWD/two $text -O3 -fno-math-errno"
    call "$hostpin" bind b
    exits 0
    unset CXX CUDA_HOME
    call b/nvcc -arch=sm_80 "-DEXPECTED=$older" -c uses.cu -o uses.o
    exits 0
    call "$hostpin" explain --bound b -- -c uses.cu
    exits 0
    grep -q "compiles do not get what $PWD/cxx adds: .*-fno-math-errno" "$out" || { show_call; fail 'explain does not show what is withheld'; }
}
own_headers() {
    local directory own=
    ground ''
    while IFS= read -r directory; do own+=" -isystem $directory"; done < <(
        "$stdenv" -v -E -x c++ /dev/null 2>&1 | sed -n '/^#include </,/^End/s/^ //p'
    )
    script "$own -I$PWD/one -I$PWD/two $text"
    compiles
    call "$our_nvcc" -arch=sm_80 "-DEXPECTED=$older" -M uses.cu
    exits 0
    ! grep -q "/c++/$newer/" "$out" || { show_call; fail 'headers of the stdenv are used'; }
}
users_come_first() {
    ground "" "-I$PWD/one -I$PWD/two $text"
    mkdir mine
    echo '#define ONE 7' >mine/one.h
    echo 'static_assert(ONE == 7, "");' >>uses.cu
    compiles -Imine
}
named_gets_none() {
    ground "-I$PWD/one -I$PWD/two $text"
    call "$our_nvcc" -arch=sm_80 -ccbin "$host" "-DEXPECTED=$older" -c uses.cu -o uses.o
    [ "$status" -ne 0 ] || fail 'a named compiler got the words of another driver'
    says 'one\.h'
}

it "directories and definitions reach the host compiler, wherever the script names them" before_or_after
it "and from a bound directory, which shows what stays with the script" bound
it "headers of the stdenv's own never do" own_headers
it "directories of the user are searched first" users_come_first
it "a host compiler that is named gets nothing of another driver" named_gets_none
finish
