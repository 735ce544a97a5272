#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stdenv whose links have no C++ library is rejected, unless the user requested that.
#   c_driver.sh [WORDS]   only the cases whose sentence contains WORDS
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
only=${1:-}
need_hostpin
need_split 12.4 13 15
static=12 clang=19 # the machine's own, with a C library to link statically
if [ "$stands_in" = yes ]; then static=$newer clang=$(majors clang++ | sed -n 1p); fi
need_lab "bin/gcc-$newer" "bin/gcc-$older" "bin/gcc-$static" "bin/g++-$static" "bin/clang-$clang" "bin/clang++-$clang"
if [ "$stands_in" = no ]; then # a Clang that the toolkit takes
    need_lab bin/clang++-17
    consider clang++-17
fi

refused_as_a_c_driver() {
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1"
    exits 1
    says "error: .*$(literally "$1") links no C\+\+ standard library: it is a C compiler driver" \
        "^  .*undefined reference to .*__cxa_" \
        'hint: name the C\+\+ driver next to it \(g\+\+ for gcc, clang\+\+ for clang\)'
    absent bound
}
a_driver_for_c_is_refused() {
    refused_as_a_c_driver "gcc-$newer"
    refused_as_a_c_driver "clang-$clang"
    call env CXX="clang-$clang" "$hostpin" doctor --toolkit "$toolkit"
    exits 1
    grep -qF 'it is a C compiler driver' "$out" || { show_call && fail "doctor does not say it"; }
    compiler cc "$lab/bin/gcc-$older" -O2
    refused_as_a_c_driver "$bin/cc"
    cp "$HOSTPIN_CONFIG" unproved.toml
    echo 'link-proof = "off"' >>unproved.toml
    HOSTPIN_CONFIG=$PWD/unproved.toml refused_as_a_c_driver "gcc-$newer"
}
# Such links show no loader, and a shared library is linked without its dependencies.
also_one_that_links_in_another_way() {
    local way
    for way in -static -static-pie -shared; do
        refused_as_a_c_driver "gcc-$static $way"
        refused_as_a_c_driver "clang-$clang $way"
        "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$static $way" >/dev/null
        "$hostpin" bind bound --toolkit "$toolkit" --stdenv "clang++-$clang $way" >/dev/null
        rm -r bound
    done
}
# taken STDENV HOST: the pair is accepted, and its programs run.
taken() {
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1" --host "$2" >/dev/null
    write_source a.cu
    bound/nvcc -arch=sm_75 a.cu -o a
    same "$(./a)" 'hello from the host half'
}
a_driver_that_is_given_the_library_is_none_for_c() {
    taken "gcc-$newer -Wl,--no-as-needed -lstdc++" "g++-$older"
    # a library under an unknown name counts if a link with it works
    ln -s "$("g++-$newer" -print-file-name=libstdc++.so)" libours.so
    compiler ours sh -c "exec gcc-$newer \"\$@\" -L$PWD -lours" sh
    taken "$bin/ours" "g++-$older"
    # a driver with --as-needed by default drops a library that comes before the objects
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "gcc-$newer -lstdc++" --host "g++-$older"
    exits 1
    says "gcc-$newer -lstdc\+\+ links no C\+\+ standard library"
    # nor if the user supplies it
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "clang++-$clang -nostdlib++" >/dev/null
}
# left_out OPTIONS PART [OPTION]: the error names that option
left_out() {
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-$newer $1" --host "g++-$older"
    exits 1
    says "error: .*g\+\+-$newer $(literally "$1") cannot link a C\+\+ program: ${3:-$1} omits the $2" \
        "^hint: name the stdenv without ${3:-$1}; "
    absent bound
}
links_without_standard_parts() {
    left_out -nostdlib 'start files and libraries'
    left_out '-nostdlib -Wl,--no-as-needed -lstdc++ -lm -lgcc_s -lgcc -lc' 'start files and libraries' -nostdlib
    left_out -nodefaultlibs libraries
    left_out -nostartfiles 'start files'
    "$hostpin" bind bound --toolkit "$toolkit" --host "g++-$older" \
        --stdenv "g++-$newer -nodefaultlibs -Wl,--no-as-needed -lstdc++ -lm -lgcc_s -lgcc -lc" >/dev/null # named instead
    rm -r bound
    compiler bare "g++-$newer" -nodefaultlibs
    refused_as_broken "$bin/bare" 'undefined reference'
}
# refused_as_broken STDENV REASON [COMMAND...]: the reason is not that it is a C driver. COMMAND runs hostpin.
refused_as_broken() {
    call "${@:3}" "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1" --host "g++-$older"
    exits 1
    says "error: $(literally "$1") cannot link a C\+\+ program: .*$2" \
        "^hint: to see the cause: echo .* \| $(literally "$1") -x c\+\+ - -o /dev/null; or name another stdenv$"
    says_not 'C compiler driver'
    absent bound
}
a_link_that_fails_says_why() {
    compiler ours sh -c "exec gcc-$newer \"\$@\" -L$PWD -lours" sh
    refused_as_broken "$bin/ours" 'cannot find -lours'
    # the answer is valid only as long as its dependencies are unchanged
    ln -s "$("g++-$newer" -print-file-name=libstdc++.so)" libours.so
    taken "$bin/ours" "g++-$older"
}
in_full() {
    unshare -m sh -ec 'mount -t tmpfs -o size=4k none full && head -c 4096 /dev/zero >full/all && exec "$@"' sh "$@"
}
# The library is named, but cannot be used with this machine's C library.
a_library_for_a_newer_c_library() {
    local stdenv="clang++-19 --gcc-toolchain=$lab/roots/sid/usr"
    need_lab roots/sid bin/clang++-17
    echo 'int main() { throw 1; }' >x.cpp
    if clang++-19 "--gcc-toolchain=$lab/roots/sid/usr" x.cpp -o x; then skip "this machine's C library is new enough for that of GCC 16"; fi
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$stdenv" --host clang++-17
    exits 1
    says 'error: .*cannot link a C\+\+ program: .*GLIBC_' '^hint: '
    absent bound
    call env CXX="$stdenv" "$hostpin" doctor --toolkit "$toolkit" --host clang++-17
    exits 1
    grep -qE 'cannot link a C\+\+ program: .*GLIBC_' "$out" || { show_call && fail "doctor does not say it"; }
}
links_are_tried_with_exceptions() { taken "g++-$newer -fno-exceptions -fno-rtti" "g++-$older"; }
no_room_is_no_driver_for_c() {
    need_mounts
    mkdir full
    compiler cramped env "TMPDIR=$PWD/full" "gcc-$newer"
    refused_as_broken "$bin/cramped" 'No space left on device' in_full
    refused_as_a_c_driver "$bin/cramped" # once there is space
}

it "a C compiler driver is no stdenv" a_driver_for_c_is_refused
it "nor is one that makes static programs or libraries" also_one_that_links_in_another_way
it "a link that fails for want of something else says of what" a_link_that_fails_says_why
it "nor is one whose C++ library needs a newer C library" a_library_for_a_newer_c_library
it "options that a link does not depend on hinder none" links_are_tried_with_exceptions
it "nor does a full disk make a driver one for C" no_room_is_no_driver_for_c
it "a driver that is given the C++ library, or none on purpose, is one" a_driver_that_is_given_the_library_is_none_for_c
it "nor is one whose options leave out libraries or start files" links_without_standard_parts
finish
