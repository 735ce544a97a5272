#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A stdenv whose links have no C++ library is refused, unless that is what was asked for.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../lib.sh"
need_hostpin
need_cuda 12.4
need_lab bin/g++-15 bin/g++-13 bin/gcc-15 bin/gcc-13 bin/gcc-12 bin/g++-12 bin/clang-19 bin/clang++-19
toolkit=$(cuda 12.4)

refused_as_a_c_driver() {
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1"
    exits 1
    says "error: .*$(literally "$1") links no C\+\+ standard library: it is a driver for C" \
        "^  .*undefined reference to .*__cxa_" \
        'hint: name the C\+\+ driver beside it \(g\+\+ for gcc, clang\+\+ for clang\)'
    absent bound
    call env CXX="$1" "$hostpin" doctor --toolkit "$toolkit"
    exits 1
    grep -qF 'it is a driver for C' "$out" || { show_call && fail "doctor does not say it"; }
}
a_driver_for_c_is_refused() {
    refused_as_a_c_driver gcc-15
    refused_as_a_c_driver clang-19
    compiler cc "$lab/bin/gcc-13" -O2
    refused_as_a_c_driver "$bin/cc"
    echo 'link-proof = "off"' >>"$HOSTPIN_CONFIG"
    refused_as_a_c_driver gcc-15
    : >"$HOSTPIN_CONFIG"
}
# Such links show no loader, and a shared library is made without what it needs.
also_one_that_links_in_another_way() {
    local way
    for way in -static -static-pie -shared; do
        refused_as_a_c_driver "gcc-12 $way"
        refused_as_a_c_driver "clang-19 $way"
        "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-12 $way" >/dev/null
        "$hostpin" bind bound --toolkit "$toolkit" --stdenv "clang++-19 $way" >/dev/null
        rm -r bound
    done
}
# taken STDENV HOST: programs of theirs run.
taken() {
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1" --host "$2" >/dev/null
    write_source a.cu
    bound/nvcc -arch=sm_75 a.cu -o a
    same "$(./a)" 'hello from the host half'
}
a_driver_that_is_given_the_library_is_none_for_c() {
    taken "gcc-15 -Wl,--no-as-needed -lstdc++" g++-13
    # under a name that nobody knows, the library counts where a link with it works
    ln -s "$(g++-15 -print-file-name=libstdc++.so)" libours.so
    compiler ours sh -c "exec gcc-15 \"\$@\" -L$PWD -lours" sh
    taken "$bin/ours" g++-13
    # which is not before the objects, for a driver that links libraries as they are needed
    call "$hostpin" bind bound --toolkit "$toolkit" --stdenv "gcc-15 -lstdc++" --host g++-13
    exits 1
    says 'gcc-15 -lstdc\+\+ links no C\+\+ standard library'
    # nor where somebody else is to bring it
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-15 -nodefaultlibs" --host g++-13 >/dev/null
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "g++-15 -nostdlib" --host g++-13 >/dev/null
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "clang++-19 -nostdlib++" >/dev/null
    compiler bare g++-15 -nodefaultlibs
    "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$bin/bare" --host g++-13 >/dev/null
}
# refused_as_broken STDENV REASON [COMMAND...]: which is not that it were a driver for C. COMMAND runs hostpin.
refused_as_broken() {
    call "${@:3}" "$hostpin" bind bound --toolkit "$toolkit" --stdenv "$1" --host g++-13
    exits 1
    says "error: $(literally "$1") cannot link a C\+\+ program: .*$2" \
        "^hint: try it by hand until it does: echo .* \| $(literally "$1") -x c\+\+ - -o /dev/null; or name another stdenv$"
    says_not 'driver for C'
    absent bound
}
a_link_that_fails_says_why() {
    compiler ours sh -c "exec gcc-15 \"\$@\" -L$PWD -lours" sh
    refused_as_broken "$bin/ours" 'cannot find -lours'
    # the answer lasts no longer than what it rests on
    ln -s "$(g++-15 -print-file-name=libstdc++.so)" libours.so
    taken "$bin/ours" g++-13
}
in_full() {
    unshare -m sh -ec 'mount -t tmpfs -o size=4k none full && head -c 4096 /dev/zero >full/all && exec "$@"' sh "$@"
}
no_room_is_no_driver_for_c() {
    need_mounts
    mkdir full
    compiler cramped env "TMPDIR=$PWD/full" gcc-15
    refused_as_broken "$bin/cramped" 'No space left on device' in_full
    refused_as_a_c_driver "$bin/cramped" # where there is room
}

it "a driver for C is no stdenv" a_driver_for_c_is_refused
it "nor is one that makes static programs or libraries" also_one_that_links_in_another_way
it "a link that fails for want of something else says of what" a_link_that_fails_says_why
it "nor does a full disk make a driver one for C" no_room_is_no_driver_for_c
it "a driver that is given the C++ library, or none on purpose, is one" a_driver_that_is_given_the_library_is_none_for_c
finish
