#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `hostpin stdlib-probe facts` as a user calls it.
#   facts.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
only=${1:-}
need_hostpin
need_command g++
facts() { call "$hostpin" stdlib-probe facts "$@"; }
# value KEY...: of the last answer
value() { json "$out" "$@"; }
# how often the compiler that $bin/counted runs was run
asked() { if [ -f "$work/asked" ]; then wc -l <"$work/asked"; else echo 0; fi; }
counted() {
    mkdir -p "$bin"
    printf '#!/bin/sh\necho >>%q\nexec g++ "$@"\n' "$work/asked" >"$bin/counted-g++"
    chmod +x "$bin/counted-g++"
    rm -rf "$work/asked" "$HOSTPIN_CACHE_DIR"
    settle
}

answers_for_a_person() {
    facts g++
    exits 0
    grep -qE '^ +headers +libstdc\+\+ [0-9]+$' "$out"
    grep -qE '^ +GLIBCXX_3\.4\.[0-9]+  CXXABI_1\.3\.[0-9]+  needs GLIBC_2\.[0-9]+$' "$out"
    facts --help
    exits 0
    grep -q -- '--sysroot DIR' "$out"
}
answers_for_a_program() {
    facts --json g++
    exits 0
    same "$(value kind)" libstdc++
    same "$(value release)" "$(echo '#include <cstddef>' | g++ -dM -E -x c++ - | sed -n 's/#define _GLIBCXX_RELEASE //p')"
    same "$(value library path)" "$(realpath "$(g++ -print-file-name=libstdc++.so)")"
    facts g++ -D_GLIBCXX_USE_CXX11_ABI=0 --json
    same "$(value cxx11_abi)" OFF
}
writes_nothing() {
    facts --json g++ -c x.cpp -o made.o
    exits 2
    facts --json g++ -c -o made.o -MD -MF made.d -save-temps -Wp,-MMD,made.p
    exits 0
    same "$(ls)" ""
}
remembers() {
    counted
    facts --json "$bin/counted-g++"
    exits 0
    cp "$out" "$work/first"
    local before
    before=$(asked)
    facts --json "$bin/counted-g++"
    exits 0
    same "$(asked)" "$before"
    cmp "$out" "$work/first"
}
forgets() {
    counted
    mkdir first
    settle
    facts --json "$bin/counted-g++" -Lfirst
    local before path
    before=$(asked)
    path=$(value library path)
    # a library that appears where the linker looks first, flags, a directory, and each variable
    echo "INPUT($path)" >first/libstdc++.so
    facts --json "$bin/counted-g++" -Lfirst
    [ "$(asked)" -gt "$before" ] || fail "a new library was not seen"
    same "$(value library found)" "$PWD/first/libstdc++.so"
    local name
    for name in CPATH CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX SYSROOT SDKROOT OMPI_CXXFLAGS; do
        before=$(asked)
        call env "$name=$PWD/first/" "$hostpin" stdlib-probe facts --json "$bin/counted-g++"
        [ "$(asked)" -gt "$before" ] || fail "$name was not seen"
    done
    before=$(asked)
    facts --json "$bin/counted-g++" -std=c++14
    [ "$(asked)" -gt "$before" ] || fail "a flag was not seen"
    before=$(asked)
    touch "$bin/counted-g++"
    facts --json "$bin/counted-g++" -std=c++14
    [ "$(asked)" -gt "$before" ] || fail "a changed driver was not seen"
}
environment_counts() {
    mkdir other
    echo "INPUT($(realpath "$(g++ -print-file-name=libstdc++.so)"))" >other/libstdc++.so
    call env "LIBRARY_PATH=$PWD/other" "$hostpin" stdlib-probe facts --json g++
    exits 0
    # GCC searches its own directory before LIBRARY_PATH, Clang after, and the link says which
    local truth
    truth=$(echo 'int main() { throw 1; }' | LIBRARY_PATH=$PWD/other g++ -x c++ - -o p -Wl,--trace | grep -m1 'libstdc++\.so')
    same "$(value library path)" "$(realpath "$truth")"
}
damaged_libraries() {
    mkdir bad
    facts --json g++
    local real
    real=$(value library path)
    head -c 5000 "$real" >bad/libstdc++.so
    facts --json g++ "-L$PWD/bad"
    exits 0
    same "$(value library)" ""
    value unknown library | contains 'bad/libstdc++.so cannot be used: it is cut short or damaged'
    echo 'any text' >bad/libstdc++.so
    facts --json g++ "-L$PWD/bad"
    value unknown library | contains 'neither a library nor a linker script'
    echo 'INPUT(-lstdc++)' >bad/libstdc++.so
    facts --json g++ "-L$PWD/bad"
    value unknown library | contains 'linker scripts name each other without end'
    facts g++ "-L$PWD/bad"
    exits 0
    grep -q 'library .*none: .*without end' "$out"
}
refuses() {
    facts
    exits 2
    says 'facts needs a compiler'
    facts no-such-compiler
    exits 2
    says "no program named 'no-such-compiler'" '^hint: '
    facts g++ -fno-such-thing-at-all
    exits 2
    says 'cannot be used: .*no-such-thing-at-all'
    facts --no-such-option
    exits 2
    says "facts has no option --no-such-option"
    facts --sysroot "$PWD"
    exits 2
    says 'contains no headers of a C\+\+ standard library'
    facts --all g++
    exits 2
    compiler hanging-g++ sh -c 'sleep 600'
    facts "$bin/hanging-g++"
    exits 2
    says 'did not answer within'
    compiler babbling-g++ cat /dev/urandom
    facts "$bin/babbling-g++"
    exits 2
    facts "$out"
    exits 2
}
lists_all() {
    facts --json --all
    exits 0
    [ "$(value length compilers)" -ge 1 ]
    facts --all
    exits 0
    head -n 1 "$out" | contains -E 'HEADERS +ABI +C\+\+ +LIBC +GLIBCXX'
}
a_pipe_is_no_header() {
    mkdir -p headers/bits
    mkfifo headers/cstddef headers/bits/c++config.h
    call timeout 120 "$hostpin" stdlib-probe facts --headers "$PWD/headers"
    exits 2
    rm headers/cstddef
    echo '#include <bits/c++config.h>' >headers/cstddef
    call timeout 120 "$hostpin" stdlib-probe facts --headers "$PWD/headers"
    exits 2
    says 'has no readable C\+\+ standard library'
}

it "text has the library and its versions" answers_for_a_person
it "JSON agrees with the compiler" answers_for_a_program
it "a query writes nothing" writes_nothing
it "a second query runs no compiler" remembers
it "a changed file, flag, directory or variable runs it again" forgets
it "LIBRARY_PATH counts as it does in a link" environment_counts
it "a damaged library is null with the reason" damaged_libraries
it "a failed query has exit code 2 and the reason" refuses
it "every compiler of the machine is listed" lists_all
it "a pipe among headers does not block the reader" a_pipe_is_no_header
finish
