# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shared by the scripts in this directory: a toolchain bound to two compilers, and links with it that fail.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
only=${1:-}

# What a program needs and an older library lacks.
symbol=ios_base_library_init version=GLIBCXX_3.4.32
if [ "$stands_in" = yes ]; then symbol=condition_variable version=GLIBCXX_3.4.30; fi

# bound [CONFIGURATION [STDENV]]: GCC 13 compiles and GCC 15 links, in ./bound; hostpin's variables are unset.
bound() {
    need_split 12.4 13 15
    if [ "$stands_in" = yes ]; then
        libraries=$(dirname "$("$stdenv" -print-file-name=libc.so.6)")
    else
        need_lab roots/sid
        libraries=$lab/roots/sid/usr/lib/x86_64-linux-gnu
    fi
    { considers "\"$host\", \"${2:-$stdenv}\"" && echo "${1:-}"; } >config.toml
    HOSTPIN_CONFIG=$PWD/config.toml "$hostpin" bind bound --toolkit "$toolkit" --host "$host" --stdenv "${2:-$stdenv}"
    unset HOSTPIN_CONFIG HOSTPIN_CACHE_DIR HOSTPIN_PREFIX
    cxx=$PWD/bound/c++
}
# GCC 15 in a prefix that its programs do not know: its launcher without the run path.
bare_stdenv() {
    mkdir -p "$bin"
    if [ "$stands_in" = yes ]; then
        need_split
        compiler bare "$stdenv"
        return
    fi
    need_lab bin/g++-15
    sed 's/ -Wl,-rpath,[^ ]*//' "$lab/bin/g++-15" >"$bin/bare"
    chmod +x "$bin/bare"
}
# An older C++ library in ./old, and the C library of the stdenv in ./libc, so that only the C++ library is wrong.
libraries() {
    local name
    mkdir -p old libc new
    if [ "$stands_in" = yes ]; then older_library; else cp "$(g++-12 -print-file-name=libstdc++.so.6)" old/libstdc++.so.6; fi
    for name in libc.so.6 libm.so.6 libgcc_s.so.1; do ln -sf "$libraries/$name" libc/; done
    ln -sf "$(realpath "$("$stdenv" -print-file-name=libstdc++.so.6)")" new/libstdc++.so.6
    # shellcheck disable=SC2034 # of the scripts beside this
    old=-Wl,-rpath,$PWD/old:$PWD/libc
}
# One with the versions of the stdenv's own, except those from $version on: the machine's GCCs share one library.
older_library() {
    readelf -V --wide "$("$stdenv" -print-file-name=libstdc++.so.6)" | sed -n '/definition/,/needs/s/.*Name: \([A-Z]*_[0-9.]*\)$/\1/p' |
        grep -vxE 'GLIBCXX_3\.4\.[3-9][0-9]' | sed 's/$/ { };/' >versions # $version and later
    "$stdenv" -shared -nostdlib -x c /dev/null -Wl,-soname,libstdc++.so.6 -Wl,--version-script=versions -o old/libstdc++.so.6
}
write_program() {
    cat >main.cpp <<'CPP'
int greet();
int main() { return greet(); }
CPP
    cat >greet.cpp <<'CPP'
#include <condition_variable>
#include <iostream>
int greet() {
  std::cout << "hello" << std::endl;
  std::mutex mutex;
  std::unique_lock<std::mutex> lock(mutex);
  if (!std::cout) std::condition_variable().wait(lock);
  return 0;
}
CPP
    "$cxx" -c main.cpp -o main.o
    "$cxx" -fPIC -c greet.cpp -o greet.o
}
# Links find an older library first.
misled() { # CONFIGURATION
    bare_stdenv
    bound "$1" "$bin/bare"
    libraries
    write_program
}
refuses() { # OUTPUT PATTERN...
    exits 1
    prints_nothing
    says '^hostpin: error: ' '^hint: .' "$(literally "$version")" "$symbol" "${@:2}"
    absent "$1"
}
accepts() { # OUTPUT
    exits 0
    says_not '^hostpin:'
    [ -e "$1" ] || fail "no $1"
}
