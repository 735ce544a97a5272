#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# roots.sh TARBALL [SUITE...]: the portable tarball in bare roots of Debian 11, 12, 13 and sid, each with its own g++, as root with debootstrap:
# doctor, a binding, a sample compiled and linked, its host half run, and the leak check. By hand before a release: HOSTPIN_FULL=1.
# The systems stay in /var/tmp/hostpin-roots for the next run.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
# shellcheck source=tests/e2e/package/roots_lib.sh
. "$(dirname "$0")/roots_lib.sh"
[ "$full" = 1 ] || skip "makes four systems of packages; HOSTPIN_FULL=1 runs it"
need_roots
unpack_tarball "$1"
shift
suites=" ${*:-bullseye bookworm trixie sid} "

builds_and_runs() { # SUITE CUDA
    [[ $suites == *" $1 "* ]] || skip "not asked for"
    need_cuda "$2"
    provide_root "$1" g++ "$1"
    # shellcheck disable=SC2016 # expanded in the root
    call in_root "$1" "$tree" "$PWD" '
        mkdir package
        hostpin doctor --toolkit /cuda
        hostpin bind bound --toolkit /cuda
        bound/c++ -std=c++20 -I/saxpy -O2 -fPIC -shared -o package/libreport.so /saxpy/report.cpp
        bound/nvcc -I/saxpy -gencode arch=compute_75,code=sm_75 -c -o saxpy.o /saxpy/saxpy_cuda.cu
        bound/nvcc -o package/saxpy saxpy.o -Lpackage -lreport -Xlinker -rpath,\$ORIGIN
        package/saxpy || test $? = 77
        hostpin leak-check --binding bound package' "$(realpath "$(cuda "$2")")"
    exits 0
    contains 'host half: 1048576 elements, all as expected' <"$out"
}
# CUDA 13.0 takes neither its compiler nor its C library.
says_what_does_not_fit() {
    [[ $suites == *" sid "* ]] || skip "not asked for"
    need_cuda 12.4
    provide_root sid g++ sid
    call in_root sid "$tree" "$PWD" 'hostpin doctor --toolkit /cuda' "$(realpath "$(cuda 12.4)")"
    exits 1
    contains 'too-new  GCC' <"$out"
}

it 'Debian 11: glibc 2.31' builds_and_runs bullseye 11.8
it 'Debian 12: glibc 2.36' builds_and_runs bookworm 12.4
it 'Debian 13: glibc 2.41' builds_and_runs trixie 13.0
it 'Debian sid: nothing fits' says_what_does_not_fit
finish
