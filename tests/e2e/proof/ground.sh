# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the scripts beside it share: a toolchain bound to two compilers, and links of it that go wrong.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}

# bound [CONFIGURATION [STDENV]]: GCC 13 compiles and GCC 15 links, in ./bound; nothing of ours is left in the environment.
bound() {
    need_cuda 12.4
    need_lab bin/g++-13 bin/g++-15 roots/sid
    toolkit=$(cuda 12.4) sid=$lab/roots/sid/usr/lib/x86_64-linux-gnu
    echo "${1:-}" >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind bound --toolkit "$toolkit" --host "$lab/bin/g++-13" --stdenv "${2:-$lab/bin/g++-15}"
    unset HOSTPIN_CONFIG HOSTPIN_CACHE_DIR HOSTPIN_PREFIX
    cxx=$PWD/bound/c++
}
# GCC 15 in a prefix that its programs do not know of: its launcher without the run path.
bare_stdenv() {
    need_lab bin/g++-15
    mkdir -p "$bin"
    sed 's/ -Wl,-rpath,[^ ]*//' "$lab/bin/g++-15" >"$bin/bare"
    chmod +x "$bin/bare"
}
# An older C++ library in ./old, and the C library of the stdenv in ./libc, so that nothing but the C++ library is amiss.
libraries() {
    local name
    mkdir -p old libc new
    cp "$(g++-12 -print-file-name=libstdc++.so.6)" old/libstdc++.so.6
    for name in libc.so.6 libm.so.6 libgcc_s.so.1; do ln -sf "$sid/$name" libc/; done
    ln -sf "$sid/libstdc++.so.6" new/
    # shellcheck disable=SC2034 # of the scripts beside this
    old=-Wl,-rpath,$PWD/old:$PWD/libc
}
write_program() {
    cat >main.cpp <<'CPP'
int greet();
int main() { return greet(); }
CPP
    cat >greet.cpp <<'CPP'
#include <iostream>
int greet() { std::cout << "hello" << std::endl; return 0; }
CPP
    "$cxx" -c main.cpp -o main.o
    "$cxx" -fPIC -c greet.cpp -o greet.o
}
# Links go wrong: an older library is found first.
misled() { # CONFIGURATION
    bare_stdenv
    bound "$1" "$bin/bare"
    libraries
    write_program
}
refuses() { # OUTPUT PATTERN...
    exits 1
    prints_nothing
    says '^hostpin: error: ' '^hint: .' 'GLIBCXX_3\.4\.32' 'ios_base_library_init' "${@:2}"
    absent "$1"
}
accepts() { # OUTPUT
    exits 0
    says_not '^hostpin:'
    [ -e "$1" ] || fail "no $1"
}
