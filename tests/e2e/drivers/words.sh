#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What a driver that is a script adds to compiles and links reaches them, as with nvcc alone.
#   words.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need_hostpin
only=${1:-}

# script NAME TEXT: a driver.
script() {
    printf '#!/bin/sh\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
# A shared and a static library, which only the driver's words find; the program needs both.
libraries() {
    mkdir -p libs
    echo 'int shared() { return 3; }' >shared.cpp
    echo 'int archived() { return 4; }' >archived.cpp
    "$host" -shared -fPIC shared.cpp -o libs/libshared_words.so
    "$host" -fPIC -c archived.cpp && ar rcs libs/libarchived_words.a archived.o
    cat >app.cu <<'CU'
int shared();
int archived();
__global__ void nothing() {}
int main() { return shared() + archived(); }
CU
}
linked="-L\$here/libs -Wl,-rpath,\$here/libs -lshared_words -larchived_words"
# one: a toolkit and the compiler $host, which fits it and is the stdenv too. two: a split, $host and $stdenv.
one() {
    need_toolkit
    export CUDA_HOME=$toolkit CXX=$host
    libraries
    script cxx "here=$PWD; exec $host \"\$@\" $linked"
}
two() {
    need_split
    export CUDA_HOME=$toolkit CXX=$stdenv
    libraries
    script cxx "here=$PWD; exec $host \"\$@\" $linked"
}
runs() { # PROGRAM: and loads the stdenv's libstdc++
    local code=0
    "$1" || code=$?
    same "$code" 7
    [ -z "$(loaded "$1" libstdc++)" ] || { stdenv_program "$CXX" && same "$(loaded "$1" libstdc++)" "$(loaded plain libstdc++)"; }
}
plain_links() {
    local code=0
    "$toolkit/bin/nvcc" -arch=sm_80 -ccbin "$PWD/cxx" app.cu -o by-nvcc
    ./by-nvcc || code=$?
    same "$code" 7
}
# linked_by COMMAND...: a link in one step, in two, and of device code.
linked_by() {
    call "$@" -arch=sm_80 app.cu -o app
    exits 0
    runs ./app
    call "$@" -arch=sm_80 -dc app.cu -o app.o
    exits 0
    call "$@" -arch=sm_80 app.o -o app2
    exits 0
    runs ./app2
}
named() { # GROUND
    "$1"
    plain_links
    linked_by "$our_nvcc" -ccbin "$PWD/cxx"
}
bound() { # GROUND
    "$1"
    call "$hostpin" bind b --host "$PWD/cxx"
    exits 0
    linked_by b/nvcc
}
by_variable() { # GROUND
    "$1"
    NVCC_PREPEND_FLAGS="-ccbin $PWD/cxx" linked_by "$our_nvcc"
}
shared_library() { # GROUND
    "$1"
    sed -i 's/int main/int in_library/' app.cu
    echo 'int in_library(); int main() { return in_library(); }' >main.cpp
    call "$our_nvcc" -ccbin "$PWD/cxx" -arch=sm_80 -shared -Xcompiler -fPIC app.cu -o libapp.so
    exits 0
    "$CXX" main.cpp -L. -lapp -Wl,-rpath,"$PWD" -Wl,-rpath-link,"$PWD/libs" -o app
    runs ./app
}
before_the_users() {
    two
    script cxx "here=$PWD; exec $host $linked \"\$@\""
    # The archive comes before the objects that need it, as with nvcc alone.
    ! "$toolkit/bin/nvcc" -arch=sm_80 -ccbin "$PWD/cxx" app.cu -o by-nvcc 2>/dev/null || skip 'the linker takes archives in any order'
    call "$our_nvcc" -ccbin "$PWD/cxx" -arch=sm_80 app.cu -o app
    [ "$status" -ne 0 ] || fail 'the words came after the objects'
}
own_parts_stay() {
    two
    mkdir -p elsewhere
    cp "$("$host" -print-file-name=libstdc++.so.6)" elsewhere/libstdc++.so.6
    script cxx "here=$PWD; exec $host \"\$@\" $linked -Wl,-rpath,$PWD/elsewhere"
    call "$our_nvcc" -ccbin "$PWD/cxx" -arch=sm_80 app.cu -o app
    exits 0
    runs ./app
    call "$hostpin" explain -- -ccbin "$PWD/cxx" -arch=sm_80 app.cu -o app
    exits 0
    grep -q "links also get what $PWD/cxx adds: .*-L$PWD/libs.*-larchived_words" "$out" || { show_call; fail 'explain does not show the words'; }
    grep -q "links do not get what $PWD/cxx adds: .*-rpath,$PWD/elsewhere" "$out" || { show_call; fail 'explain does not show what is withheld'; }
}

for ground in one two; do
    case $ground in one) with='one compiler' always=seldom ;; two) with='a split' always=it ;; esac
    it "words that a named script adds to links reach them, with $with" named $ground
    $always "and if the script is bound, with $with" bound $ground
    seldom "and if a variable names it, with $with" by_variable $ground # table.sh has that
    $always "and for a shared library, with $with" shared_library $ground
done
it "words that a script puts before the user's stay before them" before_the_users
it "a run path to another libstdc++ stays with the script, and explain shows both" own_parts_stay
finish
