#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# roots.sh TARBALL [SUITE...]: the portable tarball in bare roots of Debian 11, 12, 13 and sid, each with its own g++, as root with debootstrap:
# doctor, a binding, a sample compiled and linked, its host half run, and the leak check. By hand before a release: HOSTPIN_FULL=1.
# The roots stay in /var/tmp/hostpin-roots for the next run.
# shellcheck source=tests/e2e/lib.sh
# shellcheck disable=SC2317 # functions are called by name
full=${HOSTPIN_FULL:-0}
. "$(dirname "$0")/../lib.sh"
[ "$full" = 1 ] || skip "makes four systems of packages; HOSTPIN_FULL=1 runs it"
need_command debootstrap
need_mounts
roots=/var/tmp/hostpin-roots
tarball=$(realpath "$1") && shift
tree=$work/tree
mkdir "$tree" && tar -xf "$tarball" -C "$tree" --strip-components=1
suites=" ${*:-bullseye bookworm trixie sid} "

# shellcheck disable=SC2016 # apt's own variables
mirror() { apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | awk '$3 == "main" { print $1; exit }'; }
provide() { # SUITE
    if [ -d "$roots/$1" ]; then return; fi
    rm -rf "$roots/$1.new" && mkdir -p "$roots"
    debootstrap --variant=minbase --include=g++ "$1" "$roots/$1.new" "$(mirror)" >"$work/debootstrap.log" || { tail "$work/debootstrap.log" && return 1; }
    mv "$roots/$1.new" "$roots/$1"
}
# inside SUITE TOOLKIT SCRIPT: in a copy of the root, with the tree in /hostpin, the toolkit in /cuda and the sample in /saxpy.
inside() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    call unshare -m bash -eu -c '
        space=$1 && mount -t tmpfs tmpfs "$space" && mkdir "$space"/{upper,state,root} && root=$space/root
        mount -t overlay overlay -o "lowerdir=$2,upperdir=$space/upper,workdir=$space/state" "$root"
        mkdir -p "$root"/{hostpin,cuda,saxpy,out/package}
        mount -t proc proc "$root/proc" && mount --bind /dev "$root/dev"
        mount --bind "$3" "$root/hostpin" && mount --bind "$4" "$root/cuda" && mount --bind "$5" "$root/saxpy"
        exec env -i PATH=/hostpin/bin:/usr/bin:/bin HOME=/out "$(command -v chroot)" "$root" sh -euc "cd /out && $6"' \
        bash "$(mktemp -d "$work/space.XXXX")" "$roots/$1" "$tree" "$2" "$repository/samples/saxpy" "$3"
}
builds_and_runs() { # SUITE CUDA
    [[ $suites == *" $1 "* ]] || skip "not asked for"
    need_cuda "$2"
    provide "$1"
    # shellcheck disable=SC2016 # expanded in the root
    inside "$1" "$(realpath "$(cuda "$2")")" '
        hostpin doctor --toolkit /cuda
        hostpin bind bound --toolkit /cuda
        bound/c++ -std=c++20 -I/saxpy -O2 -fPIC -shared -o package/libreport.so /saxpy/report.cpp
        bound/nvcc -I/saxpy -gencode arch=compute_75,code=sm_75 -c -o saxpy.o /saxpy/saxpy_cuda.cu
        bound/nvcc -o package/saxpy saxpy.o -Lpackage -lreport -Xlinker -rpath,\$ORIGIN
        package/saxpy || test $? = 77
        hostpin leak-check --binding bound package'
    exits 0
    contains 'host half: 1048576 elements, all as expected' <"$out"
}
# CUDA 13.0 takes neither its compiler nor its C library.
says_what_does_not_fit() {
    [[ $suites == *" sid "* ]] || skip "not asked for"
    need_cuda 12.4
    provide sid
    inside sid "$(realpath "$(cuda 12.4)")" 'hostpin doctor --toolkit /cuda'
    exits 1
    contains 'too-new  GCC' <"$out"
}

it 'Debian 11: glibc 2.31' builds_and_runs bullseye 11.8
it 'Debian 12: glibc 2.36' builds_and_runs bookworm 12.4
it 'Debian 13: glibc 2.41' builds_and_runs trixie 13.0
it 'Debian sid: nothing fits' says_what_does_not_fit
finish
